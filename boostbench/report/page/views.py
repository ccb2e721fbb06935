"""The parts of a page, as the plain values that its templates show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from boostbench.papers.metrics import Metric
from boostbench.report.document.answer import AverageBesidePrint
from boostbench.report.document.table import TextTable
from boostbench.report.figures.rows import Chart
from boostbench.report.frames.curves import Panel
from boostbench.report.page.cell_cards import CellCard


@dataclass(frozen=True, kw_only=True)
class View:
    """A part of a page with its ``title``; a macro of the templates shows each ``kind``.

    ``key`` is its name in links, ``hint`` stands beside the title of a closed part, and the
    ``notes`` are below it.
    """

    kind: ClassVar[str]
    key: str
    title: str
    hint: str = ""
    notes: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class TablesView(View):
    """Tables, with methods and their descriptions as ``glossary``."""

    kind = "tables"
    tables: Sequence[TextTable] = ()
    glossary: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, kw_only=True)
class ChartsView(View):
    """Charts side by side."""

    kind = "charts"
    charts: Sequence[Chart]


@dataclass(frozen=True, kw_only=True)
class PanelsView(View):
    """Learning curves of a ``quantity`` by axis; ``legend`` has the colour and name of each line.

    ``curve`` is "objective" or "score".
    """

    kind = "panels"
    curve: str
    quantity: str
    groups: Mapping[str, Sequence[Panel]]
    legend: Sequence[tuple[str, str]]


class Mark(NamedTuple):
    """A difference from print, with its interval and margin, as parts of half of an axis.

    ``top`` is that of the highest possible mean.
    """

    at: float
    interval: Sequence[float]
    margin: float
    top: float


@dataclass(frozen=True)
class CellView:
    """A cell beside the printed value; ``card`` is the name of its card in links.

    ``away`` is their difference; ``mark`` is ``None`` where nothing is compared.
    """

    card: str
    colour: str
    verdict: str
    measured: str
    printed: str
    away: str
    mark: Mark | None
    note: str


@dataclass(frozen=True, kw_only=True)
class MatrixView(View):
    """The printed table: the cells of each data set by method, and their averages.

    ``ends`` are the texts of the axis of all marks; they are drawn if ``marked``.
    """

    kind = "matrix"
    columns: Sequence[str]
    averages: Sequence[AverageBesidePrint]
    rows: Sequence[tuple[str, Sequence[CellView | None]]]
    ends: tuple[str, str, str]
    marked: bool


@dataclass(frozen=True, kw_only=True)
class DifferencesView(View):
    """The cells that differ, by data set and method, and ``why`` others are undecided."""

    kind = "differences"
    rows: Sequence[tuple[str, str, CellView]]
    aside: str
    why: Sequence[str]


@dataclass(frozen=True)
class Bar:
    """A measured figure on an axis from 0 to 1, with its interval and the ``stated`` numbers.

    ``even`` is where neither side is ahead, and ``label`` its text.
    """

    at: float
    interval: Sequence[float] | None
    stated: Sequence[float]
    even: float | None
    label: str


@dataclass(frozen=True)
class ClaimView:
    """A claim in two lines, the ``bar`` beside them, and its details as ``lines``."""

    id: str
    quote: str
    meta: str
    stated: str
    measured: str
    bar: Bar | None
    lines: Sequence[str]


@dataclass(frozen=True)
class ClaimGroup:
    """The claims with one verdict."""

    key: str
    title: str
    colour: str
    claims: Sequence[ClaimView]


@dataclass(frozen=True, kw_only=True)
class ClaimsView(View):
    """The judged claims by verdict: ``total`` of the ``whole`` number of claims.

    ``lacking`` says how many are undecided for want of other settings.
    """

    kind = "claims"
    whole: int
    total: int
    groups: Sequence[ClaimGroup]
    lacking: str


@dataclass(frozen=True, kw_only=True)
class StepsView(View):
    """What to do next, as commands; ``shipped`` experiments have no file of the user's."""

    kind = "steps"
    shipped: bool
    run: str
    show: str
    verify: str
    report: str
    paper: str


@dataclass(frozen=True, kw_only=True)
class CardsView(View):
    """Every cell in full."""

    kind = "cards"
    cards: Sequence[CellCard]


@dataclass(frozen=True)
class Stack:
    """A bar of counts of cells or claims: (colour, number, verdict) of each part."""

    title: str
    parts: Sequence[tuple[str, int, str]]


@dataclass(frozen=True)
class Page:
    """A page: the answer, own methods if any, the open ``blocks``, and what is ``closed``.

    ``compares`` says whether cells stand beside printed values, ``judges`` whether claims are
    judged, and ``settings`` what has the values of the paper's conditions, in words. ``names`` are
    those of methods by label.
    """

    name: str
    title: str
    intro: str
    warnings: Sequence[str]
    answer: Sequence[str]
    own: View | None
    stacks: Sequence[Stack]
    blocks: Sequence[View]
    closed: Sequence[View]
    footer: Sequence[str]
    metric: Metric
    compares: bool
    judges: bool
    settings: Sequence[str]
    names: Mapping[str, str]
