"""How numbers are written: the same everywhere, with a true minus sign, blank where unknown."""

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
    if value is None:
        return ""
    if value >= 100:
        return f"{value:,.0f}"
    for bound, digits in ((10, 1), (1, 2), (0.1, 3), (0.01, 4)):
        if value >= bound:
            return f"{value:.{digits}f}"
    return f"{value:.5f}"


def count(value: float | None) -> str:
    """An integer as one; an average count with one decimal."""
    if value is None:
        return ""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:.1f}"


def of(part: int, whole: int) -> str:
    """A share such as ``78/80``."""
    return f"{part:,}/{whole:,}"
