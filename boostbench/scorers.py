"""What a metric calls on a fitted estimator: a scorer of scikit-learn, or a user's function."""

from collections.abc import Callable
from typing import Any, cast

from sklearn.metrics import get_scorer, get_scorer_names

from boostbench.errors import ConfigError
from boostbench.estimators import first_line, module_of, path_parts
from boostbench.importing import import_quietly
from boostbench.papers.metrics import METRICS
from boostbench.suggest import did_you_mean

Scorer = Callable[[Any, Any, Any], Any]


def load_scorer(name: str) -> Scorer:
    """Return the function of (fitted estimator, X_test, y_test) that ``name`` means.

    ``name`` is that of a scorer of scikit-learn, or ``module:function``. Raises ConfigError where
    there is none.
    """
    if ":" not in name:
        try:
            return cast(Scorer, get_scorer(name))
        except ValueError:
            raise ConfigError(
                f"no metric '{name}'{did_you_mean(name, [*METRICS, *get_scorer_names()])}; give "
                f"{', '.join(METRICS)}, a scorer of scikit-learn or module:function"
            ) from None
    module_name, function = module_of(name), path_parts(name)[-1]
    try:
        module = import_quietly(module_name)
    except Exception as error:
        raise ConfigError(f"the metric {name} cannot be imported: {first_line(error)}") from error
    found = getattr(module, function, None)
    if not callable(found):
        names = [key for key, value in vars(module).items() if callable(value)]
        raise ConfigError(
            f"the module {module_name} has no function '{function}'{did_you_mean(function, names)}"
        )
    return cast(Scorer, found)
