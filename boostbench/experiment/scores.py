"""Metrics without a value in runs that ended well."""

from collections import Counter
from collections.abc import Collection, Sequence

from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import MISSING
from boostbench.suggest import counted


def metrics_without_a_value(
    metrics: Collection[str], trials: Sequence[Trial], store: Store
) -> list[str]:
    """Return a sentence for each metric that some finished runs lack, with the usual reason."""
    measured = [store.metrics_of(trial.key) for trial in trials] if metrics else []
    scores = [one for one in measured if one is not None]
    sentences = []
    for metric in metrics:
        reasons = Counter(str(one[metric + MISSING]) for one in scores if metric + MISSING in one)
        if reasons:
            ((reason, _),) = reasons.most_common(1)
            others = "; other reasons are in trials.csv" if len(reasons) > 1 else ""
            runs = f"{reasons.total():,} of {counted(len(scores), 'finished run')}"
            sentences.append(f"{metric}: no value in {runs}: {reason}{others}")
    return sentences
