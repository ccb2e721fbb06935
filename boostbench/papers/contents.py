"""Checks of what a paper's folder says of methods, metrics and data sets, beside their names.

An estimator or a metric of a package that is not installed here cannot be checked, and passes,
unless an installed package has nearly its name.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from itertools import permutations
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from boostbench.data.cards import Card, Catalog
from boostbench.errors import ConfigError, DataError
from boostbench.estimators import (
    RefusedParameterError,
    default_params,
    load_scorer,
    path_parts,
    validate_params,
)
from boostbench.methods import get_method, method_names
from boostbench.papers.metrics import METRICS, Metric, metric_from
from boostbench.papers.paper import Paper
from boostbench.papers.reading import Line
from boostbench.papers.roles import ANY, ROLE_KEYS
from boostbench.papers.tables import PublishedDataset
from boostbench.suggest import did_you_mean, listing, nearest
from boostbench.values import Record
from boostbench.yamltree import Document


def wrong_contents(paper: Paper, document: Document, folder: Path) -> list[str]:
    """Return the mistakes in the roles, metrics, data sets and printed columns of a folder.

    The settings of its metrics must be right: see :func:`wrong_metrics`. Modules beside the folder,
    where an experiment file lies, can be imported.
    """
    with _importable(folder.parent):
        of_methods = [*_in_roles(paper, document), *_in_functions(paper, document)]
        of_methods += [*_in_choices(paper, document), *_in_conditions(paper, document)]
    return [*of_methods, *_in_datasets(paper, Catalog(folder.parent)), *_in_columns(paper)]


@contextlib.contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Let the modules in a folder be imported, after all others."""
    sys.path.append(str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _in_roles(paper: Paper, document: Document) -> Iterator[str]:
    for role, own in paper.roles.items():
        if "method" in own and "estimator" in own:
            place = document.where(["roles", role], key=True)
            yield f"{place}: the role '{role}' has 'method' and 'estimator'; leave one of them out"
            continue
        estimator = own.get("estimator")
        if estimator is None and own.get("method", role) in method_names():
            estimator = get_method(own.get("method", role)).estimator
        if isinstance(estimator, str):  # an unknown method is named elsewhere
            yield from _in_role(document, role, own, estimator)


def _in_role(document: Document, role: str, own: Record, estimator: str) -> Iterator[str]:
    """Yield the mistakes in the parameters of a role, and in its other keys."""
    try:
        named, takes_others = default_params(estimator)
    except ConfigError as error:
        if not _is_elsewhere(estimator):
            yield f"{document.where(['roles', role, 'estimator'])}: {error}"
        return
    parameters = [*named, *ROLE_KEYS]
    for key in own if not takes_others else ():
        if key not in parameters:
            place = document.where(["roles", role, key], key=True)
            hint = did_you_mean(key, parameters) or f"; it has {listing(named)}"
            yield f"{place}: {path_parts(estimator)[-1]} has no parameter '{key}'{hint}"
    values = {key: own[key] for key in own if key in named}
    yield from _in_role_values(document, role, values, estimator)
    yield from _in_role_keys(document, role, own, [] if takes_others else [*named])


def _in_role_values(document: Document, role: str, own: Record, estimator: str) -> Iterator[str]:
    """Yield the values that a parameter cannot have, as the estimator says."""
    for key, wanted in own.items():
        for value in wanted if isinstance(wanted, list) else [wanted]:
            if value is None or value == ANY:  # it is not given, or has every value
                continue
            try:
                validate_params(estimator, {key: value})
            except RefusedParameterError as error:
                if error.parameter == key:
                    yield f"{document.where(['roles', role, key])}: {error}"


def _in_role_keys(
    document: Document, role: str, own: Record, parameters: Sequence[str]
) -> Iterator[str]:
    """Yield what is wrong in the keys of a role that are no parameters themselves."""
    if own.get("rounds", ANY) != ANY:
        place = document.where(["roles", role, "rounds"])
        yield f"{place}: 'rounds' must be any, or left out, not '{own['rounds']}'"
    chosen, place = own.get("chosen", True), document.where(["roles", role, "chosen"])
    if isinstance(chosen, list):
        for name in chosen if parameters else ():
            if name not in parameters:
                hint = did_you_mean(name, parameters) or f"; there are {listing(parameters)}"
                yield f"{place}: there is no parameter '{name}' that could be chosen{hint}"
    elif not isinstance(chosen, bool):
        yield f"{place}: 'chosen' must be true, false or a list of parameters, not '{chosen}'"


def _is_elsewhere(path: str) -> bool:
    """Return whether an import path is that of a package which is not installed here."""
    top = path_parts(path)[0]
    return find_spec(top) is None and not get_close_matches(top, _installed(), 1, 0.8)


@cache
def _installed() -> list[str]:
    return [*packages_distributions()]


def _parameters(paper: Paper, names: Iterable[str]) -> dict[str, object]:
    """Return the parameters of methods, as far as their packages are installed here."""
    known: dict[str, object] = {}
    for name in names:
        own = paper.roles.get(name, {})
        registered = own.get("method", name)
        with contextlib.suppress(ConfigError):
            if "estimator" in own:
                known |= default_params(own["estimator"])[0]
            elif registered in method_names():
                known |= default_params(get_method(registered).estimator)[0]
                known |= get_method(registered).params
    return known


def _in_conditions(paper: Paper, document: Document) -> Iterator[str]:
    """Yield the methods and the parameters of conditions that are not known."""
    methods = [*dict.fromkeys([*paper.method_names, *paper.names.values()])]
    named = document.value.get("conditions", ())  # the usual ones need no method
    for name, condition in ((name, paper.conditions[name]) for name in named):
        path = ["conditions", name, "param"]
        if isinstance(condition.param, str):
            yield from _unknown_parameter(paper, document, path, condition.param, methods)
            continue
        for method, parameter in condition.param.items():
            if method not in methods:
                hint = did_you_mean(method, methods) or f"; there are {listing(methods)}"
                place = document.where([*path, method], key=True)
                yield f"{place}: the paper has no method '{method}'{hint}"
            own = [method, *(each for each, column in paper.names.items() if column == method)]
            yield from _unknown_parameter(paper, document, [*path, method], parameter, own)


def _unknown_parameter(
    paper: Paper, document: Document, path: Sequence[str], parameter: str, methods: Sequence[str]
) -> Iterator[str]:
    """Yield a parameter that none of the methods whose parameters are known has."""
    known = _parameters(paper, methods)
    if parameter and known and parameter not in known:
        hint = did_you_mean(parameter, known) or f"; there are {listing(known)}"
        yield f"{document.where(path)}: no method has a parameter '{parameter}'{hint}"


def _in_choices(paper: Paper, document: Document) -> Iterator[str]:
    """Yield the misspelt parameters whose choice is explained."""
    known = _parameters(paper, [name for name in paper.names if name in method_names()])
    for name in paper.choices:
        if name not in known and (hint := did_you_mean(name, known)):
            place = document.where(["choices", name], key=True)
            yield f"{place}: no method of 'columns' has a parameter '{name}'{hint}"


def wrong_metrics(paper: Paper, document: Document) -> list[str]:
    """Return the settings that the paper's metrics do not have, and values of wrong types."""
    entries = _metric_entries(paper, document)
    return [wrong for given, path in entries for wrong in _in_metric(given, path, document)]


def _metric_entries(
    paper: Paper, document: Document
) -> Iterator[tuple[Record, Sequence[str | int]]]:
    """Yield the settings of each metric, and their path in ``paper.yaml``."""
    entries: list[Record] = [dict(entry) for entry in paper.metrics]
    by_name = isinstance(document.value.get("metrics"), dict)
    defined = {own["name"] for own in entries if len(own) > 1}
    if paper.metric not in defined:
        yield {"name": paper.metric}, ["metric"]
    for i, own in enumerate(entries):
        if len(own) > 1 or own["name"] not in defined:
            yield own, ["metrics", own["name"] if by_name else i]


def _in_metric(given: Record, path: Sequence[str | int], document: Document) -> Iterator[str]:
    try:
        TypeAdapter(Metric).validate_python(vars(metric_from(given)))
    except ConfigError as error:
        yield f"{document.where(path)}: {error}"
    except ValidationError as error:
        for each in error.errors():
            key = str(each["loc"][0])
            words = each["msg"].removeprefix("Input ")
            yield f"{document.where([*path, key])}: '{key}' {words}, not '{each['input']}'"


def _in_functions(paper: Paper, document: Document) -> Iterator[str]:
    """Yield the functions of metrics that cannot be loaded."""
    for given, path in _metric_entries(paper, document):
        metric = metric_from(given)
        if metric.name in METRICS or not metric.function:
            continue
        try:
            load_scorer(metric.function)
        except ConfigError as error:
            if not (":" in metric.function and _is_elsewhere(metric.function)):
                own = next((key for key in ("of", "function") if key in given), "")
                place = [*path, own] if own else path
                remedy = (
                    ""
                    if own
                    else "; a metric that others have measured needs only its direction, as in "
                    f"'metrics: {{{metric.name}: {{direction: lower}}}}'"
                )
                yield f"{document.where(place)}: {error}{remedy}"


def _in_datasets(paper: Paper, catalog: Catalog) -> Iterator[str]:
    rows = paper.rows("datasets.csv")
    for (place, _), data in zip(rows, paper.dataset_rows, strict=False):
        yield from _without_a_design(place, data, paper)
        try:
            cards = _known_cards(data, catalog)
        except DataError as error:
            yield f"{place}, cards: {error}"
            continue
        if cards and not data.files and not data.fingerprints:
            yield from _unknown_targets(place, data, cards)
            yield from _other_sizes(place, data, cards)


def _without_a_design(place: str, data: PublishedDataset, paper: Paper) -> Iterator[str]:
    """Yield the seeds or partitions of a data set whose division is not stated."""
    is_stated = data.folds or data.splits or paper.design
    if not is_stated and (data.seeds or data.partitions):
        which = "seeds" if data.seeds else "partitions"
        yield f"{place}, {which}: this needs a design, or 'folds', or 'splits' and 'test_size'"


def _known_cards(data: PublishedDataset, catalog: Catalog) -> list[Card]:
    """Return the cards that a data set names, or that of its own name, as far as there are any."""
    names = data.cards or [data.name]
    return [catalog.card(name) for name in names if name.partition(":")[0] in catalog.names]


def _unknown_targets(place: str, data: PublishedDataset, cards: Sequence[Card]) -> Iterator[str]:
    """Yield the targets that none of a data set's cards has as a column."""
    columns = [set(card.columns) for card in cards]
    for card, own in zip(cards, columns, strict=True):
        own.update(*(source.columns for source in card.sources))
    known = {card.target for card in cards}.union(*columns)
    for target in data.targets:
        # The columns of some data sets are known only once these have been read.
        if target not in known and (all(columns) or nearest(target, known)):
            hint = did_you_mean(target, known)
            yield f"{place}, targets: {cards[0].name} has no column '{target}'{hint}"


def _other_sizes(place: str, data: PublishedDataset, cards: Sequence[Card]) -> Iterator[str]:
    """Yield a number of rows that none of a data set's cards has."""
    sizes = {card.n_samples for card in cards if card.n_samples}
    if data.n_samples and sizes and data.per_class is None and data.n_samples not in sizes:
        rows = f"{cards[0].name} has {min(sizes):,} rows, not {data.n_samples:,}"
        yield f"{place}, n_samples: {rows}; give another card, or leave one of the two out"


def _in_columns(paper: Paper) -> Iterator[str]:
    """Yield the misspelt methods and data sets of single cells.

    Such a name is nearly that of another one, and is printed only where that one is not.
    """
    rows = paper.rows("tables.csv")
    datasets = {*paper.datasets} if paper.file("datasets.csv") else set[str]()
    conditions = [*paper.conditions]
    yield from _misspelt(rows, conditions, "method", "dataset", {*paper.names.values()})
    yield from _misspelt(rows, conditions, "dataset", "method", datasets)


def _misspelt(
    rows: Sequence[Line],
    conditions: Sequence[str],
    key: str,
    other: str,
    named: set[str],
) -> Iterator[str]:
    """Yield the misspelt names in a column ``key``, whose cells differ in the column ``other``."""
    groups: dict[tuple[str, ...], dict[str, dict[str, str]]] = {}
    for place, row in rows:
        setting = [row.get(name, "") for name in conditions]
        names = groups.setdefault((row.get("table", ""), *setting), {})
        names.setdefault(row.get(key, ""), {}).setdefault(row.get(other, ""), place)
    for names in groups.values():
        for (name, own), (near, others) in permutations(names.items(), 2):
            apart = not own.keys() & others.keys()
            rare = len(own) < len(others) or near in named
            if name not in named and apart and rare and nearest(name, [near]):
                place = next(iter(own.values()))
                yield (
                    f"{place}, {key}: '{name}' is printed where '{near}' is not "
                    f"(did you mean '{near}'?)"
                )
