"""Whether the figures of a claim fit the quantities that they are of."""

from collections.abc import Mapping

from boostbench.papers.evidence import TIMES
from boostbench.papers.figures import option
from boostbench.papers.language import FigureCall
from boostbench.papers.metrics import Metric
from boostbench.papers.paper import Paper

_OF_TIMES = ("speedup", "seconds", "growth", "power", "power_lead")


def misfit(call: FigureCall, paper: Paper, known: Mapping[str, Metric]) -> str:
    """Return why a figure cannot be of its quantity or metric, in a sentence, "" if it can.

    ``known`` are the metrics of the paper and all built-in ones, by name.
    """
    main, of = known[paper.metric], str(option(call, "of"))
    metric = main if of == "score" else known.get(of)
    if "failures" in (call.figure, of) and main.explodes_below is None:
        return (
            f"failures are runs with a score below the line of the metric, and '{main.name}' has "
            "none; give it 'explodes_below' among the 'metrics' of paper.yaml"
        )
    if call.figure == "saving" and metric is not None and metric.greater_is_better:
        return (
            f"saving() is of times and errors, but larger values of '{metric.name}' are better; "
            "use gain(), ratio() or lead()"
        )
    if call.figure in _OF_TIMES and of not in TIMES:
        refused = f"{call.figure}() is of seconds, not of '{of}'; 'of' is one of {', '.join(TIMES)}"
        return f"{refused}; value() is the mean of a score" if call.figure == "seconds" else refused
    if of == "area" and not paper.rounds:
        return "an area is the mean test error over the 'rounds' in paper.yaml, which has none"
    return ""
