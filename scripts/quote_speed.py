"""Put the figures of results/speed/ into the README, between its two comments ``speed``.

    python scripts/quote_speed.py [--out DIR]

The sentences are here, their numbers only in the tables. Without tables nothing is changed.
"""

import argparse
import csv
import textwrap
from pathlib import Path

from speed_tables import FOLDER, digits

README = Path(__file__).resolve().parents[1] / "README.md"
START, END = "<!-- speed: by scripts/quote_speed.py -->\n", "<!-- /speed -->\n"
Row = dict[str, str]


def renew(folder: Path, readme: Path = README) -> bool:
    """Write the figures of the tables in ``folder`` into ``readme``; return whether it changed."""
    text = readme.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"{readme} lacks the comments {START.strip()} and {END.strip()}")
    found = quote(folder)
    if not found or text == (renewed := before + START + found + END + after):
        return False
    readme.write_text(renewed, encoding="utf-8")
    return True


def quote(folder: Path) -> str:
    """Return the README's sentences from the tables in ``folder``; of missing tables none."""
    parts = (
        *(_search, _trees, _growth, _many_rows, _predict, _threads),
        *(_engine, _overhead, _start),
    )
    lines = [part(folder) for part in parts]
    return "".join(
        textwrap.fill(
            line, 100, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False
        )
        + "\n"
        for line in lines
        if line
    )


def _rows(folder: Path, name: str) -> list[Row]:
    path = folder / f"{name}.csv"
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _median(row: Row, key: str) -> str:
    """The median of a row's figure, to three digits."""
    value = row.get(f"{key}_median", "")
    return digits(float(value)) if value else "-"


def _range(rows: list[Row], key: str) -> str:
    """The least and the greatest median of a figure."""
    values = [float(row[f"{key}_median"]) for row in rows if row.get(f"{key}_median")]
    if not values:
        return "-"
    low, high = digits(min(values)), digits(max(values))
    return low if low == high else f"{low} to {high}"


def _search(folder: Path) -> str:
    rows = _rows(folder, "search")
    if not rows:
        return ""
    one = ", ".join(f"{_median(row, 'lightgbm')} ({row['dataset']})" for row in rows)
    two = ", ".join(_median(row, "lightgbm_2") for row in rows)
    return (
        "The search for the best stump of every class takes less time than a round of LightGBM "
        f"with as many trees, by factors of {one} on one thread, and of {two} where both have two "
        "threads "
        "([search](results/speed/search.md))."
    )


def _trees(folder: Path) -> str:
    rows = _rows(folder, "trees")
    if not rows:
        return ""
    forest, linear = _range(rows, "forest_1"), _range(rows, "lightgbm")
    return (
        f"`srt_l2` of depth 3, on {len(rows)} data sets, trains {forest} times as fast as a forest "
        f"of 500 trees on one thread and {linear} times as fast as LightGBM with linear leaves "
        "([trees](results/speed/trees.md), [depths 2 to 5](results/speed/trees_depths.md))."
    )


def _growth(folder: Path) -> str:
    rows = {(row["what"], row["size"]): row for row in _rows(folder, "growth")}
    if not rows:
        return ""

    def exponent(size: str) -> str:
        row = rows["tree", size]
        value, low, high = (float(row[key]) for key in ("exponent", "low", "high"))
        return f"{size}^{value:.2f} ({low:.2f} to {high:.2f})"

    sizes = ", ".join(exponent(size) for size in ("rows", "features", "leaves"))
    return f"The training time of a soft tree grows as {sizes} ([growth](results/speed/growth.md))."


def _many_rows(folder: Path) -> str:
    rows = {int(row["n"]): row for row in _rows(folder, "growth_rows")}
    if 10_000 not in rows:
        return ""
    few, most = rows[10_000], max(rows)
    many = rows[most]
    return (
        f"It takes {_median(few, 'fit_us')} us per row at 10,000 rows of 10 features and "
        f"{_median(many, 'fit_us')} us at {most:,}, where one evaluation of a branch node's loss "
        f"takes {_median(many, 'loss_ns')} ns per row, and only reading the row from memory "
        f"{_median(many, 'read_ns')} ns "
        "([rows](results/speed/growth_rows.md))."
    )


def _predict(folder: Path) -> str:
    rows = {row["model"]: row for row in _rows(folder, "predict")}
    if not rows:
        return ""
    tree = _median(rows["SRT-l2, depth 3"], "many_us")
    forest = _median(rows["forest of 500 trees"], "many")
    return (
        f"Prediction follows one path: {tree} us per row; a forest of 500 trees takes {forest} "
        f"times as long, LightGBM {_median(rows['LightGBM'], 'many')} times "
        "([predict](results/speed/predict.md))."
    )


def _threads(folder: Path) -> str:
    rows = _rows(folder, "threads")
    if not rows:
        return ""
    return (
        f"`n_jobs=2` trains {_range(rows, 'ratio')} times as fast as one thread "
        "([threads](results/speed/threads.md))."
    )


def _engine(folder: Path) -> str:
    rows = {row["by"]: row for row in _rows(folder, "engine_overhead")}
    if not rows:
        return ""
    engine, joblib = (_median(rows[name], "per_trial_ms") for name in ("engine", "joblib"))
    return (
        f"A trivial trial takes {engine} ms of a worker; with joblib, which limits and records "
        f"nothing, {joblib} ms ([overhead](results/speed/engine_overhead.md))."
    )


def _overhead(folder: Path) -> str:
    rows = {row["contestant"]: row for row in _rows(folder, "overhead")}
    if not rows:
        return ""
    itself = float(rows["the trial itself"]["processor_ms_median"])
    others = {
        name: digits(float(row["processor_ms_median"]) - itself)
        for name, row in rows.items()
        if name != "the trial itself"
    }
    parts = ", ".join(f"{value} ms by {name}" for name, value in others.items())
    return (
        f"Beside its own work a trivial trial costs, in processor time, {parts} "
        "([overhead beside benchopt](results/speed/overhead.md))."
    )


def _start(folder: Path) -> str:
    rows = _rows(folder, "start")
    if not rows:
        return ""
    parts = ", ".join(f"{_median(row, 'elapsed_s')} s (`{row['command']}`)" for row in rows)
    return f"Commands that train little take {parts} ([start](results/speed/start.md))."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=FOLDER, metavar="DIR", help="of the tables")
    print("renewed" if renew(parser.parse_args().out) else "nothing to renew")


if __name__ == "__main__":
    main()
