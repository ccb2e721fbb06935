"""A release: the files that name its version follow the tag, and only a tag is published."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"
CITATION = "cff-version: 1.2.0\ntitle: boostbench\nversion: 0.1.0\nlicense: BSD-3-Clause\n"
CHANGES = (
    "# Changelog\n\n## 0.2.0 (not released yet)\n\n- New.\n\n## 0.1.0 (2026-01-02)\n\n- Old.\n"
)
HERE = "https://github.com/boostbench/boostbench"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with the files that name a version."""
    (tmp_path / "CITATION.cff").write_text(CITATION)
    (tmp_path / "CHANGELOG.md").write_text(CHANGES)
    (tmp_path / "pyproject.toml").write_text(f'[project.urls]\nHomepage = "{HERE}"\n')
    return tmp_path


def release(root: Path, *words: str, repository: str = "") -> tuple[int, str]:
    """Return the exit code and the words of ``scripts/release.py``."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "release.py"), "--root", str(root), *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "GITHUB_REPOSITORY": repository},
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("version", ["0.2.0", "1.0.0rc2"])
def test_a_prepared_release_is_one_that_may_be_tagged(root: Path, version: str) -> None:
    assert release(root, "prepare", version, "--date", "2026-03-04")[0] == 0
    cited = yaml.safe_load((root / "CITATION.cff").read_text())
    assert (cited["version"], str(cited["date-released"])) == (version, "2026-03-04")
    assert cited["license"] == "BSD-3-Clause"
    changes = (root / "CHANGELOG.md").read_text()
    assert changes == CHANGES.replace("0.2.0 (not released yet)", f"{version} (2026-03-04)")
    assert release(root, "check", f"v{version}", repository="boostbench/boostbench")[0] == 0


def test_the_next_release_replaces_version_and_date(root: Path) -> None:
    release(root, "prepare", "0.2.0", "--date", "2026-03-04")
    changes = root / "CHANGELOG.md"
    changes.write_text(
        changes.read_text().replace("## 0", "## 0.3.0 (not released yet)\n\n## 0", 1)
    )
    # Between releases the files name the last one.
    assert release(root, "check", "v0.2.0")[0] == 0
    assert release(root, "prepare", "0.3.0", "--date", "2026-05-06")[0] == 0
    cited = (root / "CITATION.cff").read_text()
    assert cited.count("date-released: 2026-05-06") == cited.count("date-released") == 1
    assert release(root, "check", "v0.3.0")[0] == 0
    assert release(root, "check", "v0.2.0")[0] == 1


@pytest.mark.parametrize(
    ("words", "file", "text", "said"),
    [
        (["0.2"], "", "", "'0.2' is no version"),
        (["v0.2.0"], "", "", "'v0.2.0' is no version"),
        (["0.2.0", "--date", "4.3.2026"], "", "", "'4.3.2026' is no date"),
        (["0.2.0"], "CHANGELOG.md", CHANGES.replace("not released yet", "2026-02-03"), "add it"),
        (["0.2.0"], "CHANGELOG.md", "# Changelog\n", "add it"),
        (["0.2.0"], "CITATION.cff", "title: boostbench\n", "CITATION.cff has no version"),
    ],
)
def test_what_cannot_be_released_is_refused_and_nothing_is_written(
    root: Path, words: list[str], file: str, text: str, said: str
) -> None:
    if file:
        (root / file).write_text(text)
    before = {path.name: path.read_text() for path in root.iterdir()}
    code, told = release(root, "prepare", *words)
    assert (code, told.count("\n")) == (2, 1)
    assert said in told
    assert {path.name: path.read_text() for path in root.iterdir()} == before


@pytest.mark.parametrize(
    ("tag", "file", "old", "new", "repository", "said"),
    [
        ("0.2.0", "", "", "", "", ["the tag 0.2.0 is no version"]),
        ("vnext", "", "", "", "", ["the tag vnext is no version"]),
        ("v0.2.1", "", "", "", "", ["CITATION.cff names version 0.2.0", "CHANGELOG.md names"]),
        ("v0.2.0", "CITATION.cff", "0.2.0", "0.1.9", "", ["CITATION.cff names version 0.1.9"]),
        ("v0.2.0", "CITATION.cff", "version: 0.2.0", "", "", ["names version none"]),
        ("v0.2.0", "CITATION.cff", "date-released: 2026-03-04\n", "", "", ["has no date of"]),
        ("v0.2.0", "CITATION.cff", "2026-03-04", "2026-03-05", "", ["has the date 2026-03-05"]),
        ("v0.2.0", "", "", "", "other/fork", ["line 2: boostbench/boostbench is not other/fork"]),
    ],
)
def test_a_file_that_does_not_follow_the_tag_is_named(
    root: Path, tag: str, file: str, old: str, new: str, repository: str, said: list[str]
) -> None:
    release(root, "prepare", "0.2.0", "--date", "2026-03-04")
    if file:
        path = root / file
        path.write_text(path.read_text().replace(old, new))
    code, told = release(root, "check", tag, repository=repository)
    assert code == 1
    for line, part in zip(told.splitlines(), said, strict=True):
        assert part in line


def test_citation_names_the_newest_change(tmp_path: Path) -> None:
    """Of this project itself: the last release, or the first one where there is none yet."""
    if not (ROOT / "CITATION.cff").exists():
        pytest.skip("not in a clone of the repository")
    for name in ("CITATION.cff", "CHANGELOG.md", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    version = yaml.safe_load((tmp_path / "CITATION.cff").read_text())["version"]
    _, told = release(tmp_path, "check", f"v{version}")
    assert "names version" not in told
    assert release(tmp_path, "check", "v99.0.0")[1].count("names version") == 2


def workflow() -> dict[str, Any]:
    if not WORKFLOW.exists():
        pytest.skip("not in a clone of the repository")
    # YAML reads the key ``on`` as true.
    return yaml.safe_load(WORKFLOW.read_text(encoding="utf-8").replace("\non:", '\n"on":'))


def test_only_a_tag_is_published_and_only_after_both_systems_used_it() -> None:
    found = workflow()
    assert found["on"] == {"push": {"tags": ["v*"]}}
    jobs = found["jobs"]
    assert jobs["smoke"]["strategy"]["matrix"]["os"] == ["ubuntu-latest", "macos-latest"]
    assert jobs["smoke"]["needs"] == "build"
    assert set(jobs["publish"]["needs"]) == {"build", "smoke"}
    # The only job that may publish runs nothing of the repository, and there is no password.
    may = [name for name, job in jobs.items() if "permissions" in job]
    assert (may, jobs["publish"]["permissions"]) == (["publish"], {"id-token": "write"})
    assert not any("run" in step for step in jobs["publish"]["steps"])
    assert "secrets" not in WORKFLOW.read_text(encoding="utf-8")


def test_every_step_is_a_fixed_action_or_a_script_that_is_here() -> None:
    steps = [step for job in workflow()["jobs"].values() for step in job["steps"]]
    local = (ROOT / ".ci" / "release").read_text(encoding="utf-8")
    for step in steps:
        if "uses" in step:
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"])
            continue
        words = step["run"].split()
        assert words[:3] == ["python", "-m", "pip"] or (ROOT / words[1]).is_file()
        # The same steps are tried by hand, see .ci/release.
        assert " ".join(words[:2]) in local
