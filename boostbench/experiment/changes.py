"""How the environment of a run differs from that of the recorded trials, in words."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from boostbench.engine.environment import differences
from boostbench.report.provenance import commit
from boostbench.store.store import Store
from boostbench.suggest import counted

_MAX_TOLD = 3


def changes(store: Store, keys: Collection[str], environment: Mapping[str, Any]) -> str:
    """Return how ``environment`` differs from where the outcomes of ``keys`` were recorded.

    Such as ``since 8 recorded trials ran: numpy 2.1.0 -> 2.3.1``; empty where nothing that
    results depend on differs. The commit of a repository is not compared, see :func:`other_commit`.
    """
    ids = store.environment_ids()
    found: Counter[str] = Counter()
    for name, count in Counter(ids[key] for key in keys if key in ids).items():
        difference = differences(store.environment(name) or {}, environment)
        if difference:
            found[", ".join(difference)] += count
    parts = [
        f"since {counted(count, 'recorded trial')} ran: {difference}"
        for difference, count in found.most_common(_MAX_TOLD)
    ]
    more = len(found) - len(parts)
    return "; ".join([*parts, *([f"and {counted(more, 'other environment')}"] if more else [])])


def other_commit(store: Store, git: Mapping[str, Any] | None) -> str:
    """Return a remark where the last recorded run saw another commit than ``git``, else nothing."""
    runs = store.runs()
    before = runs[-1].details.get("git") if runs else None
    if not before or not git or before.get("commit") == git.get("commit"):
        return ""
    return (
        "the experiment file's repository is at another commit than when the last trials ran: "
        f"{commit(before)} -> {commit(git)}"
    )
