"""The roles of its paper that an experiment's methods play, before anything runs."""

from collections.abc import Sequence

from boostbench.config.model import Experiment
from boostbench.errors import ConfigError
from boostbench.methods import ResolvedMethod, known_params
from boostbench.papers import Paper, get_paper
from boostbench.papers.results import Method
from boostbench.papers.roles import check_roles, methods_of, unknown_rounds, unplayed
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
) -> list[Method]:
    """Return the methods of an experiment as its paper knows them."""
    entries = experiment.model_dump(mode="json")["methods"]
    return methods_of(paper, methods, entries, own_estimators(experiment, paper))
