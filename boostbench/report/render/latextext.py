"""Text as LaTeX."""

from __future__ import annotations

import re

_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi o pi rho varsigma "
    "sigma tau upsilon phi chi psi omega"
)
SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "`": r"\textasciigrave{}", "“": "``", "”": "''", "‘": "`", "’": "'", "–": "--", "—": "---",
    "…": r"\ldots{}", "✗": r"\textsf{x}", "R²": "$R^2$",
} | {
    sign: f"${command}$"
    for sign, command in {
        "<": "<", ">": ">", "|": "|", "²": "^2", "−": "-", "≥": r"\ge", "≤": r"\le",
        "≈": r"\approx", "×": r"\times", "·": r"\cdot", "±": r"\pm", "ℓ": r"\ell", "₂": "_2",
        "µ": r"\mu", "→": r"\to", "✓": r"\checkmark",
        "◐": r"\circ", "●": r"\bullet", "≠": r"\ne", "∞": r"\infty",
        **{chr(ord("α") + i): f"\\{name}" for i, name in enumerate(_GREEK.split())},
    }.items()
}  # fmt: skip
_PATTERN = re.compile("R²|" + "|".join(map(re.escape, SPECIAL)))
# Where a long word may be broken; a number never is.
_BREAKS = re.compile(r"(?<=[_:/@])(?=\w)|(?<=[.,;=+-])(?=[A-Za-z])")


def escape(text: str) -> str:
    """Return ``text`` as LaTeX that prints it; blanks of any kind become one."""
    return _PATTERN.sub(lambda match: SPECIAL[match[0]], " ".join(text.split()))


def breakable(text: str) -> str:
    """Return ``text`` as LaTeX whose long words may be broken after their signs."""
    return r"\allowbreak{}".join(escape(piece) for piece in _BREAKS.split(" ".join(text.split())))
