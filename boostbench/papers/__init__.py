"""What the papers published, as data: every printed mean, sd, time and count, and where it stands.

A published table is a CSV file beside this module, copied cell by cell from the paper. ``Paper``
says under which column a method of ours is published: two methods may share one, since a figure
may need one reading to be reproduced and another where good practice differs.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType

from boostbench.errors import ConfigError

MEANS = ("arithmetic_mean", "geometric_mean")


@dataclass(frozen=True)
class Published:
    """One printed cell: test R2 over folds x seeds, seconds of training, runs with R2 < 0.

    ``dataset`` is a data set or one of :data:`MEANS`; ``depth`` is ``None`` where it has no
    meaning (random forest). What the paper leaves out is ``None``. The paper does not say how its
    sd is taken; its size agrees with the spread over all folds x seeds.
    """

    table: str
    dataset: str
    depth: int | None
    method: str
    r2_mean: float
    r2_sd: float | None
    time_s: float | None
    negative_runs: float | None


@dataclass(frozen=True)
class PublishedDataset:
    """A row of the paper's list of data sets: its printed name, rows and features if stated."""

    name: str
    title: str
    n_samples: int | None
    n_features: int | None


@dataclass(frozen=True)
class Paper:
    """A paper and where its figures stand.

    ``columns`` maps a method of ours to the published column it is measured against; ``tables``
    maps (column, depth) to the table that holds it, with depth ``None`` for methods without one.
    A paper without columns states no figures in its text. ``figures`` are those of its pictures
    that an experiment can be for.
    """

    key: str
    title: str
    authors: str
    journal: str
    doi: str
    arxiv: str
    hardware: str
    runs: int
    default_depth: int | None
    columns: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[tuple[str, int | None], str] = field(default_factory=dict)
    figures: tuple[str, ...] = ()

    @property
    def tables_and_figures(self) -> list[str]:
        """The names of the tables and figures that an experiment can be for."""
        return [*dict.fromkeys(self.tables.values()), *self.figures]

    def column(self, method: str) -> str | None:
        """Return the published column of a registered ``method``, ``None`` where there is none."""
        return self.columns.get(method)

    def table(self, column: str, depth: int | None) -> str | None:
        """Return the table that prints ``column`` at ``depth``, ``None`` where none does."""
        if (column, None) in self.tables:
            return self.tables[column, None]
        return self.tables.get((column, depth))


_SRT = Paper(
    key="srt",
    title="Soft regression trees: a model variant and a decomposition training algorithm",
    authors="A. Consolo, E. Amaldi, A. Manno",
    journal="European Journal of Operational Research 328(2), 607-619, 2026",
    doi="10.1016/j.ejor.2025.08.050",
    arxiv="2501.05942",
    hardware="Intel Core i7-9700K, 3.60 GHz",
    runs=80,
    default_depth=3,
    columns=MappingProxyType(
        {
            "srt": "srt",
            "srt_best5": "srt",
            "srt_l2": "srt_l2",
            "srt_l2_best5": "srt_l2",
            "srt_l2_literal": "srt_l2",
            "orrt": "orrt",
            "orrt_trained": "orrt",
            "random_forest": "random_forest",
            "random_forest_r": "random_forest",
        }
    ),
    tables=MappingProxyType(
        {
            **{(column, 3): "2" for column in ("srt", "srt_l2", "ort_l", "orrt")},
            **{(column, 2): "C.4" for column in ("srt", "srt_l2", "ort_l", "orrt")},
            ("random_forest", None): "G.9",
        }
    ),
)
_MULTIBOOST = Paper(
    key="multiboost",
    title=("Fast training of effective multi-class boosting using coordinate descent optimization"),
    authors="G. Lin, C. Shen, A. van den Hengel, D. Suter",
    journal="11th Asian Conference on Computer Vision (ACCV), 2012",
    doi="10.1007/978-3-642-37444-9_61",
    arxiv="1311.5947",
    hardware="machine that the paper does not name",
    runs=5,
    default_depth=None,
    figures=("Figure 1", "Figure 2", "Figure 3", "Figure 4", "Figure 5", "Figure 6"),
)
_PAPERS = {paper.key: paper for paper in (_SRT, _MULTIBOOST)}


def paper_names() -> list[str]:
    """Return the keys of the papers whose published values are here."""
    return sorted(_PAPERS)


def get_paper(key: str) -> Paper:
    """Return the paper ``key``; a ``ConfigError`` names the ones there are."""
    try:
        return _PAPERS[key]
    except KeyError:
        raise ConfigError(
            f"paper '{key}' is not known: choose one of {', '.join(paper_names())}."
        ) from None


@cache
def published(paper: str = "srt") -> tuple[Published, ...]:
    """Return every printed cell of ``paper`` in the order of its tables (``ConfigError``)."""
    if not get_paper(paper).columns:
        return ()
    return tuple(
        Published(
            table=row["table"],
            dataset=row["dataset"],
            depth=int(row["depth"]) if row["depth"] else None,
            method=row["method"],
            r2_mean=float(row["r2_mean"]),
            r2_sd=_number(row["r2_sd"]),
            time_s=_number(row["time_s"]),
            negative_runs=_number(row["negative_r2_runs"]),
        )
        for row in _rows(f"{get_paper(paper).key}.csv")
    )


@cache
def published_datasets(paper: str = "srt") -> Mapping[str, PublishedDataset]:
    """Return the paper's data sets by name, in the order of its tables (``ConfigError``)."""
    return MappingProxyType(
        {
            row["dataset"]: PublishedDataset(
                row["dataset"],
                row["title"],
                int(row["n_samples"]) if row["n_samples"] else None,
                int(row["n_features"]) if row["n_features"] else None,
            )
            for row in _rows(f"{get_paper(paper).key}_datasets.csv")
        }
    )


def published_value(
    paper: str, table: str, dataset: str, depth: int | None, method: str
) -> Published | None:
    """Return the cell of ``method`` (a published column) in ``table``, ``None`` if not printed."""
    return _index(paper).get((table, dataset, depth, method))


def published_for(paper: str, method: str, dataset: str, depth: int | None) -> Published | None:
    """Return what ``method``, a registered name of ours, is measured against; ``None`` if nothing.

    ``depth`` is that of the measured trees; a method published without one ignores it.
    """
    source = get_paper(paper)
    column = source.column(method)
    if column is None:
        return None
    printed_depth = None if (column, None) in source.tables else depth
    table = source.table(column, printed_depth)
    return published_value(paper, table, dataset, printed_depth, column) if table else None


@cache
def _index(paper: str) -> Mapping[tuple[str, str, int | None, str], Published]:
    return {(cell.table, cell.dataset, cell.depth, cell.method): cell for cell in published(paper)}


def _rows(name: str) -> list[dict[str, str]]:
    with (Path(__file__).parent / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _number(text: str) -> float | None:
    return float(text) if text else None
