"""The table and the figures of a results folder for a paper of one's own."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from boostbench.errors import ConfigError
from boostbench.experiment.freshness import changed_since_runs
from boostbench.experiment.listener import Listener
from boostbench.experiment.options import refuse_given
from boostbench.experiment.reporting import place_for, report_notices
from boostbench.outputs import folder_for
from boostbench.report.document.for_paper import PaperLayout
from boostbench.report.paper import how_to_read_in, paper_files, paper_stem
from boostbench.store.store import Store


class PaperReport(NamedTuple):
    """The files that were written in ``folder``, how they are read in, and remarks on results."""

    paths: Sequence[Path]
    folder: Path
    how_to_read_in: str
    notices: Sequence[str]


class PaperRequest(NamedTuple):
    """The options of the command, as they were given."""

    for_paper: bool
    show: str | None
    columns: str | None
    width: float | None
    no_sd: bool

    def layout(self, others: Mapping[str, bool]) -> PaperLayout | None:
        """Return the layout that was asked for, ``None`` where no files for a paper are wanted.

        ``others`` are options of the usual report, and whether they were given. Raises ConfigError
        where options do not go together.
        """
        if not self.for_paper:
            own = {
                "--show": self.show,
                "--columns": self.columns,
                "--width": self.width,
                "--no-sd": self.no_sd,
            }
            refuse_given(own, "is about the table for a paper: add --for-paper")
            return None
        why = "is about the usual report, and --for-paper writes other files: leave one of them out"
        refuse_given(others, why)
        return PaperLayout.asked(self.show, self.columns, self.width, with_sd=not self.no_sd)


def report_for_paper(
    folder: Path,
    listener: Listener,
    layout: PaperLayout,
    *,
    out: Path | None = None,
    metric: str | None = None,
    only: Sequence[str] = (),
) -> PaperReport:
    """Write one table in LaTeX and figures as PDF for a paper; other files stay as they are.

    Earlier such figures that these results do not have are removed.
    """
    target = place_for(folder, out, is_part=bool(only) or metric is not None)
    if target is None:
        raise ConfigError(
            "--for-paper writes files, and a part, another metric or an archive beside a run's "
            "results has no folder of its own for them: name one by --out"
        )
    with Store.read(folder, only=only) as store:
        with listener.working("writing the table and figures for a paper"):
            files = paper_files(store, layout, metric)
        target_folder = folder_for(target, store.folder)
        paths = target_folder.write(files)
        stem = paper_stem(store.record_of_run()["name"])
        earlier = [name for name in target_folder.names() if name.startswith(f"{stem}-")]
        target_folder.remove(name for name in earlier if name not in files)
        notices = report_notices(store, changed_since_runs(store), is_whole=not only)
    return PaperReport(paths, target, how_to_read_in(files), notices)
