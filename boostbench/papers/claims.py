"""The claims of a paper: rows of ``claims.csv``, each tried on dummy values when it is read.

``keys.yaml`` describes the columns.
"""

import inspect
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product

import numpy as np

from boostbench.errors import ConfigError
from boostbench.grouping import grouped
from boostbench.papers.conditions import Scope, quantified
from boostbench.papers.evidence import TIMES
from boostbench.papers.figures import AVERAGES, FIGURES, QUANTITIES, is_over_all, option
from boostbench.papers.language import (
    ExpressionError,
    FigureCall,
    Names,
    Unknown,
    Values,
    methods_of,
)
from boostbench.papers.metrics import METRICS, Metric, known_metrics
from boostbench.papers.paper import Paper
from boostbench.papers.reading import Listed, columns_of, lines, read_rows, typed
from boostbench.papers.settings import Setting, Value, value_of
from boostbench.papers.tables import not_a_condition
from boostbench.suggest import did_you_mean, listing

CONDITIONS = ("reproduced_if", "weaker_if", "not_reproduced_if", "literally")

_OF_TIMES = ("speedup", "seconds", "growth", "power", "power_lead")

OWN_TABLES = ("supports", "partly", "contradicts", "not printed", "by proof", "by definition")
"""What a paper's own tables usually say of a claim; the report lists those that they contradict."""


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper, and how it is judged.

    ``at`` has the values of the conditions that it is about, ``table`` the table that it names.
    """

    id: str
    where: str
    text: str
    stated: str = ""
    data_sets: Listed[str] = field(default_factory=list)
    at: Mapping[str, Sequence[Value]] = field(default_factory=dict)
    table: str = ""
    figures: Sequence[FigureCall] = ()
    reproduced_if: str = ""
    weaker_if: str = ""
    not_reproduced_if: str = ""
    literally: str = ""
    own_tables: str = ""
    own_value: str = ""
    reason: str = ""
    note: str = ""

    @property
    def roles(self) -> list[str]:
        """The methods in its figures."""
        return methods_of(self.figures)

    def settings_among(
        self,
        values: Mapping[str, Sequence[Value | None]],
        unknown: Sequence[Value | None] = (None,),
    ) -> list[Setting]:
        """Return all settings that it is about, among ``values`` of the conditions it leaves open.

        A condition without any has the ``unknown`` ones.
        """
        return [*product(*(self.at.get(name) or own or unknown for name, own in values.items()))]

    def is_about(self, setting: Setting, conditions: Iterable[str]) -> bool:
        """Return whether a setting has one of its values of each condition."""
        pairs = zip(conditions, setting, strict=True)
        return all(value in self.at[name] for name, value in pairs if name in self.at)


def read_claims(paper: Paper) -> list[Claim]:
    """Return a paper's claims; ConfigError with every mistake in their file, and its place.

    In another than its first metric they are those that name it.
    """
    path = paper.file("claims.csv")
    if path is None:
        return []
    choices = {
        "over": list(AVERAGES),
        "of": [*QUANTITIES, *METRICS, *paper.metric_names],
        "by": ["rows", "classes"],
        "rounds": ["common", "all"],
        "table": paper.printed_tables,
        "along": [*paper.conditions],
    }
    signatures = {name: inspect.signature(figure.function) for name, figure in FIGURES.items()}
    names = Names(signatures, paper.method_names, paper.claimed_datasets, choices)
    own = [name for name in columns_of(Claim) if name not in ("at", "table")]
    conditions = [*paper.conditions, *(f"{name}s" for name in paper.conditions)]
    rows = lines(path, [*own, *conditions], not_a_condition(paper.conditions))
    claims = read_rows(rows, ["id"], partial(_claim, names=names, paper=paper))
    # Scores that name no metric are in the first one.
    return claims if paper.is_whole else [one for one in claims if _names_metrics(one, paper)]


def _names_metrics(claim: Claim, paper: Paper) -> bool:
    """Return whether each figure of a claim names its metric."""
    named = [call.options.get("of") in paper.metric_names for call in claim.figures]
    return bool(named) and all(named)


def _only_printed(paper: Paper) -> dict[str, list[str]]:
    """Return the methods of each printed column whose name is not that of a method."""
    methods = {*paper.names, *paper.roles, *paper.printed_names}
    return grouped((own, name) for name, own in paper.names.items() if own not in methods)


def _claim(place: str, row: dict[str, str], names: Names, paper: Paper) -> Claim:
    """Return a claim with its figures, after trying its conditions on dummy values."""
    text = row.pop("figures", "")
    claim = typed({**row, "at": _values(place, row, paper)}, Claim)
    _check_cells(place, claim, names)
    datasets = claim.data_sets or list(names.datasets) or ["a", "b"]
    settings = claim.settings_among(paper.printed_values, (2, 3))
    scope = Scope(datasets, settings, names.datasets, conditions=paper.conditions)
    with _mistakes_in(place, "figures"):
        figures = [_along_a_condition(call, paper) for call in names.read(text)]
        _check_figures(figures, scope, paper)
        named = {call.name: _made_up(call, scope) for call in figures if call.name}
    for column in CONDITIONS:
        if condition := getattr(claim, column):
            with _mistakes_in(place, column):
                scope.condition(condition, named)
    _check_methods(place, figures, paper)
    tables = tables_named(claim.where, names.choices["table"])
    if len(tables) == 1:
        figures = [_beside_table(call, tables[0]) for call in figures]
    asked = [str(call.options["table"]) for call in figures if "table" in call.options]
    return replace(claim, figures=figures, table=next(iter([*asked, *tables]), ""))


def _values(place: str, row: Mapping[str, str], paper: Paper) -> dict[str, list[Value]]:
    """Return the values of conditions that a claim is about.

    They are in the column of the condition's name, or of its plural. A claim that says "every" or
    "some" of a condition is about all printed values of it. Raises ConfigError for a text where the
    tables print numbers.
    """
    said = quantified([row.get(column, "") for column in CONDITIONS], paper.conditions)
    at = {}
    for name in paper.conditions:
        printed = paper.printed_values[name]
        if given := _given_values(place, name, row, printed):
            at[name] = given
        elif name in said and printed:
            at[name] = printed
    return at


def _given_values(
    place: str, name: str, row: Mapping[str, str], printed: Sequence[Value]
) -> list[Value]:
    """Return the values in a row of a condition of which others are ``printed``."""
    cells = f"{row.get(name, '')};{row.get(f'{name}s', '')}".split(";")
    given = [value for cell in cells if (value := value_of(cell)) is not None]
    texts = [value for value in given if isinstance(value, str)]
    are_numbers = printed and not any(isinstance(value, str) for value in printed)
    if texts and are_numbers:
        known = listing(map(str, printed))
        raise ConfigError(f"{place}, {name}: '{texts[0]}' is no number; the tables print {known}")
    return given


def _check_cells(place: str, claim: Claim, names: Names) -> None:
    """Raise ConfigError for cells beside the figures that are wrong."""
    for name in claim.data_sets:
        if name not in names.datasets:
            hint = did_you_mean(name, names.datasets)
            raise ConfigError(f"{place}, data_sets: the paper has no data set '{name}'{hint}")
    if bool(claim.reproduced_if) == bool(claim.reason):
        raise ConfigError(f"{place}: a claim has either 'reproduced_if' or a 'reason'")
    if claim.own_tables not in OWN_TABLES and (hint := did_you_mean(claim.own_tables, OWN_TABLES)):
        raise ConfigError(f"{place}, own_tables: there is no '{claim.own_tables}'{hint}")


@contextmanager
def _mistakes_in(place: str, column: str) -> Iterator[None]:
    """Turn a mistake in an expression into a ConfigError with its place."""
    try:
        yield
    except (ExpressionError, Unknown, RecursionError) as error:
        raise ConfigError(f"{place}, {column}, {error}") from None
    except ValueError:
        raise ConfigError(f"{place}, {column}: its figures are of different data sets") from None


def _check_figures(figures: Sequence[FigureCall], scope: Scope, paper: Paper) -> None:
    """Raise ExpressionError for a figure without data sets, or that misfits its quantity."""
    for call in figures:
        if not call.kept(scope.datasets):
            raise ExpressionError(f"{call.text} leaves none of the data sets of the claim")
    known = known_metrics({}, paper)
    for call in figures:
        if why := _misfit(call, paper, known):
            raise ExpressionError(f"{call.text}: {why}")


def _misfit(call: FigureCall, paper: Paper, known: Mapping[str, Metric]) -> str:
    """Return why a figure cannot be of its quantity or metric, in a sentence, "" if it can.

    ``known`` are the metrics of the paper and all built-in ones, by name.
    """
    main, of = known[paper.metric], str(option(call, "of"))
    metric = main if of == "score" else known.get(of)
    if "failures" in (call.figure, of) and main.explodes_below is None:
        return (
            f"failures are runs with a score below the line of the metric, and '{main.name}' has "
            "none; give it 'explodes_below' among the 'metrics' of paper.yaml"
        )
    if call.figure == "saving" and metric is not None and metric.greater_is_better:
        return (
            f"saving() is of times and errors, but larger values of '{metric.name}' are better; "
            "use gain(), ratio() or lead()"
        )
    if call.figure in _OF_TIMES and of not in TIMES:
        refused = f"{call.figure}() is of seconds, not of '{of}'; 'of' is one of {', '.join(TIMES)}"
        return f"{refused}; value() is the mean of a score" if call.figure == "seconds" else refused
    if of == "area" and not paper.rounds:
        return "an area is the mean test error over the 'rounds' in paper.yaml, which has none"
    return ""


def _check_methods(place: str, figures: Sequence[FigureCall], paper: Paper) -> None:
    """Raise ConfigError for a printed column in the place of a method."""
    columns = _only_printed(paper)
    for role in methods_of(figures):
        if role in columns:
            raise ConfigError(
                f"{place}, figures: '{role}' is a printed column, not a method: write "
                f"{' or '.join(columns[role])}"
            )


def _beside_table(call: FigureCall, table: str) -> FigureCall:
    """Return a figure, of which printed averages are those of ``table`` unless it names another."""
    if call.figure != "off" or "table" in call.options:
        return call
    return replace(call, options={**call.options, "table": table})


def _along_a_condition(call: FigureCall, paper: Paper) -> FigureCall:
    """Return a figure that says along which condition it is, where it is along one."""
    if option(call, "along") is None or "along" in call.options:
        return call
    if not paper.conditions:
        raise ExpressionError(f"{call.text}: there is no condition in paper.yaml along which it is")
    return replace(call, options={**call.options, "along": next(iter(paper.conditions))})


def _made_up(call: FigureCall, scope: Scope) -> Values:
    """Return dummy values of the shape of a figure."""
    wide = 1 if is_over_all(call) else len(call.kept(scope.datasets))
    values = np.arange(1.0, 1.0 + wide) * np.ones((len(scope.settings), 1))
    return Values(values, values / 2, values * 2)


_TABLES = r"\b[Tt]ables?\s+({0}(?:(?:\s*,\s*|\s+and\s+|\s*&\s*){0})*)"


def tables_named(text: str, tables: Collection[str]) -> list[str]:
    """Return which of the ``tables`` a text names, such as "Tables 2 and C.4"."""
    if not tables:
        return []
    known = "|".join(re.escape(name) for name in sorted(tables, key=len, reverse=True))
    name = rf"(?:{known})(?![\w.]*\w)"
    lists = re.findall(_TABLES.format(name), text)
    return list(dict.fromkeys(re.findall(name, "\n".join(lists))))
