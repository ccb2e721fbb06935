"""What limits a comparison of methods, said in the answer and below tables."""

from collections.abc import Sequence
from dataclasses import dataclass

from boostbench.report.words import datasets_in_words


def one_split(datasets: Sequence[str]) -> str:
    """Return that one split decides nothing on these data sets."""
    return (
        f"On {datasets_in_words(datasets)} methods are compared on one split, which decides "
        "nothing: a difference may be chance."
    )


def same_test_rows(datasets: Sequence[str]) -> str:
    """Return that comparisons on these data sets are for their test rows alone."""
    return (
        f"On {datasets_in_words(datasets)} several training sets have one test set: methods are "
        "compared on these test rows only."
    )


def on_these_test_rows(datasets: Sequence[str]) -> str:
    """Return in brackets that intervals on these data sets are for their test rows, "" on none."""
    return f" (on {datasets_in_words(datasets)}: on these test rows)" if datasets else ""


def windows(datasets: Sequence[str]) -> str:
    """Return that splits which train on earlier test rows decide nothing on these data sets."""
    return (
        f"On {datasets_in_words(datasets)} each split trains on the rows of earlier ones: their "
        "training rows overlap more with each split, so that no test of their means decides which "
        "method is better."
    )


def groups(datasets: Sequence[str]) -> str:
    """Return that groups, and not rows, are the units of tests on these data sets."""
    return (
        f"On {datasets_in_words(datasets)} the unit is the group: the tests count groups and not "
        "rows, and are for other groups of the same kind."
    )


@dataclass(frozen=True)
class Caveats:
    """What limits comparisons, each with the data sets on which it does."""

    one_split: Sequence[str] = ()
    windows: Sequence[str] = ()
    same_test_rows: Sequence[str] = ()
    groups: Sequence[str] = ()

    @property
    def sentences(self) -> list[str]:
        """A sentence for each that there is."""
        said = (
            (one_split, self.one_split),
            (windows, self.windows),
            (same_test_rows, self.same_test_rows),
            (groups, self.groups),
        )
        return [sentence(datasets) for sentence, datasets in said if datasets]
