"""What a paper is drafted from: LaTeX, a CSV file of runs, or a results folder."""

from collections.abc import Sequence
from pathlib import Path

from boostbench.errors import ConfigError
from boostbench.papers.drafts.draft import Draft
from boostbench.papers.drafts.from_latex import draft_of_latex
from boostbench.papers.drafts.from_runs import add_runs, draft_of_results, draft_of_runs
from boostbench.papers.drafts.questions import Answers
from boostbench.papers.runs_beside import RUN_COLUMNS, read_runs
from boostbench.suggest import did_you_mean


def draft_of(sources: Sequence[Path], columns: str, answers: Answers) -> Draft:
    """Return a draft of a LaTeX file, of runs or of a results folder.

    With a LaTeX file and a file of runs, the means are the printed ones. ``columns`` says how
    columns of the runs are called, as ``score=rmse,dataset=data``.
    """
    by_kind = {path.suffix.lower(): path for path in sources}
    kinds = [path.suffix.lower() for path in sources]
    is_folder = len(kinds) == 1 and kinds[0] not in (".tex", ".csv")
    are_files = sorted(kinds) in ([".csv"], [".tex"], [".csv", ".tex"])
    if not is_folder and not are_files:
        raise ConfigError(
            "--from: give one LaTeX file, one CSV file of runs, both of these, or one results "
            "folder"
        )
    if is_folder:
        return draft_of_results(sources[0], answers)
    names = _columns(columns)
    runs = read_runs(by_kind[".csv"], names) if ".csv" in by_kind else []
    if ".tex" not in by_kind:
        return draft_of_runs(by_kind[".csv"], runs, answers)
    draft = draft_of_latex(by_kind[".tex"], answers)
    if runs:
        add_runs(draft, runs)
    return draft


def _columns(text: str) -> dict[str, str]:
    """Return the columns of runs by their usual names, from ``score=rmse,dataset=data``."""
    found = {}
    for pair in filter(None, text.split(",")):
        name, equals, column = (part.strip() for part in pair.partition("="))
        if not equals or name not in RUN_COLUMNS:
            hint = did_you_mean(name, RUN_COLUMNS)
            raise ConfigError(
                f"--columns {pair}: write NAME=COLUMN, where NAME is one of "
                f"{', '.join(RUN_COLUMNS)}{hint}"
            )
        found[name] = column
    return found
