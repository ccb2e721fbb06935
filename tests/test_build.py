"""What is built: its version follows from the tag, and its metadata are the project's."""

import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("hatch_vcs", reason="needs boostbench[test]")
pytest.importorskip("hatch_fancy_pypi_readme", reason="needs boostbench[test]")

ROOT = Path(__file__).resolve().parents[1]
_GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")


def _call(*words: str, here: Path) -> str:
    done = subprocess.run(words, cwd=here, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def _commit(project: Path, text: str) -> None:
    (project / "CHANGELOG.md").write_text(text)
    _call(*_GIT, "add", "-A", here=project)
    _call(*_GIT, "commit", "-q", "-m", text, here=project)


def _version(project: Path) -> str:
    """Return the version that a build of the project has."""
    return _call(sys.executable, "-m", "hatchling", "version", here=project)


def _build(project: Path) -> tuple[Path, Path]:
    """Return the sdist and the wheel of the project."""
    _call(sys.executable, "-m", "hatchling", "build", "-d", "dist", here=project)
    ((sdist,), (wheel,)) = ((project / "dist").glob(kind) for kind in ("*.tar.gz", "*.whl"))
    return sdist, wheel


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with this project's build files, an almost empty package, and one commit."""
    made = tmp_path / "project"
    for name in ("boostbench", "configs", "datasets"):
        (made / name).mkdir(parents=True)
        (made / name / "__init__.py").write_text("")
    names = ["pyproject.toml", "README.md", "LICENSE", ".gitignore"]
    # Only a clone has those of git.
    names += [name for name in (".gitattributes", ".git_archival.txt") if (ROOT / name).exists()]
    for name in names:
        shutil.copy(ROOT / name, made)
    _call(*_GIT, "init", "-q", here=made)
    _commit(made, "one")
    return made


def test_the_version_of_a_tag_and_of_commits_after_it(project: Path) -> None:
    assert _version(project).startswith("0.0.post1.dev1+g")
    _call(*_GIT, "tag", "v0.2.0rc1", here=project)
    assert _version(project) == "0.2.0rc1"
    _commit(project, "two")
    assert _version(project).startswith("0.2.0rc1.post1.dev1+g")
    _call(*_GIT, "tag", "v0.2.0", here=project)
    assert _version(project) == "0.2.0"
    _commit(project, "three")
    # Of another thing than a version.
    _call(*_GIT, "tag", "talk-2026", here=project)
    assert _version(project).startswith("0.2.0.post1.dev1+g")


def _shallow_clone(project: Path, to: Path) -> None:
    _call(*_GIT, "clone", "-q", "--depth", "1", project.as_uri(), str(to), here=project)


def _clone_without_tags(project: Path, to: Path) -> None:
    _call(*_GIT, "clone", "-q", "--no-tags", project.as_uri(), str(to), here=project)


def _copy_without_git(project: Path, to: Path) -> None:
    shutil.copytree(project, to, ignore=shutil.ignore_patterns(".git"))


def _copy_in_another_repository(project: Path, to: Path) -> None:
    to.parent.mkdir(exist_ok=True)
    _call(*_GIT, "init", "-q", here=to.parent)
    _copy_without_git(project, to)
    _commit(to.parent, "other")
    _call(*_GIT, "tag", "v9.9.9", here=to.parent)


def _sdist(project: Path, to: Path) -> None:
    sdist, _ = _build(project)
    with tarfile.open(sdist) as archive:
        archive.extractall(to.parent, filter="data")
    (to.parent / sdist.name.removesuffix(".tar.gz")).rename(to)


def _archive_of_git(project: Path, to: Path) -> None:
    if not (ROOT / ".git_archival.txt").exists():
        pytest.skip("not in a clone of the repository")
    _call(*_GIT, "archive", "-o", str(to.with_suffix(".tar")), "HEAD", here=project)
    with tarfile.open(to.with_suffix(".tar")) as archive:
        archive.extractall(to, filter="data")


@pytest.mark.parametrize(
    ("copy", "after_release", "version"),
    [
        (_shallow_clone, False, "0.2.0"),
        (_shallow_clone, True, "0.0.post1.dev1+g"),
        (_clone_without_tags, False, "0.0.post1.dev1+g"),
        (_copy_without_git, False, "0.0"),
        (_copy_in_another_repository, False, "0.0"),
        (_sdist, False, "0.2.0"),
        (_sdist, True, "0.2.0.post1.dev1+g"),
        (_archive_of_git, False, "0.2.0"),
        (_archive_of_git, True, "0.2.0.post1.dev1+g"),
    ],
)
def test_the_version_of_a_copy(
    project: Path,
    tmp_path: Path,
    copy: Callable[[Path, Path], None],
    after_release: bool,
    version: str,
) -> None:
    _call(*_GIT, "tag", "v0.2.0", here=project)
    if after_release:
        _commit(project, "two")
    copied = tmp_path / "around" / "copy"
    copied.parent.mkdir()
    copy(project, copied)
    found = _version(copied)
    assert found.startswith(version)
    assert ("+" in found) == ("+" in version)
    # It can be built where there is no git at all.
    sdist, _ = _build(copied)
    assert sdist.name == f"boostbench-{found}.tar.gz"


def _nothing(text: str) -> str:
    return text


@pytest.mark.parametrize(
    ("file", "change", "tag", "wrong"),
    [
        ("README.md", _nothing, "0.2.0", None),
        ("README.md", _nothing, "", None),
        ("README.md", _nothing, "0.2.1", "the version of the archives is 0.2.0, not 0.2.1"),
        ("LICENSE", str.upper, "", "is not the project's LICENSE"),
        (
            "pyproject.toml",
            lambda text: text.replace('license = "BSD-3-Clause"', 'license = "MIT"'),
            "",
            "License-Expression 'MIT', not 'BSD-3-Clause'",
        ),
        (
            "pyproject.toml",
            lambda text: text.replace("Changelog = ", "History = "),
            "",
            "the metadata have Project-URL",
        ),
        (
            "pyproject.toml",
            lambda text: text.split("substitutions = [")[0],
            "",
            "links that lead nowhere on PyPI: results/d3/archive/figure.png",
        ),
    ],
)
def test_metadata_are_the_projects(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    file: str,
    change: Callable[[str], str],
    tag: str,
    wrong: str | None,
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from check_wheel import Wrong, check_metadata

    path = project / file
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    _commit(project, "changed")
    _call(*_GIT, "tag", "v0.2.0", here=project)
    sdist, wheel = _build(project)
    if wrong is None:
        check_metadata(sdist, wheel, tag)
        return
    with pytest.raises(Wrong) as raised:
        check_metadata(sdist, wheel, tag)
    assert wrong in str(raised.value)
