"""``boostbench list``: the data sets, methods, configs and papers there are."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any

from boostbench.experiment import options
from boostbench.experiment.options import argument

Record = dict[str, Any]


def list_names(
    what: Annotated[str, argument("datasets|methods|configs|papers", "What to list.", None)],
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
    read, row, header, left = _LISTS[what]
    screen, records = Screen(), read()
    if as_json:
        screen.json(records)
        return
    # An entry that cannot be read has its error in the place of its title.
    words = next(i for i, name in enumerate(header) if name in ("title", "what it is"))
    rows = [
        row(one)
        if "error" not in one
        else [one["name"], *(one["error"] if i == words else "" for i in range(1, len(header)))]
        for one in records
    ]
    screen.table(header, rows, left=left)
    if what == "methods":
        screen.say("task, estimator and parameters of each: boostbench list methods --json", "dim")


def _records(names: Iterable[str], describe: Callable[[str], Record]) -> list[Record]:
    from boostbench.errors import ConfigError, first_line

    records = []
    for name in names:
        try:
            records.append({"name": name, **describe(name)})
        except ConfigError as error:
            records.append({"name": name, "error": first_line(error)})
    return records


def _datasets() -> list[Record]:
    from boostbench.data.cards import card_names, load_card, places

    def describe(name: str) -> Record:
        card = load_card(name)
        return {
            "title": card.title,
            "task": card.task,
            "n_samples": card.n_samples,
            "n_features": card.n_features,
            "sources": places(card),
            "licence": card.licence,
            "variants": [f"{name}:{key}" for key in card.variants],
        }

    return _records(card_names(), describe)


def _dataset_row(card: Record) -> list[str]:
    hub = "github.com/"
    # All repositories on GitHub as one: ``GitHub (owner, owner)``.
    owners = dict.fromkeys(place.split("/")[1] for place in card["sources"] if hub in place)
    places = [place for place in card["sources"] if not place.startswith(hub)]
    places += [f"GitHub ({', '.join(owners)})"] if owners else []
    size = [f"{card[key]:,}" if card[key] else "?" for key in ("n_samples", "n_features")]
    return [card["name"], *size, card["task"], ", ".join(places), card["title"]]


def _methods() -> list[Record]:
    from boostbench.methods import get_method, method_names

    def describe(name: str) -> Record:
        method = get_method(name)
        keys = ("title", "description", "task", "estimator", "params", "version")
        return {key: getattr(method, key) for key in keys} | {"params": dict(method.params)}

    return _records(method_names(), describe)


def _configs() -> list[Record]:
    from boostbench.config.loading import config_names, load_experiment

    def describe(name: str) -> Record:
        found = load_experiment(name)
        return {"title": found.title, "n_trials": found.n_trials, "paper": found.paper}

    return _records(config_names(), describe)


def _papers() -> list[Record]:
    from boostbench.papers import get_paper, paper_names
    from boostbench.papers.claims import read_claims

    def describe(name: str) -> Record:
        paper = get_paper(name)
        return {
            "title": paper.title,
            "authors": paper.authors,
            "metric": paper.metric,
            "tables": list(paper.tables_and_figures),
            "datasets": len(paper.datasets),
            "claims": len(read_claims(paper)),
            "folder": str(paper.folder),
        }

    return _records(paper_names(), describe)


def _paper_row(paper: Record) -> list[str]:
    counts = [f"{paper[key]:,}" for key in ("datasets", "claims")]
    title = f"{paper['authors']}: {paper['title']}"
    return [paper["name"], title, ", ".join(paper["tables"]), *counts]


def _method_row(method: Record) -> list[str]:
    return [method["name"], method["description"] or method["title"]]


def _config_row(config: Record) -> list[str]:
    return [config["name"], f"{config['n_trials']:,}", config["title"]]


_LISTS: dict[str, tuple[Callable[[], list[Record]], Callable[[Record], list[str]],
                        list[str], tuple[int, ...]]] = {
    "datasets": (
        _datasets, _dataset_row, ["data set", "rows", "features", "task", "sources", "title"],
        (0, 3, 4, 5),
    ),
    "methods": (_methods, _method_row, ["method", "what it is"], (0, 1)),
    "configs": (_configs, _config_row, ["config", "trials", "title"], (0, 2)),
    "papers": (
        _papers, _paper_row, ["paper", "title", "tables", "data sets", "claims"], (0, 1, 2),
    ),
}  # fmt: skip
