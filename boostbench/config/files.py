"""What the files say that an experiment and its data sets name: cards, and the rows of splits."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from boostbench.data.cards import Card, Catalog
from boostbench.data.splits import Rows, SplitRule
from boostbench.errors import BoostbenchError
from boostbench.papers.paper import Paper
from boostbench.yamltree import Document


@dataclass(frozen=True)
class ListedRows:
    """The test rows of one split, as a file lists them."""

    path: Path
    rows: Rows


@dataclass(frozen=True)
class ListedSplit:
    """The training and the test rows of one split, as two files list them."""

    train: ListedRows
    test: ListedRows


@dataclass(frozen=True)
class DatasetFiles:
    """What the files say that one data set names: its card, and the rows of each split.

    ``test_rows`` are the test rows alone, ``splits`` have the training rows too, and ``listed`` is
    the division into these rows, if they are listed. In place of what a wrong file says is the
    error, which is raised only where the file is needed.
    """

    card: Card | BoostbenchError | None = None
    test_rows: tuple[ListedRows, ...] = ()
    splits: tuple[ListedSplit, ...] = ()
    listed: SplitRule | BoostbenchError | None = None


@dataclass(frozen=True)
class ExperimentFiles:
    """The files of an experiment.

    ``document`` is the experiment file and ``folder`` its folder, against which data files are
    resolved; ``catalog`` has the cards that it can name, and ``datasets`` the files of each data
    set by its name.
    """

    document: Document | None = None
    folder: Path | None = None
    catalog: Catalog = field(default_factory=Catalog)
    paper: Paper | None = None
    datasets: Mapping[str, DatasetFiles] = field(default_factory=dict)
