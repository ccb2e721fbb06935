"""The papers as data: published values, claims, and notes for readers.

A paper is a folder (see :mod:`boostbench.papers.paper`): one of ``srt`` and ``multiboost`` here, a
folder beside the experiment file (``paper: ./mine``), or one that a package registers through the
entry-point group ``boostbench.papers``, as a module beside its files or as a path.

In the order in which they import each other:

- ``settings``, ``reading``, ``design`` < ``tables`` < ``paper``: a folder's files as typed objects,
  how printed means were measured, and the conditions that tell them apart
- ``metrics``, with ``metrics.yaml``: the scores
- ``language``: the figures of claims, as they are written; ``conditions``: comparisons of them
- ``evidence`` < ``figures``, with ``figures.yaml`` < ``estimates``: from runs to figures with
  intervals
- ``claims`` < ``measured`` < ``judge``: the sentences, their figures as measured, and verdicts
- ``plausible``: printed values that cannot be right, and what printed averages are over;
  ``runs_elsewhere`` < ``run_table``: runs that others made, by the names of a paper
- ``planned`` < ``roles``: the methods and data sets of a plan, and the roles that methods play
- ``contents``: what a folder says of methods, metrics and data sets; ``idle``: conditions of claims
  that can decide nothing
- ``check``: errors in a folder, and contradictions between tables and text

Nothing here imports the report, the store or the engine.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from boostbench.data.cards import Catalog
from boostbench.entry_points import entry_points, load_entry_point
from boostbench.errors import ConfigError
from boostbench.papers.paper import Paper as Paper
from boostbench.papers.paper import read_paper
from boostbench.papers.tables import AskedData
from boostbench.suggest import did_you_mean, listing
from boostbench.values import Record

ENTRY_POINT_GROUP = "boostbench.papers"
_BUILTIN = ("multiboost", "srt")


def paper_names() -> list[str]:
    """Return the keys of all known papers, those of other packages last."""
    return [*_BUILTIN, *sorted(set(entry_points(ENTRY_POINT_GROUP)) - set(_BUILTIN))]


def is_folder(key: str) -> bool:
    """Return whether a paper is given as a folder rather than by its name."""
    return "/" in key or key.startswith(".")


def get_paper(key: str, beside: Path | None = None) -> Paper:
    """Return the paper ``key``, or in the folder ``key``, relative to the folder ``beside``.

    Raises ConfigError if there is none, naming the known ones, and if its files are wrong.
    """
    return read_paper(folder_of(key, beside))


def folder_of(key: str, beside: Path | None = None) -> Path:
    """Return the folder of a paper; ConfigError where there is none."""
    if key in _BUILTIN:
        return Path(__file__).with_name(key)
    if is_folder(key):
        folder = ((beside or Path()) / Path(key).expanduser()).resolve()
    elif key in entry_points(ENTRY_POINT_GROUP):
        registered = load_entry_point(ENTRY_POINT_GROUP, key, object)
        folder = Path(str(getattr(registered, "__file__", None) or registered))
        folder = folder.parent if folder.suffix == ".py" else folder
    else:
        raise ConfigError(
            f"the paper '{key}' is not known here{did_you_mean(key, paper_names())}: install the "
            f"package that adds it (entry points {ENTRY_POINT_GROUP}), or give its folder, as in "
            f"./{key}; known are {listing(paper_names())}"
        )
    if not (folder / "paper.yaml").is_file():
        raise ConfigError(f"'{key}': there is no paper in {folder}: it has no file paper.yaml")
    return folder


def paper_of(experiment: Record, beside: Path | None = None) -> Paper | None:
    """Return the paper that an experiment, as JSON values, names; ConfigError if it is unknown."""
    key = experiment.get("paper")
    return get_paper(key, beside) if key else None


def published_as(
    paper: Paper | None,
    datasets: Sequence[Record],
    known: Mapping[str, str],
    catalog: Catalog,
    rows: Mapping[str, int] | None = None,
) -> dict[str, str]:
    """Return the paper's name of each published data set of an experiment, by label.

    ``datasets`` are the experiment's entries as JSON values, ``known`` the known fingerprints and
    ``rows`` the known numbers of rows by label, and ``catalog`` its cards. Data sets that the paper
    does not have are left out.
    """
    if paper is None:
        return {}
    every = _asked(datasets, known, catalog, rows or {})
    return {label: name for label, asked in every.items() if (name := paper.published_as(asked))}


def _asked(
    datasets: Sequence[Record], known: Mapping[str, str], catalog: Catalog, rows: Mapping[str, int]
) -> dict[str, AskedData]:
    """Return the data sets of an experiment with what is known of them, by label."""
    labels = {entry["name"]: entry for entry in datasets}
    return {
        label: AskedData(entry, known.get(label, ""), catalog, rows.get(label))
        for label, entry in labels.items()
    }


def not_published(
    paper: Paper | None,
    datasets: Sequence[Record],
    known: Mapping[str, str],
    catalog: Catalog,
    rows: Mapping[str, int],
) -> list[str]:
    """Return in sentences which data sets seem to be the paper's and are others; see above."""
    if paper is None:
        return []
    every = _asked(datasets, known, catalog, rows)
    others = {label: asked for label, asked in every.items() if not paper.published_as(asked)}
    return [
        f"'{label}' is not the data set '{data.name}' of the paper, {why}"
        for label, asked in others.items()
        for data in paper.dataset_rows
        if (why := data.difference(asked))
    ]
