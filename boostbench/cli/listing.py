"""``boostbench list``: the data sets, methods, configs and papers there are."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boostbench.cli import options

if TYPE_CHECKING:
    from boostbench.cli.console import Screen


Record = dict[str, Any]


def list_names(
    what: Annotated[
        str,
        typer.Argument(
            metavar="datasets|methods|configs|papers",
            help="What to list.",
            show_default=False,
            autocompletion=lambda incomplete: [n for n in _LISTS if n.startswith(incomplete)],
        ),
    ],
    as_json: options.Json = False,
) -> None:
    """List data sets, methods, shipped configs or papers."""
    from boostbench.cli.console import Screen
    from boostbench.errors import ConfigError
    from boostbench.suggest import did_you_mean, listing

    if what not in _LISTS:
        raise ConfigError(
            f"nothing to list by the name '{what}'{did_you_mean(what, _LISTS)}; "
            f"give one of {listing(_LISTS)}"
        )
    records, show = _LISTS[what]
    if as_json:
        Screen().json(records())
    else:
        show(Screen(), records())


def _datasets() -> list[Record]:
    from boostbench.data.cards import card_names, load_card, places

    cards = {name: load_card(name) for name in card_names()}
    return [
        {
            "name": name,
            "title": card.title,
            "task": card.task,
            "n_samples": card.n_samples,
            "n_features": card.n_features,
            "sources": places(card),
            "licence": card.licence,
            "variants": [f"{name}:{key}" for key in card.variants],
        }
        for name, card in cards.items()
    ]


def _show_datasets(screen: "Screen", records: Sequence[Record]) -> None:
    rows = [
        [
            card["name"],
            f"{card['n_samples']:,}" if card["n_samples"] else "?",
            f"{card['n_features']:,}" if card["n_features"] else "?",
            card["task"],
            ", ".join(_in_short(card["sources"])),
            card["title"],
        ]
        for card in records
    ]
    header = ["data set", "rows", "features", "task", "sources", "title"]
    screen.table(header, rows, left=(0, 3, 4, 5))


def _in_short(places: list[str]) -> list[str]:
    """Return the places, all repositories on GitHub as one: ``GitHub (owner, owner)``."""
    hub = "github.com/"
    owners = dict.fromkeys(place.split("/")[1] for place in places if place.startswith(hub))
    others = [place for place in places if not place.startswith(hub)]
    return [*others, f"GitHub ({', '.join(owners)})"] if owners else others


def _methods() -> list[Record]:
    from boostbench.errors import ConfigError
    from boostbench.methods import get_method, method_names

    records: list[Record] = []
    for name in method_names():
        try:
            method = get_method(name)
        except ConfigError as error:
            records.append({"name": name, "error": str(error)})
            continue
        records.append(
            {
                "name": name,
                "title": method.title,
                "description": method.description,
                "task": method.task,
                "estimator": method.estimator,
                "params": dict(method.params),
                "version": method.version,
            }
        )
    return records


def _show_methods(screen: "Screen", records: Sequence[Record]) -> None:
    rows = [
        [method["name"], method.get("error") or method["description"] or method["title"]]
        for method in records
    ]
    screen.table(["method", "what it is"], rows, left=(0, 1))
    screen.say("task, estimator and parameters of each: boostbench list methods --json", "dim")


def _configs() -> list[Record]:
    from boostbench.config.loading import config_names, load_experiment
    from boostbench.errors import ConfigError

    records: list[Record] = []
    for name in config_names():
        try:
            experiment = load_experiment(name)
        except ConfigError as error:
            records.append({"name": name, "error": str(error).splitlines()[0]})
            continue
        found = {"name": name, "title": experiment.title, "n_trials": experiment.n_trials}
        records.append({**found, "paper": experiment.paper})
    return records


def _show_configs(screen: "Screen", records: Sequence[Record]) -> None:
    rows = [
        [config["name"], "", config["error"]]
        if "error" in config
        else [config["name"], f"{config['n_trials']:,}", config["title"]]
        for config in records
    ]
    screen.table(["config", "trials", "title"], rows, left=(0, 2))


_Show = Callable[["Screen", list[Record]], None]


def _papers() -> list[Record]:
    from boostbench.errors import ConfigError
    from boostbench.papers import get_paper, paper_names
    from boostbench.papers.claims import read_claims

    records: list[Record] = []
    for name in paper_names():
        try:
            paper = get_paper(name)
            counts = {"datasets": len(paper.datasets), "claims": len(read_claims(paper))}
        except ConfigError as error:
            records.append({"name": name, "error": str(error)})
            continue
        records.append(
            {
                "name": name,
                "title": paper.title,
                "authors": paper.authors,
                "metric": paper.metric,
                "tables": list(paper.tables_and_figures),
                **counts,
                "folder": str(paper.folder),
            }
        )
    return records


def _show_papers(screen: "Screen", records: Sequence[Record]) -> None:
    rows = [
        [one["name"], one["error"], "", "", ""]
        if "error" in one
        else [
            one["name"],
            f"{one['authors']}: {one['title']}",
            ", ".join(one["tables"]),
            f"{one['datasets']:,}",
            f"{one['claims']:,}",
        ]
        for one in records
    ]
    screen.table(["paper", "title", "tables", "data sets", "claims"], rows, left=(0, 1, 2))


_LISTS: Mapping[str, tuple[Callable[[], list[Record]], _Show]] = {
    "datasets": (_datasets, _show_datasets),
    "methods": (_methods, _show_methods),
    "configs": (_configs, _show_configs),
    "papers": (_papers, _show_papers),
}
