"""The results of an experiment, as tables for Python."""

from functools import cached_property
from html import escape
from pathlib import Path

import pandas as pd

from boostbench.experiment.request import Chosen, selection
from boostbench.experiment.verifying import judge_claims
from boostbench.report.build import build_report
from boostbench.store.export import tables
from boostbench.store.store import Store
from boostbench.values import Record


class Results:
    """The contents of a results folder when they were first read; never changed.

    A StoreError is raised where the store cannot be read.
    """

    def __init__(self, folder: Path, temporary: object = None) -> None:
        # A temporary folder is removed with the last reference to the object that made it.
        self._temporary = temporary
        self.folder = Path(folder).resolve()
        """The results folder, absolute."""

    @cached_property
    def experiment(self) -> Record:
        """The experiment as it was run: its file with all defaults, and the command line."""
        with Store.read(self.folder) as store:
            return store.experiment()

    @property
    def trials(self) -> pd.DataFrame:
        """One row per planned trial, as in ``trials.csv``: its identity, status and metrics."""
        return self._frames["trials"]

    @property
    def times(self) -> pd.DataFrame:
        """One row per planned trial, as in ``times.csv``: seconds (``*_s``) and MiB (``*_mib``)."""
        return self._frames["times"]

    @property
    def curves(self) -> pd.DataFrame:
        """One row per iteration of each trial with a learning curve, as in ``curves.csv``."""
        return self._frames["curves"]

    @property
    def curve_times(self) -> pd.DataFrame:
        """One row per iteration of each trial with a learning curve, as in ``curve_times.csv``."""
        return self._frames["curve_times"]

    @cached_property
    def _frames(self) -> dict[str, pd.DataFrame]:
        with Store.read(self.folder) as store:
            # An archive takes seconds to open.
            self.__dict__.setdefault("experiment", store.experiment())
            exported = tables(store)
        return {
            name: pd.DataFrame(rows, columns=header) for name, (header, rows) in exported.items()
        }

    def table(self, only: Chosen = ()) -> pd.DataFrame:
        """Return the table that ``boostbench report`` shows: measured figures beside published.

        ``only`` selects trials, such as ``{"method": "srt*"}`` or ``"method=srt*"``. Raises
        ConfigError where none match.
        """
        with Store.read(self.folder, only=selection(only)) as store:
            shown = build_report(store, None).overview
        frame = pd.DataFrame(shown.texts, columns=list(shown.header))
        return frame.set_index(frame.columns[0])

    def claims(self) -> pd.DataFrame:
        """Return the paper's claims as ``boostbench verify`` judges them on these results.

        One row per claim (``id``) and ``reading`` of its methods, the reading meant as the paper's
        first: ``verdict`` (reproduced, weaker, not reproduced, undecided, not judged or not
        comparable), ``why``, the result ``measured`` in words and as ``figures`` (per figure and
        depth its ``unit``, ``value`` and the ends ``low`` and ``high`` of its 95 % interval, which
        covers ``interval_covers``), the figure ``stated`` in the paper and that of its own tables
        (``paper_tables``, with their ``agreement``), the underlying ``depths``, ``datasets``
        (without the ``missing`` ones) and number of ``runs`` of each method, and how many
        partitions would decide it.

        Raises ConfigError where the experiment names no paper, or its metric is not the paper's.
        """
        return pd.DataFrame(judge_claims([self.folder]).rows()).set_index(["id", "reading"])

    def __repr__(self) -> str:
        counts = self.trials["status"].value_counts().sort_index()
        text = ", ".join(f"{count:,} {status}" for status, count in counts.items())
        return f"<Results of {self.experiment.get('name')} in {self.folder}: trials {text}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self)[1:-1])}</p>{self.table().to_html()}"
