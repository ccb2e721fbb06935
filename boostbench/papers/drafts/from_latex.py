"""A draft of a paper from the tables of its LaTeX source."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from boostbench.data.cards import Catalog
from boostbench.errors import ConfigError
from boostbench.grouping import grouped
from boostbench.papers.drafts.draft import (
    NEITHER,
    SPREADS,
    TODO,
    Doubt,
    Draft,
    DraftCell,
    DraftDataset,
)
from boostbench.papers.drafts.names import (
    identifier,
    is_average,
    is_data_set,
    metric_in,
    metric_of,
    size_of,
)
from boostbench.papers.drafts.questions import (
    NO,
    YES,
    Answers,
    Question,
    ask_cards,
    ask_division,
    ask_methods,
    ask_metrics,
    ask_title,
    ask_units,
    average_of,
    not_a_name,
)
from boostbench.papers.latex.cells import Cell, Table, path_text, read_paper_text, read_tables

ROLES = ("data sets", "methods", "metrics", "conditions", "titles")
DATA_SETS, METHODS, METRICS, CONDITIONS, TITLES = ROLES
ROW, COLUMN = "row", "column"


@dataclass(frozen=True)
class Level:
    """A level of the rows' or the columns' paths, from 0 at the outside, and its names."""

    axis: str
    index: int
    names: Sequence[str]

    def name_in(self, cell: Cell) -> str:
        """Return the name that a cell has on this level, "" if its path is shorter."""
        path = cell.row if self.axis == ROW else cell.column
        return path[self.index].partition("#")[0] if self.index < len(path) else ""


def levels_of(cells: Sequence[Cell]) -> list[Level]:
    """Return the levels of cells, rows first."""
    found = []
    for axis in (ROW, COLUMN):
        paths = [cell.row if axis == ROW else cell.column for cell in cells]
        for index in range(max(map(len, paths), default=0)):
            names = [path[index].partition("#")[0] for path in paths if index < len(path)]
            found.append(Level(axis, index, list(dict.fromkeys(names))))
    return found


def roles_of(
    table: Table,
    levels: Sequence[Level],
    known: frozenset[str],
    answers: Answers,
    earlier: dict[frozenset[str], str],
) -> dict[str, list[Level]]:
    """Return the levels of each role.

    Nothing is asked of a level of one name, which is a title, nor where the names of just one
    level are those of known data sets: the others are then methods and metrics. ``earlier`` has
    the answers on the levels of earlier tables, by their names.
    """
    roles: dict[str, list[Level]] = {role: [] for role in (*ROLES, TODO)}
    proposals = [_proposed(level, known) for level in levels]
    is_evident = proposals.count(DATA_SETS) == 1
    for level, proposal in zip(levels, proposals, strict=True):
        names = frozenset(level.names)
        alike = [role for own, role in earlier.items() if 2 * len(own & names) > len(own | names)]
        if is_evident or proposal == TITLES:
            role = proposal
        elif alike:
            role = alike[0]
        else:
            role = answers.ask(_question(table, level, proposal, levels))
            earlier[names] = role
        roles[role].append(level)
    return roles


def _proposed(level: Level, known: frozenset[str]) -> str:
    """Return what a level seems to be; one with a single name that says nothing is a title."""
    role = proposed_role(level.names, known)
    is_silent = len(level.names) == 1 and role not in (DATA_SETS, METRICS)
    return TITLES if is_silent else role


def _question(table: Table, level: Level, proposal: str, levels: Sequence[Level]) -> Question:
    shown = ", ".join(level.names[:6]) + (", ..." if len(level.names) > 6 else "")
    number = f" {level.index + 1}" if sum(each.axis == level.axis for each in levels) > 1 else ""
    text = f"table {table.number}, {level.axis}s{number} ({shown}): what are these?"
    key = f"table{table.number}.{level.axis}{number.strip()}"
    return Question(key, text, ROLES, proposal)


def proposed_role(names: Collection[str], known: frozenset[str]) -> str:
    """Return what names seem to be, "" if nothing is known of them."""
    counted = [name for name in names if not is_average(name)] or list(names)
    sets = sum(is_data_set(name, known) for name in counted) / len(counted)
    metrics = sum(bool(metric_of(name)) for name in counted) / len(counted)
    numbers = sum(bool(re.search(r"^\W*[\d.]+\W*\w{0,2}$", name)) for name in counted)
    if metrics >= 0.5 and metrics >= sets:
        return METRICS
    if 2 * sets >= 1:
        return DATA_SETS
    return CONDITIONS if numbers >= 0.6 * len(counted) else METHODS


LEFT_OUT, WRITTEN = "left out", "written"
_WRITABLE = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?")


@dataclass
class _Names:
    """Names in the order in which they were first seen, and what is printed of each."""

    printed: dict[str, str] = field(default_factory=dict)
    sizes: dict[tuple[str, str], str] = field(default_factory=dict)  # by name and column


def draft_of_latex(path: Path, answers: Answers) -> Draft:
    """Return a draft of the tables of a LaTeX file, asking what they do not say."""
    read, _ = read_tables(path)
    tables = _wanted([table for table in read if table.cells], path, answers)
    title, authors = read_paper_text(path)
    draft = Draft(path.name, _if_plain(title), _if_plain(authors))
    ask_title(draft, answers)
    names = _Names()
    earlier: dict[frozenset[str], str] = {}
    for table in tables:
        draft.captions[str(table.number)] = table.caption
        draft.cells += _TableReader(draft, table, names, answers, earlier).cells()
    draft.metrics = ask_metrics([cell.metric for cell in draft.cells], answers)
    draft.cells = [average_of(cell, draft, answers) for cell in draft.cells]
    draft.cells = [cell for cell in draft.cells if cell.dataset]
    ask_division(draft, answers)
    ask_units(draft, answers)
    used = {cell.dataset for cell in draft.cells}
    draft.datasets = [
        DraftDataset(
            name,
            printed,
            names.sizes.get((name, "n_samples"), ""),
            names.sizes.get((name, "n_features"), ""),
        )
        for name, printed in names.printed.items()
        if name in used and name != TODO
    ]
    draft.name_cards(lambda: ask_cards(draft.datasets, answers))
    ask_methods(draft, answers)
    return draft


def _if_plain(text: str) -> str:
    """Return a title or authors, TODO if there are none, or marks and addresses among them."""
    return TODO if not text or re.search(r"[⟨@^\\]", text) else text


def _wanted(tables: Sequence[Table], path: Path, answers: Answers) -> Sequence[Table]:
    """Return the tables that are to be in the paper; all of them, as long as nobody has chosen."""
    if not tables:
        raise ConfigError(f"{path}: no table of this file has a number; name the file with results")
    if len(tables) == 1:
        return tables
    shown = "; ".join(f"{table.number} {table.caption[:40]}".strip() for table in tables)
    numbers = [str(table.number) for table in tables]

    def wrong(answer: str) -> str:
        others = [each for each in _numbers(answer) if each not in numbers]
        return f"there is no table '{others[0]}' with results" if others and answer != "all" else ""

    text = f"which tables are taken ({shown}): all, or their numbers with commas"
    answer = answers.ask(Question("tables", text, (), "all", wrong))
    if answer in ("all", TODO):
        return tables
    return [table for table in tables if str(table.number) in _numbers(answer)]


def _numbers(answer: str) -> list[str]:
    return [each.strip() for each in answer.split(",")]


class _TableReader:
    """Makes the cells of one table those of a paper."""

    def __init__(
        self,
        draft: Draft,
        table: Table,
        names: _Names,
        answers: Answers,
        earlier: dict[frozenset[str], str],
    ) -> None:
        self._draft, self._table = draft, table
        self._names, self._answers = names, answers
        known = frozenset(name.replace("_", "") for name in Catalog().names)
        self._key = f"table{table.number}"
        self._sizes, cells = self._without_sizes(self._sure(table.cells))
        levels = levels_of(cells)
        self._roles = roles_of(table, levels, known, answers, earlier)
        self._taken = cells

    def cells(self) -> list[DraftCell]:
        """Return the cells, and remember the sizes of data sets."""
        for cell in self._sizes:
            name = self._data_set(cell)
            self._names.sizes[name, size_of(cell.column[-1])] = cell.value
        metric = "" if self._roles[METRICS] else self._ask_metric()
        spread = self._ask_spread()
        found: dict[tuple[str, str, str], DraftCell] = {}
        for cell in self._taken:
            made = self._cell(cell, metric, spread)
            key = made.dataset, made.method, made.metric
            is_open = TODO in key
            if key in found and not is_open:
                self._doubt(cell, "another cell of this data set and method", LEFT_OUT)
            else:
                found[(*key[:2], made.at + made.column) if is_open else key] = made
        return list(found.values())

    def _sure(self, cells: Sequence[Cell]) -> list[Cell]:
        """Return the cells that are sure, or written all the same; the others become doubts."""
        of_doubt = grouped((cell.doubt, cell) for cell in cells if cell.doubt)
        answers = {doubt: self._ask_doubt(doubt, own) for doubt, own in of_doubt.items()}
        said = {YES: WRITTEN, NO: LEFT_OUT, TODO: TODO}
        for cell in cells:
            if cell.doubt:
                self._doubt(cell, cell.doubt, said[answers[cell.doubt]])
        return [cell for cell in cells if answers.get(cell.doubt, YES) == YES]

    def _ask_doubt(self, doubt: str, cells: Sequence[Cell]) -> str:
        """Return whether cells with a doubt are written, never where they are no numbers."""
        if not all(_WRITABLE.fullmatch(cell.value) for cell in cells):
            return NO
        first = cells[0]
        text = (
            f"{first.place}: {first.value}, {doubt} ({len(cells)} of table {self._table.number}): "
            "are these written as they were read?"
        )
        key = f"{self._key}.{identifier(doubt)}"
        return self._answers.ask(Question(key, text, (YES, NO), NO))

    def _doubt(self, cell: Cell, doubt: str, answer: str) -> None:
        row, column = path_text(cell.row), path_text(cell.column)
        where = str(cell.place)
        number = str(self._table.number)
        doubt_row = Doubt(number, row, column, cell.value, cell.spread, doubt, where, answer)
        self._draft.doubts.append(doubt_row)

    def _without_sizes(self, cells: Sequence[Cell]) -> tuple[list[Cell], list[Cell]]:
        """Return the cells that are sizes of data sets, and the others."""
        sizes, others = _perhaps_sizes(cells)
        answer = self._ask_sizes(sizes) if sizes else NO
        if answer == NO:
            return [], list(cells)
        if answer == TODO:
            for cell in sizes:
                self._doubt(cell, "a size of the data set, or a result", TODO)
            return [], others
        return sizes, others

    def _ask_sizes(self, sizes: Sequence[Cell]) -> str:
        shown = ", ".join(sorted({cell.column[-1] for cell in sizes}))
        text = f"table {self._table.number}, columns {shown}: are these sizes of the data sets?"
        return self._answers.ask(Question(f"{self._key}.sizes", text, (YES, NO), YES))

    def _ask_metric(self) -> str:
        caption = self._table.caption
        shown = f" (caption: {caption[:100]})" if caption else ""
        text = f"table {self._table.number}: the metric, such as rmse, accuracy or error{shown}"
        question = Question(f"{self._key}.metric", text, (), metric_in(caption), not_a_name)
        return self._answers.ask(question)

    def _ask_spread(self) -> str:
        spreads = [cell for cell in self._taken if cell.spread]
        if not spreads:
            return NEITHER
        first = spreads[0]
        text = (
            f"table {self._table.number}: the {first.spread} beside {first.value} in line "
            f"{first.place.line} ({len(spreads)} cells): standard deviation, standard error, or "
            "neither?"
        )
        said = "se" if re.search(r"standard error|std\.? ?err", self._table.caption, re.I) else ""
        said = "sd" if re.search(r"standard dev|std\.? ?dev", self._table.caption, re.I) else said
        return self._answers.ask(Question(f"{self._key}.spread", text, SPREADS, said))

    def _cell(self, cell: Cell, metric: str, spread: str) -> DraftCell:
        own = metric or self._metric_of(cell)
        return DraftCell(
            table=str(self._table.number),
            dataset=self._data_set(cell),
            method=self._method(cell),
            metric=own,
            value=cell.value,
            spread=cell.spread if cell.spread[:1] not in ("[", "(") else "",
            spread_kind=spread,
            is_percent=cell.is_percent,
            row=path_text(cell.row),
            column=path_text(cell.column),
            at=str(cell.place),
        )

    def _metric_of(self, cell: Cell) -> str:
        names = [name for level in self._roles[METRICS] if (name := level.name_in(cell))]
        return metric_of(names[-1]) or identifier(names[-1]) if names else TODO

    def _data_set(self, cell: Cell) -> str:
        """Return the name of a cell's data set; an average keeps its printed name."""
        printed = self._joined(cell, self._roles[DATA_SETS])
        if not printed:
            return TODO
        name = printed if is_average(printed) else identifier(printed)
        if not is_average(printed):
            self._names.printed.setdefault(name, printed)
        return name

    def _method(self, cell: Cell) -> str:
        roles = self._roles[METHODS], self._roles[CONDITIONS]
        printed = " ".join(filter(None, (self._joined(cell, own) for own in roles)))
        if not printed:
            return TODO
        self._draft.printed_names.setdefault(identifier(printed), printed)
        return identifier(printed)

    def _joined(self, cell: Cell, levels: Sequence[Level]) -> str:
        return " ".join(name for level in levels if (name := level.name_in(cell)))


def _perhaps_sizes(cells: Sequence[Cell]) -> tuple[list[Cell], list[Cell]]:
    """Return the cells of columns that are named as sizes are, if all are whole; and the others."""
    columns = {cell.column for cell in cells if cell.column and size_of(cell.column[-1])}
    sizes = [cell for cell in cells if cell.column in columns]
    if not all(cell.value.isdigit() and not cell.spread for cell in sizes):
        return [], list(cells)
    return sizes, [cell for cell in cells if cell.column not in columns]
