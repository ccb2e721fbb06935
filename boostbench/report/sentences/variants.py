"""What settings change: variants in place of a registered method."""

from collections.abc import Sequence

from boostbench.report.words import series

CHOICES = (
    "One choice at a time in place of the registered one. Better by: the difference of the means "
    "over the data sets, ± half the 95 % interval for other seeds and partitions of these data "
    "sets. Nearer to print by: the difference of the mean distances from the printed means. Other "
    "verdicts: of cells, by data set, and of claims that would change, except those on seconds, "
    "which differ from run to run."
)
CAUSES = (
    "Each setting above alone, in place of the registered one: those with which the verdict of the "
    "cell is another one, and those with which it still differs, if by less. Undecided may be a "
    "wider interval alone."
)


def chosen_on_the_others(
    method: str,
    registered: int,
    datasets: int,
    instead: Sequence[str],
    away: str,
    usual: str,
    left_out: Sequence[str],
) -> str:
    """Return what it is worth to choose settings on all data sets but one.

    On ``registered`` of the ``datasets`` the choice is the registered method, on the others those
    ``instead``. The means of the choices are ``away`` from print, the registered ones ``usual``.
    ``left_out`` are the parameters of which the paper says something, if these are left out.
    """
    others = f", else {series(instead)}" if instead else ""
    without = f" without {series(left_out)}, of which the paper says something" if left_out else ""
    return (
        f"{method}: of the settings below{without}, one changed at a time, the nearest to print on "
        f"the other {datasets - 1} data sets is the registered one on {registered} of {datasets}"
        f"{others}; the means so chosen are {away} from print on average, the registered ones "
        f"{usual}."
    )
