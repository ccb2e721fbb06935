"""How two plans differ, in words: the first difference that explains the others."""

from collections.abc import Sequence
from typing import Any

from boostbench.plan.trial import Trial

_PROTOCOL = (
    "task", "folds", "split", "test_size", "train_rows", "train_per_class", "train_batches",
    "split_seed", "scale_features", "scale_target", "curves",
)  # fmt: skip


def difference(first: Sequence[Trial], second: Sequence[Trial], names: tuple[str, str]) -> str:
    """Return what differs, such as ``the seed 3 is only in A``, empty for equal plans.

    ``names`` are those of the two plans. Plans are equal when they have the same trials by the same
    labels in the same order.
    """
    if list(first) == list(second):
        return ""
    for field, word in (("dataset", "data set"), ("method", "method")):
        found = _only(first, second, field, word, names)
        if found:
            return found
    found = _described(first, second, "dataset", ("fingerprint",), names)
    fields = ("estimator", "method_version", "params", "choose", "choose_with")
    found = found or _described(first, second, "method", fields, names)
    if found:
        return found
    for field in _PROTOCOL:
        mine, theirs = ({getattr(trial, field) for trial in plan} for plan in (first, second))
        if mine != theirs:
            return f"{field} is {_list(mine)} in {names[0]} and {_list(theirs)} in {names[1]}"
    for field in ("fold", "seed"):
        found = _only(first, second, field, field, names)
        if found:
            return found
    keys = [{trial.key for trial in plan} for plan in (first, second)]
    for i, plan in enumerate((first, second)):
        for trial in plan:
            if trial.key not in keys[1 - i]:
                return f"the trial {trial.name} is only in {names[i]}"
    return "their trials are the same, but in another order or by other names"


def _only(
    first: Sequence[Trial], second: Sequence[Trial], field: str, word: str, names: tuple[str, str]
) -> str:
    values = [dict.fromkeys(getattr(trial, field) for trial in plan) for plan in (first, second)]
    for i in (0, 1):
        for value in values[i]:
            if value not in values[1 - i]:
                return f"the {word} {value!r} is only in {names[i]}"
    return ""


def _described(
    first: Sequence[Trial],
    second: Sequence[Trial],
    label: str,
    fields: Sequence[str],
    names: tuple[str, str],
) -> str:
    """Compare what the first trial of each label says of it."""
    mine, theirs = ({getattr(t, label): t for t in reversed(plan)} for plan in (first, second))
    for name, trial in mine.items():
        for field in fields:
            here, there = getattr(trial, field), getattr(theirs[name], field)
            if here != there:
                what = {"dataset": "data set", "method": "method"}[label]
                field, here, there = _where(field, here, there)
                both = f"{here} in {names[0]} and {there} in {names[1]}"
                return f"the {field} of the {what} {name!r} is {both}"
    return ""


def _where(field: str, here: Any, there: Any) -> tuple[str, str, str]:
    if field == "fingerprint":
        return field, here[:12], there[:12]
    if field in ("params", "choose", "choose_with"):
        for key in sorted({*here, *there}):
            if here.get(key) != there.get(key) or (key in here) != (key in there):
                values = [repr(v[key]) if key in v else "not given" for v in (here, there)]
                return f"parameter {key!r}", values[0], values[1]
    return field.replace("_", " "), repr(here), repr(there)


def _list(values: set[Any]) -> str:
    return ", ".join(sorted(map(repr, values)))
