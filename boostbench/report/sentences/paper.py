"""The words of a table and of figures for a paper of one's own."""

from collections.abc import Sequence
from dataclasses import dataclass

from boostbench.papers.metrics import Metric
from boostbench.report.sentences.captions import quantity
from boostbench.report.words import series
from boostbench.suggest import counted

DAGGER = "†"
FEWER_RUNS = f"{DAGGER} over fewer runs than planned"
NO_RESULT = "– no result"


@dataclass(frozen=True)
class Caption:
    """What a caption says: on how many data sets, by which design, over how many ``runs`` a mean.

    ``runs`` is ``None`` where means have different numbers. So many ``comparisons`` with the best
    are made on a data set, and on some data set the best ``is_decided``. Some exploded runs count.
    """

    metric: Metric
    datasets: int
    design: str
    runs: int | None
    with_sd: bool
    comparisons: int
    is_decided: bool
    has_exploded: bool = False

    def text(self, *, below: bool) -> str:
        """Return the caption of a table whose sds stand ``below`` the means, or beside them."""
        what = f"Mean {quantity(self.metric.words, self.metric.unit)}"
        if self.with_sd:
            where = ", below it in italics the" if below else " ±"
            what += f"{where} standard deviation over runs,"
        runs = [f"{counted(self.runs, 'run')} a mean"] if self.runs else []
        how = ", ".join([*filter(None, [self.design]), *runs])
        sentences = [f"{what} on {counted(self.datasets, 'data set')}{how and f' ({how})'}"]
        if self.has_exploded:
            sentences.append(f"All runs count, those with {self.metric.exploded_label} too")
        if self.comparisons:
            adjusted = ", adjusted by Holm over the methods" if self.comparisons > 1 else ""
            test = f"corrected resampled t-test of fold means, p < 0.05{adjusted}"
            if self.is_decided:
                sentences.append(f"Bold: the best where all other methods are worse ({test})")
            else:
                sentences.append(f"On no data set are all others worse than the best ({test})")
        return f"{'. '.join(sentences)}."


def ranks_on(datasets: Sequence[str]) -> str:
    """Return over which data sets mean ranks are, where some lack a method."""
    return f"Mean ranks over {series(datasets)}"


def needs(packages: Sequence[str]) -> str:
    """Return which packages the preamble needs."""
    return rf"The preamble needs \usepackage{{{','.join(packages)}}}."


def how_to_read_in(table: str, figures: str) -> str:
    """Return how the table and the figures are read in."""
    files = rf"\input{{{table}}} and \input{{{figures}}}"
    return f"Read them in by {files}; the first line of each says what the preamble needs."
