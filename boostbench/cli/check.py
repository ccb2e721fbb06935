"""``boostbench check``: whether an experiment file, or a paper's folder, is right."""

from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.cli import complete, options

if TYPE_CHECKING:
    from boostbench.cli.console import Screen
    from boostbench.config.model import Experiment
    from boostbench.data.dataset import Dataset
    from boostbench.methods import ResolvedMethod


def check(
    config: Annotated[
        str | None,
        typer.Argument(
            metavar="CONFIG",
            help="An experiment file, or the name of a shipped one.",
            autocompletion=complete.configs,
        ),
    ] = None,
    set_: options.Set = None,
    paper: Annotated[
        str | None,
        typer.Option(
            "--paper",
            metavar="KEY|FOLDER",
            help="Check a paper instead: its folder, or its name (boostbench list papers).",
        ),
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON schema of experiment files instead.")
    ] = False,
) -> None:
    """Check an experiment file without running it.

    Its keys, names, methods and parameters are checked, the local files it names are read, and
    each estimator that is not one of boostbench's fits a small data set once.

    Other data are neither read nor fetched; for those at hand see: boostbench run CONFIG --dry-run.

    With --paper, the files of a paper are checked, and its text against its tables.
    """
    from boostbench.errors import ConfigError

    if schema:
        from boostbench.config.schema import schema_text

        typer.echo(schema_text(), nl=False)
        return
    if paper is not None:
        _check_paper(paper)
        return
    if config is None:
        raise ConfigError("give an experiment file or a config's name, --paper or --schema")

    from boostbench.cli.console import Screen
    from boostbench.config.loading import load_experiment
    from boostbench.experiment.datasets import check_files
    from boostbench.plan.check import (
        check_experiment,
        notes_on,
        unavailable_methods,
        unused_settings,
    )
    from boostbench.suggest import counted

    screen = Screen()
    experiment = load_experiment(config, set_ or [])
    methods = check_experiment(experiment)
    datasets = check_files(experiment, methods, screen.note_data)
    for sentence in unused_settings(experiment):
        screen.note(sentence, "yellow")
    for label, reason in unavailable_methods(methods).items():
        screen.note(f"{label} would be skipped here: {reason}", "yellow")
    for dataset in datasets:
        for sentence in notes_on(experiment, dataset):
            screen.note(sentence, "yellow")
    _try_out(screen, experiment, methods, datasets)
    screen.say(
        f"{config} is right: {counted(len(experiment.datasets), 'data set')} x "
        f"{counted(len(methods), 'method')} x {experiment.parts_text} x "
        f"{counted(len(experiment.seed_list), 'seed')} = {counted(experiment.n_trials, 'trial')}"
    )


def _check_paper(key: str) -> None:
    """Say what is wrong in a paper's folder, and where its tables contradict its text."""
    from boostbench.cli.console import Screen
    from boostbench.errors import ConfigError
    from boostbench.papers import folder_of
    from boostbench.papers.check import check_paper, literally
    from boostbench.papers.claims import read_claims
    from boostbench.papers.paper import read_paper
    from boostbench.suggest import counted

    folder = folder_of(key)
    if wrong := check_paper(folder):
        raise ConfigError("\n".join(wrong))
    screen, paper = Screen(), read_paper(folder)
    claims = read_claims(paper)
    tried = literally(paper, claims)
    for one in tried:
        if one.contradicted:
            claim = one.claim
            screen.say(f"{claim.id}, {claim.where}: “{claim.text}”", "yellow")
            screen.say(f"  its tables: {one.shown}; not {claim.literally}")
    contradicted = sum(one.contradicted for one in tried)
    screen.say(
        f"{folder} is right: {counted(len(paper.cells), 'printed cell')}, "
        f"{counted(len(paper.datasets), 'data set')}, {counted(len(claims), 'claim')}; its tables "
        f"contradict {contradicted} of the {counted(len(tried), 'sentence')} tried on them"
    )


def _try_out(
    screen: "Screen",
    experiment: "Experiment",
    methods: "list[ResolvedMethod]",
    datasets: "list[Dataset]",
) -> None:
    """Fit each estimator that is not boostbench's once; ConfigError where one fails."""
    from boostbench.engine.os_processes import processors
    from boostbench.engine.probe import made_up, probe, unnamed_parameters
    from boostbench.errors import ConfigError
    from boostbench.plan.check import unavailable_methods
    from boostbench.plan.expand import expand

    skipped = unavailable_methods(methods)
    foreign = [
        (i, method)
        for i, method in enumerate(methods)
        if not method.estimator.startswith("boostbench.") and method.label not in skipped
    ]
    if not foreign:
        return
    chosen = min(datasets, key=lambda dataset: dataset.X.size, default=None)
    chosen = chosen or made_up(*_smallest(experiment))
    requests = experiment.requests()
    name = next(request.name for request in requests if request.task == chosen.task)
    trials = {
        trial.method: trial
        for trial in expand(experiment, {name: chosen.fingerprint}, [m for _, m in foreign])
    }
    wrong, given_up = probe(list(trials.values()), [chosen], min(len(trials), processors()))
    complaints = [
        f"{experiment.where('methods', i)}: a trial fit of '{method.label}' on "
        f"{_what(chosen)}: {wrong[method.label]}"
        for i, method in foreign
        if method.label in wrong
    ]
    if complaints:
        raise ConfigError("\n".join(complaints))
    for label, reason in given_up.items():
        screen.note(
            f"{label}: the trial fit was given up, {reason}: not known to be right", "yellow"
        )
    for label, trial in trials.items():
        if unnamed := unnamed_parameters(trial):
            screen.note(
                f"{label}: {', '.join(unnamed)}: passed on as given, without a check of the name",
                "yellow",
            )


def _smallest(experiment: "Experiment") -> tuple[str, tuple[int, int]]:
    """Return the task and the shape of the smallest data set whose card says it."""
    from boostbench.data.cards import requested_card

    shapes = []
    for request in experiment.requests():
        shape = (200, 10)
        if request.card is not None:
            card = requested_card(request)
            shape = (card.n_samples or shape[0], card.n_features or shape[1])
        shapes.append((request.task, shape))
    return min(shapes, key=lambda found: found[1][0] * found[1][1])


def _what(dataset: "Dataset") -> str:
    if dataset.source != "made up":
        return f"the data set '{dataset.name}'"
    return "random numbers, {} rows of {}".format(*dataset.X.shape)
