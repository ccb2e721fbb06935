"""The lists of a report: settings, data sets, methods."""

from collections.abc import Mapping

from boostbench import numbers
from boostbench.objects.names import readable
from boostbench.papers.design import Design
from boostbench.papers.planned import PlannedMethod
from boostbench.report.document.table import TextTable, make_table
from boostbench.report.frames.results import ReportData
from boostbench.suggest import counted

_SETTINGS = ("folds", "splits", "split_seeds", "seeds", "scale_features", "scale_target", "units")


def what_ran(results: ReportData) -> list[TextTable]:
    """Return the settings, beside the paper's, the data sets and the methods."""
    return [_protocol(results), _datasets(results), _methods(results)]


def _protocol(results: ReportData) -> TextTable:
    """Return the settings of the experiment, and the paper's where it states them."""
    stated = _stated(results.paper.design if results.paper else None)
    here = {name: results.experiment.get(name) for name in _SETTINGS}
    if isinstance(splits := here["splits"], Mapping):
        here["folds"] = None  # the default, which is not used
        here["splits"] = _splits(splits)
    rows = [
        {"Setting": name, "Here": _values(here[name] or ""), "Paper": _values(said or "")}
        for name, said in stated.items()
        if here[name] or said
    ]
    return make_table("protocol", "Settings", rows, ("Setting", "Here", "Paper"))


def _splits(splits: Mapping[str, object]) -> dict[str, object]:
    """Return the settings of splits that are used: a splitter has none but its parameters."""
    splitter = splits.get("splitter")
    used = ("splitter", "params") if splitter else tuple(splits)
    said = {**splits, "splitter": readable(str(splitter or ""))}
    return {key: said[key] for key in used if said[key] not in (None, {}, "")}


def _stated(design: Design | None) -> dict[str, object]:
    """Return the settings of a paper, those unknown as ``None``."""
    if design is None:
        return dict.fromkeys(_SETTINGS)
    stated = {name: getattr(design, name, None) for name in _SETTINGS}
    if design.split.makes_folds:
        return stated | {"folds": design.split.folds}
    return stated | {"splits": design.splits_in_words}


def _datasets(results: ReportData) -> TextTable:
    """Return the data sets: rows as measured and as the paper lists them, and a fingerprint."""
    printed = results.paper.datasets if results.paper else {}
    rows = [
        {
            "Data set": data.label,
            "In the paper": listed.title if listed else "",
            "N": numbers.count(results.rows.get(data.label)),
            "N, paper": numbers.count(listed.n_samples if listed else None),
            "p, paper": numbers.count(listed.n_features if listed else None),
            "Division": data.rule.words if data.rule else "",
            "Division, paper": listed.division if listed else "",
            "Fingerprint": data.fingerprint[:12],
            "As read": "; ".join(data.remarks),
        }
        for data in results.datasets
        for listed in [printed.get(data.published_as)]
    ]
    words = ("Data set", "In the paper", "Division", "Division, paper", "Fingerprint", "As read")
    return make_table("datasets", "Data sets", rows, words)


def _methods(results: ReportData) -> TextTable:
    """Return the methods with their parameters."""
    rows = [
        {
            "Method": method.label,
            "Registered as": method.registered if method.registered != method.label else "",
            "Estimator": _estimator(method),
            "Parameters": _parameters(method),
        }
        for method in results.methods
    ]
    return make_table("methods", "Methods", rows, words=[*rows[0]] if rows else ())


def _estimator(method: PlannedMethod) -> str:
    """Return where the estimator of a method comes from, that of Python in words."""
    if method.described:
        return f"{method.described}, stored as {method.version}"
    return f"{method.estimator}, version {method.version}"


def _parameters(method: PlannedMethod) -> str:
    """Return the parameters of a method, and the values from which others were chosen."""
    chosen = [f"{name} chosen from {_values(values)}" for name, values in method.choose.items()]
    if method.choose_with:
        chosen[-1] += f", with {_given(method.choose_with)}"
    if method.choose_by:
        chosen[-1] += f", by {readable(method.choose_by)}"
    if method.choose_folds:
        chosen[-1] += f", in {counted(method.choose_folds, 'inner fold')}"
    return "; ".join(filter(None, [_given(method.params), *chosen]))


def _given(params: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = {_values(value)}" for name, value in sorted(params.items()))


def _values(value: object) -> str:
    """Return a setting as it is written, large numbers as powers of ten."""
    if isinstance(value, Mapping):
        return _given(value)
    if isinstance(value, list | tuple):
        return ", ".join(map(_values, value))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return numbers.setting(value)
    return str(value)
