"""The one family of errors that a user sees: a sentence and an exit code, never a traceback."""


class BoostbenchError(Exception):
    """Something the user can mend. ``str(error)`` is one clear sentence."""

    exit_code = 2


class ConfigError(BoostbenchError):
    """An experiment file, an option or a method's parameters are wrong (exit code 2)."""


class StoreError(BoostbenchError):
    """The results folder or its database cannot be used (exit code 2)."""


class DataError(BoostbenchError):
    """A data set cannot be had, read or used (exit code 4)."""

    exit_code = 4
