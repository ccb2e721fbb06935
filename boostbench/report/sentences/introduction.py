"""What was run, what is missing of it, and the paper with which it is compared."""

from collections.abc import Mapping, Sequence

from boostbench.papers import Paper
from boostbench.report.words import cited, one_line, series
from boostbench.suggest import counted


def methods_on_datasets(methods: int, datasets: int) -> str:
    """Return what an experiment of one's own is about, as the start of its introduction."""
    return f"{counted(methods, 'method')} on {counted(datasets, 'data set')}:"


def measured_again(paper: Paper, table: str, datasets: int) -> str:
    """Return which table or figure is measured again, as the start of an introduction."""
    title = table if table in paper.figures else f"Table {table}"
    return f"{title} of {cited(paper)}, measured again: {counted(datasets, 'data set')},"


def introduction(about: str, design: str, planned: int, finished: int) -> str:
    """Return the introduction from its start, the partitions, folds and seeds, and the runs."""
    runs = ", ".join([*filter(None, [design]), counted(planned, "run")])
    done = "all" if finished == planned else f"{finished:,}"
    return f"{about} {runs}, {done} finished."


def runs_without_result(by_status: Mapping[str, int]) -> str:
    """Return how many runs have no result, by what became of them."""
    runs = counted(sum(by_status.values()), "run")
    each = series(f"{number:,} {status}" for status, number in by_status.items())
    return f"{runs} without a result: {each}."


def not_loaded(datasets: Sequence[str]) -> str:
    """Return which data sets have no runs since their data were never loaded."""
    return f"Not loaded, and so not among these runs: {series(datasets)}."


def no_data(datasets: Sequence[str], reason: str) -> str:
    """Return for which data sets there are no data, and why."""
    return f"No data for {series(datasets)}: {one_line(reason)}."


def only_a_shard(shard: str) -> str:
    """Return that only a shard of the plan is here."""
    return f"Shard {shard} of the plan: `boostbench merge` brings all together."


def changed_since(changes: Sequence[str]) -> str:
    """Return what has changed since the runs."""
    return f"Changed since: {'; '.join(changes)}."


def source(paper: Paper, tables: Sequence[str]) -> str:
    """Return the reference of the paper, and with which of its tables cells are compared."""
    start = f"Measured against Table {' and '.join(tables)} of" if tables else "After"
    journal = f" {paper.journal}." if paper.journal else ""
    doi = f" doi:{paper.doi}" if paper.doi else ""
    arxiv = f" arXiv:{paper.arxiv}" if paper.arxiv else ""
    version = f" (read: {paper.version_read})" if paper.version_read else ""
    return f"{start} {paper.authors}: {paper.title}.{journal}{doi}{arxiv}{version}"


def frames_and_matrices(
    datasets: Sequence[str], frames: Sequence[str], matrices: Sequence[str], task: str
) -> str:
    """Return which methods got frames and which matrices, and the unit of the scores."""
    is_regression = task == "regression"
    got = []
    if frames:
        target = ", and the target in its own unit" if is_regression else ""
        got.append(f"{_methods(frames)} got the columns as a frame, unscaled{target}")
    if matrices:
        target = ", and the target scaled as the settings say" if is_regression else ""
        got.append(f"{_methods(matrices)} got a matrix of numbers{target}")
    text = f"On {series(datasets)}, {'; '.join(got)}."
    return f"{text} All are scored in the target’s own unit." if is_regression else text


def weights(
    datasets: Sequence[str], column: str, weighted: Sequence[str], others: Sequence[str]
) -> str:
    """Return which methods were fitted with the weights of rows, and that scores have none."""
    got = []
    if weighted:
        got.append(f"the rows had the weights in {column} in fits of {_methods(weighted)}")
    if others:
        got.append(f"{_methods(others)} ignored the weights in {column}, as was meant")
    return f"On {series(datasets)}, {'; '.join(got)}. Scores count each test row once."


def _methods(labels: Sequence[str]) -> str:
    return series(f"`{label}`" for label in labels)
