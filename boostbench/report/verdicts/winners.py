"""The best method of each data set, and how certain that is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boostbench.report.frames.pairs import PairOnDataset, PairVerdict, best_methods


@dataclass(frozen=True)
class Standing:
    """A method on a data set: its mean over all finished runs, and how it compares with the best.

    ``best`` is true for a method that no other one exceeds, of which several may be tied. ``pair``
    is the first of these against the method, over the runs that both have; ``None`` for that first
    one itself, and where no method is the best.
    """

    method: str
    mean: float
    best: bool = False
    pair: PairOnDataset | None = None

    @property
    def separate(self) -> bool:
        """Whether the test decides that the method is worse than the best."""
        return self.pair is not None and self.pair.verdict is PairVerdict.BETTER

    @property
    def apart_alone(self) -> bool:
        """Whether only its interval, which is not adjusted, lies wholly above 0."""
        return self.pair is not None and self.pair.low > 0.0 and not self.separate


def standings(
    means: Mapping[str, float], pairs: Sequence[PairOnDataset], sign: int
) -> list[Standing]:
    """Return the methods of a data set by their ``means``, of which ``pairs`` are all, best first.

    No method is best if two of them have no common run, so that they cannot be compared.
    """
    best = best_methods(pairs, list(means))
    order = sorted(means, key=lambda label: (label not in best, -sign * means[label]))
    if not best:
        return [Standing(label, means[label]) for label in order]
    with_best = [
        pair.seen_from(order[0]) for pair in pairs if order[0] in (pair.method, pair.against)
    ]
    pair_of = {pair.against: pair for pair in with_best}
    return [Standing(label, means[label], label in best, pair_of.get(label)) for label in order]


def certainty(own: Sequence[Standing]) -> str:
    """Return ``sure``, ``partly sure`` or ``not sure``, "" without another method.

    Or else ``one split`` or ``windows``, which decide nothing.
    """
    pairs = [each.pair for each in own[1:] if each.pair is not None]
    if not pairs:
        return ""
    if all(pair.splits == 1 for pair in pairs):
        return PairVerdict.ONE_SPLIT
    if any(pair.windows for pair in pairs):
        return PairVerdict.WINDOWS
    separate = sum(each.separate for each in own)
    return "sure" if separate == len(pairs) else "partly sure" if separate else "not sure"
