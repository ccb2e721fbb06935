"""From a source to its table: downloads and the user's copies, then one parser per format.

The user's copies lie in the folder that ``--mirror`` names, somewhere below it.
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from boostbench.data.access import DataAccess
from boostbench.data.binary import generate, load_bundled, parse_idx, table_of_idx
from boostbench.data.cards import Source, SourceFile
from boostbench.data.content import read_file, unpack
from boostbench.data.download import NotLocal, cached_path, fetch
from boostbench.data.openml import fetch_file, join, parse_dataset, server_of
from boostbench.data.readers import parse_bytes
from boostbench.data.table import Table, is_text
from boostbench.errors import DataError
from boostbench.suggest import listing


class _Content(NamedTuple):
    """The content of a file, where it is from, and the member of a zip that is wanted, if any."""

    content: bytes
    where: str
    member: str = ""

    @property
    def name(self) -> str:
        """Where the wanted part is from."""
        return f"{self.where}:{self.member}" if self.member else self.where


@dataclass(frozen=True)
class _Download:
    """The addresses of a file, its sha256, and the member of a zip that is wanted, if any."""

    urls: Sequence[str]
    sha256: str | None = None
    member: str = ""


def fetch_source(source: Source, access: DataAccess) -> Callable[[], Table]:
    """Fetch the files of ``source``, which has no images; return a function that parses them.

    Raises DataError if the files are unavailable; the function raises it if they cannot be read.
    """
    match source.kind:
        case "generated":
            return partial(generate, source.dataset, source.params)
        case "sklearn":
            return partial(load_bundled, source.dataset)
        case "openml":
            files = {number: fetch_file(number, access) for number in source.openml_ids}
            if not source.join:
                return partial(parse_dataset, *files[source.openml_ids[0]], source.label)
            return lambda: join(
                (number, parse_dataset(*file, f"OpenML {number}")) for number, file in files.items()
            )
        case "file":
            contents = [read_copy(file, access) for file in source.files]
        case _:
            contents = [
                _Content(
                    read_file(fetch(access, each.urls, each.sha256)), each.urls[0], each.member
                )
                for each in _downloads(source, access)
            ]
    return partial(_parse_files, source, contents)


def addresses(source: Source, access: DataAccess) -> list[str]:
    """Return the addresses for downloads of ``source``; none where it needs no download."""
    if source.kind == "openml":
        return [server_of(access)]
    return [url for each in _downloads(source, access) for url in each.urls]


def unchecked_files(source: Source, access: DataAccess) -> set[Path]:
    """Return the cached files of ``source`` without a checksum: only their data show damage."""
    unchecked = [each.urls for each in _downloads(source, access) if each.sha256 is None]
    paths = {cached_path(access, urls, None) for urls in unchecked}
    return {path for path in paths if path.is_file()}


def _downloads(source: Source, access: DataAccess) -> list[_Download]:
    """Return the files of ``source`` to be downloaded, if any."""
    match source.kind:
        case "uci":
            base = access.uci_url.rstrip("/")
            copies_at = access.uci_cdn_url.rstrip("/")
            # UCI serves some slugs under one spelling only, and the copies under this one.
            quoted = source.slug.replace("+", "%2B")
            urls = [f"{base}/{source.id}/{slug}.zip" for slug in (source.slug, quoted)]
            urls += [f"{copies_at}/{source.id}/{quoted}.zip"] if copies_at else []
            distinct = list(dict.fromkeys(urls))
            return [_Download(distinct, member=file.name) for file in source.files]
        case "keel":
            url = f"{access.keel_url.rstrip('/')}/{source.group}/{source.dataset}.zip"
            return [_Download([url], member=f"{source.dataset}.dat")]
        case "url":
            return [_Download(file.urls, file.sha256) for file in source.files]
    return []


def _parse_files(source: Source, contents: Sequence[_Content]) -> Table:
    """Parse the files of a source, and put the tables one below the other."""
    unpacked = [(unpack(*each), each.name) for each in contents]
    if source.format == "idx":
        return table_of_idx([parse_idx(*each) for each in unpacked], contents[0].where)
    first, *others = tables = [
        parse_bytes(
            content,
            name,
            "keel" if source.kind == "keel" else source.format,
            source.encoding,
            header=source.header,
            separator=source.separator,
        )
        for content, name in unpacked
    ]
    for table in others:
        if _which_are_text(table) != _which_are_text(first):
            raise DataError(f"{table.where} does not have the columns of {first.where}")
    if not others:
        return first
    frames = [table.frame.set_axis(first.names, axis=1) for table in tables]
    return replace(first, frame=pd.concat(frames, ignore_index=True), lines=None)


def _which_are_text(table: Table) -> list[bool]:
    return [is_text(table.frame[name]) for name in table.frame]


def read_copy(file: SourceFile, access: DataAccess) -> _Content:
    """Return the mirror's copy of ``file``.

    Raises NotLocal if no file has its name, DataError if those of its name are other files.
    """
    paths = [path for name in file.names for path in _named(name, access) if path.is_file()]
    if not paths:
        raise NotLocal(f"the mirror has no {file.names[0]}")
    if file.sha256 is None:
        return _Content(read_file(only_one_of(paths)), str(paths[0]))
    for path in paths:
        readings = [read_file(path)]
        with suppress(DataError):
            readings.append(unpack(readings[0], str(path)))
        for reading in readings:
            if hashlib.sha256(reading).hexdigest() == file.sha256:
                return _Content(reading, str(path))
    raise DataError(
        f"{listing(map(str, paths))} {'does' if len(paths) == 1 else 'do'} not have the sha256 "
        "that the card expects; put the original file there, or none of this name"
    )


def find_folder(name: str, access: DataAccess) -> Path:
    """Return the mirror's folder ``name``; NotLocal if there is none, DataError for several."""
    folders = [path for path in _named(name, access) if path.is_dir()]
    if not folders:
        raise NotLocal(f"the mirror has no folder {name}")
    return only_one_of(folders)


def walk(folder: Path) -> Iterator[tuple[Path, list[str], list[str]]]:
    """Walk as ``os.walk`` does, without hidden files and folders, and into linked folders."""
    for place, inside, names in os.walk(folder, followlinks=True):
        here = Path(place).resolve()
        # A link to a folder that contains it would never end.
        inside[:] = [
            name
            for name in inside
            if not name.startswith(".") and not here.is_relative_to((here / name).resolve())
        ]
        yield Path(place), inside, [name for name in names if not name.startswith(".")]


def _named(name: str, access: DataAccess) -> list[Path]:
    """Return the files and folders of the mirror with this name, with or without ``.gz``."""
    if access.mirror is None:
        raise NotLocal("no mirror is given")
    if not access.mirror_index:
        for place, folders, files in walk(access.mirror):
            for entry in (*folders, *files):
                same = access.mirror_index.setdefault(entry.removesuffix(".gz"), [])
                same.append(place / entry)
    return sorted(access.mirror_index.get(name.removesuffix(".gz"), ()))


def only_one_of(paths: list[Path]) -> Path:
    """Return the only path; DataError where there are several."""
    if len(paths) > 1:
        raise DataError(f"{listing(map(str, paths))} have the same name; keep one of them")
    return paths[0]
