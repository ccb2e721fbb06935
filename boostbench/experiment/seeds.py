"""Methods whose runs are the same for every seed, though their seeds are meant to count."""

from collections.abc import Mapping, Sequence

from boostbench.estimators import fixed_seeds
from boostbench.methods import ResolvedMethod
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.store.types import Scalar
from boostbench.suggest import listing

Scores = Mapping[str, Scalar]


def fixed_seed_remarks(methods: Sequence[ResolvedMethod]) -> list[str]:
    """Return a sentence for each method with a seed of its own, which the experiment's leave."""
    remarks = {method.label: _fixed(method) for method in methods}
    return [
        f"{label}: {text}, so that the experiment's seeds do not change it"
        for label, text in remarks.items()
        if text
    ]


def same_bits(
    methods: Sequence[ResolvedMethod], trials: Sequence[Trial], store: Store
) -> list[str]:
    """Return a sentence for each own method whose finished runs have the same scores for all seeds.

    Methods of packages may be deterministic, and are left out unless they have a fixed seed.
    """
    sentences = []
    for method in methods:
        fixed = _fixed(method)
        own = [t for t in trials if t.method == method.label] if fixed or method.code else []
        seeds = _seeds_with_the_same_scores(own, store)
        if len(seeds) > 1:
            why = fixed or "nothing in it is random, or a seed in it is fixed"
            gave = f"seeds {_range(seeds)} gave the same bits"
            sentences.append(f"{method.label}: {gave}: {why}; one seed says as much")
    return sentences


def _fixed(method: ResolvedMethod) -> str:
    fixed = fixed_seeds(method.estimator, method.some_params)
    return listing([f"{name} is fixed at {value}" for name, value in fixed.items()], 3)


def _seeds_with_the_same_scores(trials: Sequence[Trial], store: Store) -> list[int]:
    """Return the seeds of the finished runs, none where two of the same rows differ."""
    first: dict[tuple[str, int, int], Scores] = {}
    seeds: dict[int, None] = {}
    for trial in trials:
        metrics = store.metrics_of(trial.key)
        if metrics is None:
            continue
        rows = trial.dataset, trial.split_seed, trial.fold
        if first.setdefault(rows, metrics) != metrics:
            return []
        seeds[trial.seed] = None
    return list(seeds)


def _range(seeds: Sequence[int]) -> str:
    """Return seeds in words, such as ``0 to 4`` or ``1, 5, 7``."""
    low, high = min(seeds), max(seeds)
    return (
        f"{low} to {high}" if len(seeds) == high - low + 1 else listing(map(str, sorted(seeds)), 5)
    )
