"""What the methods of an experiment got: frames or matrices, and weights of rows."""

from collections.abc import Sequence

from boostbench.report.words import series


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
