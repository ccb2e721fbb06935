"""The one family of errors that a user sees: a sentence and an exit code, never a traceback."""

import re

# Characters that a terminal obeys or hides: controls except line ends and tabs, direction marks.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


def printable(text: str) -> str:
    """Return ``text`` safe for a terminal: invisible characters are written as escapes."""
    return _UNSEEN.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def first_line(error: BaseException) -> str:
    """Return the first line of what an error says, or its type's name."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


class BoostbenchError(Exception):
    """An error that the user can fix. ``str(error)`` is one clear sentence.

    Attributes
    ----------
    exit_code : int
        That of the commands which end with this error.
    """

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


class CardError(DataError):
    """A card of a data set is wrong (exit code 2)."""

    exit_code = 2


class UnavailableDataError(DataError):
    """No source of a data set is reachable now; the other data sets can be used without it."""


class UnknownColumnError(DataError):
    """A column is asked for that the data set does not have."""
