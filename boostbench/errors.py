"""The one family of errors that a user sees: a sentence and an exit code, never a traceback."""

import re

# What a terminal obeys or hides: control characters but line ends and tabs, marks of direction.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


def printable(text: str) -> str:
    """Return ``text`` as a terminal may be given it: what cannot be seen is written as escapes."""
    return _UNSEEN.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def first_line(error: BaseException) -> str:
    """Return the first line of what an error says, or its type's name."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


class BoostbenchError(Exception):
    """Something the user can mend. ``str(error)`` is one clear sentence."""

    exit_code = 2

    def __str__(self) -> str:
        return printable(super().__str__())


class ConfigError(BoostbenchError):
    """An experiment file, an option or a method's parameters are wrong (exit code 2)."""


class StoreError(BoostbenchError):
    """The results folder or its database cannot be used (exit code 2)."""


class DataError(BoostbenchError):
    """A data set is unavailable, or cannot be read or used (exit code 4)."""

    exit_code = 4


class UnavailableDataError(DataError):
    """No place that has a data set gives it here and now; others can be used without it."""


class UnknownColumnError(DataError):
    """A column is asked for that the data set does not have."""
