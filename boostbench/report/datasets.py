"""The data sets of a plan, as reports know them."""

from collections.abc import Iterator, Sequence

from boostbench.data.catalog import Catalog
from boostbench.papers import Paper, published_as
from boostbench.papers.planned import PlannedDataset
from boostbench.plan.trial import Trial, canonical_json
from boostbench.values import Record

# Keys of an entry that say how its rows are divided, and not what they are.
_OF_DIVISION = frozenset({"name", "splits", "group", "time"})


def _table_of(entry: Record) -> str:
    """Return a text of the table of an entry, the same for all that only divide it otherwise."""
    if not any(entry.get(key) for key in ("card", "openml", "file")):
        return ""
    return canonical_json({k: v for k, v in entry.items() if v and k not in _OF_DIVISION})


def planned_datasets(
    planned: Sequence[Trial], experiment: Record, paper: Paper | None, catalog: Catalog
) -> Iterator[PlannedDataset]:
    """Yield the data sets of a plan, as the experiment and the paper know them."""
    entries = {entry["name"]: entry for entry in experiment["datasets"]}
    trials = {trial.dataset: trial for trial in planned}
    published = experiment.get("published_as")
    if published is None:
        # Old stores did not record it with the plan.
        fingerprints = {name: trial.fingerprint for name, trial in trials.items()}
        published = published_as(paper, [*entries.values()], fingerprints, catalog)
    remarks = experiment["data_remarks"]
    for name, trial in trials.items():
        entry = entries.get(name) or {}
        yield PlannedDataset(
            label=name,
            published_as=published.get(name, ""),
            fingerprint=trial.fingerprint,
            card=str(entry.get("card") or ""),
            table=_table_of(entry),
            remarks=tuple(map(str, remarks.get(name, ()))),
            rule=trial.split_rule,
        )
