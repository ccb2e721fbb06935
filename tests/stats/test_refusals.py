"""Arrays and numbers that no function of the statistics takes."""

from functools import partial

import numpy as np
import pytest
from stats_parts import PARTITION_MEANS, A, B

from boostbench import stats

NAN = np.nan
WITHOUT_ONE = np.array([A, np.full_like(A, NAN), A])
SEEDS, PARTITIONS = stats.seeds_to_decide, partial(stats.partitions_to_decide, least_variance=0)


@pytest.mark.parametrize(
    ("function", "arguments", "words"),
    [
        (stats.corrected_ttest, ([0.1, NAN], 1 / 3), "must not have NaN: leave missing runs out"),
        (stats.corrected_ttest, ([0.1], -1), "test_ratio must be a number of at least 0, not -1"),
        (stats.corrected_ttest, ([0.1], 0, 95), "level must be above 0 and below 1, not 95"),
        (stats.corrected_ttest, ([[0.1]], 0), "differences must have 1 dimension"),
        (stats.variance_components, ([0.1, 0.2],), "runs must have 2 dimension"),
        (stats.variance_components, ([[]],), "at least one value"),
        (stats.variance_components, ([[0.1, np.inf]],), "infinite"),
        (stats.variance_components, ([[NAN, NAN]],), "at least one run that is not NaN"),
        (stats.se_over_partitions, (WITHOUT_ONE,), "in each partition"),
        (stats.paired_differences, (A, B[:3]), r"same shape, not \(4, 3\) and \(3, 3\)"),
        (stats.paired_differences, ([[0.1, NAN]], [[NAN, 0.1]]), "no run in common"),
        (stats.published_se, (0.1, 4, 20, 1.2), "share must be from 0 to 1, not"),
        (stats.partition_se, ([0.1, 0.2], 1e-4, 4, 4, 20), "at least 3 partitions, not 2"),
        (stats.partition_se, (PARTITION_MEANS, 1e-4, 4, 0, 20), "seeds .* of at least 1, not 0"),
        (stats.equivalence, (NAN, 0.1, 3, 0.01), "difference must be a finite number, not nan"),
        (stats.equivalence, (0.0, 0.1, 3, -0.01), "margin must be"),
        (stats.equivalence, (0.0, -0.1, 3, 0.01), "se must be"),
        (SEEDS, (NAN, 1, 1, 4, 0.01), "difference must be"),
        (SEEDS, (0.1, NAN, 1, 4, 0.01), "fold must be a number of at least 0, not nan"),
        (partial(SEEDS, other_df=0), (0.1, 1, 1, 4, 0.01), "other_df must be above 0, not 0"),
        (partial(PARTITIONS, folds=0), (0.1, 1, 0.01), "folds must be a whole number"),
        (stats.wilcoxon, ([0.1, NAN],), "differences must not have NaN"),
        (stats.wilcoxon, ([],), "at least one value"),
        (stats.holm, ([-0.1, 0.5],), "p must be from 0 to 1"),
        (stats.holm, ([1.1],), "p must be from 0 to 1"),
        (stats.friedman, ([[0.1, NAN], [0.1, 0.2]],), "scores must not have NaN"),
        (stats.win_tie_loss, ([0.1], -0.01), "rope must be"),
        (stats.ratio_interval, ([1, 2], [1, 2, 3]), r"same shape, not \(2,\) and \(3,\)"),
        (stats.ratio_means, ([1, 2], [1, NAN]), "b must not have NaN"),
        (stats.ratio_means, ([1], [1]), "at least two data sets"),
        (stats.ratio_means, ([1, 2], [0, 1]), "is 0"),
        (
            stats.ratio_interval_fixed,
            ([[1, 2], [1, NAN]], [[1, 2], [1, 2]]),
            "two folds in common in row 1",
        ),
        (stats.ratio_interval_fixed, ([[1, 2]], [[-1, 1]]), "mean of b must be above 0, not 0"),
    ],
)
def test_wrong_arguments_are_refused(function, arguments, words) -> None:
    with pytest.raises(ValueError, match=words):
        function(*arguments)
