"""The environment of results: versions, processor and settings that may change them."""

import contextlib
import hashlib
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import psutil
import scipy.linalg  # noqa: F401  # loads the library that threadpoolctl then finds
from threadpoolctl import threadpool_info

import boostbench
from boostbench.engine import os_processes
from boostbench.importing import installed_version
from boostbench.kernels.target import instructions
from boostbench.plan.trial import canonical_json
from boostbench.values import Record

# Everything from here to DESCRIPTION may change a result; only these entries are compared.
_PACKAGES = ("boostbench", "numpy", "scipy", "scikit-learn", "numba", "llvmlite")
_SETTINGS = (
    "NUMBA_CPU_FEATURES", "NUMBA_CPU_NAME", "NUMBA_DISABLE_JIT", "BOOSTBENCH_PLAIN_NUMBA",
    "NPY_DISABLE_CPU_FEATURES", "OPENBLAS_CORETYPE", "MKL_CBWR",
)  # fmt: skip
DESCRIPTION = (
    "python", "implementation", "packages", "settings", "libc", "machine", "cpu", "instructions",
    "blas", "threads_per_trial",
)  # fmt: skip
"""The keys of :func:`snapshot`, in the order in which changes are reported."""

_UNCOMPARED = ("pandas", "joblib", "threadpoolctl")
# A worker of a cluster may differ in these.
_MINOR = ("libc", "cpu", "instructions")


def snapshot(estimators: Iterable[str] = ()) -> dict[str, Any]:
    """Describe the environment on which results depend, as JSON without names of hosts or folders.

    ``estimators`` are import paths, whose packages are described too. Facts that cannot change a
    result (memory, the kernel, the commit of a repository) are in :func:`run_facts` instead, so
    that equal descriptions, and equal :func:`environment_id`, mean that equal results are expected.
    """
    return {
        "python": ".".join(platform.python_version_tuple()[:2]),
        "implementation": platform.python_implementation(),
        "packages": _versions(_PACKAGES) | _used(sorted(set(estimators))),
        "settings": {name: os.environ[name] for name in _SETTINGS if os.environ.get(name)},
        "libc": " ".join(platform.libc_ver()),
        "machine": platform.machine(),
        "cpu": processor(),
        "instructions": instructions(),
        "blas": _linear_algebra(),
        "threads_per_trial": 1,
    }


def run_facts(config: Path | None = None) -> dict[str, Any]:
    """Return, as JSON values, facts about a run on which no result depends.

    The commit of the git repository of ``config``, and whether it had changes, is one of them.
    """
    git = {} if config is None else {"git": _git(config.resolve())}
    return {
        "python": platform.python_version(),
        "packages": _versions(_UNCOMPARED),
        "system": f"{platform.system()} {platform.release()}",
        "cpus": os_processes.processors(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        **git,
    }


def environment_id(description: Record) -> str:
    """Return a short id of a description."""
    return hashlib.sha256(canonical_json(dict(description)).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Change:
    """A difference of two environments; if ``is_minor``, it may change last digits only."""

    name: str
    old: object
    new: object
    is_minor: bool = False

    def __str__(self) -> str:
        return f"{self.name} {_shown(self.old)} -> {_shown(self.new)}"


def compare(before: Record, now: Record) -> list[Change]:
    """Return the differences in the entries of :data:`DESCRIPTION`.

    An entry that only one description has is not compared: the package was not used there, or the
    description has an earlier format.
    """
    changes = []
    for name in DESCRIPTION:
        old, new = before.get(name), now.get(name)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            keys = sorted({**old, **new}) if name == "settings" else [k for k in old if k in new]
            pairs = {key: (old.get(key), new.get(key)) for key in keys if key not in _UNCOMPARED}
            changes += [Change(key, *pair) for key, pair in pairs.items() if pair[0] != pair[1]]
        elif old is not None and new is not None and not _same(name, old, new):
            changes.append(Change(name, old, new, _is_minor(name, old, new)))
    return changes


def differences(before: Record, now: Record) -> list[str]:
    """Return the changes of :func:`compare` in words, such as ``numpy 2.1.0 -> 2.3.1``."""
    return list(map(str, compare(before, now)))


def source_hash() -> str:
    """Return the digest, 12 hex digits, of boostbench's Python sources."""
    folder = Path(boostbench.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


def identity(estimators: Iterable[str] = ()) -> Record:
    """Return, as JSON values, the sources and the environment of this process.

    ``estimators``: import paths, whose packages are included.
    """
    return {"source": source_hash(), "environment": snapshot(estimators)}


def mismatch(ours: Record, theirs: Record, *, minor: bool = False) -> str:
    """Return in words how a worker differs from this process, "" for no difference.

    ``ours`` and ``theirs`` come from :func:`identity`. With ``minor``, only differences that may
    change last digits are returned, else only those for which a worker is refused.
    """
    here, there = ours["environment"], theirs["environment"]
    packages = {**dict.fromkeys(here["packages"]), **there["packages"]}
    changes = compare(here, {**there, "packages": packages})
    if ours["source"] != theirs["source"]:
        changes.append(Change("sources of boostbench", ours["source"], theirs["source"]))
    return "; ".join(str(change) for change in changes if change.is_minor == minor)


def _same(name: str, old: Any, new: Any) -> bool:
    return bool(old == new) or (name == "blas" and bool(old and new) and _nested(old, new))


def _is_minor(name: str, old: Any, new: Any) -> bool:
    if name != "blas":
        return name in _MINOR
    # The same libraries, on another kind of processor.
    return _nested(*({" ".join(text.split()[:2]) for text in each} for each in (old, new)))


def _nested(old: Iterable[str], new: Iterable[str]) -> bool:
    # A process lists the libraries loaded so far, so that an additional one is no difference.
    return set(old) <= set(new) or set(new) <= set(old)


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "not set" if value is None else str(value)


def _versions(names: Iterable[str]) -> dict[str, str]:
    found = {}
    for name in names:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


def _used(estimators: Iterable[str]) -> dict[str, str]:
    """Return the versions of the packages of estimators that are not among the usual ones."""
    found: dict[str, str] = {}
    for path in estimators:
        package = path.replace(":", ".").split(".")[0]
        if path.endswith("RForestRegressor") and package == "boostbench":
            found |= _r_versions()
        elif package not in {*_PACKAGES, "sklearn"} and (version := installed_version(package)):
            found[package] = version
    return found


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
    found = {
        " ".join(str(pool[k]) for k in ("internal_api", "version", "architecture") if pool.get(k))
        for pool in threadpool_info()
        # OpenCV has a library of its own, which no trial uses.
        if pool.get("user_api") == "blas" and "opencv" not in str(pool.get("filepath"))
    }
    return sorted(found)


def _git(experiment: Path) -> Record | None:
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
