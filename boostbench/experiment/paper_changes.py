"""What has changed of a paper's folder since the runs that are measured against it began."""

import contextlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from boostbench.errors import BoostbenchError, ConfigError
from boostbench.papers import folder_of, is_folder
from boostbench.papers.reading import lines
from boostbench.papers.settings import USUAL
from boostbench.plan.difference import Change, difference
from boostbench.plan.trial import canonical_json
from boostbench.store.record import ExperimentRecord
from boostbench.suggest import listing
from boostbench.user_code import file_digest
from boostbench.values import Record
from boostbench.yamltree import read_yaml

_LABELS = {
    "claims.csv": ("id",),
    "tables.csv": ("table", "dataset", "method"),
    "datasets.csv": ("dataset",),
}
"""The columns that name a row of a paper's file, with those of its conditions."""
_IN_FULL = ("figures", "reproduced_if", "weaker_if", "not_reproduced_if", "literally")
"""The columns of which a change is shown with both values."""
_KINDS = (".yaml", ".csv", ".md", ".py")

Parts = dict[str, dict[str, dict[str, str]]]
"""By file, the named parts of it, each with its values."""


@dataclass(frozen=True)
class PaperState:
    """A paper's folder at a moment, in seconds since 1970.

    ``files`` are the digests of its files. ``parts`` are its rows and keys, of a user's own folder:
    others change with the version of the package that has them.
    """

    paper: str = ""
    at: float = 0.0
    files: Mapping[str, str] = field(default_factory=dict)
    parts: Parts = field(default_factory=dict)


def states_of_paper(record: ExperimentRecord, beside: Path | None) -> tuple[PaperState, PaperState]:
    """Return a recorded paper as it was when the runs began, and as it is now.

    It is as it was where either is unknown.
    """
    then = PaperState(**record["paper_at_start"])
    named = str(record.get("paper") or "")
    with contextlib.suppress(ConfigError):
        if record["paper_at_start"] and named:
            return then, state_of(named, beside)
    return then, then


def paper_now(paper: str | None, beside: Path | None, before: Record) -> Record:
    """Return the state of a paper as JSON values: the one ``before`` where nothing has changed."""
    now = asdict(state_of(paper or "", beside))
    return now if difference({**before, "at": 0.0}, {**now, "at": 0.0}) else before


def state_of(paper: str, beside: Path | None) -> PaperState:
    """Return the state of a paper; ConfigError where it is gone."""
    if not paper:
        return PaperState(at=time.time())
    files = [path for path in sorted(folder_of(paper, beside).iterdir()) if is_read(path)]
    parts: Parts = {}
    for path in files if is_folder(paper) else ():
        # A file that is wrong has no parts; its digest tells that it has changed.
        with contextlib.suppress(BoostbenchError):
            parts[path.name] = _parts(path)
    return PaperState(paper, time.time(), {p.name: file_digest(p) for p in files}, parts)


def is_read(path: Path) -> bool:
    """Return whether a file of a paper's folder is read, unlike the paper itself."""
    return path.suffix in _KINDS and path.is_file()


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))


def _parts(path: Path) -> dict[str, dict[str, str]]:
    """Return the rows, or keys, of a file by their names."""
    if path.name not in ("paper.yaml", *_LABELS):
        return {}
    value = read_yaml(path.with_name("paper.yaml")).value
    about: Record = value if isinstance(value, dict) else {}
    if path.name == "paper.yaml":
        return {name: {"": canonical_json(value)} for name, value in about.items()}
    columns = [*_LABELS[path.name], *(about.get("conditions") or USUAL)]
    parts = {}
    for _, row in lines(path):
        named = [row[column] for column in columns if row.get(column)]
        parts[" ".join(named)] = {column: text for column, text in row.items() if text}
    return parts


def paper_changes(then: PaperState, now: PaperState, beside: Path | None) -> Iterator[str]:
    """Yield what has changed in each file of a paper since the runs began, and when."""
    began = f"{_moment(then.at)}, when the runs began"
    if now.paper and not then.paper:
        yield f"the paper {now.paper} was named after the runs began on {_moment(then.at)}"
        return
    if then.paper != now.paper and not then.parts.keys() & now.parts.keys():
        yield f"the paper is {now.paper} now, and was {then.paper} on {began}"
        return
    for name, _, digest in difference(then.files, now.files):
        if digest is None:
            yield f"{name} of the paper, after {began}: gone"
            continue
        changed = list(_changed_parts(then.parts.get(name, {}), now.parts.get(name, {})))
        written = _moment((folder_of(now.paper, beside) / name).stat().st_mtime)
        yield (
            f"{name} of the paper, between {began}, and {written}, when it was last written: "
            f"{listing(changed, 20) or 'other content'}"
        )


def _changed_parts(
    old: Mapping[str, Mapping[str, str]], new: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    for label in {**old, **new}:
        if label not in new:
            yield f"{label} is gone"
        elif label not in old:
            yield f"{label} is new"
        elif changes := difference(old[label], new[label], ""):
            yield f"{label} ({', '.join(map(_in_words, changes))})".replace(" ()", "")


def _in_words(change: Change) -> str:
    if change.name in _IN_FULL or not change.name:
        return f"{change.name} {change.old} -> {change.new}".strip()
    return change.name
