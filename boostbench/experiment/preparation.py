"""An experiment before it runs: its checked file, its loaded data and its planned trials."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from boostbench.config.loading import load_experiment
from boostbench.config.model import Experiment
from boostbench.data.access import default_access
from boostbench.data.arrays import save_rows, save_test_rows
from boostbench.data.dataset import Dataset
from boostbench.data.splits import SplitRule
from boostbench.engine import environment
from boostbench.errors import DataError
from boostbench.experiment.datasets import fingerprints_in_plan, gather, rows_in_plan, rules_in_plan
from boostbench.experiment.listener import Listener
from boostbench.experiment.request import Request
from boostbench.experiment.roles import check_roles_of
from boostbench.plan import check
from boostbench.plan.division import Division
from boostbench.plan.expand import expand, functions_of_metrics
from boostbench.plan.grid import Plan
from boostbench.plan.rows import Place
from boostbench.plan.selection import Selection
from boostbench.plan.shard import Shard
from boostbench.plan.trial import Trial
from boostbench.store.store import Store
from boostbench.user_code import forget


class Preparation:
    """A requested experiment, whose file is loaded and checked; ConfigError where it is wrong.

    With ``reimport`` the user's own modules are imported again, as they are now: a notebook
    outlives edits of their files.
    """

    def __init__(self, request: Request, listener: Listener, *, reimport: bool = False) -> None:
        self.request, self.listener = request, listener
        self.experiment = load_experiment(request.config, request.overrides or ())
        if reimport:
            _import_again(self.experiment)
        self.shard = Shard.parse(request.shard) if request.shard else None
        self.methods = check.check_experiment(self.experiment)
        self.role_remarks = check_roles_of(self.experiment, self.methods)
        """Which roles of the paper no method plays."""
        self.selection = Selection.of(request.only or (), self.experiment)
        self.access = default_access(request.mirror, request.offline, listener.note)
        self.arrays_dir = self.access.cache_dir / "arrays"
        self.data_remarks: dict[str, list[str]] = {}
        """The remarks on the data sets loaded so far, by name; see ``Dataset.remarks``."""
        self.rows: dict[str, int] = {}
        """The numbers of rows of the data sets loaded so far, by name."""
        self.labels: dict[str, Sequence[str]] = {}
        """The classes of the data sets loaded so far, by name."""
        self.rules: dict[str, SplitRule] = {}
        """How the rows of the planned data sets are divided, by name."""
        self.without_data: dict[str, str] = {}
        """Why data sets, whose trials cannot run now, are unavailable; by name."""
        self.unavailable = check.unavailable_methods(self.methods)
        for label, reason in self.unavailable.items():
            listener.note(f"{label} will be skipped: {reason}", "warning")

    def plan(self, *, may_fetch: bool, store: Store | None = None, needs_some: bool = True) -> Plan:
        """Return the planned trials; without ``may_fetch`` nothing is fetched or saved.

        Raises DataError where no data are available while it ``needs_some``.
        """
        planned = {} if store is None else fingerprints_in_plan(self.experiment, store)
        divisions: dict[str, Division] = {}

        def seen(dataset: Dataset, division: Division) -> None:
            if may_fetch:
                for split in division.rows.values():
                    save_rows(split, self.arrays_dir)
            # The digests of the rows are enough from here on.
            divisions[dataset.name] = replace(division, rows={})
            self.add_remarks(dataset)

        with self.listener.downloads() as watch:
            fingerprints, self.without_data = gather(
                self.experiment,
                self.methods,
                replace(self.access, watch=watch),
                self.arrays_dir,
                wanted=self.needs_data,
                planned=planned,
                may_fetch=may_fetch,
                needs_some=needs_some,
                seen=seen,
            )
        for division in divisions.values():
            if division.test_rows and may_fetch:
                save_test_rows(division.test_rows, self.arrays_dir)
        rules, rows = self._rules_and_rows(divisions, store, planned.keys() - divisions.keys())
        plan = expand(self.experiment, fingerprints, self.methods, rules, self.labels, rows)
        if self.shard and not self.without_data.keys() <= {like.dataset for like in plan.likes}:
            reasons = "\n".join(self.without_data.values())
            raise DataError(f"{reasons}; a shard needs every data set of its experiment")
        self.selection.check_folds(plan)
        self.rules = {like.dataset: like.split_rule for like in plan.likes}
        return plan

    def _rules_and_rows(
        self, divisions: Mapping[str, Division], store: Store | None, not_loaded: Collection[str]
    ) -> tuple[dict[str, SplitRule], dict[str, Mapping[Place, str]]]:
        """Return how rows are divided, and the digests of those of each split, by data set.

        Those of data sets that are not loaded now are as in the plan of the store.
        """
        rules = {name: division.rule for name, division in divisions.items()}
        rows = {name: division.digests for name, division in divisions.items()}
        if store is None:
            return rules, rows
        before = rules_in_plan(self.experiment, store, not_loaded)
        return before | rules, rows_in_plan(self.experiment, store, before) | rows

    def needs_data(self, name: str) -> bool:
        """Return whether the data of a data set are needed."""
        # A shard's trials depend on their positions in the plan, so that it needs the whole plan.
        return bool(self.shard) or self.selection.matches("dataset", name)

    def add_remarks(self, dataset: Dataset) -> None:
        """Keep the remarks on a data set that was loaded and checked."""
        positive = self.experiment.positive(dataset.name)
        remarks = [f"the positive class is '{positive}'"] if positive else []
        self.data_remarks[dataset.name] = [*dataset.remarks, *remarks]
        self.labels[dataset.name] = dataset.classes
        self.rows[dataset.name] = len(dataset.y)
        self.listener.dataset_loaded(dataset)

    def selected(self, planned: Plan) -> list[Trial]:
        """Return the trials of the shard that ``--only`` selects."""
        selected = planned.where(self.selection.matches)
        if self.shard is None:
            return list(selected)
        keys = self.shard.keys(planned)
        return [trial for trial in selected if trial.key in keys]

    @cached_property
    def environment(self) -> Mapping[str, object]:
        """The environment on which results depend."""
        return environment.snapshot(method.estimator for method in self.methods)

    @cached_property
    def metrics(self) -> dict[str, str]:
        """The functions of the metrics that each trial records, by name."""
        return functions_of_metrics(self.experiment)


def imported_paths(experiment: Experiment) -> list[str]:
    """Return the import paths that an experiment names."""
    own = [entry.estimator for entry in experiment.methods]
    own += [metric.function for metric in experiment.asked_metrics.values()]
    own += [
        splits.splitter
        for name in experiment.dataset_names
        if (splits := experiment.splitter_of(name))
    ]
    own += [entry.choose_by for entry in experiment.methods if ":" in entry.choose_by]
    return list(filter(None, own))


def _import_again(experiment: Experiment) -> None:
    """Have the user's own modules imported again, as they are now."""
    check.import_from_folder_of(experiment)
    for path in imported_paths(experiment):
        forget(path)
