"""Texts of other programs on one line, for any file and database."""

import re

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")


def clean(text: str) -> str:
    """Return ``text`` without lone surrogates and NUL, for any file and database."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def one_line(text: str) -> str:
    """Return ``text`` on one line of 300 characters, without memory addresses, which vary."""
    text = _ADDRESS.sub("0x…", " ".join(clean(text).split()))
    return text if len(text) <= 300 else text[:299] + "…"
