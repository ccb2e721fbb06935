"""The data sets of a plan, as reports know them."""

import re
from collections.abc import Iterator, Sequence

from boostbench.data.cards import Catalog
from boostbench.errors import CardError, DataError
from boostbench.papers import Paper, published_as
from boostbench.papers.planned import PlannedDataset
from boostbench.papers.tables import AskedData
from boostbench.plan.trial import Trial, canonical_json
from boostbench.values import Record

# Keys of an entry that say how its rows are divided, and not what they are.
_OF_DIVISION = frozenset({"name", "splits", "group", "time"})


def _table_of(entry: Record) -> str:
    """Return a text of the table of an entry, the same for all that only divide it otherwise."""
    if not any(entry.get(key) for key in ("card", "openml", "file")):
        return ""
    return canonical_json({k: v for k, v in entry.items() if v and k not in _OF_DIVISION})


def _title(label: str, card: str, published_as: str, paper: Paper | None, catalog: Catalog) -> str:
    """Return how a data set is called in print: by the paper, else by its card, in a few words.

    A label that is not the name of its card is the user's word, and stays.
    """
    if label != card:
        return label
    if paper is not None and published_as in paper.datasets:
        return paper.datasets[published_as].title
    try:
        return re.split("[:,] ", catalog.card(card).title)[0] or label
    except (CardError, DataError):
        # The card was there when the experiment ran.
        return label


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
        card, printed = str(entry.get("card") or ""), published.get(name, "")
        yield PlannedDataset(
            label=name,
            published_as=printed,
            fingerprint=trial.fingerprint,
            card=card,
            title=_title(name, card, printed, paper, catalog),
            table=_table_of(entry),
            remarks=tuple(map(str, remarks.get(name, ()))),
            rule=trial.split_rule,
            conditions=paper.conditions_of(
                printed, AskedData(entry, trial.fingerprint, catalog), trial.split_rule
            )
            if paper is not None and printed
            else {},
        )
