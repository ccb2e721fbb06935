"""The levels of a table's rows and columns: which are data sets, methods, metrics, conditions."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from boostbench.papers.drafts.names import is_average, is_data_set, metric_of
from boostbench.papers.drafts.questions import TODO, Answers, Question
from boostbench.papers.latex.cells import Cell, Table

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
