"""The papers as data: what each one published, claims, and notes for its readers.

A paper is one module with a :class:`~boostbench.papers.paper.Paper` and its CSV files; other
packages add theirs through the entry-point group ``boostbench.papers``.

- ``paper``: what a paper is; reads printed tables, says what an experiment's data are published as
- ``design``: how it measured what it prints, for what can be compared with it
- ``improvement``: its tables of percentages; ``reading``: the CSV files
- ``consistency``: its tables against each other, and against what its text says (``sentence``)
- ``claim``: what a claim and its rule are, and their CSV files; ``rules``: figures and rules that
  several papers share
- ``results``: what notes look at, and all that they know of a report
- ``srt``: soft regression trees (``srt.csv``: its tables, ``srt_datasets.csv``: its data sets,
  ``srt_claims.csv``: its claims, judged by ``srt_rules``, ``srt_ort_rules``, ``srt_value_rules``);
  ``srt_ort``: notes on ORT-L; ``srt_sentences``: its text on the tables
- ``multiboost``: MultiBoost-cw (``multiboost_datasets.csv``), which prints no tables;
  ``multiboost_claims.csv`` and ``multiboost_rules``: its claims; ``multiboost_roles``: its
  protocol, and which methods play which role in them

Nothing here imports the report, the store or the engine.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from boostbench.entry_points import entry_points, load_entry_point
from boostbench.errors import ConfigError
from boostbench.papers.paper import MEANS, Column, Paper, Published, PublishedDataset

__all__ = [
    "MEANS",
    "Column",
    "Paper",
    "Published",
    "PublishedDataset",
    "get_paper",
    "paper_names",
    "paper_of",
    "published_as",
]

ENTRY_POINT_GROUP = "boostbench.papers"
_BUILTIN = ("multiboost", "srt")


def paper_names() -> list[str]:
    """Return the keys of the papers that are known, those of other packages last."""
    return [*_BUILTIN, *sorted(set(entry_points(ENTRY_POINT_GROUP)) - set(_BUILTIN))]


def get_paper(key: str) -> Paper:
    """Return the paper ``key``.

    Raises ConfigError where there is none of that name, which names the ones there are, and where
    another package's cannot be imported or is none.
    """
    if key in _BUILTIN:
        paper: Paper = import_module(f"boostbench.papers.{key}").PAPER
        return paper
    if key not in entry_points(ENTRY_POINT_GROUP):
        raise ConfigError(
            f"the paper '{key}' is not known here: install the package that adds it (entry points "
            f"{ENTRY_POINT_GROUP}); known are {', '.join(paper_names())}"
        )
    return load_entry_point(ENTRY_POINT_GROUP, key, Paper)


def paper_of(experiment: Mapping[str, Any]) -> Paper | None:
    """Return the paper that an experiment, as JSON values, names; ConfigError if it is unknown."""
    key = experiment.get("paper")
    return get_paper(key) if key else None


def published_as(
    paper: str | None,
    datasets: Sequence[Mapping[str, Any]],
    fingerprints: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return under which of the paper's names each data set of an experiment is published.

    ``datasets`` are the experiment's entries as JSON values, ``fingerprints`` those that are known,
    by label. By label, only for those that are.
    """
    if paper is None:
        return {}
    known, found = fingerprints or {}, get_paper(paper)
    named = {
        str(entry["name"]): found.published_as(entry, known.get(entry["name"], ""))
        for entry in datasets
    }
    return {label: name for label, name in named.items() if name}
