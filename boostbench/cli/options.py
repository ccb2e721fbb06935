"""The arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from boostbench.cli import complete

Config = Annotated[
    str,
    typer.Argument(
        metavar="CONFIG",
        help="An experiment file, or the name of a shipped one (see: boostbench list configs).",
        autocompletion=complete.configs,
    ),
]
Results = Annotated[
    str | None,
    typer.Argument(
        metavar="[CONFIG]",
        help="An experiment file, a shipped config's name, a results folder, or its name below "
        "./results. "
        "Default: the newest results below ./results.",
        autocompletion=complete.configs,
    ),
]
Metric = Annotated[
    str | None,
    typer.Option(
        "--metric",
        metavar="NAME",
        help="Show this score, such as mae or one of the file's metrics, in place of the "
        "experiment's own.",
        autocompletion=complete.metrics,
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        metavar="KEY=VALUE",
        help="Only these trials: dataset=, method=, split_seed=, fold= or seed=; * matches any "
        "text. Can be repeated.",
        autocompletion=complete.only,
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Another value for a key of the experiment file, such as seeds=3 or limits.time=60. "
        "Can be repeated.",
        autocompletion=complete.settings,
    ),
]
Place = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="results= or name= as the run had it by --set: where the results of CONFIG are.",
        autocompletion=complete.places,
    ),
]
Mirror = Annotated[
    Path | None,
    typer.Option(
        "--mirror",
        metavar="DIR",
        help="A folder with copies of data files, anywhere in it, used before any network. "
        "Default: $BOOSTBENCH_MIRROR.",
    ),
]
Offline = Annotated[bool, typer.Option("--offline", help="Never use the network.")]
Json = Annotated[bool, typer.Option("--json", help="Write JSON, for other programs to read.")]
