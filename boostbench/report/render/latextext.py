"""Text as LaTeX."""

from __future__ import annotations

import re
import unicodedata

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
        "µ": r"\mu", "→": r"\to", "✓": r"\checkmark", "▲": r"\uparrow", "▼": r"\downarrow",
        "◐": r"\circ", "●": r"\bullet", "≠": r"\ne", "∞": r"\infty",
    }.items()
}  # fmt: skip
_PATTERN = re.compile("R²|[Α-ω]|" + "|".join(map(re.escape, SPECIAL)))
# Letters as wide as their Greek ones in Latin script have no command of their own.
_LATIN_CAPITALS = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧ", "ABEZHIKMNOPTX", strict=True))
# Where a long word may be broken; a number never is.
_BREAKS = re.compile(r"(?<=[_:/@])(?=\w)|(?<=[.,;=+-])(?=[A-Za-z])")


def escape(text: str) -> str:
    """Return ``text`` as LaTeX that prints it; blanks of any kind become one."""
    return _PATTERN.sub(lambda match: _command(match[0]), " ".join(text.split()))


def breakable(text: str) -> str:
    """Return ``text`` as LaTeX whose long words may be broken after their signs."""
    return r"\allowbreak{}".join(escape(piece) for piece in _BREAKS.split(" ".join(text.split())))


def _command(text: str) -> str:
    if text in SPECIAL:
        return SPECIAL[text]
    if text in _LATIN_CAPITALS:
        return _LATIN_CAPITALS[text]
    name = unicodedata.name(text, "").split()
    if name[:1] != ["GREEK"] or len(name) != 4 or name[2] != "LETTER":
        return text
    letter = {"LAMDA": "lambda", "FINAL": "sigma", "OMICRON": "o"}.get(name[3], name[3].lower())
    if letter == "o":
        return "o"
    return f"$\\{letter.capitalize() if name[1] == 'CAPITAL' else letter}$"
