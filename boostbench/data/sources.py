"""From a source to its table: downloads by kind of place, then one parser per format."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from boostbench.data import archives
from boostbench.data.access import DataAccess
from boostbench.data.binary import GENERATORS, load_bundled, parse_idx, table_of_idx
from boostbench.data.cards import Source
from boostbench.data.fetch import cached_path, fetch
from boostbench.data.mirror import find_folder, read_copy
from boostbench.data.network import place_of
from boostbench.data.openml_client import (
    cache_folder,
    fetch_dataset,
    fetch_file,
    parse_dataset,
    server_of,
)
from boostbench.data.readers import parse_bytes
from boostbench.data.table import Table
from boostbench.errors import DataError


def fetch_source(source: Source, access: DataAccess, used: dict[Path, bool]) -> Callable[[], Table]:
    """Bring the files of ``source`` here, and return the function that parses them.

    :param used: gets each cached file without a known sha256, and whether it was there before
    :raises DataError: if they are unavailable; what is returned raises it if they cannot be read
    """
    match source.kind:
        case "file":
            found = [(*read_copy(file, access), "") for file in source.files]
            return partial(_parse_files, source, found)
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
            assert source.id is not None
            if source.in_blocks:
                for number in source.openml_ids:
                    fetch_file(number, access)
                return partial(_not_a_table, source)
            return partial(parse_dataset, source.id, *fetch_dataset(source.id, access))
    paths = [fetch(access, urls, sha256, used=used) for urls, sha256 in _wanted(source, access)]
    contents = [archives.read_file(path) for path in paths]
    addresses = [urls[0] for urls, _ in _wanted(source, access)]
    members = [""] * len(contents)
    if source.kind == "keel":
        source, members = source.model_copy(update={"format": "keel"}), [f"{source.dataset}.dat"]
    if source.kind == "uci":
        members = [file.name for file in source.files]
        contents, addresses = contents * len(source.files), addresses * len(source.files)
    return partial(_parse_files, source, list(zip(contents, addresses, members, strict=True)))


def _not_a_table(source: Source) -> Table:
    raise TypeError(f"{source.label} is not read as a table")


def addresses(source: Source, access: DataAccess) -> list[str]:
    """Return the addresses that ``source`` may be downloaded from; none where it needs none."""
    if source.kind == "openml":
        return [server_of(access)]
    return [url for urls, _ in _wanted(source, access) for url in urls]


def origin(source: Source, access: DataAccess) -> str:
    """Return where the files of ``source`` in the cache came from, such as ``UCI 1 (cache)``.

    :param access: with the network that the downloads of this run went through
    """
    network = access.known_network
    if source.kind == "openml":
        fresh = any(cache_folder(n, access) in network.origins for n in source.openml_ids)
        return f"{source.label} ({'downloaded' if fresh else 'cache'})"
    wanted = _wanted(source, access)
    if not wanted:
        return source.label
    paths = [cached_path(access, urls, sha256) for urls, sha256 in wanted]
    places = dict.fromkeys(place_of(network.origins[p]) for p in paths if p in network.origins)
    if source.kind == "url":
        return " and ".join(places) or f"{place_of(source.label)} (cache)"
    return f"{source.label} ({' and '.join(places) or 'cache'})"


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
    tables, arrays = [], []
    for content, where, member in contents:
        name = f"{where}:{member}" if member else where
        inner = archives.unpack(content, where, member)
        if source.format == "idx":
            arrays.append(parse_idx(inner, name))
            continue
        tables.append(
            parse_bytes(
                inner,
                name,
                source.format,
                encoding=source.encoding,
                separator=source.separator,
                header=source.header,
                skip_lines=source.skip_lines,
            )
        )
    if arrays:
        return table_of_idx(arrays, contents[0][1])
    return _below(tables)


def _below(tables: Sequence[Table]) -> Table:
    first = tables[0]
    if len(tables) == 1:
        return first
    for table in tables[1:]:
        if [c.is_text for c in table.columns] != [c.is_text for c in first.columns]:
            raise DataError(f"{table.where} does not have the columns of {first.where}")
    columns = tuple(
        replace(parts[0], values=np.concatenate([part.values for part in parts]))
        for parts in zip(*(table.columns for table in tables), strict=True)
    )
    return replace(first, columns=columns, lines=None)
