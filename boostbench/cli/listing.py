"""``boostbench list``: the data sets, methods and configs there are."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from boostbench.cli.console import Screen


def list_names(
    what: Annotated[
        str,
        typer.Argument(
            metavar="datasets|methods|configs",
            help="What to list.",
            show_default=False,
            autocompletion=lambda incomplete: [n for n in _LISTS if n.startswith(incomplete)],
        ),
    ],
) -> None:
    """List data sets, methods or shipped configs."""
    from boostbench.cli.console import Screen
    from boostbench.errors import ConfigError
    from boostbench.suggest import did_you_mean, listing

    if what not in _LISTS:
        raise ConfigError(
            f"nothing to list by the name '{what}'{did_you_mean(what, _LISTS)}; "
            f"give one of {listing(_LISTS)}"
        )
    _LISTS[what](Screen())


def _datasets(screen: "Screen") -> None:
    from boostbench.data.cards import card_names, load_card, places

    rows = []
    for name in card_names():
        card = load_card(name)
        sources = ", ".join(_in_short(places(card)))
        rows.append(
            [name, f"{card.n_samples:,}", f"{card.n_features:,}", card.task, sources, card.title]
        )
    header = ["data set", "rows", "features", "task", "sources", "title"]
    screen.table(header, rows, left=(0, 3, 4, 5))


def _in_short(places: list[str]) -> list[str]:
    """Return the places, all repositories on GitHub as one: ``GitHub (owner, owner)``."""
    hub = "github.com/"
    owners = dict.fromkeys(place.split("/")[1] for place in places if place.startswith(hub))
    others = [place for place in places if not place.startswith(hub)]
    return [*others, f"GitHub ({', '.join(owners)})"] if owners else others


def _methods(screen: "Screen") -> None:
    from boostbench.errors import ConfigError
    from boostbench.methods import get_method, method_names

    rows = []
    for name in method_names():
        try:
            method = get_method(name)
        except ConfigError as error:
            rows.append([name, "", "", str(error)])
            continue
        params = ", ".join(f"{key}={value}" for key, value in method.params.items())
        rows.append([name, method.task, params, method.description or method.title])
    screen.table(["method", "task", "presets", "description"], rows, left=(0, 1, 2, 3))


def _configs(screen: "Screen") -> None:
    from boostbench.config.loading import config_names, load_experiment
    from boostbench.errors import ConfigError

    rows = []
    for name in config_names():
        try:
            experiment = load_experiment(name)
        except ConfigError as error:
            rows.append([name, "", str(error).splitlines()[0]])
            continue
        rows.append([name, f"{experiment.n_trials:,}", experiment.title])
    screen.table(["config", "trials", "title"], rows, left=(0, 2))


_LISTS: Mapping[str, "Callable[[Screen], None]"] = {
    "datasets": _datasets,
    "methods": _methods,
    "configs": _configs,
}
