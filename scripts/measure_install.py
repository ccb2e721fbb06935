"""Measure what an installation takes, and write docs/guide/install.md.

    python scripts/measure_install.py [--date DAY] [--note TEXT] [--out FILE]

Installs the project, without any extra, in a new virtual environment by pip without its cache, so
that the seconds are those of a first installation, downloads included. Each extra is then installed
on top of it. Sizes are those of all files, also of those that pip compiles. Needs
packaging (``pip install packaging``).
"""

import argparse
import ast
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "guide" / "install.md"

EXTRAS = {
    "parquet": "data in Parquet and Feather files",
    "excel": "data in Excel files",
    "images": "the data sets of images of the boosting paper",
    "cluster": "`--cluster`: trials on Dask workers and batch systems",
    "peers": "the models of `configs/peers.yaml`",
    "bench": "the peers with which `scripts/bench_all.py` compares",
    "test": "the tests",
    "dev": "all of the above but `peers`, the linter and the type checker",
    "docs": "the site of the documentation",
}
"""What each extra is for."""

PURPOSES = {
    "cloudpickle": "estimators from notebooks and scripts",
    "jinja2": "pages and LaTeX of reports",
    "joblib": "threads of `n_jobs`, the count of processors",
    "llvmlite": "SIMD code of kernels, the processor's name",
    "matplotlib": "figures",
    "numba": "compiled kernels",
    "numpy": "arrays",
    "openml": "the client of OpenML",
    "pandas": "tables of results, reading of CSV files",
    "platformdirs": "the folder of the cache",
    "pooch": "downloads",
    "psutil": "memory and processes of trials",
    "pydantic": "errors in experiment files",
    "pylatexenc": "tables in LaTeX",
    "pyyaml": "experiment files and cards",
    "requests": "downloads",
    "rich": "tables and progress in the terminal",
    "scikit-learn": "the estimators' interface, metrics, rivals",
    "scipy": "optimisers, linear algebra, statistics",
    "threadpoolctl": "one thread a trial",
    "typer": "the command line",
    "uncompresspy": "data in .Z files",
}
"""What each dependency is for."""

_MODULES = {"pyyaml": "yaml", "scikit-learn": "sklearn"}
# What a virtual environment has before anything is installed.
_BEFORE = frozenset({"pip", "setuptools", "wheel"})


@dataclass(frozen=True)
class Package:
    """An installed package: the bytes of its files, and the packages that it requires."""

    size: int
    requires: frozenset[str]


@dataclass(frozen=True)
class Measured:
    """What an installation took: seconds, and the packages by name."""

    seconds: float
    packages: Mapping[str, Package]

    @property
    def size(self) -> int:
        """The bytes of all packages."""
        return sum(package.size for package in self.packages.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--date", default="", help="day of the measurement, for the page")
    parser.add_argument("--note", default="", help="about the machine, for the page")
    parser.add_argument(
        "--out", type=Path, default=PAGE, help="the page (default: docs/guide/install.md)"
    )
    options = parser.parse_args()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    direct = [canonicalize_name(Requirement(text).name) for text in project["dependencies"]]
    unused = unused_dependencies(direct, ROOT / "boostbench")
    if unused:
        print(f"measure_install: nothing imports {', '.join(unused)}", file=sys.stderr)
        return 1
    about = " ".join(filter(None, [options.date and f"Measured on {options.date}.", options.note]))
    with tempfile.TemporaryDirectory(prefix="boostbench-install-") as folder:
        base = Path(folder) / "base"
        plain = install(base, "")
        print(f"plain: {plain.seconds:.0f} s, {plain.size / 1e6:.0f} MB", flush=True)
        extras = {}
        for name in project["optional-dependencies"]:
            extras[name] = install(Path(folder) / name, name, base)
            print(f"{name}: {extras[name].seconds:.0f} s", flush=True)
        options.out.write_text(page(plain, extras, direct, about), encoding="utf-8")
    return 0


def install(folder: Path, extra: str, below: Path | None = None) -> Measured:
    """Install the project with an ``extra`` into a new environment, on top of that in ``below``."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    site = _site(folder)
    if below is not None:
        (site / "below.pth").write_text(f"{_site(below)}\n", encoding="utf-8")
    python = str(folder / "bin" / "python")
    wanted = f"{ROOT}[{extra}]" if extra else str(ROOT)
    command = [python, "-m", "pip", "install", "--quiet", "--no-cache-dir", wanted]
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    started = time.perf_counter()
    subprocess.run(command, check=True, env=environment)
    seconds = time.perf_counter() - started
    found = installed(site)
    if below is not None:
        found.pop("boostbench", None)
    return Measured(seconds, found)


def _site(folder: Path) -> Path:
    (site,) = folder.glob("lib/python*/site-packages")
    return site


def installed(site: Path) -> dict[str, Package]:
    """Return the packages in a folder of packages, but for those of a new environment."""
    found = {}
    for one in metadata.distributions(path=[str(site)]):
        name = canonicalize_name(one.metadata["Name"])
        if name in _BEFORE:
            continue
        # pip lists what it compiled as well.
        paths = [Path(str(one.locate_file(file))) for file in one.files or ()]
        size = sum(path.stat().st_size for path in paths if path.is_file())
        requirements = map(Requirement, one.requires or ())
        needed = (each for each in requirements if _applies(each))
        found[name] = Package(size, frozenset(canonicalize_name(each.name) for each in needed))
    return found


def _applies(requirement: Requirement) -> bool:
    """Return whether a requirement applies here without any extra."""
    return requirement.marker is None or requirement.marker.evaluate({"extra": ""})


def brought_alone(
    packages: Mapping[str, Package], direct: Sequence[str], dependency: str
) -> set[str]:
    """Return the packages that would not be installed without one of the ``direct`` ones."""
    others = [name for name in direct if name != dependency]
    return _closure(packages, direct) - _closure(packages, others)


def _closure(packages: Mapping[str, Package], names: Iterable[str]) -> set[str]:
    """Return packages with all that they require, of those that are installed."""
    waiting, found = list(names), set[str]()
    while waiting:
        name = waiting.pop()
        if name in packages and name not in found:
            found.add(name)
            waiting += packages[name].requires
    return found


def unused_dependencies(names: Iterable[str], folder: Path) -> list[str]:
    """Return the dependencies that no module below ``folder`` imports."""
    imported: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module.partition(".")[0])
    return [name for name in names if _MODULES.get(name, name) not in imported]


_INTRODUCTION = [
    "# Installation",
    "",
    "boostbench needs Python 3.11 or later, on Linux or macOS. In a clone, and in a virtual",
    "environment:",
    "",
    "```sh",
    "pip install .",
    "pip install '.[excel,parquet]'   # with extras",
    "boostbench doctor                # what is there, and what is missing",
    "```",
    "",
    "## What it takes",
    "",
]


def page(plain: Measured, extras: Mapping[str, Measured], direct: Sequence[str], about: str) -> str:
    """Return docs/guide/install.md."""
    rows = [_row("none", "everything else", plain)]
    rows += [_row(f"`{name}`", EXTRAS[name], extra) for name, extra in extras.items()]
    lines = [
        *_INTRODUCTION,
        "By `pip` without its cache, downloads included; of an extra what it adds to the first",
        "row. `python scripts/measure_install.py` writes this page.",
        *([about] if about else []),
        "",
        "| extra | for | seconds | MB | packages |",
        "|---|---|---:|---:|---:|",
        *rows,
        "",
        "In a clone `bash .ci/release v0.2.0` leaves a wheel in `dist/`, which runs without an",
        "installation of its own, by `uvx --from dist/boostbench-*.whl boostbench run quickstart`",
        "or `pipx run --spec dist/boostbench-*.whl boostbench run quickstart`.",
        "",
        "## What each dependency is for",
        "",
        "What would go with a dependency are the packages that nothing else here needs. Where",
        "there are none, another dependency needs this one too.",
        "",
        "| dependency | for | MB | would go: MB | packages |",
        "|---|---|---:|---:|---:|",
        *_dependencies(plain.packages, direct),
    ]
    return "\n".join(lines) + "\n"


def _dependencies(packages: Mapping[str, Package], direct: Sequence[str]) -> list[str]:
    """Return a row for each dependency, the largest first."""
    rows = []
    for name in sorted(direct, key=lambda name: -packages[name].size):
        alone = brought_alone(packages, direct, name)
        parts = (packages[name].size, sum(packages[each].size for each in alone))
        own, gone = (f"{size / 1e6:,.1f}" for size in parts)
        rows.append(f"| {name} | {PURPOSES[name]} | {own} | {gone} | {len(alone)} |")
    return rows


def _row(name: str, purpose: str, taken: Measured) -> str:
    size = f"{taken.size / 1e6:,.0f}"
    return f"| {name} | {purpose} | {taken.seconds:.0f} | {size} | {len(taken.packages)} |"


if __name__ == "__main__":
    raise SystemExit(main())
