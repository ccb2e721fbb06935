"""The environment of results: versions, processor and settings that may change them."""

import contextlib
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import NotRequired, TypedDict

import psutil
import scipy.linalg  # noqa: F401  # loads the library that threadpoolctl then finds
from threadpoolctl import threadpool_info

import boostbench
from boostbench.engine import os_processes
from boostbench.importing import installed_version
from boostbench.kernels.target import instructions
from boostbench.plan.difference import Change, difference
from boostbench.plan.trial import json_digest
from boostbench.release import installed_release
from boostbench.user_code import file_digest
from boostbench.values import Record

# Everything in a description may change a result; of packages and settings only these are in it.
_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "llvmlite")
_SETTINGS = (
    "NUMBA_CPU_FEATURES",
    "NUMBA_CPU_NAME",
    "NUMBA_DISABLE_JIT",
    "BOOSTBENCH_PLAIN_NUMBA",
    "NPY_DISABLE_CPU_FEATURES",
    "OPENBLAS_CORETYPE",
    "MKL_CBWR",
)


class Description(TypedDict):
    """What results depend on, in the order in which changes are reported."""

    python: str
    implementation: str
    packages: dict[str, str]
    settings: dict[str, str]
    libc: str
    machine: str
    cpu: str
    instructions: str
    blas: list[str]
    threads_per_trial: int


class Commit(TypedDict):
    """A commit of a git repository, and whether files have changed since."""

    commit: str
    dirty: bool


class RunFacts(TypedDict):
    """Facts about a run on which no result depends."""

    python: str
    packages: dict[str, str]
    system: str
    cpus: int
    memory_gib: float
    git: NotRequired[Commit | None]


class Identity(TypedDict):
    """The sources and the environment of a process."""

    source: str
    environment: Description


_NOT_SET = "not set"
_UNCOMPARED = ("pandas", "joblib", "threadpoolctl")
# A worker of a cluster may differ in these.
_MINOR = ("libc", "cpu", "instructions")


def snapshot(estimators: Iterable[str] = ()) -> Description:
    """Describe the environment on which results depend, as JSON without names of hosts or folders.

    ``estimators`` are import paths, whose packages are described too. Facts that cannot change a
    result (memory, the kernel, the commit of a repository) are in :func:`run_facts` instead, so
    that equal descriptions, and equal :func:`environment_id`, mean that equal results are expected.
    """
    return {
        "python": ".".join(platform.python_version_tuple()[:2]),
        "implementation": platform.python_implementation(),
        "packages": _release() | _versions(_PACKAGES) | _used(sorted(set(estimators))),
        "settings": {name: os.environ[name] for name in _SETTINGS if os.environ.get(name)},
        "libc": " ".join(platform.libc_ver()),
        "machine": platform.machine(),
        "cpu": processor(),
        "instructions": instructions(),
        "blas": _linear_algebra(),
        "threads_per_trial": 1,
    }


def run_facts(config: Path | None = None) -> RunFacts:
    """Return, as JSON values, facts about a run on which no result depends.

    The commit of the git repository of ``config``, and whether it had changes, is one of them.
    """
    facts = RunFacts(
        python=platform.python_version(),
        packages=_versions(("boostbench", *_UNCOMPARED)),
        system=f"{platform.system()} {platform.release()}",
        cpus=os_processes.processors(),
        memory_gib=round(psutil.virtual_memory().total / 2**30, 1),
    )
    if config is not None:
        facts["git"] = _git(config.resolve())
    return facts


def environment_id(description: Record) -> str:
    """Return a short id of a description."""
    return json_digest(dict(description))[:12]


def compare(before: Record, now: Record) -> list[Change]:
    """Return the differences in the entries of :class:`Description`.

    An entry that only one description has is not compared: the package was not used there, or the
    description has an earlier format.
    """
    old, new = _entries(before), _entries(now)
    common = [name for name in old if name in new]
    changes = difference({n: old[n] for n in common}, {n: new[n] for n in common})
    # A process lists the libraries loaded so far, so that an additional one is no difference.
    return [each for each in changes if each.name != "blas" or not _are_nested(each, parts=None)]


def is_minor(change: Change) -> bool:
    """Return whether a difference of two environments may change last digits only."""
    # The same libraries, on another kind of processor.
    return change.name in _MINOR or (change.name == "blas" and _are_nested(change, parts=2))


def differences(before: Record, now: Record) -> list[str]:
    """Return the changes of :func:`compare` in words, such as ``numpy 2.1.0 -> 2.3.1``."""
    return list(map(str, compare(before, now)))


def _entries(description: Record) -> dict[str, object]:
    """Return what is compared of a description by its name, libraries as one text."""
    entries: dict[str, object] = {}
    for name in Description.__annotations__:
        value = description.get(name)
        if name == "settings" and value is not None:
            value = dict(sorted({**dict.fromkeys(_SETTINGS, _NOT_SET), **value}.items()))
        if isinstance(value, Mapping):
            entries |= value
        elif isinstance(value, list):
            entries[name] = ", ".join(value) or "none"
        elif value is not None:
            entries[name] = value
    return {name: value for name, value in entries.items() if name not in _UNCOMPARED}


def _are_nested(change: Change, parts: int | None) -> bool:
    """Return whether one of two lists of libraries has all of the other, by their first parts."""
    old, new = _libraries(change.old, parts), _libraries(change.new, parts)
    return old <= new or new <= old


def _libraries(libraries: object, parts: int | None) -> set[str]:
    return {" ".join(each.split()[:parts]) for each in str(libraries).split(", ")}


def digest_of_files(paths: Iterable[Path], below: Path | None = None) -> str:
    """Return one digest of the names and contents of files, the names as seen from ``below``."""
    names = {path: path.relative_to(below) if below else path.name for path in paths}
    return json_digest({str(names[p]): file_digest(p) for p in names if p.is_file()})


def source_hash() -> str:
    """Return the digest, 12 hex digits, of boostbench's Python sources."""
    folder = Path(boostbench.__file__).parent
    return digest_of_files(folder.rglob("*.py"), folder)[:12]


def identity(estimators: Iterable[str] = ()) -> Identity:
    """Return, as JSON values, the sources and the environment of this process.

    ``estimators``: import paths, whose packages are included.
    """
    return {"source": source_hash(), "environment": snapshot(estimators)}


def mismatch(ours: Identity, theirs: Identity, *, minor: bool = False) -> str:
    """Return in words how a worker differs from this process, "" for no difference.

    ``ours`` and ``theirs`` come from :func:`identity`. With ``minor``, only differences that may
    change last digits are returned, else only those for which a worker is refused.
    """
    here, there = ours["environment"], theirs["environment"]
    # Of boostbench the sources are compared; a copy without git's history knows no release.
    needed = (name for name in here["packages"] if name != "boostbench")
    packages = {**dict.fromkeys(needed, _NOT_SET), **there["packages"]}
    changes = compare(here, {**there, "packages": packages})
    if ours["source"] != theirs["source"]:
        changes.append(Change("sources of boostbench", ours["source"], theirs["source"]))
    return "; ".join(str(change) for change in changes if is_minor(change) == minor)


def _release() -> dict[str, str]:
    """Return the release of boostbench; commits since then are no change of the environment."""
    release = installed_release()
    return {"boostbench": release} if release else {}


def _versions(names: Iterable[str]) -> dict[str, str]:
    versions = {}
    for name in names:
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions


def _used(estimators: Iterable[str]) -> dict[str, str]:
    """Return the versions of the packages of estimators that are not among the usual ones."""
    versions: dict[str, str] = {}
    for path in estimators:
        package = path.replace(":", ".").split(".")[0]
        if path.endswith("RForestRegressor") and package == "boostbench":
            versions |= _r_versions()
        elif package not in {*_PACKAGES, "boostbench", "sklearn"} and (
            version := installed_version(package)
        ):
            versions[package] = version
    return versions


def _r_versions() -> dict[str, str]:
    ask = 'cat(format(getRversion()), format(packageVersion("randomForest")))'
    answer = _output_of("Rscript", "--vanilla", "-e", ask).split()
    return dict(zip(("R", "R randomForest"), answer, strict=False))


def processor() -> str:
    """Return the name of the processor."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _linear_algebra() -> list[str]:
    parts = ("internal_api", "version", "architecture")
    # OpenCV has a library of its own, which no trial uses.
    libraries = [
        library
        for library in threadpool_info()
        if library.get("user_api") == "blas" and "opencv" not in str(library.get("filepath"))
    ]
    return sorted(
        {
            " ".join(str(library[part]) for part in parts if library.get(part))
            for library in libraries
        }
    )


def _git(experiment: Path) -> Commit | None:
    git = ["git", "-C", str(experiment.parent)]
    commit = _output_of(*git, "rev-parse", "HEAD")
    # Files that git does not track do not count, except the experiment's own.
    changed = _output_of(*git, "status", "--porcelain", "-uno")
    changed = changed or _output_of(*git, "status", "--porcelain", "--", str(experiment))
    return {"commit": commit, "dirty": bool(changed)} if commit else None


def _output_of(*command: str) -> str:
    """Return the output of a command, "" if it fails or is missing."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
