"""``boostbench list``: the available data sets, methods, configs and papers."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from boostbench.experiment import options
from boostbench.experiment.options import argument
from boostbench.values import Record

if TYPE_CHECKING:
    from boostbench.data.cards import Card
    from boostbench.papers import Paper

OF_DATASETS = ["n_samples", "n_features", "task", "title"]
OF_METHODS = ["description"]
OF_CONFIGS = ["n_trials", "title"]
OF_PAPERS = ["authors", "claims", "tables", "title"]
"""The columns in which each kind is shown."""


def list_names(
    what: Annotated[str, argument("datasets|methods|configs|papers", "What to list.")],
    config: Annotated[
        str | None,
        argument(
            "[CONFIG]",
            "Only those of an experiment: its file, a shipped config's name, a results folder, or "
            "its name below ./results.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """List data sets, methods, shipped configs or papers, or those of one experiment."""
    from boostbench.cli.screen import Screen
    from boostbench.errors import ConfigError
    from boostbench.suggest import did_you_mean, listing

    if what not in _LISTS:
        raise ConfigError(
            f"nothing to list by the name '{what}'{did_you_mean(what, _LISTS)}; "
            f"give one of {listing(_LISTS)}"
        )
    screen = Screen()
    if config is None:
        listed = _LISTS[what]()
    else:
        from boostbench.cli.list_of import listing_of

        listed = listing_of(what, config, screen.warn)
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
        more = "" if config is None else f" {shlex.quote(config)}"
        screen.write(
            f"task, estimator and parameters of each: boostbench list methods{more} --json", "dim"
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
    if value is None:
        return ""
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
    from boostbench.data.catalog import Catalog

    catalog = Catalog()

    return Listing(catalog.names, lambda name: of_card(name, catalog.card(name)), OF_DATASETS)


def of_card(name: str, card: "Card") -> Record:
    """Return what is known of the data set on a card."""
    from boostbench.data.cards import places

    variants = [f"{name}:{key}" for key in card.variants]
    known = _fields(card, "title", "task", "n_samples", "n_features", "licence")
    return {**known, "sources": places(card), "variants": variants}


def _methods() -> Listing:
    from boostbench.methods import get_method, method_names

    def describe(name: str) -> Record:
        method = get_method(name)
        known = _fields(method, "title", "description", "task", "estimator", "version")
        return {**known, "params": dict(method.params)}

    return Listing(method_names(), describe, OF_METHODS)


def _configs() -> Listing:
    from boostbench.config.loading import config_names, load_experiment

    def describe(name: str) -> Record:
        return _fields(load_experiment(name), "title", "n_trials", "paper")

    return Listing(config_names(), describe, OF_CONFIGS)


def _papers() -> Listing:
    from boostbench.papers import get_paper, paper_names

    return Listing(paper_names(), lambda name: of_paper(get_paper(name)), OF_PAPERS)


def of_paper(paper: "Paper") -> Record:
    """Return what is known of a paper."""
    from boostbench.papers.claims import read_claims

    return {
        **_fields(paper, "title", "authors", "metric"),
        "tables": list(paper.tables_and_figures),
        "datasets": len(paper.datasets),
        "claims": len(read_claims(paper)),
        "folder": str(paper.folder),
    }


_LISTS: dict[str, Callable[[], Listing]] = {
    "datasets": _datasets,
    "methods": _methods,
    "configs": _configs,
    "papers": _papers,
}
