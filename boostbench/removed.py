"""Functions of earlier versions, and their replacements."""

from typing import NoReturn

_FUNCTIONS = {
    "stats.decidable_margin": "ask partitions_to_decide of the margins in question",
    "stats.geometric_ratio": "take the t interval of the logarithms of the ratios",
    "stats.half_width": "use the interval of corrected_ttest",
    "stats.nemenyi_p": "compare mean ranks by nemenyi_cd",
    "stats.pairwise_wilcoxon": "call wilcoxon for each pair, and holm for their p-values",
    "stats.ratio_bootstrap": "use ratio_interval, or scipy.stats.bootstrap",
    "stats.rope_posterior": "use corrected_ttest and equivalence",
    "stats.se_over_seeds": "use variance_components",
    "trees.warm_up": "a first fit compiles the kernels that it needs",
    "boosting.warm_up": "a first fit compiles the kernels that it needs",
}


def refuse(module: str, name: str) -> NoReturn:
    """Raise the error of a module's ``__getattr__`` for ``name``, with the replacement, if any."""
    if remedy := _FUNCTIONS.get(f"{module.removeprefix('boostbench.')}.{name}"):
        # ``from module import name`` does not show the sentence of an AttributeError.
        raise ImportError(f"{module}.{name} was removed: {remedy}")
    raise AttributeError(f"module '{module}' has no attribute '{name}'")
