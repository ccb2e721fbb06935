"""What results depend on besides their key: versions, processor, linear algebra, source."""

import hashlib
import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

from boostbench.plan.trial import canonical_json

_PACKAGES = (
    "boostbench",
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "llvmlite",
    "pandas",
    "lightgbm",
)


def snapshot(config: Path | None = None) -> dict[str, Any]:
    """Describe this machine and its packages as JSON values, without names of hosts or folders.

    ``config``: a file whose git repository's commit is noted, with whether it had changes.
    """
    packages = {}
    for name in _PACKAGES:
        try:
            packages[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    description: dict[str, Any] = {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "packages": packages,
        "system": f"{platform.system()} {platform.release()}",
        "libc": " ".join(platform.libc_ver()),
        "machine": platform.machine(),
        "cpu": _processor(),
        "cpus": os.cpu_count(),
        "memory_gib": _memory_gib(),
        "blas": _linear_algebra(),
        "threads_per_trial": 1,
    }
    if config is not None:
        description["git"] = _git(Path(config))
    return description


def environment_id(description: dict[str, Any]) -> str:
    """Return a short name that equal descriptions share."""
    return hashlib.sha256(canonical_json(description).encode()).hexdigest()[:12]


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _memory_gib() -> float:
    import psutil

    return round(psutil.virtual_memory().total / 2**30, 1)


def _linear_algebra() -> list[str]:
    import numpy as np  # noqa: F401
    from threadpoolctl import threadpool_info

    found = {
        " ".join(str(pool[k]) for k in ("internal_api", "version", "architecture") if pool.get(k))
        for pool in threadpool_info()
        if pool.get("user_api") == "blas"
    }
    return sorted(found)


def _git(path: Path) -> dict[str, Any] | None:
    folder = path.resolve() if path.is_dir() else path.resolve().parent

    def ask(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        ).stdout.strip()

    try:
        commit = ask("rev-parse", "HEAD")
        return {"commit": commit, "dirty": bool(ask("status", "--porcelain", "-uno"))}
    except (OSError, subprocess.SubprocessError):
        return None
