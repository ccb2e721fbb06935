"""Build the sdist and the wheel, check their contents, and use both as a new user would.

    python scripts/check_wheel.py [--keep DIR] [--skip-run] [--tag v0.2.0]

The wheel is built from the sdist. Their files must be exactly those of git: the package, its data
files, the experiment files and the data set cards; no tests, results or caches. Their metadata and
licence must be the project's, and ``twine check --strict`` must pass; with ``--tag`` the version is
that of the tag. Then both are used (scripts/smoke_wheel.py). Prints the processor seconds of each
step. Needs git, build and twine (``pip install build twine``).
"""

import argparse
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Sequence
from email.message import Message
from email.parser import Parser
from pathlib import Path, PurePosixPath

from smoke_wheel import Wrong, one, run, use

ROOT = Path(__file__).resolve().parents[1]
# Files that no archive may contain, even if git has them.
FORBIDDEN = ("tests", "results", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache")
# One or more files of each kind, without which an installed boostbench fails.
NEEDED = (
    "boostbench/py.typed",
    "boostbench/_shipped/configs/quickstart.yaml",
    "boostbench/_shipped/configs/schema.json",
    "boostbench/_shipped/datasets/friedman1.yaml",
    "boostbench/papers/srt/tables.csv",
    "boostbench/papers/multiboost/claims.csv",
    "boostbench/report/render/templates/report.html.j2",
    "boostbench/report/render/templates/page.css",
    "boostbench/report/render/templates/page.js",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write the archives there too")
    parser.add_argument("--skip-run", action="store_true", help="only build and look inside")
    parser.add_argument("--tag", default="", help="the version must be that of this tag")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="boostbench-wheel-") as folder:
        here = Path(folder)
        dist = options.keep.resolve() if options.keep else here / "dist"
        try:
            run([sys.executable, "-m", "build", "--outdir", str(dist), str(ROOT)], "build")
            archives = [one(dist, "*.tar.gz"), one(dist, "*.whl")]
            check_sdist(archives[0])
            check_wheel(archives[1])
            check_metadata(*archives, options.tag.removeprefix("v"))
            run([sys.executable, "-m", "twine", "check", "--strict", *map(str, archives)], "twine")
            if not options.skip_run:
                use(*archives)
        except Wrong as wrong:
            print(f"check_wheel: {wrong}", file=sys.stderr)
            return 1
    return 0


def tracked(*folders: str) -> set[str]:
    """Return the files of git under ``folders``."""
    found = subprocess.run(
        ["git", "ls-files", "-z", "--", *folders], cwd=ROOT, capture_output=True, check=True
    )
    return set(found.stdout.decode().strip("\0").split("\0"))


def check_wheel(path: Path) -> None:
    """Raise Wrong if the wheel has a file too many or too few."""
    with zipfile.ZipFile(path) as wheel:
        names = {name for name in wheel.namelist() if not name.endswith("/")}
    info = "-".join(path.name.split("-")[:2]) + ".dist-info"
    expected = tracked("boostbench")
    expected |= {f"boostbench/_shipped/{name}" for name in tracked("configs", "datasets")}
    parts = ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")
    expected |= {f"{info}/{part}" for part in parts}
    compare(path.name, names, expected)
    if missing := sorted(set(NEEDED) - names):
        raise Wrong(f"{path.name} lacks {', '.join(missing)}")
    forbid(path.name, names, FORBIDDEN)


def check_sdist(path: Path) -> None:
    """Raise Wrong if the sdist has a file too many or too few."""
    with tarfile.open(path) as sdist:
        names = {str(PurePosixPath(*PurePosixPath(name).parts[1:])) for name in sdist.getnames()}
    expected = tracked(
        "boostbench",
        "configs",
        "datasets",
        "docs",
        "scripts",
        "tests",
        "results/README.md",
        *("README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff"),
        *("pyproject.toml", ".gitignore"),
    ) | {"PKG-INFO"}
    compare(path.name, names, expected)
    forbid(path.name, names - {"results/README.md"}, FORBIDDEN[1:])


def compare(archive: str, names: set[str], expected: set[str]) -> None:
    for what, those in (("has", names - expected), ("lacks", expected - names)):
        if those:
            shown = ", ".join(sorted(those)[:8])
            raise Wrong(f"{archive} {what} {len(those)} files unlike git: {shown}")
    print(f"{archive}: {len(names)} files, as in git")


def forbid(archive: str, names: set[str], folders: Sequence[str]) -> None:
    for name in sorted(names):
        found = set(PurePosixPath(name).parts) & set(folders)
        if found or name.endswith((".pyc", ".nbi", ".nbc", ".sqlite")):
            raise Wrong(f"{archive} has {name}, which no user needs")


def check_metadata(sdist: Path, wheel: Path, version: str = "") -> None:
    """Raise Wrong unless both have the same metadata, those of the project, and its licence.

    ``version`` is the expected one, "" for any.
    """
    (texts, licences) = zip(_metadata_of_sdist(sdist), _metadata_of_wheel(wheel), strict=True)
    if texts[0] != texts[1]:
        raise Wrong(f"{sdist.name} and {wheel.name} have different metadata")
    if {*licences} != {(ROOT / "LICENSE").read_bytes()}:
        raise Wrong(f"the licence in {sdist.name} or {wheel.name} is not the project's LICENSE")
    found = Parser().parsestr(texts[0].decode())
    for name, text, expected in _fields(found):
        if text != expected:
            raise Wrong(f"the metadata have {name} {text!r}, not {expected!r} as in pyproject.toml")
    if version and found["Version"] != version:
        raise Wrong(f"the version of the archives is {found['Version']}, not {version} as tagged")
    description = str(found.get_payload())
    if relative := re.findall(r"\]\((?!https?://|#)([^)]*)\)", description):
        raise Wrong(f"the description has links that lead nowhere on PyPI: {', '.join(relative)}")
    print(f"boostbench {found['Version']}: metadata and licence are the project's")


def _fields(found: Message) -> list[tuple[str, object, object]]:
    """Return (name, value, expected value) of the metadata that pyproject.toml decides."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    links = [f"{name}, {address}" for name, address in project["urls"].items()]
    return [
        ("Name", found["Name"], project["name"]),
        ("Summary", found["Summary"], project["description"]),
        ("License-Expression", found["License-Expression"], project["license"]),
        ("License-File", found.get_all("License-File"), project["license-files"]),
        ("Requires-Python", found["Requires-Python"], project["requires-python"]),
        ("Description-Content-Type", found["Description-Content-Type"], "text/markdown"),
        ("Project-URL", sorted(found.get_all("Project-URL", [])), sorted(links)),
        ("Classifier", sorted(found.get_all("Classifier", [])), sorted(project["classifiers"])),
        (
            "Provides-Extra",
            sorted(found.get_all("Provides-Extra", [])),
            sorted(project["optional-dependencies"]),
        ),
    ]


def _metadata_of_sdist(path: Path) -> tuple[bytes, bytes]:
    """Return the metadata and the licence of an sdist."""
    top = path.name.removesuffix(".tar.gz")
    with tarfile.open(path) as sdist:
        files = [sdist.extractfile(f"{top}/{name}") for name in ("PKG-INFO", "LICENSE")]
        return tuple(file.read() if file else b"" for file in files)


def _metadata_of_wheel(path: Path) -> tuple[bytes, bytes]:
    """Return the metadata and the licence of a wheel."""
    info = "-".join(path.name.split("-")[:2]) + ".dist-info"
    with zipfile.ZipFile(path) as wheel:
        return wheel.read(f"{info}/METADATA"), wheel.read(f"{info}/licenses/LICENSE")


if __name__ == "__main__":
    raise SystemExit(main())
