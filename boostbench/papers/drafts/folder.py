"""The folder of a new paper: its files, written all at once or not at all."""

import shutil
import uuid
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

import yaml

from boostbench.errors import ConfigError
from boostbench.papers.drafts.draft import (
    NEITHER,
    SD,
    SE,
    TIME_METRICS,
    TODO,
    Doubt,
    Draft,
    DraftCell,
)
from boostbench.papers.drafts.questions import Answers
from boostbench.papers.latex.cells import as_csv
from boostbench.papers.metrics import METRICS
from boostbench.papers.reading import MEAN_RANK
from boostbench.papers.runs_beside import RUN_COLUMNS, RUNS_FILE

_CLAIMS = (
    "id",
    "where",
    "text",
    "stated",
    "data_sets",
    "figures",
    "reproduced_if",
    "weaker_if",
    "literally",
)


def refuse_existing(folder: Path) -> None:
    """Raise ConfigError if a new paper's folder is there already."""
    if folder.exists() or folder.is_symlink():
        raise ConfigError(f"{folder} is there already; name a folder that is not, or remove it")
    if not folder.absolute().parent.is_dir():
        raise ConfigError(f"there is no folder {folder.parent}; make it first")


def write_folder(folder: Path, files: Mapping[str, str]) -> None:
    """Write a new folder with these files; where that fails, nothing is left of it."""
    refuse_existing(folder)
    parent = folder.absolute().parent
    draft = parent / f".{folder.name}-{uuid.uuid4().hex[:8]}"
    draft.mkdir()
    try:
        for name, text in files.items():
            (draft / name).write_text(text, encoding="utf-8", newline="")
        draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def files_of(draft: Draft, answers: Answers, name: str) -> dict[str, str]:
    """Return the files of a paper's folder, by name."""
    files = {
        "paper.yaml": _paper(draft, answers),
        "tables.csv": _tables(draft),
        "datasets.csv": _datasets(draft),
        "claims.csv": as_csv(_CLAIMS, []),
        "notes.md": _notes(draft, answers),
        "doubts.csv": as_csv(Doubt._fields, draft.doubts),
    }
    if draft.methods:
        files["experiment.yaml"] = _experiment(draft, name)
    if draft.runs_beside:
        files[RUNS_FILE] = as_csv(RUN_COLUMNS, [run.cells for run in draft.runs_beside])
    return files


def _dumped(content: Mapping[str, object]) -> str:
    return yaml.safe_dump(
        dict(content), sort_keys=False, allow_unicode=True, width=95, default_flow_style=None
    )


def _paper(draft: Draft, answers: Answers) -> str:
    """Return paper.yaml, with a TODO line for each question that is open."""
    open_ones = [
        f"# TODO: {question.line} (--answer '{question.key}=...')\n"
        for question in answers.unanswered
    ]
    entries = [_metric_entry(draft, index) for index in range(len(draft.metrics))]
    content = {
        "title": draft.title,
        "authors": draft.authors,
        "metric": draft.metric,
        "metrics": [entry for entry in entries if entry],
        "design": _design(draft) or (TODO if draft.is_design_open else {}),
        "runs": int(draft.runs) if draft.runs.isdigit() else draft.runs,
        "columns": dict.fromkeys(draft.methods, draft.beside) if draft.beside else {},
        "printed_names": draft.printed_names,
        "captions": _captions(draft),
    }
    always = ("title", "authors", "metric")
    given = {key: value for key, value in content.items() if value or key in always}
    return "".join(open_ones) + _dumped(given)


def _captions(draft: Draft) -> dict[str, str]:
    """Return the captions of the tables that have cells."""
    printed = {cell.table for cell in draft.cells}
    return {number: text for number, text in draft.captions.items() if text and number in printed}


def _metric_entry(draft: Draft, index: int) -> dict[str, object] | None:
    """Return a metric as paper.yaml has it in its list, ``None`` for a main one known here."""
    metric = draft.metrics[index]
    if metric.is_known:
        return {"name": metric.name} if index else None
    is_greater: object = TODO if metric.better == TODO else metric.better == "greater"
    return {"name": metric.name, "function": metric.function, "greater_is_better": is_greater}


def _design(draft: Draft) -> dict[str, object]:
    design = draft.design
    if design is None:
        return {}
    stated = {
        "split": design.split.split,
        "folds": design.split.folds,
        "test_size": design.split.test_size,
        "seeds": design.seeds,
        "partitions": design.partitions if design.partitions > 1 else None,
        "units": draft.units or None,
    }
    return {key: value for key, value in stated.items() if value is not None}


def _tables(draft: Draft) -> str:
    """Return tables.csv: one row for the values of a table, a data set and a method."""
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    percent = _in_percent(draft.cells)
    for cell in draft.cells:
        key: tuple[str, ...] = (cell.table, cell.dataset, cell.method)
        if TODO in key:
            key = (*key, cell.at, cell.column)
        row = rows.setdefault(
            key, {"table": cell.table, "dataset": cell.dataset, "method": cell.method}
        )
        stem = f"{cell.metric}_percent" if cell.metric in percent else cell.metric
        row.update(_values(cell, stem))
        for name, text in (("row", cell.row), ("column", cell.column), ("at", cell.at)):
            row[name] = _with_place(row.get(name, ""), text)
    last = ["row", "column", "at"]
    columns = dict.fromkeys(name for name in chain(*rows.values()) if name not in last)
    header = [*(columns or ("table", "dataset", "method")), *last]
    return as_csv(header, [_in_order(row, header) for row in rows.values()])


def _with_place(known: str, place: str) -> str:
    """Return the places of a row, parted by semicolons, with another one that is not there yet."""
    return "; ".join(dict.fromkeys(filter(None, [*known.split("; "), place])))


def _in_order(row: Mapping[str, str], header: Sequence[str]) -> list[str]:
    return [row.get(name, "") for name in header]


def _values(cell: DraftCell, stem: str) -> dict[str, str]:
    """Return the columns of a cell's value and spread."""
    if cell.metric in TIME_METRICS:
        return {"time_s": cell.value}
    values = {f"{stem}_mean": cell.value}
    if cell.spread and cell.spread_kind != NEITHER:
        kind = cell.spread_kind if cell.spread_kind in (SD, SE) else TODO
        values[f"{stem}_{kind}"] = cell.spread
    if cell.runs:
        values["runs"] = cell.runs
    return values


def _in_percent(cells: Sequence[DraftCell]) -> set[str]:
    """Return the metrics that are printed in percent: shares with a sign, or above 1."""
    found = set()
    for cell in cells:
        metric = METRICS.get(cell.metric)
        is_share = metric is not None and metric.is_share and cell.dataset != MEAN_RANK
        if is_share and (cell.is_percent or float(cell.value) > 1):
            found.add(cell.metric)
    return found


def _datasets(draft: Draft) -> str:
    rows = [
        [data.name, data.title, data.n_samples, data.n_features, data.card, data.file]
        for data in draft.datasets
    ]
    return as_csv(("dataset", "title", "n_samples", "n_features", "cards", "files"), rows)


def _notes(draft: Draft, answers: Answers) -> str:
    """Return notes.md: what was asked and answered, as one paragraph for readers."""
    said = [f"{question.key}: {answer}" for question, answer in answers.answered]
    kept = [doubt for doubt in draft.doubts if doubt.answer != "written"]
    left = f" {len(kept)} doubtful numbers are in doubts.csv and not in the tables." if kept else ""
    asked = f" Asked and answered were {'; '.join(said)}." if said else ""
    return f"The tables are those of {draft.source}.{left}{asked}\n"


def _experiment(draft: Draft, name: str) -> str:
    """Return an experiment that measures the data sets that have a card."""
    content: dict[str, object] = {"name": name, "paper": "."}
    content["datasets"] = [
        data.card if data.card == data.name else {"name": data.name, "card": data.card}
        for data in draft.datasets
        if data.card
    ]
    content["methods"] = list(draft.methods)
    design = draft.design
    if design is None:
        content["folds"] = TODO if draft.is_design_open else 5
    elif design.split.test_size:
        content["splits"] = {"n": design.split.folds, "test_size": design.split.test_size}
    else:
        content["folds"] = design.split.folds
    content["seeds"] = design.seeds if design is not None else 1
    if design is not None and design.partitions > 1:
        content["split_seeds"] = list(range(design.partitions))
    if draft.units == "original":
        content["units"] = draft.units
    content["metric"] = draft.metric
    return _dumped(content)
