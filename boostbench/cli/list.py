"""``boostbench list``: the available data sets, methods, configs and papers."""

import shlex
from collections.abc import Callable
from typing import Annotated

from boostbench.cli.listings import (
    OF_CONFIGS,
    OF_DATASETS,
    OF_METHODS,
    OF_PAPERS,
    Listing,
    fields_of,
    of_card,
    of_paper,
)
from boostbench.experiment import options
from boostbench.experiment.options import argument
from boostbench.values import Record


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


def _datasets() -> Listing:
    from boostbench.data.cards import Catalog

    catalog = Catalog()

    return Listing(catalog.names, lambda name: of_card(name, catalog.card(name)), OF_DATASETS)


def _methods() -> Listing:
    from boostbench.methods import get_method, method_names

    def describe(name: str) -> Record:
        method = get_method(name)
        known = fields_of(method, "title", "description", "task", "estimator", "version")
        return {**known, "params": dict(method.params)}

    return Listing(method_names(), describe, OF_METHODS)


def _configs() -> Listing:
    from boostbench.config.loading import config_names, load_experiment

    def describe(name: str) -> Record:
        return fields_of(load_experiment(name), "title", "n_trials", "paper")

    return Listing(config_names(), describe, OF_CONFIGS)


def _papers() -> Listing:
    from boostbench.papers import get_paper, paper_names

    return Listing(paper_names(), lambda name: of_paper(get_paper(name)), OF_PAPERS)


_LISTS: dict[str, Callable[[], Listing]] = {
    "datasets": _datasets,
    "methods": _methods,
    "configs": _configs,
    "papers": _papers,
}
