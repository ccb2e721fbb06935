"""Errors of the estimators: a user's sentence, and a ValueError for scikit-learn."""

from boostbench.errors import ConfigError, DataError


class InputError(DataError, ValueError):
    """Training or test data that cannot be used."""


class ParameterError(ConfigError, ValueError):
    """An estimator's parameter that does not fit the data at hand."""
