r"""Answers about estimators that are installed, kept so that a command need not import them.

Importing scikit-learn, SciPy and numba takes most of the time of a command that runs nothing. What
an estimator's parameters are, and whether values are valid, depends on installed code only: such
answers are kept in the user's cache, under a digest of the versions and files of that code. Of
other modules than boostbench's and scikit-learn's, a user's own above all, nothing is kept, and
nothing any more once such a module, which may change others, was imported. Only the command line
:func:`remember`\ s: in other processes code may have been replaced.
"""

import atexit
import contextlib
import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from boostbench.cache_files import read_cached, state_of_file, state_of_packages, write_cached

Ask = TypeVar("Ask", bound=Callable[..., Any])

TRUSTED = frozenset({"boostbench", "sklearn"})
"""Packages that change nothing of others when they are imported."""
_PACKAGES = {
    "boostbench": "boostbench", "scikit-learn": "sklearn", "numpy": "numpy", "scipy": "scipy",
    "numba": "numba", "llvmlite": "llvmlite", "joblib": "joblib",
    "threadpoolctl": "threadpoolctl", "pandas": "pandas",
}  # fmt: skip
_MOST_FILES = 8
_MOST_ANSWERS = 5_000
_wanted, _keeps = False, True


def remembered(ask: Ask) -> Ask:
    """Return ``ask``, whose first argument is an import path, with answers from earlier processes.

    Its arguments and answers are plain JSON; others, and exceptions, are not kept.
    """

    @functools.wraps(ask)
    def answered(estimator: str, *given: Any) -> Any:
        known = _memory() if _wanted else None
        if known is None or estimator.replace(":", ".").partition(".")[0] not in TRUSTED:
            return ask(estimator, *given)
        import json

        try:
            question = json.dumps([ask.__name__, estimator, *given], allow_nan=False)
        except (TypeError, ValueError):
            return ask(estimator, *given)
        if question in known.answers:
            return json.loads(known.answers[question])
        answer = ask(estimator, *given)
        known.keep(question, answer)
        return answer

    return cast(Ask, answered)


def remember() -> None:
    """Use the answers of earlier processes from now on, and keep new ones at the exit."""
    global _wanted
    _wanted = True


def keep_no_more() -> None:
    """Keep no answer from now on: code is imported that may change that of others."""
    global _keeps
    _keeps = False


class _Answers:
    """The answers in a file, as JSON texts by question."""

    def __init__(self, path: Path) -> None:
        self._path, self._process = path, os.getpid()
        self._new: dict[str, str] = {}
        self.answers = _read(path)

    def keep(self, question: str, answer: Any) -> None:
        """Keep an answer for later processes, where it is plain."""
        import json

        with contextlib.suppress(TypeError, ValueError):
            text = json.dumps(answer, allow_nan=False)
            # Tuples and keys that are no texts come back as something else.
            if _keeps and repr(json.loads(text)) == repr(answer):
                self._new[question] = text

    def write(self) -> None:
        """Write the answers, and remove the files of code that is no longer used."""
        if not self._new or os.getpid() != self._process:
            return
        import json

        # Another process may have added some. Without a file the next process asks again.
        with contextlib.suppress(OSError):
            found = {**_read(self._path), **self._new}
            text = json.dumps(found if len(found) <= _MOST_ANSWERS else self._new)
            write_cached(self._path, text.encode())
            files = sorted(self._path.parent.iterdir(), key=lambda path: -path.stat().st_mtime)
            for path in files[_MOST_FILES:]:
                path.unlink()


def _read(path: Path) -> dict[str, str]:
    import json

    content = read_cached(path)
    return {} if content is None else dict(json.loads(content))


@functools.cache
def _memory() -> _Answers | None:
    from boostbench.data.access import cache_folder

    code = _code()
    if code is None:
        return None
    found = _Answers(cache_folder() / "estimators" / code)
    atexit.register(found.write)
    return found


def _code() -> str | None:
    """Return a digest of the code that estimators consist of, None where its version is unclear."""
    import hashlib

    installed = state_of_packages(_PACKAGES)
    if installed is None:
        return None
    folder = Path(__file__).parent
    files = [state_of_file(path) for path in sorted(folder.rglob("*.py"))]
    about = [sys.version, sys.prefix, *installed, str(folder), *files]
    return hashlib.sha256("\n".join(about).encode()).hexdigest()[:32]
