"""How numbers are written: the same everywhere, with a true minus sign, blank where unknown."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping

MINUS = "−"
DASH = "–"
Setting = float | int | str
_MOST_VALUES = 12


def fixed(value: float, digits: int) -> str:
    """Return ``value`` with ``digits`` decimals; none from 1,000, a power of ten from 1e7."""
    if math.isinf(value):
        return f"{MINUS if value < 0 else ''}∞"
    if abs(value) >= 1e7:
        return _minus(_power(f"{value:.1e}"))
    return _minus(f"{value:,.0f}" if abs(value) >= 1000 else f"{value:z.{digits}f}")


def signed(value: float, digits: int) -> str:
    """Return ``value`` with ``digits`` decimals and always a sign."""
    text = fixed(value, digits)
    return text if text.startswith(MINUS) else f"+{text}"


def seconds(value: float | None) -> str:
    """Three significant digits, never a power of ten."""
    return "" if value is None else f"{value:,.{min(5, _decimals(value, 3))}f}"


def duration(seconds: float) -> str:
    """Return a rounded duration such as ``8 s``, ``3 min`` or ``2 h 5 min``."""
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def spread(sd: float, mean: float, digits: int) -> str:
    """Return the sd beside ``mean``, with ``digits`` decimals; one digit where all would be 0."""
    # A spread that rounding of the mean can cause counts as none.
    if sd <= 1e-12 * abs(mean):
        return "0"
    if sd >= 0.5 * 10.0**-digits:
        return fixed(sd, digits)
    return f"{sd:.{_decimals(sd, 1)}f}"


def count(value: float | None) -> str:
    """Return an integer as one; an average count with one decimal."""
    if value is None:
        return ""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:.1f}"


def ratio(value: float) -> str:
    """Return a factor with three significant digits, written out: 1,110."""
    return f"{float(f'{value:.3g}'):,.15g}"


def percent(value: float) -> str:
    """One decimal, none of 1,000 or more, never a power of ten."""
    return _minus(f"{value:,.0f}") if abs(value) >= 1000 else fixed(value, 1)


def p(value: float | None) -> str:
    """Return a p-value, blank where it is unknown."""
    return "" if value is None or math.isnan(value) else f"{value:.2g}"


def objective(value: float) -> str:
    """Four significant digits, and a power of ten where there would be many zeros."""
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return _minus(f"{value:,.{_decimals(value, 4)}f}")
    return _minus(_power(f"{value:.3e}"))


def setting(value: Setting) -> str:
    """Return a parameter's value as one writes it: 0.1, 500, 1e4."""
    if isinstance(value, str):
        return value
    if 1000 <= abs(value) < math.inf and float(text := _power(f"{value:.0e}")) == value:
        return text
    return f"{value:g}"


def count_values(values: Iterable[Setting | None]) -> dict[Setting, int]:
    """Return how often each value is there, ``None`` left out."""
    counts = Counter(value for value in values if value is not None)
    # Numbers by size, text by the alphabet; a parameter may have both ("auto", 0.5).
    order = sorted(counts, key=lambda value: (isinstance(value, str), value))
    return {value: counts[value] for value in order}


def chosen(values: Mapping[str, Mapping[Setting, int]]) -> str:
    """Return the chosen values and how often, by parameter: "C = 1e4 ×3, 1e5 ×2"."""
    return "; ".join(f"{name} = {counted(counts)}" for name, counts in values.items())


def counted(counts: Mapping[Setting, int]) -> str:
    """Return the values and how often each occurs, a single value without its count.

    Of many different numbers, as a random search draws them, it is the least and the largest.
    """
    if len(counts) == 1:
        return next(setting(value) for value in counts)
    if len(counts) > _MOST_VALUES and not any(isinstance(value, str) for value in counts):
        first, *_, last = (setting(value) for value in counts)
        return f"{first} to {last} ({len(counts)} values)"
    return ", ".join(f"{setting(value)} ×{times}" for value, times in counts.items())


def _decimals(value: float, significant: int) -> int:
    return max(0, significant - 1 - math.floor(math.log10(abs(value)))) if value else 0


def _power(text: str) -> str:
    mantissa, exponent = text.split("e")
    return f"{mantissa}e{int(exponent)}"


def _minus(text: str) -> str:
    return text.replace("-", MINUS)


def known(value: float | None) -> float | None:
    """Return a number, None in the place of one that is unknown or infinite."""
    return float(value) if value is not None and math.isfinite(value) else None


def finite(value: object) -> object:
    """Return a value for JSON: None in the place of a number that JSON does not have."""
    return value if not isinstance(value, float) or math.isfinite(value) else None
