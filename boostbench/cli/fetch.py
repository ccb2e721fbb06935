"""``boostbench fetch``: data sets brought here and checked, before a run or for work offline."""

from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.cli import complete, options

if TYPE_CHECKING:
    from boostbench.data.request import DataRequest


def fetch(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME...",
            help="Data sets, or configs whose data sets are meant.",
            autocompletion=complete.configs_or_datasets,
        ),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Every data set there is a card of.")] = False,
    mirror: options.Mirror = None,
    offline: options.Offline = False,
) -> None:
    """Fetch data sets and check them by their cards."""
    from dataclasses import replace

    from boostbench.cli.console import Screen
    from boostbench.data.access import default_access
    from boostbench.data.loading import NoNetwork, load_dataset, prefetch
    from boostbench.errors import ConfigError, DataError

    if not names and not all_:
        raise ConfigError("name data sets or configs, or give --all")
    screen = Screen()
    requests = _requests(names or [], all_)
    access = default_access(mirror, offline, screen.note)
    rows, failed = [], []
    missing: list[str] = []
    with screen.downloads() as watch:
        access = replace(access, watch=watch)
        try:
            prefetch(list(requests.values()), access)
        except NoNetwork as error:
            failed, missing = [str(error)], error.missing
        for request in requests.values():
            if request.name in missing:
                continue
            try:
                dataset = load_dataset(request, access)
            except DataError as error:
                failed.append(str(error))
                continue
            screen.note_data(dataset)
            n, p = dataset.X.shape
            source = access.network.served.get(request.name, dataset.source)
            rows.append([request.name, f"{n:,}", f"{p:,}", source, dataset.fingerprint[:12]])
    if rows:
        screen.table(["data set", "rows", "features", "from", "fingerprint"], rows, left=(0, 3, 4))
    if failed:
        raise DataError("\n".join(failed))


def _requests(names: list[str], all_: bool) -> "dict[str, DataRequest]":
    from boostbench.config.loading import config_names, load_experiment
    from boostbench.data.cards import card_names, load_card
    from boostbench.data.request import DataRequest
    from boostbench.errors import ConfigError
    from boostbench.suggest import did_you_mean

    cards, configs = card_names(), config_names()
    requests: dict[str, DataRequest] = {}
    for name in [*names, *(cards if all_ else [])]:
        if name.partition(":")[0] in cards:
            requests[name] = DataRequest(name=name, card=name, task=load_card(name).task)
        elif name in configs or name.endswith((".yaml", ".yml")):
            requests |= {r.name: r for r in load_experiment(name).requests()}
        else:
            raise ConfigError(
                f"'{name}' is neither a data set nor a config{did_you_mean(name, cards + configs)}"
                "; see: boostbench list datasets"
            )
    return requests
