"""Which trials run again since the user changed the code behind them."""

import dataclasses
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from boostbench.plan.trial import Trial
from boostbench.suggest import counted, listing


def recorded_with_other_code(
    before: Sequence[Trial], recorded: Collection[str], now: Sequence[Trial]
) -> Counter[str]:
    """Return by method how many trials of the plan ``now`` differ from recorded ones of the plan
    ``before`` in the code of the user's own modules and in nothing else.

    ``recorded``: the keys of the trials with outcomes.
    """
    own = [trial for trial in now if trial.code and trial.key not in recorded]
    if not own:
        return Counter()
    old = {_labels(trial): trial for trial in before if trial.code and trial.key in recorded}
    found: Counter[str] = Counter()
    for trial in own:
        other = old.get(_labels(trial))
        if other is not None and dataclasses.replace(other, code=trial.code) == trial:
            found[trial.method] += 1
    return found


def sentences(
    counts: Mapping[str, int],
    before: Mapping[str, Mapping[str, str]],
    now: Mapping[str, Mapping[str, str]],
) -> list[str]:
    """Return one sentence per method of ``counts``.

    ``before`` and ``now`` are the digests of its own source files by path.
    """
    told = []
    for method, count in counts.items():
        old, new = before.get(method, {}), now.get(method, {})
        files = [path for path in {**old, **new} if old.get(path) != new.get(path)]
        what = f"{listing(files, 5)} changed" if old and files else "its source changed"
        run = "runs" if count == 1 else "run"
        told.append(
            f"{method}: {what} since {counted(count, 'trial')} of it ran: {run} again "
            "(the old outcomes stay in the store)"
        )
    return told


def _labels(trial: Trial) -> tuple[Any, ...]:
    return trial.dataset, trial.method, trial.fold, trial.seed
