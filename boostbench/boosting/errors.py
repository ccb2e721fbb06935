"""Errors of the estimators: a user's sentence, and a ValueError for scikit-learn."""

from boostbench.errors import ConfigError, DataError


class InputError(DataError, ValueError):
    """Training or test data that cannot be used.

    It is a DataError of boostbench, and a ValueError as scikit-learn expects it.
    """


class ParameterError(ConfigError, ValueError):
    """An estimator's parameter that does not fit the data at hand.

    It is a ConfigError of boostbench, and a ValueError as scikit-learn expects it.
    """
