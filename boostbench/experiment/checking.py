"""Checks of an experiment file, or of a paper's folder, without running it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from boostbench.config.model import Experiment
from boostbench.data.class_labels import counts_of_classes
from boostbench.data.dataset import Dataset
from boostbench.data.loading import load_dataset
from boostbench.data.request import requested_card
from boostbench.data.splits import SplitRule
from boostbench.engine.probe import probe, probe_on_few_rows, synthetic, unnamed_parameters
from boostbench.errors import BoostbenchError, ConfigError, DataError
from boostbench.experiment.datasets import gather
from boostbench.experiment.listener import Listener
from boostbench.experiment.matching import Matched, matches
from boostbench.experiment.metrics import tried_metrics
from boostbench.experiment.preparation import Preparation
from boostbench.experiment.request import Request
from boostbench.experiment.seeds import fixed_seed_remarks
from boostbench.methods import ResolvedMethod
from boostbench.papers import folder_of, not_published, paper_of
from boostbench.papers.check import check_paper, literally
from boostbench.papers.claims import read_claims
from boostbench.papers.paper import Paper, read_paper
from boostbench.papers.plausible import doubtful_averages
from boostbench.plan.check import split_of
from boostbench.plan.division import Division
from boostbench.plan.expand import expand_to_try
from boostbench.plan.group_hints import group_hint
from boostbench.plan.trial import Trial
from boostbench.suggest import counted, listing


class CheckedConfig(NamedTuple):
    """An experiment file that is right: how many trials of what, and a summary in a sentence.

    ``n_trials`` is None where only the data say how many splits there are. ``match`` says what of
    its paper the methods, data sets and claims are measured against.
    """

    datasets: Sequence[str]
    methods: Sequence[str]
    seeds: Sequence[int]
    n_trials: int | None
    match: Sequence[Matched]
    summary: str

    def as_json(self) -> dict[str, object]:
        """Return it as values of JSON's types."""
        return self._asdict() | {"match": [one.as_json() for one in self.match]}


class CheckedPaper(NamedTuple):
    """A paper's folder without mistakes: what its own tables contradict, and a summary.

    ``doubt`` says that no sentence was tried on the tables, "" where some were.
    """

    contradictions: Sequence[str]
    doubt: str
    summary: str


def check_config(config: str, overrides: Sequence[str], listener: Listener) -> CheckedConfig:
    """Check an experiment file and return what it says; ConfigError if it is wrong.

    Local files are read, each metric is called once on made-up predictions, and each estimator that
    is not boostbench's fits a small data set once.
    """
    run = Preparation(Request(config, overrides=list(overrides), offline=True), listener)
    experiment = run.experiment
    datasets: list[Dataset] = []
    hints: list[str] = []
    rules = experiment.split_rules

    def seen(dataset: Dataset, division: Division) -> None:
        datasets.append(dataset)
        rules[dataset.name] = division.rule
        split_seed = experiment.split_seeds_of(division.rule)[0]
        hints.append(group_hint(dataset, split_of(division, dataset, split_seed, 0)))

    files = {request.name for request in experiment.requests() if request.file is not None}
    _, lacking = gather(
        experiment,
        run.methods,
        run.access,
        run.arrays_dir,
        wanted=files.__contains__,
        may_fetch=False,
        seen=seen,
    )
    if lacking:
        raise DataError("\n".join(lacking.values()))
    for dataset in datasets:
        run.add_remarks(dataset)
        if dataset.classes:
            listener.note(f"{dataset.name}: {counts_of_classes(dataset)}")
    methods = [method for method in run.methods if method.label not in run.unavailable]
    remarks = [*filter(None, hints), *tried_metrics(run, datasets)]
    remarks += _trial_fits(run, methods, datasets)
    if len(experiment.seed_list) > 1:
        remarks += fixed_seed_remarks(methods)
    for sentence in remarks:
        listener.note(sentence, "warning")
    for sentence in [*run.role_remarks, *_not_published(run, datasets)]:
        listener.note(sentence)
    return _checked(config, run, rules)


def _checked(config: str, run: Preparation, rules: Mapping[str, SplitRule]) -> CheckedConfig:
    """Return what an experiment file says, and how many trials that makes."""
    experiment = run.experiment
    grid = experiment.grid_in_words(len(experiment.datasets), len(run.methods), rules)
    text = f"{config} is right: {grid}"
    n_trials: int | None = experiment.count_trials(rules)
    if unknown := [name for name, rule in rules.items() if not rule.folds]:
        n_trials = None
        text += f"; how many splits there are of {listing(unknown)}, the data will say"
    else:
        text += f" = {counted(n_trials or 0, 'trial')}"
    return CheckedConfig(
        datasets=experiment.dataset_names,
        methods=[method.label for method in run.methods],
        seeds=experiment.seed_list,
        n_trials=n_trials,
        match=matches(run, rules),
        summary=text,
    )


def _not_published(run: Preparation, datasets: Sequence[Dataset]) -> list[str]:
    """Return which data sets seem to be the paper's and are others."""
    entries = run.experiment.model_dump(mode="json")
    paper = paper_of(entries, run.experiment.folder)
    known = {dataset.name: dataset.fingerprint for dataset in datasets}
    return not_published(paper, entries["datasets"], known, run.experiment.catalog, run.rows)


def _trial_fits(
    run: Preparation, methods: Sequence[ResolvedMethod], datasets: Sequence[Dataset]
) -> list[str]:
    """Fit each estimator that is not boostbench's once, and return remarks on these fits.

    It is fitted to the smallest data set, and to some rows of each one with frames, as are all
    others that get a frame. Raises ConfigError where one fails.
    """
    foreign = [method for method in methods if not method.estimator.startswith("boostbench.")]
    with_frames = [dataset for dataset in datasets if dataset.frame is not None]
    with_frames += _unread_frames(run, datasets)
    others = [dataset for dataset in datasets if dataset.frame is None]
    has_matrix = any(request.features == "matrix" for request in run.experiment.requests())
    remarks: list[str] = []
    for dataset in with_frames:
        remarks += _fits_to_frames(run.experiment, methods, dataset)
    if foreign and has_matrix:
        remarks += _fits_to_matrix(run, foreign, others)
    return [*remarks, *_unchecked_names(foreign)]


def _unread_frames(run: Preparation, datasets: Sequence[Dataset]) -> Iterator[Dataset]:
    """Yield the data sets with frames that have not been read, as far as they are at hand."""
    read = {dataset.name for dataset in datasets}
    for request in run.experiment.requests():
        if request.features == "frame" and request.name not in read:
            with suppress(BoostbenchError):
                yield load_dataset(request, run.access)


def _unchecked_names(methods: Sequence[ResolvedMethod]) -> Iterator[str]:
    """Yield which parameters of methods are passed on whatever their names are."""
    for method in methods:
        if names := ", ".join(unnamed_parameters(method.estimator, method.params)):
            yield f"{method.label}: {names}: passed on as given, without a check of the name"


def _fits_to_matrix(
    run: Preparation, methods: Sequence[ResolvedMethod], datasets: Sequence[Dataset]
) -> list[str]:
    """Fit each of ``methods`` to the smallest data set, or to random numbers without any."""
    experiment = run.experiment
    dataset = min(datasets, key=lambda dataset: dataset.X.size, default=None)
    if dataset is None:
        dataset = _random_numbers(experiment)
        what = "random numbers, {} rows of {}".format(*dataset.X.shape)
    else:
        what = f"the data set '{dataset.name}'"
    trials = {trial.method: trial for trial in expand_to_try(experiment, [dataset], methods)}
    wrong, given_up = probe(list(trials.values()), [dataset])
    if wrong:
        wrong = _where_frame_helps(run, dataset.name, trials, wrong)
    return _results_of_fits(experiment, what, wrong, given_up)


def _where_frame_helps(
    run: Preparation, name: str, trials: Mapping[str, Trial], wrong: Mapping[str, str]
) -> dict[str, str]:
    """Return why trials on the matrix of a data set are ``wrong``, and where a frame helps.

    A pipeline that names columns needs one. All are by the label of the method.
    """
    request = run.experiment.request(run.experiment.entry(name))
    # A frame is not filled.
    missing = "keep" if request.missing == "median" else request.missing
    wanted = request.model_copy(update={"features": "frame", "missing": missing})
    try:
        dataset = load_dataset(wanted, run.access)
    except BoostbenchError:
        return dict(wrong)
    keys = "'features: frame'" + (" and 'missing: keep'" if missing != request.missing else "")
    remedy = f"; with a frame it works: add {keys} to the data set '{name}'"
    changes = {"features": "frame", "scale_features": "none", "scale_target": "none"}
    working = _working(list(trials.values()), changes, dataset)
    if others := [f"'{label}'" for label in trials if label not in [*wrong, *working]]:
        remedy += f", and 'input: matrix' to {listing(others)}"
    return {label: why + (remedy if label in working else "") for label, why in wrong.items()}


def _working(
    trials: Sequence[Trial], changes: Mapping[str, Any], dataset: Dataset
) -> Sequence[str]:
    """Return the methods of ``trials`` that can be fitted with ``changes``."""
    changed = [replace(trial, **changes) for trial in trials]
    wrong, given_up = probe_on_few_rows(changed, dataset)
    return [trial.method for trial in changed if trial.method not in wrong | given_up]


def _fits_to_frames(
    experiment: Experiment, methods: Sequence[ResolvedMethod], dataset: Dataset
) -> list[str]:
    """Fit each of ``methods`` that is not boostbench's, or gets a frame, to rows of a data set."""
    trials = {trial.method: trial for trial in expand_to_try(experiment, [dataset], methods)}
    tried = [
        trial
        for trial in trials.values()
        if trial.features == "frame" or not trial.estimator.startswith("boostbench.")
    ]
    if not tried:
        return []
    wrong, given_up = probe_on_few_rows(tried, dataset)
    failed = [trial for trial in tried if trial.method in wrong and trial.features == "frame"]
    if failed:
        wrong |= _where_matrix_helps(experiment, failed, dataset, wrong)
    what = f"some rows of the data set '{dataset.name}'"
    return _results_of_fits(experiment, what, wrong, given_up)


def _where_matrix_helps(
    experiment: Experiment, failed: Sequence[Trial], dataset: Dataset, wrong: Mapping[str, str]
) -> dict[str, str]:
    """Return why trials on a frame ``failed``, and where a matrix helps, by the method's label."""
    changes = {
        "features": "matrix",
        "scale_features": experiment.scale_features,
        "scale_target": experiment.scale_target if dataset.task == "regression" else "none",
    }
    working = _working(failed, changes, dataset)
    why = "; it gets a frame, with names, categories and gaps as they are"
    remedy = ": with 'input: matrix' it gets scaled numbers, and works"
    return {
        label: wrong[label] + why + (remedy if label in working else "")
        for label in (trial.method for trial in failed)
    }


def _results_of_fits(
    experiment: Experiment, what: str, wrong: Mapping[str, str], given_up: Mapping[str, str]
) -> list[str]:
    """Return which trial fits were given up, and why; ConfigError where some are wrong."""
    complaints = [
        f"{experiment.where('methods', i)}: a trial fit of '{entry.name}' on {what}: "
        f"{wrong[entry.name]}"
        for i, entry in enumerate(experiment.methods)
        if entry.name in wrong
    ]
    if complaints:
        raise ConfigError("\n".join(complaints))
    return [
        f"{label}: the trial fit was given up, {reason}: not known to be right"
        for label, reason in given_up.items()
    ]


def _random_numbers(experiment: Experiment) -> Dataset:
    """Return random numbers of the shape of the smallest data set, by the cards if they say it."""
    shapes: dict[str, tuple[int, int]] = {}
    requests = {r.name: r for r in experiment.requests() if r.features == "matrix"}
    for name, request in requests.items():
        rows, features = 200, 10
        if request.card is not None:
            card = requested_card(request)
            rows, features = card.n_samples or rows, card.n_features or features
        shapes[name] = rows, features
    smallest = min(shapes, key=lambda name: shapes[name][0] * shapes[name][1])
    return replace(synthetic(requests[smallest].task, shapes[smallest]), name=smallest)


def check_paper_folder(key: str) -> CheckedPaper:
    """Check a paper's folder; ConfigError for errors in it.

    Its own tables may contradict sentences of its text, and averages of cells.
    """
    folder = folder_of(key)
    if wrong := check_paper(folder):
        raise ConfigError("\n".join(wrong))
    paper = read_paper(folder)
    claims = read_claims(paper)
    tried = literally(paper, claims)
    contradicted = [
        f"{one.claim.id}, {one.claim.where}: “{one.claim.text}”\n"
        f"  its tables: {one.shown}; not {one.claim.literally}"
        for one in tried
        if not one.truth.maybe
    ]
    known = {one.claim.id for one in tried}
    others = [claim.id for claim in claims if claim.literally and claim.id not in known]
    parts = [
        counted(_number_of_cells(paper), "printed cell"),
        counted(len(paper.datasets), "data set"),
        counted(len(claims), "claim"),
    ]
    untried = ""
    if others:
        untried = (
            "; a value that is not printed, or of which there is no such figure, keeps "
            f"{counted(len(others), 'sentence')} from being tried: {listing(others)}"
        )
    doubtful = [*contradicted, *doubtful_averages(paper)]
    if not tried:
        doubt = (
            f"{folder}: no sentence of the paper was tried on its tables, so that nothing says "
            "that they are as printed: write what a sentence says of them as `literally` in "
            f"claims.csv{untried}"
        )
        return CheckedPaper(doubtful, doubt, f"{folder} can be read: {', '.join(parts)}")
    tables = f"its tables contradict {len(contradicted)} of the {counted(len(tried), 'sentence')}"
    summary = f"{folder} is right: {', '.join(parts)}; {tables} tried on them{untried}"
    return CheckedPaper(doubtful, "", summary)


def _number_of_cells(paper: Paper) -> int:
    """Return the number of printed cells in all metrics."""
    return sum(len(own.cells) for own in paper.in_metrics.values())
