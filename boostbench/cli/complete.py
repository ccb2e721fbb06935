"""What the shell offers after a Tab. Quick: no import beyond names of files."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path


def configs(incomplete: str) -> list[str]:
    """Return shipped configs, experiment files and folders that begin with ``incomplete``."""
    from boostbench.resources import shipped_dir

    names = sorted(path.stem for path in shipped_dir("configs").glob("*.yaml"))
    return [name for name in names if name.startswith(incomplete)] + _files(incomplete)


def _files(incomplete: str) -> list[str]:
    head, slash, tail = incomplete.rpartition("/")
    folder = Path(head + slash if slash else ".")
    try:
        found = sorted(folder.iterdir())
    except OSError:
        return []
    return [
        f"{head}{slash}{path.name}{'/' if path.is_dir() else ''}"
        for path in found
        if path.name.startswith(tail)
        and (tail.startswith(".") or not path.name.startswith("."))
        and (path.suffix in {".yaml", ".yml"} or (slash and path.is_dir()))
    ]


def datasets(incomplete: str) -> list[str]:
    """Return the data set cards that begin with ``incomplete``."""
    from boostbench.resources import shipped_dir

    names = sorted(path.stem for path in shipped_dir("datasets").glob("*.yaml"))
    return [name for name in names if name.startswith(incomplete)]


def methods(incomplete: str) -> list[str]:
    """Return the registered methods that begin with ``incomplete``."""
    from boostbench.methods import method_names

    return [name for name in method_names() if name.startswith(incomplete)]


def configs_or_datasets(incomplete: str) -> list[str]:
    """Return what can be fetched: configs and data sets."""
    return configs(incomplete) + datasets(incomplete)


def only(incomplete: str) -> list[str]:
    """Return ``dataset=NAME`` and ``method=NAME`` for the option --only."""
    keys = ("dataset=", "method=", "split_seed=", "fold=", "seed=")
    key, equals, value = incomplete.partition("=")
    if not equals:
        return [k for k in keys if k.startswith(key)]
    offered = {"dataset": datasets, "method": methods}.get(key)
    return [f"{key}={name}" for name in offered(value)] if offered else []


_SETTINGS = (
    "curves", "folds", "limits.memory", "limits.time", "metric", "results", "scale_features",
    "scale_target", "seeds", "split_seed", "split_seeds", "splits", "splits.n", "splits.test_size",
    "units",
)  # fmt: skip


_VALUES = {
    "curves": ("true", "false"),
    "scale_features": ("minmax", "standard", "none"),
    "scale_target": ("standard", "none"),
    "splits": ("given",),
    "units": ("scaled", "original"),
}


def settings(incomplete: str) -> list[str]:
    """Return ``KEY=``, and ``KEY=VALUE`` where few are possible, for the option --set."""
    key, equals, value = incomplete.partition("=")
    if not equals:
        return [f"{name}=" for name in _SETTINGS if name.startswith(key)]
    if key == "metric":
        return [f"{key}={name}" for name in metrics(value)]
    return [f"{key}={given}" for given in _VALUES.get(key, ()) if given.startswith(value)]


def metrics(incomplete: str) -> list[str]:
    """Return the scores that every trial records that begin with ``incomplete``."""
    from boostbench.papers.metrics import METRICS

    return [name for name in METRICS if name.startswith(incomplete)]


def places(incomplete: str) -> list[str]:
    """Return the keys that decide where results are, for the option --set of what reads them."""
    from boostbench.experiment.folders import PLACE_KEYS

    return [f"{key}=" for key in sorted(PLACE_KEYS) if f"{key}=".startswith(incomplete)]


@contextmanager
def whole_words() -> Iterator[None]:
    """Let a completion for bash, asked for and answered inside, see ``KEY=VALUE`` as one word.

    Bash splits words at ``=`` (COMP_WORDBREAKS) and puts what it is offered in the place of the
    part at the cursor: so the parts are joined, and only what follows the ``=`` is written.
    """
    words = os.environ.get("COMP_WORDS", "")
    position = os.environ.get("COMP_CWORD", "")
    if "=" not in words or not position.isdigit():
        yield
        return
    import io
    import sys

    # Typer's script joins the words by line ends.
    separator = "\n" if "\n" in words else " "
    parts = words.split(separator)[: int(position) + 1]
    joined = _joined(parts)
    os.environ["COMP_WORDS"] = separator.join(joined)
    os.environ["COMP_CWORD"] = str(len(joined) - 1)
    answer = io.StringIO()
    try:
        with redirect_stdout(answer):
            yield
    finally:
        # Equal where COMP_WORDBREAKS has no "=": then the whole word is replaced.
        head = "" if joined[-1] == parts[-1] else joined[-1].rpartition("=")[0]
        for line in answer.getvalue().splitlines():
            sys.stdout.write(f"{_after(head, line)}\n")


def _joined(words: list[str]) -> list[str]:
    joined: list[str] = []
    open_ = False
    for word in words:
        is_equals = word.strip("=") == "" != word
        if joined and word and (open_ or is_equals):
            joined[-1] += word
        else:
            joined.append(word)
        open_ = is_equals
    return joined


def _after(head: str, offered: str) -> str:
    """Cut the text before the cursor's part; the answer to --only=KEY=VALUE lacks --only=."""
    parts = head.split("=") if head else []
    for n in range(len(parts)):
        prefix = "=".join(parts[n:]) + "="
        if offered.startswith(prefix):
            return offered.removeprefix(prefix)
    return offered
