"""One experiment in all forms in which its results are shown."""

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import shown

import boostbench
from boostbench.cli.app import main
from boostbench.papers.metrics import Metric
from boostbench.report.frames.results import collect
from boostbench.store.store import Store

_TURNED = {"better": "worse", "worse": "better"}
OWN = """\
name: own
datasets:
  - {name: s0, file: s0.csv, target: y, group: g}
  - {name: s1, file: s1.csv, target: y, group: g}
  - {name: s2, file: s2.csv, target: y}
  - {name: s3, file: s3.csv, target: y}
  - {name: s4, file: s4.csv, target: y}
  - {name: s5, file: s5.csv, target: y}
methods:
  - {name: near, estimator: shown_everywhere.Near}
  - {name: flat, estimator: shown_everywhere.Flat, params: {alpha: 5.0}}
  - {name: ridge, estimator: sklearn.linear_model.Ridge}
  - {name: lasso, estimator: sklearn.linear_model.Lasso, params: {alpha: 0.05}}
folds: 4
seeds: 1
split_seeds: 2
metrics: [neg_mean_absolute_percentage_error]
"""
"""An experiment with own methods, groups and several metrics; :func:`write_own` writes it."""
_MODELS = """\
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor


class Near(KNeighborsRegressor):
    pass


class Flat(Ridge):
    pass
"""


def write_own(folder: Path) -> None:
    """Write the experiment of one's own with its models and data into a folder."""
    import numpy as np

    for number in range(6):
        random = np.random.default_rng(number)
        x = random.normal(size=(120, 3))
        y = 4 + x @ [1, 0.5, 0] + 0.3 * (number % 3) * np.sin(3 * x[:, 2])
        data = pd.DataFrame(x, columns=list("abc")).assign(y=y + random.normal(0, 0.3, 120))
        if number < 2:
            data["g"] = np.repeat(np.arange(12), 10)
        data.to_csv(folder / f"s{number}.csv", index=False)
    (folder / "shown_everywhere.py").write_text(_MODELS)
    (folder / "own.yaml").write_text(OWN)


@dataclass(frozen=True)
class Everywhere:
    """Results in one metric: the ``files`` of reports, what commands write, and Python's frames.

    ``asked`` is the metric if it is not the experiment's own.
    """

    results: boostbench.Results
    asked: str | None
    files: Mapping[str, str]
    screen: str
    answer: Mapping[str, Any]
    verified: Mapping[str, Any]
    metric: Metric
    names: Mapping[str, str]
    dataset_names: Mapping[str, str]

    @classmethod
    def of(cls, folder: Path, asked: str | None, out: Path, capsys: Any) -> "Everywhere":
        """Return the results in a folder in all forms, each as its command writes it."""
        words = ["report", str(folder), *(["--metric", asked] if asked else [])]
        screen = _call(capsys, *words, "--format", "md,csv,latex,html", "--out", str(out))
        answer = _call(capsys, *words, "--json")
        _call(capsys, *words, "--for-paper", "--out", str(out / "paper"))
        files = {path.name: path.read_text() for path in out.glob("table.*")}
        (paper,) = (out / "paper").glob("*-paper.tex")
        results = boostbench.load(folder)
        verified = "{}"
        if results.experiment["paper"]:
            verified = _call(capsys, "verify", str(folder), "--json")
        with Store.read(folder) as store:
            data = collect(store, asked)
        return cls(
            results=results,
            asked=asked,
            files={**files, "paper.tex": paper.read_text()},
            screen=screen,
            answer=json.loads(answer),
            verified=json.loads(verified),
            metric=data.metric,
            names=data.names,
            dataset_names=data.dataset_names,
        )

    @cached_property
    def markdown(self) -> list[shown.Table]:
        return shown.markdown_tables(self.files["table.md"])

    @cached_property
    def page(self) -> list[shown.Table]:
        return shown.page_tables(self.files["table.html"])

    @cached_property
    def cells(self) -> pd.DataFrame:
        """The cells of ``table.csv``, by data set and method, as texts."""
        text = io.StringIO(self.files["table.csv"])
        frame = pd.read_csv(text, keep_default_na=False, dtype=str)
        return frame[frame.row == "cell"].set_index(["dataset", "method"])

    @cached_property
    def means(self) -> pd.DataFrame:
        return self.results.means(self.asked).set_index(["dataset", "method"])

    @cached_property
    def pairs(self) -> pd.DataFrame:
        return self.results.pairs(self.asked)

    @property
    def methods(self) -> list[str]:
        return list(dict.fromkeys(method for _, method in self.means.index))

    @property
    def datasets(self) -> list[str]:
        """The data sets on which methods are compared."""
        return list(dict.fromkeys(self.pairs.dataset))

    @property
    def main(self) -> shown.Table:
        """The main table: data sets by methods."""
        return next(t for t in self.markdown if list(t.header[1:]) == self.methods)

    @property
    def own(self) -> dict[str, shown.Table]:
        """The tables of own methods on each data set, by method."""
        end = ", on each data set"
        return {t.title.removesuffix(end): t for t in self.markdown if t.title.endswith(end)}

    @property
    def pairs_over_datasets(self) -> dict[tuple[str, str], dict[str, str]]:
        """The rows of the table of pairs, by method and the one against it."""
        tables = [table for table in self.markdown if table.title == "Pairs of methods"]
        rows = [row for table in tables for row in table.records]
        return {(row["Method"], row["Against"]): row for row in rows}

    def best_on(self, dataset: str) -> set[str]:
        return {m for (d, m), is_best in self.means.best.items() if is_best and d == dataset}

    def pair(self, dataset: str, method: str, against: str) -> dict[str, Any]:
        """Return a pair of Python's frame as seen from ``method``, {} if there is none."""
        here = self.pairs[self.pairs.dataset == dataset]
        own = here[(here.method == method) & (here.against == against)]
        if len(own):
            return own.iloc[0].to_dict()
        turned = here[(here.method == against) & (here.against == method)]
        return _turned(turned.iloc[0].to_dict()) if len(turned) else {}

    def better_by(self, pair: Mapping[str, Any]) -> tuple[float, list[float]]:
        """Return by how much the method of a pair is better, and the interval of that."""
        sign = self.metric.sign
        return sign * pair["difference"], sorted([sign * pair["low"], sign * pair["high"]])

    def are_written(self, texts: Sequence[str], values: Sequence[float]) -> bool:
        """Return whether numbers are these scores, or differences of scores, as far as written."""
        scaled = [self.metric.scale * value for value in values]
        both = zip(texts, scaled, strict=True)
        return all(shown.is_written(text, value) for text, value in both)


def _turned(pair: dict[str, Any]) -> dict[str, Any]:
    """Return a pair as seen from the other side."""
    return pair | {
        "difference": -pair["difference"],
        "low": -pair["high"],
        "high": -pair["low"],
        "mean": pair["mean_against"],
        "mean_against": pair["mean"],
        "verdict": _TURNED.get(pair["verdict"], pair["verdict"]),
    }


def _call(capsys: Any, *words: str) -> str:
    """Return what a command that ends well writes."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(words)
    captured = capsys.readouterr()
    assert ended.value.code in (0, None), captured.err
    return str(captured.out)
