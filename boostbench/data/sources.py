"""From a source to its table: downloads and the user's copies, then one parser per format.

The user's copies lie in the folder that ``--mirror`` names, somewhere below it.
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd

from boostbench.data.access import DataAccess
from boostbench.data.binary import generate, load_bundled, parse_idx, table_of_idx
from boostbench.data.cards import Source, SourceFile
from boostbench.data.download import NotLocal, cached_path, fetch
from boostbench.data.openml import fetch_file, join, parse_dataset, server_of
from boostbench.data.readers import parse_bytes, read_file, unpack
from boostbench.data.table import Table, is_text
from boostbench.errors import DataError
from boostbench.suggest import listing


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
            found = {number: fetch_file(number, access) for number in source.openml_ids}
            if not source.join:
                return partial(parse_dataset, *found[source.openml_ids[0]], source.label)
            return lambda: join((n, parse_dataset(*f, f"OpenML {n}")) for n, f in found.items())
        case "file":
            contents = [(*read_copy(file, access), "") for file in source.files]
        case _:
            wanted = _wanted(source, access)
            contents = [(read_file(fetch(access, u, sha256)), u[0], m) for u, sha256, m in wanted]
    return partial(_parse_files, source, contents)


def addresses(source: Source, access: DataAccess) -> list[str]:
    """Return the addresses for downloads of ``source``; none where it needs no download."""
    if source.kind == "openml":
        return [server_of(access)]
    return [url for urls, *_ in _wanted(source, access) for url in urls]


def unchecked_files(source: Source, access: DataAccess) -> set[Path]:
    """Return the cached files of ``source`` without a checksum: only their data show damage."""
    wanted = (urls for urls, sha256, _ in _wanted(source, access) if sha256 is None)
    return {path for urls in wanted if (path := cached_path(access, urls, None)).is_file()}


def _wanted(source: Source, access: DataAccess) -> list[tuple[Sequence[str], str | None, str]]:
    """Return the addresses, the sha256 and the member of each file to be downloaded."""
    match source.kind:
        case "uci":
            base, cdn = access.uci_url.rstrip("/"), access.uci_cdn_url.rstrip("/")
            # UCI serves some slugs under one spelling only, and the copies under this one.
            quoted = source.slug.replace("+", "%2B")
            urls = [f"{base}/{source.id}/{slug}.zip" for slug in (source.slug, quoted)]
            urls += [f"{cdn}/{source.id}/{quoted}.zip"] if cdn else []
            return [(list(dict.fromkeys(urls)), None, file.name) for file in source.files]
        case "keel":
            url = f"{access.keel_url.rstrip('/')}/{source.group}/{source.dataset}.zip"
            return [([url], None, f"{source.dataset}.dat")]
        case "url":
            return [(file.urls, file.sha256, "") for file in source.files]
    return []


def _parse_files(source: Source, contents: Sequence[tuple[bytes, str, str]]) -> Table:
    """Parse ``(content, where, member)`` of each file, and put the tables one below the other."""
    unpacked = [
        (unpack(content, where, member), f"{where}:{member}" if member else where)
        for content, where, member in contents
    ]
    if source.format == "idx":
        return table_of_idx([parse_idx(*each) for each in unpacked], contents[0][1])
    options = source.model_dump(include={"encoding", "separator", "header", "skip_lines"})
    kind = "keel" if source.kind == "keel" else source.format
    first, *others = tables = [parse_bytes(*each, kind, **options) for each in unpacked]
    for table in others:
        kinds, expected = ([is_text(t.frame[name]) for name in t.frame] for t in (table, first))
        if kinds != expected:
            raise DataError(f"{table.where} does not have the columns of {first.where}")
    if not others:
        return first
    frames = [table.frame.set_axis(first.names, axis=1) for table in tables]
    return replace(first, frame=pd.concat(frames, ignore_index=True), lines=None)


def read_copy(file: SourceFile, access: DataAccess) -> tuple[bytes, str]:
    """Return the content and the path of the mirror's copy of ``file``.

    Raises NotLocal if no file has its name, DataError if those of its name are other files.
    """
    found = copies(file, access)
    if not found:
        raise NotLocal(f"the mirror has no {file.names[0]}")
    if file.sha256 is None:
        return read_file(_only(found)), str(found[0])
    for path in found:
        readings = [read_file(path)]
        with suppress(DataError):
            readings.append(unpack(readings[0], str(path)))
        for reading in readings:
            if hashlib.sha256(reading).hexdigest() == file.sha256:
                return reading, str(path)
    these = f"{listing(map(str, found))} {'does' if len(found) == 1 else 'do'}"
    advice = "put the original file there, or none of this name"
    raise DataError(f"{these} not have the sha256 that the card expects; {advice}")


def copies(file: SourceFile, access: DataAccess) -> list[Path]:
    """Return the files of the mirror that have the name of ``file``, with or without ``.gz``."""
    return [path for name in file.names for path in _named(name, access) if path.is_file()]


def find_folder(name: str, access: DataAccess) -> Path:
    """Return the mirror's folder ``name``; NotLocal if there is none, DataError for several."""
    found = [path for path in _named(name, access) if path.is_dir()]
    if not found:
        raise NotLocal(f"the mirror has no folder {name}")
    return _only(found)


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
    if access.mirror is None:
        raise NotLocal("no mirror is given")
    if not access.mirror_index:
        for place, folders, files in walk(access.mirror):
            for found in (*folders, *files):
                same = access.mirror_index.setdefault(found.removesuffix(".gz"), [])
                same.append(place / found)
    return sorted(access.mirror_index.get(name.removesuffix(".gz"), ()))


def _only(paths: list[Path]) -> Path:
    if len(paths) > 1:
        raise DataError(f"{listing(map(str, paths))} have the same name; keep one of them")
    return paths[0]
