"""What came of trials that were drawn in public and run again."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from boostbench.suggest import counted, listing


class Verdict(StrEnum):
    """What came of a trial that was drawn."""

    EQUAL = "equal bit for bit"
    EQUAL_THERE = "equal with kernels for the recorded processor"
    CLOSE = "equal within 1e-6"
    DIFFERS = "differs"
    ELSEWHERE = "differs (another processor)"
    OTHER_VERSIONS = "differs (other versions)"
    FINISHED = "a timeout that finishes here"
    NOT_RUN = "not run"


DIFFERENT = (Verdict.DIFFERS, Verdict.ELSEWHERE, Verdict.OTHER_VERSIONS)
"""The verdicts on outcomes that differ, those of another recorded environment last."""


@dataclass(frozen=True)
class Difference:
    """One figure that differs from the recorded one; ``iteration`` is 0 outside learning curves."""

    trial: str
    name: str
    recorded: object
    now: object
    iteration: int = 0


@dataclass(frozen=True)
class FinishedTimeout:
    """A trial that was recorded as a timeout, with its limit, and the seconds that it takes here.

    ``is_too_fast`` says that no slower machine explains it.
    """

    trial: str
    recorded: str
    now_s: float
    is_too_fast: bool

    def __str__(self) -> str:
        text = (
            f"{self.trial}: recorded as a timeout ({self.recorded}), takes {self.now_s:.3g} s here"
        )
        return f"{text}, which no slower machine explains" if self.is_too_fast else text


@dataclass(frozen=True)
class DrawnTrial:
    """A trial that was drawn, and what came of it; ``why`` is a remark on that."""

    trial: str
    verdict: Verdict
    environment: Sequence[str] = ()
    differences: Sequence[Difference] = ()
    timeout: FinishedTimeout | None = None
    why: str = ""

    @property
    def main_difference(self) -> Difference | None:
        """The difference in its score, or else the first one, if any."""
        of_score = (one for one in self.differences if one.name in ("r2", "error"))
        return next(of_score, next(iter(self.differences), None))


@dataclass(frozen=True)
class SampleCheck:
    """Trials of the plan of ``digest``, drawn with ``nonce`` and run again.

    ``plans`` says how the plan made anew differs from the recorded one, and ``receipt`` what is not
    as the receipt says.
    """

    digest: str
    nonce: str
    planned: int
    drawn: Sequence[DrawnTrial]
    plans: Sequence[str] = ()
    receipt: Sequence[str] = ()

    def count(self, *verdicts: Verdict) -> int:
        """Return how many of the drawn trials have one of these verdicts."""
        return sum(one.verdict in verdicts for one in self.drawn)

    @property
    def compared(self) -> int:
        """The number of trials that were run again and compared."""
        return len(self.drawn) - self.count(Verdict.FINISHED, Verdict.NOT_RUN)

    def differs(self, *, any_processor: bool) -> bool:
        """Return whether anything is otherwise than recorded.

        With ``any_processor`` what may come from another processor does not count.
        """
        against = [each for each in DIFFERENT if not (any_processor and each is Verdict.ELSEWHERE)]
        fast = any(one.timeout is not None and one.timeout.is_too_fast for one in self.drawn)
        return bool(self.plans or self.receipt or self.count(*against) or fast)

    def counts(self) -> dict[Verdict, int]:
        """Return how many trials there are with each verdict that any has."""
        counts = Counter(one.verdict for one in self.drawn)
        return {verdict: counts[verdict] for verdict in Verdict if counts[verdict]}

    def remarks(self) -> Iterator[str]:
        """Yield sentences on what is not as recorded, or could not be compared."""
        if self.receipt:
            yield f"not as the receipt says: {listing(self.receipt, 5)}"
        for text in self.plans:
            yield f"the plan made anew is another one: {text}"
        for why, number in Counter((one.verdict, one.why) for one in self.drawn if one.why).items():
            yield f"{counted(number, 'trial')} {why[0]}: {why[1]}"
        for one in self.drawn:
            if one.timeout:
                yield str(one.timeout)
        if self.environments:
            yield f"recorded in another environment: {', '.join(self.environments)}"

    def sentence(self) -> str:
        """Return what the draw says where nothing differs, and what it does not say."""
        n = self.compared
        text = (
            f"{n:,} of {counted(self.planned, 'planned trial')}, drawn with the nonce "
            f"{self.nonce}, were run again; none differs."
        )
        if 0 < n < self.planned:
            share = 100 * (1 - 0.05 ** (1 / n))
            text += (
                f" Had {share:.2g} % or more other outcomes than this code gives, such a draw "
                "would have met one with 95 %."
            )
        return (
            f"{text} This does not show that nothing was run and left out before, nor that the "
            "times are right."
        )

    def as_json(self) -> dict[str, object]:
        """Return it as values of JSON's types."""
        return {
            "digest": self.digest,
            "nonce": self.nonce,
            "planned": self.planned,
            "sampled": len(self.drawn),
            "equal": self.count(Verdict.EQUAL, Verdict.EQUAL_THERE),
            "close": self.count(Verdict.CLOSE),
            "differing": self.count(*DIFFERENT),
            "elsewhere": self.count(*DIFFERENT[1:]),
            "differences": [asdict(each) for one in self.drawn for each in one.differences],
            "timeouts": [asdict(one.timeout) for one in self.drawn if one.timeout],
            "not_run": dict(Counter(d.why for d in self.drawn if d.verdict is Verdict.NOT_RUN)),
            "environments": self.environments,
            "plans": list(self.plans),
            "receipt": list(self.receipt),
        }

    @property
    def environments(self) -> list[str]:
        """How the recorded environments differ from this one, in words."""
        return sorted({text for one in self.drawn for text in one.environment})
