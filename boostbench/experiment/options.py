"""The options of commands, each stated once: its names, its metavar and its description.

Nothing heavy is imported here, as ``--help`` reads it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from boostbench.errors import ConfigError
from boostbench.report.names import FORMATS

_HELP = {
    "again": "Run again even the trials that are done.",
    "annotate": "With --fail: also a line for GitHub's actions at the row of each claim that is "
    "not reproduced.",
    "any_processor": "With --sample: let differences pass that another processor may explain.",
    "all": "Also list the claims that cannot be judged.",
    "claim": "Only this claim, in full. Can be repeated.",
    "columns": "With --for-paper: the methods of the table and the figures in order, with commas.",
    "cluster": "Run the trials on the workers of a dask cluster: the address of its scheduler, "
    "such as tcp://scheduler:8786, or slurm, pbs, sge, lsf, oar, htcondor.",
    "cluster_config": "For --cluster slurm and similar: a YAML file with jobs (how many) and the "
    "arguments of dask-jobqueue.",
    "dry_run": "Check, and say what would be run; run nothing.",
    "fail": "Exit with 3 if a claim is not reproduced.",
    "for_paper": "Write instead one table in LaTeX, and figures, for a paper of your own.",
    "format": f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}; several with commas. Default: all.",
    "in": "The same as CONFIG.",
    "in_process": "Run one trial at a time in this process, for a debugger: what trials print is "
    "shown, breakpoints stop, and the limits on time and memory do not apply.",
    "into": "The results folder to merge into. Default: that of which the stores are shards, else "
    "results/NAME.",
    "jobs": "Trials at a time. Default: the processors.",
    "json": "Write JSON, for other programs to read.",
    "margins": "Show instead how many cells agree with print, differ and are undecided at half, "
    "one and two margins.",
    "metric": "Show this score, such as mae or one of the file's metrics, in place of the "
    "experiment's own.",
    "minutes": "With --sample: run only as many of the drawn trials as fit in so many minutes, by "
    "their recorded times.",
    "mirror": "A folder with copies of data files, anywhere in it, used before any network. "
    "Default: $BOOSTBENCH_MIRROR.",
    "nonce": "With --sample: a text that nobody could foresee, by which trials are drawn. "
    "Default: a fresh one, which is shown.",
    "no_sd": "With --for-paper: leave the standard deviations out, as --show mean does.",
    "offline": "Never use the network.",
    "only": "Only these trials: dataset=, method=, split_seed=, fold= or seed=; * matches any "
    "text. Can be repeated.",
    "open": "Open the page, table.html, in the browser.",
    "out": "Where to write. Default: the results folder, and above or in its archive/; of a table "
    "of runs nothing is written.",
    "paper": "A paper, its folder or its name (boostbench list papers): check it instead, or judge "
    "a table of runs by it.",
    "predictions": "With the predictions that trials kept (keep: [predictions]).",
    "retry_failed": "Also run again the trials that failed before.",
    "reuse": "Take over the trials that ended well in this results folder (or those of this "
    "experiment file) instead of running them again. Can be repeated.",
    "sample": "Run N planned trials again instead, drawn by the nonce, and compare the figures.",
    "schema": "Print the JSON schema of experiment files instead, or with --json that of what "
    "commands write as JSON.",
    "set": "Another value for a key of the experiment file, such as seeds=3 or limits.time=60. "
    "Can be repeated.",
    "shard": "Run every N-th trial only, from the I-th, in a results folder of its own "
    "(shard-I-of-N below the experiment's); merge the shards with: boostbench merge.",
    "show": "With --for-paper: mean, sd and rank, with commas. Default: mean,sd.",
    "strict": "Run nothing if the environment (versions, processor, linear algebra) has changed "
    "since the recorded trials ran.",
    "table": "Show this table of the paper instead, such as C.4: one that the runs fill.",
    "trust": "With --sample: load the code that others have put into these results, which runs it.",
    "width": "With --for-paper: the width of a column of the paper, in inches. Default: 4.75.",
}


def option(name: str, metavar: str | None = None, *more: str, least: int | None = None) -> object:
    """Return the option ``--name``, with ``more`` names, as it is described above.

    ``least`` is the smallest number that it takes.
    """
    return typer.Option(flag_of(name), *more, metavar=metavar, help=_HELP[name], min=least)


def flag_of(name: str) -> str:
    """Return an option as it is written on the command line."""
    return f"--{name.replace('_', '-')}"


def refuse_given(options: Mapping[str, object], why: str) -> None:
    """Raise ConfigError for the first that is given of ``options``, by how its sentence begins."""
    for name, given in options.items():
        if given is not None and given is not False:
            raise ConfigError(f"{name} {why}")


def argument(metavar: str, description: str) -> object:
    """Return an argument, shown as ``metavar``."""
    return typer.Argument(metavar=metavar, help=description)


_CONFIG = "An experiment file, or the name of a shipped one (see: boostbench list configs)."
Config = Annotated[str, argument("CONFIG", _CONFIG)]
Results = Annotated[
    str | None,
    argument(
        "[CONFIG]",
        "An experiment file, a shipped config's name, a results folder, or its name below "
        "./results. Default: the newest results below ./results.",
    ),
]
SeveralResults = Annotated[
    list[str] | None,
    argument(
        "[CONFIG]...",
        "Experiment files, shipped configs' names, results folders, or their names below "
        "./results.",
    ),
]
Json = Annotated[bool, option("json")]
Jobs = Annotated[int | None, option("jobs", None, "-j", least=1)]
Metric = Annotated[str | None, option("metric", "NAME")]
Mirror = Annotated[Path | None, option("mirror", "DIR")]
Offline = Annotated[bool, option("offline")]
Only = Annotated[list[str] | None, option("only", "KEY=VALUE")]
Set = Annotated[list[str] | None, option("set", "KEY=VALUE")]
