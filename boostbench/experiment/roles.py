"""The roles of its paper that an experiment's methods play, before anything runs."""

from collections.abc import Sequence

from boostbench.config.model import Experiment
from boostbench.errors import ConfigError
from boostbench.methods import ResolvedMethod, changed_params, known_params, registered_name
from boostbench.papers import Paper, get_paper
from boostbench.papers.planned import PlannedMethod
from boostbench.papers.roles import check_roles, in_paper, unknown_rounds, unplayed
from boostbench.values import Record


def own_estimators(experiment: Experiment, paper: Paper | None) -> dict[str, Record]:
    """Return what a report must know of estimators that are not registered, by label."""
    if paper is None or not (paper.roles or paper.rounds):
        return {}
    own = {entry.name: entry.estimator for entry in experiment.methods if entry.estimator}
    return {label: known_params(estimator) for label, estimator in own.items()}


def check_roles_of(experiment: Experiment, methods: Sequence[ResolvedMethod]) -> list[str]:
    """Return in sentences which roles of its paper are not played, or not known to be.

    Raises ConfigError, with the place in the file, for methods that fit one role, and for a method
    that fits several.
    """
    if experiment.paper is None:
        return []
    paper = get_paper(experiment.paper, experiment.folder)
    played = methods_in_paper(experiment, paper, methods)
    try:
        check_roles(paper, played)
    except ConfigError as error:
        place = experiment.where("paper")
        raise ConfigError(
            "\n".join(f"{place}: {line}" for line in str(error).splitlines())
        ) from None
    return [*unplayed(paper, played), *unknown_rounds(paper, played)]


def methods_in_paper(
    experiment: Experiment, paper: Paper, methods: Sequence[ResolvedMethod]
) -> list[PlannedMethod]:
    """Return the methods of an experiment as its paper knows them."""
    entries = {entry["name"]: entry for entry in experiment.model_dump(mode="json")["methods"]}
    recorded = own_estimators(experiment, paper)
    known = []
    for method in methods:
        label, registered = method.label, registered_name(method.label, entries[method.label])
        depth = method.params.get("depth")
        plain = PlannedMethod(
            label=label,
            registered=registered,
            estimator=method.estimator,
            version=method.version,
            params=method.params,
            depth=depth if isinstance(depth, int) else None,
            choose=method.choose,
            choose_with=method.choose_with,
            changed=changed_params(registered, method.params, method.choose),
        )
        known.append(in_paper(paper, plain, recorded.get(label, {})))
    return known
