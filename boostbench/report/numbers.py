"""How numbers are written: the same everywhere, with a true minus sign, blank where unknown."""

import math
from collections.abc import Mapping

from boostbench.report.choices import Counts, Setting
from boostbench.report.stats import Verdict

MINUS = "−"
DASH = "–"
MARKS = {Verdict.REPRODUCED: "✓", Verdict.ABOVE: "▲", Verdict.BELOW: "▼", Verdict.NONE: ""}


def _signed(text: str) -> str:
    return text.replace("-", MINUS)


def r2(value: float | None) -> str:
    """Three decimals, as the paper prints; an exploded value as a power of ten."""
    if value is None:
        return ""
    if abs(value) >= 1000:
        return _signed(f"{value:.1e}".replace("e+0", "e").replace("e+", "e"))
    return _signed(f"{value + 0.0:.3f}".replace("-0.000", "0.000"))


def sd(value: float | None) -> str:
    """Four decimals, since sds are about a hundredth."""
    if value is None:
        return ""
    return f"{value:.4f}" if value < 10 else f"{value:.2g}".replace("e+0", "e").replace("e+", "e")


def difference(value: float | None) -> str:
    """Three decimals and always a sign."""
    if value is None:
        return ""
    text = r2(value)
    return text if text.startswith(MINUS) else f"+{text}"


def seconds(value: float | None) -> str:
    """Three significant digits, never a power of ten."""
    return "" if value is None else f"{value:,.{second_digits(value)}f}"


def second_digits(value: float) -> int:
    """Return the decimals with which ``value`` seconds are written."""
    bounds = ((100, 0), (10, 1), (1, 2), (0.1, 3), (0.01, 4))
    return next((digits for bound, digits in bounds if value >= bound), 5)


def spread(sd: float, mean: float, digits: int) -> str:
    """The sd beside ``mean``, with as many decimals; one digit where these would all be zero."""
    # What rounding of the mean alone can leave is no spread.
    if sd <= 1e-12 * abs(mean):
        return "0"
    if sd >= 0.5 * 10.0**-digits:
        return f"{sd:,.{digits}f}"
    return f"{sd:.{-math.floor(math.log10(sd))}f}"


def count(value: float | None) -> str:
    """An integer as one; an average count with one decimal."""
    if value is None:
        return ""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:.1f}"


def of(part: int, whole: int) -> str:
    """A share such as ``78/80``."""
    return f"{part:,}/{whole:,}"


def percent(share: float) -> str:
    """A share in percent with two decimals, without the sign."""
    return f"{100 * share:.2f}"


def objective(value: float) -> str:
    """Four significant digits, and a power of ten where there would be many zeros."""
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        digits = 0 if value == 0 else max(0, 3 - math.floor(math.log10(abs(value))))
        return _signed(f"{value:,.{digits}f}")
    return _signed(_power(f"{value:.3e}"))


def setting(value: float) -> str:
    """A parameter's value as one writes it: 0.1, 500, 1e4."""
    if value and float(value).is_integer() and abs(value) >= 1000:
        text = _power(f"{value:.0e}")
        return text if float(text) == value else f"{value:g}"
    return f"{value:g}"


def chosen(values: Mapping[str, Counts]) -> str:
    """Return the chosen values and how often, by parameter: "C = 1e4 ×3, 1e5 ×2"."""
    return "; ".join(f"{name} = {counted(counts)}" for name, counts in values.items())


def counted(counts: Counts) -> str:
    """Return the values and how often each is there, a single one alone."""
    if len(counts) == 1:
        return next(_value(value) for value in counts)
    return ", ".join(f"{_value(value)} ×{times}" for value, times in counts.items())


def _value(value: Setting) -> str:
    return value if isinstance(value, str) else setting(value)


def _power(text: str) -> str:
    mantissa, exponent = text.split("e")
    return f"{mantissa}e{int(exponent)}"
