"""A plan as it is made: the splits and seeds of each method on each data set."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from typing import NamedTuple

from boostbench.plan.trial import Trial, json_digest

Matches = Callable[[str, str], bool]
"""Whether a value of a label, such as ``fold``, is wanted."""


class PlannedSplit(NamedTuple):
    """A split by its split seed and number, with the digest of its rows where they are listed."""

    split_seed: int
    fold: int
    rows: str


@dataclass(frozen=True)
class Grid:
    """The trials of a method on a data set: those ``like`` one, of all splits and seeds."""

    like: Trial
    splits: Sequence[PlannedSplit]
    seeds: Sequence[int]

    def __len__(self) -> int:
        return len(self.splits) * len(self.seeds)

    def __iter__(self) -> Iterator[Trial]:
        """Make the trials one by one, by split and then by seed."""
        for split, seed in product(self.splits, self.seeds):
            yield self.like.at(split.split_seed, split.fold, seed, split.rows)

    def where(self, matches: Matches) -> "Grid":
        """Return the grid of the trials whose labels match."""
        is_here = matches("dataset", self.like.dataset) and matches("method", self.like.method)
        splits = [
            split
            for split in self.splits
            if is_here
            and matches("split_seed", str(split.split_seed))
            and matches("fold", str(split.fold))
        ]
        return Grid(self.like, splits, [seed for seed in self.seeds if matches("seed", str(seed))])


class Plan(Collection[Trial]):
    """Planned trials in order, each made when it is asked for: there may be millions."""

    def __init__(self, grids: Sequence[Grid]) -> None:
        self.grids = [grid for grid in grids if len(grid)]

    @property
    def likes(self) -> list[Trial]:
        """A trial of each method on each data set, which differs from others by its place."""
        return [grid.like for grid in self.grids]

    @cached_property
    def digest(self) -> str:
        """The digest of all that makes the trials."""
        values = [[grid.like.text, grid.splits, grid.seeds] for grid in self.grids]
        return json_digest(values)

    def where(self, matches: Matches) -> "Plan":
        """Return the trials whose labels match."""
        return Plan([grid.where(matches) for grid in self.grids])

    def __len__(self) -> int:
        return sum(map(len, self.grids))

    def __iter__(self) -> Iterator[Trial]:
        return chain.from_iterable(self.grids)

    def __contains__(self, trial: object) -> bool:
        return any(each == trial for each in self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Collection) and list(self) == list(other)
