"""From a source to its table: downloads by kind of place, then one parser per format."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd

from boostbench.data import archives
from boostbench.data.access import DataAccess, place_of
from boostbench.data.binary import GENERATORS, load_bundled, parse_idx, table_of_idx
from boostbench.data.cards import Source
from boostbench.data.download import cached_path, fetch
from boostbench.data.mirror import find_folder, read_copy
from boostbench.data.openml import cache_folder, fetch_file, join, parse_dataset, server_of
from boostbench.data.readers import parse_bytes
from boostbench.data.table import Table, is_text
from boostbench.errors import DataError


def fetch_source(source: Source, access: DataAccess) -> Callable[[], Table]:
    """Bring the files of ``source`` here, and return the function that parses them.

    Raises DataError if the files are unavailable; what is returned raises it if they cannot be
    read.
    """
    match source.kind:
        case "file":
            copies = [(*read_copy(file, access), "") for file in source.files]
            return partial(_parse_files, source, copies)
        case "images":
            find_folder(source.folder, access)
            return partial(_not_a_table, source)
        case "generated":
            if source.dataset not in GENERATORS:
                raise DataError(f"there is no generator {source.dataset!r}")
            return partial(GENERATORS[source.dataset], **source.params)
        case "sklearn":
            return partial(load_bundled, source.dataset)
        case "openml":
            found = [fetch_file(number, access) for number in source.openml_ids]
            if not source.join:
                return partial(parse_dataset, *found[0], source.label)
            parts = zip(source.openml_ids, found, strict=True)
            return lambda: join((n, parse_dataset(*each, f"OpenML {n}")) for n, each in parts)
        case _:
            wanted = _wanted(source, access)
            contents = [
                (archives.read_file(fetch(access, urls, sha256)), urls[0])
                for urls, sha256 in wanted
            ]
            if source.kind == "keel":
                source = source.model_copy(update={"format": "keel"})
                members = [f"{source.dataset}.dat"]
            elif source.kind == "uci":
                members = [file.name for file in source.files]
                contents *= len(members)
            else:
                members = [""] * len(contents)
            files = [(*found, member) for found, member in zip(contents, members, strict=True)]
            return partial(_parse_files, source, files)


def _not_a_table(source: Source) -> Table:
    raise TypeError(f"{source.label} is not read as a table")


def addresses(source: Source, access: DataAccess) -> list[str]:
    """Return the addresses that ``source`` may be downloaded from; none where it needs none."""
    if source.kind == "openml":
        return [server_of(access)]
    return [url for urls, _ in _wanted(source, access) for url in urls]


def origin(source: Source, access: DataAccess) -> str:
    """Return where the files of ``source`` came from, such as ``UCI 1 (cache)``."""
    origins = access.network.origins
    if source.kind == "openml":
        fresh = any(cache_folder(n, access) in origins for n in source.openml_ids)
        return f"{source.label} ({'downloaded' if fresh else 'cache'})"
    wanted = _wanted(source, access)
    if not wanted:
        return source.label
    paths = [cached_path(access, urls, sha256) for urls, sha256 in wanted]
    places = " and ".join(dict.fromkeys(place_of(origins[p]) for p in paths if p in origins))
    if source.kind == "url":
        return places or f"{place_of(source.label)} (cache)"
    return f"{source.label} ({places or 'cache'})"


def unchecked_files(source: Source, access: DataAccess) -> list[Path]:
    """Return the files of ``source`` in the cache that nothing but their data can tell is right."""
    wanted = (urls for urls, sha256 in _wanted(source, access) if sha256 is None)
    return [path for urls in wanted if (path := cached_path(access, urls, None)).is_file()]


def _wanted(source: Source, access: DataAccess) -> list[tuple[Sequence[str], str | None]]:
    """Return the addresses and the sha256 of each file to be downloaded."""
    match source.kind:
        case "uci":
            base, cdn = access.uci_url.rstrip("/"), access.uci_cdn_url.rstrip("/")
            # UCI serves some slugs under one spelling only, and the copies under this one.
            quoted = source.slug.replace("+", "%2B")
            names = [f"{base}/{source.id}/{slug}.zip" for slug in (source.slug, quoted)]
            names += [f"{cdn}/{source.id}/{quoted}.zip"] if cdn else []
            return [(list(dict.fromkeys(names)), None)]
        case "keel":
            base = access.keel_url.rstrip("/")
            return [([f"{base}/{source.group}/{source.dataset}.zip"], None)]
        case "url":
            return [(file.urls, file.sha256) for file in source.files]
    return []


def _parse_files(source: Source, contents: Sequence[tuple[bytes, str, str]]) -> Table:
    """Parse ``(content, where, member)`` of each file, and put the tables one below the other."""
    unpacked = [
        (archives.unpack(content, where, member), f"{where}:{member}" if member else where)
        for content, where, member in contents
    ]
    if source.format == "idx":
        return table_of_idx([parse_idx(*each) for each in unpacked], contents[0][1])
    first, *others = tables = [
        parse_bytes(
            content,
            where,
            source.format,
            encoding=source.encoding,
            separator=source.separator,
            header=source.header,
            skip_lines=source.skip_lines,
        )
        for content, where in unpacked
    ]
    for table in others:
        if [*map(is_text, _columns(table))] != [*map(is_text, _columns(first))]:
            raise DataError(f"{table.where} does not have the columns of {first.where}")
    frames = [table.frame.set_axis(first.names, axis=1) for table in tables]
    return (
        replace(first, frame=pd.concat(frames, ignore_index=True), lines=None) if others else first
    )


def _columns(table: Table) -> list[pd.Series]:
    return [table.frame[name] for name in table.frame]
