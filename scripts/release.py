"""Prepare a release, and check that everything which names its version follows the tag.

    python scripts/release.py prepare 0.2.0   # writes CITATION.cff and CHANGELOG.md
    python scripts/release.py check v0.2.0    # exit code 1 where they do not follow the tag

The version of a build is that of the git tag; CITATION.cff and the newest heading of CHANGELOG.md
have to name the same. Where ``GITHUB_REPOSITORY`` is set, as in a workflow, the addresses in
pyproject.toml must be those of that repository. Needs nothing but Python.
"""

import argparse
import datetime
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")
_HEADING = re.compile(r"^## (?P<version>\S+) \((?P<date>[^)]+)\)$", re.MULTILINE)
_UNRELEASED = "not released yet"
_CITED = re.compile(
    r"^version: *(?P<version>\S+)\n(?:date-released: *(?P<date>\S+)\n)?", re.MULTILINE
)
_REPOSITORY = re.compile(r"https://(?:raw\.githubusercontent|github)\.com/([\w.-]+/[\w.-]+)")


class Refused(Exception):
    """Why a release cannot be prepared, in one sentence."""


class Named(NamedTuple):
    """A version and its date, "" where there is none."""

    version: str
    date: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the project (default: this one)")
    commands = parser.add_subparsers(dest="command", required=True)
    first = commands.add_parser("prepare", help="write the version into the files that name it")
    first.add_argument("version", help="such as 0.2.0")
    first.add_argument("--date", default=datetime.date.today().isoformat(), help="default: today")
    second = commands.add_parser("check", help="compare these files with a tag")
    second.add_argument("tag", help="such as v0.2.0")
    options = parser.parse_args()
    if options.command == "prepare":
        try:
            prepare(options.root, Named(options.version, options.date))
        except Refused as refused:
            print(f"release: {refused}", file=sys.stderr)
            return 2
        print(f"CITATION.cff, CHANGELOG.md: {options.version}; commit them, then tag that commit")
        return 0
    found = list(problems(options.root, options.tag, os.environ.get("GITHUB_REPOSITORY", "")))
    for problem in found:
        print(f"release: {problem}", file=sys.stderr)
    if not found:
        print(f"{options.tag}: CITATION.cff, CHANGELOG.md and pyproject.toml agree")
    return 1 if found else 0


def prepare(root: Path, release: Named) -> None:
    """Write ``release`` into CITATION.cff, and into the first heading of CHANGELOG.md.

    :raises Refused: if it is no version with a date, or the changelog has nothing to release;
        nothing is written then
    """
    if not _VERSION.fullmatch(release.version):
        raise Refused(f"{release.version!r} is no version: give one such as 0.2.0 or 0.2.0rc1")
    if not _is_date(release.date):
        raise Refused(f"{release.date!r} is no date: give one such as 2026-11-27")
    changes = root / "CHANGELOG.md"
    history = changes.read_text(encoding="utf-8")
    newest = _HEADING.search(history)
    if newest is None or newest["date"] != _UNRELEASED:
        heading = f"## {release.version} ({_UNRELEASED})"
        raise Refused(f"the first heading of CHANGELOG.md is not such as {heading!r}: add it")
    citation = root / "CITATION.cff"
    text = citation.read_text(encoding="utf-8")
    if not _CITED.search(text):
        raise Refused(f"CITATION.cff has no version: add a line 'version: {release.version}'")
    cited = f"version: {release.version}\ndate-released: {release.date}\n"
    released = f"## {release.version} ({release.date})"
    changes.write_text(history.replace(newest[0], released, 1), encoding="utf-8")
    citation.write_text(_CITED.sub(cited, text, count=1), encoding="utf-8")


def problems(root: Path, tag: str, repository: str = "") -> Iterator[str]:
    """Yield, in sentences, what does not follow ``tag``.

    ``repository`` is "owner/name", or "" where it is not known.
    """
    version = tag.removeprefix("v")
    if not tag.startswith("v") or not _VERSION.fullmatch(version):
        yield f"the tag {tag} is no version: tag v0.2.0 or v0.2.0rc1"
        return
    remedy = f"run: python scripts/release.py prepare {version}, commit, and tag that commit"
    cited, listed = cited_version(root), newest_change(root)
    for file, named in (("CITATION.cff", cited), ("CHANGELOG.md", listed)):
        if named.version != version:
            yield f"{file} names version {named.version or 'none'}, the tag {version}; {remedy}"
        elif not _is_date(named.date):
            yield f"{file} has no date of version {version}; {remedy}"
    if all(_is_date(named.date) for named in (cited, listed)) and cited.date != listed.date:
        yield f"CITATION.cff has the date {cited.date}, CHANGELOG.md {listed.date}; {remedy}"
    yield from _foreign_addresses(root, repository)


def cited_version(root: Path) -> Named:
    """Return the version in CITATION.cff."""
    found = _CITED.search((root / "CITATION.cff").read_text(encoding="utf-8"))
    return Named(found["version"], found["date"] or "") if found else Named("", "")


def newest_change(root: Path) -> Named:
    """Return the version of the newest released heading in CHANGELOG.md, else of the newest one."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = [Named(found["version"], found["date"]) for found in _HEADING.finditer(text)]
    released = [heading for heading in headings if heading.date != _UNRELEASED]
    return [*released, *headings, Named("", "")][0]


def _foreign_addresses(root: Path, repository: str) -> Iterator[str]:
    """Yield the lines of pyproject.toml with an address in another repository."""
    lines = (root / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines if repository else (), 1):
        if others := set(_REPOSITORY.findall(line)) - {repository}:
            named = ", ".join(sorted(others))
            yield f"pyproject.toml, line {number}: {named} is not {repository}: change the address"


def _is_date(text: str) -> bool:
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


if __name__ == "__main__":
    raise SystemExit(main())
