"""Statistics of comparisons: plain functions over arrays of scores that return frozen records.

Nothing here depends on stores, reports or tables. Runs are arrays of seeds inside folds inside
partitions, NaN where a run is missing; seeds are nested in folds and are not paired.

- ``components``: the variances of folds and seeds, and the standard error of a mean for each of two
  questions (another partition of these rows, new rows); paired differences
- ``paired``: the runs that several methods have in common, as arrays
- ``ttest``: A against B on one data set, by the corrected resampled t-test
- ``equivalence``: a measured against a published mean: equivalent, different or inconclusive
- ``planning``: how many more seeds or partitions decide
- ``ranks``: over data sets: Wilcoxon with Holm, Friedman with Nemenyi; wins, ties and losses, and
  how few data sets reverse an order
- ``ratios``: ratios of means over data sets, with intervals

Every function raises ValueError, with a sentence, on arrays of another shape, on infinite values
and, except where it says that NaN is a missing run, on NaN.
"""

from boostbench.stats.components import (
    PairedDifferences,
    StandardError,
    VarianceComponents,
    difference_se,
    paired_differences,
    se_over_partitions,
    se_over_rows,
    variance_components,
)
from boostbench.stats.equivalence import (
    Equivalence,
    PartitionError,
    Verdict,
    equivalence,
    partition_se,
    published_se,
)
from boostbench.stats.planning import partitions_to_decide, seeds_to_decide
from boostbench.stats.ranks import (
    Friedman,
    Wilcoxon,
    WinTieLoss,
    fewest_to_reverse,
    friedman,
    holm,
    nemenyi_cd,
    wilcoxon,
    win_tie_loss,
)
from boostbench.stats.ratios import (
    FixedRatio,
    Ratio,
    RatioMeans,
    ratio_interval,
    ratio_interval_fixed,
    ratio_means,
)
from boostbench.stats.ttest import TTest, corrected_ttest

__all__ = [
    "Equivalence",
    "FixedRatio",
    "Friedman",
    "PairedDifferences",
    "PartitionError",
    "Ratio",
    "RatioMeans",
    "StandardError",
    "TTest",
    "VarianceComponents",
    "Verdict",
    "Wilcoxon",
    "WinTieLoss",
    "corrected_ttest",
    "difference_se",
    "equivalence",
    "fewest_to_reverse",
    "friedman",
    "holm",
    "nemenyi_cd",
    "paired_differences",
    "partition_se",
    "partitions_to_decide",
    "published_se",
    "ratio_interval",
    "ratio_interval_fixed",
    "ratio_means",
    "se_over_partitions",
    "se_over_rows",
    "seeds_to_decide",
    "variance_components",
    "wilcoxon",
    "win_tie_loss",
]
