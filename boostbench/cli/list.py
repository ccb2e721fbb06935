"""``boostbench list``: the available data sets, methods, configs and papers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from boostbench.experiment import options
from boostbench.experiment.options import argument
from boostbench.values import Record


def list_names(
    what: Annotated[str, argument("datasets|methods|configs|papers", "What to list.")],
    as_json: options.Json = False,
) -> None:
    """List data sets, methods, shipped configs or papers."""
    from boostbench.cli.screen import Screen
    from boostbench.errors import ConfigError
    from boostbench.suggest import did_you_mean, listing

    if what not in _LISTS:
        raise ConfigError(
            f"nothing to list by the name '{what}'{did_you_mean(what, _LISTS)}; "
            f"give one of {listing(_LISTS)}"
        )
    listed = _LISTS[what]()
    screen = Screen()
    records = [_record(name, listed.describe) for name in listed.names]
    if as_json:
        screen.json(records)
        return
    numbers = {"n_samples", "n_features", "n_trials", "claims"}
    left = [i for i, key in enumerate(["name", *listed.columns]) if key not in numbers]
    header = [key.removeprefix("n_") for key in listed.columns]
    rows = [_row(record, listed.columns) for record in records]
    screen.table([what.removesuffix("s"), *header], rows, left=left)
    if what == "methods":
        screen.write(
            "task, estimator and parameters of each: boostbench list methods --json", "dim"
        )


def _record(name: str, describe: Callable[[str], Record]) -> Record:
    """Return what is known of a name, or why it cannot be described."""
    from boostbench.errors import ConfigError, first_line

    try:
        return {"name": name, **describe(name)}
    except ConfigError as error:
        return {"name": name, "error": first_line(error)}


def _row(record: Record, columns: list[str]) -> list[str]:
    """Return the cells of a record; the last one has its error, and the title where it is empty."""
    *others, last = columns
    cells = [_text(record.get(key, "")) for key in others]
    end = record.get("error") or _text(record[last] or record["title"])
    return [record["name"], *cells, end]


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def _fields(thing: object, *names: str) -> Record:
    return {name: getattr(thing, name) for name in names}


@dataclass(frozen=True)
class Listing:
    """Names, what is known of each, and the columns in which that is shown."""

    names: list[str]
    describe: Callable[[str], Record]
    columns: list[str]


def _datasets() -> Listing:
    from boostbench.data.cards import places
    from boostbench.data.catalog import Catalog

    catalog = Catalog()

    def describe(name: str) -> Record:
        card = catalog.card(name)
        variants = [f"{name}:{key}" for key in card.variants]
        known = _fields(card, "title", "task", "n_samples", "n_features", "licence")
        return {**known, "sources": places(card), "variants": variants}

    return Listing(catalog.names, describe, ["n_samples", "n_features", "task", "title"])


def _methods() -> Listing:
    from boostbench.methods import get_method, method_names

    def describe(name: str) -> Record:
        method = get_method(name)
        known = _fields(method, "title", "description", "task", "estimator", "version")
        return {**known, "params": dict(method.params)}

    return Listing(method_names(), describe, ["description"])


def _configs() -> Listing:
    from boostbench.config.loading import config_names, load_experiment

    def describe(name: str) -> Record:
        return _fields(load_experiment(name), "title", "n_trials", "paper")

    return Listing(config_names(), describe, ["n_trials", "title"])


def _papers() -> Listing:
    from boostbench.papers import get_paper, paper_names
    from boostbench.papers.claims import read_claims

    def describe(name: str) -> Record:
        paper = get_paper(name)
        return {
            **_fields(paper, "title", "authors", "metric"),
            "tables": list(paper.tables_and_figures),
            "datasets": len(paper.datasets),
            "claims": len(read_claims(paper)),
            "folder": str(paper.folder),
        }

    return Listing(paper_names(), describe, ["authors", "claims", "tables", "title"])


_LISTS: dict[str, Callable[[], Listing]] = {
    "datasets": _datasets,
    "methods": _methods,
    "configs": _configs,
    "papers": _papers,
}
