"""``boostbench list``: the available data sets, methods, configs and papers."""

from collections.abc import Callable
from typing import Annotated, Any

from boostbench.experiment import options
from boostbench.experiment.options import argument
from boostbench.values import Record


def list_names(
    what: Annotated[str, argument("datasets|methods|configs|papers", "What to list.")],
    as_json: options.Json = False,
) -> None:
    """List data sets, methods, shipped configs or papers."""
    from boostbench.cli.screen import Screen
    from boostbench.errors import ConfigError, first_line
    from boostbench.suggest import did_you_mean, listing

    if what not in _LISTS:
        raise ConfigError(
            f"nothing to list by the name '{what}'{did_you_mean(what, _LISTS)}; "
            f"give one of {listing(_LISTS)}"
        )
    names, describe, columns = _LISTS[what]()
    screen, records = Screen(), []
    for name in names:
        try:
            records.append({"name": name, **describe(name)})
        except ConfigError as error:
            records.append({"name": name, "error": first_line(error)})
    if as_json:
        screen.json(records)
        return
    rows = [
        [one["name"], *(_text(one.get(key, "")) for key in columns[:-1]),
         one.get("error") or _text(one[columns[-1]] or one["title"])]
        for one in records
    ]  # fmt: skip
    numbers = {"n_samples", "n_features", "n_trials", "claims"}
    left = [i for i, key in enumerate(["name", *columns]) if key not in numbers]
    header = [key.removeprefix("n_") for key in columns]
    screen.table([what.removesuffix("s"), *header], rows, left=left)
    if what == "methods":
        screen.say("task, estimator and parameters of each: boostbench list methods --json", "dim")


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def _fields(thing: object, *names: str) -> Record:
    return {name: getattr(thing, name) for name in names}


Listing = tuple[list[str], Callable[[str], Record], list[str]]


def _datasets() -> Listing:
    from boostbench.data.cards import places
    from boostbench.data.catalog import Catalog

    catalog = Catalog()

    def describe(name: str) -> Record:
        card = catalog.card(name)
        variants = [f"{name}:{key}" for key in card.variants]
        known = _fields(card, "title", "task", "n_samples", "n_features", "licence")
        return {**known, "sources": places(card), "variants": variants}

    return catalog.names, describe, ["n_samples", "n_features", "task", "title"]


def _methods() -> Listing:
    from boostbench.methods import get_method, method_names

    def describe(name: str) -> Record:
        method = get_method(name)
        known = _fields(method, "title", "description", "task", "estimator", "version")
        return {**known, "params": dict(method.params)}

    return method_names(), describe, ["description"]


def _configs() -> Listing:
    from boostbench.config.loading import config_names, load_experiment

    def describe(name: str) -> Record:
        return _fields(load_experiment(name), "title", "n_trials", "paper")

    return config_names(), describe, ["n_trials", "title"]


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

    return paper_names(), describe, ["authors", "claims", "tables", "title"]


_LISTS: dict[str, Callable[[], Listing]] = {
    "datasets": _datasets, "methods": _methods, "configs": _configs, "papers": _papers,
}  # fmt: skip
