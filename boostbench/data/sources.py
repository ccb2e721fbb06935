"""From a source to its table: one function a kind of place, one a format."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from boostbench.data import archives
from boostbench.data.access import DataAccess
from boostbench.data.attributes import parse_arff, parse_keel
from boostbench.data.binary import parse_idx, parse_mat, table_of_idx
from boostbench.data.cards import Source
from boostbench.data.delimited import parse_delimited
from boostbench.data.fetch import NotAtHand, fetch, sha256_of
from boostbench.data.table import MISSING_TOKENS, Column, Table, decode
from boostbench.errors import DataError


def read_source(source: Source, access: DataAccess, used: dict[Path, bool]) -> Table:
    """Return the table that ``source`` holds.

    :param used: gets each cached file without a known sha256, and whether it was there before
    :raises DataError: if they cannot be had or read
    """
    match source.kind:
        case "mirror":
            return _parse_files(source, _mirror_files(source, access))
        case "generated":
            from boostbench.data.generated import GENERATORS

            if source.dataset not in GENERATORS:
                raise DataError(f"there is no generator {source.dataset!r}")
            return GENERATORS[source.dataset](**source.params)
        case "sklearn":
            from boostbench.data.bundled import load_bundled

            return load_bundled(source.dataset)
        case "openml":
            from boostbench.data.openml_client import openml_table

            assert source.id is not None
            return openml_table(source.id, access)
        case "uci":
            address = f"{access.uci_url.rstrip('/')}/{source.id}/{source.slug}.zip"
            path = fetch(access, [address], used=used)
            content = archives.read_file(path)
            return _parse_files(source, [(content, address, f.path) for f in source.files])
        case "keel":
            address = f"{access.keel_url.rstrip('/')}/{source.group}/{source.dataset}.zip"
            path = fetch(access, [address], used=used)
            content = archives.unpack(archives.read_file(path), address, f"{source.dataset}.dat")
            return parse_keel(decode(content, address, source.encoding), address)
        case "url":
            contents = []
            for file in source.files:
                path = fetch(access, file.urls, file.sha256, used=used)
                contents.append((archives.read_file(path), file.urls[0], file.path))
            return _parse_files(source, contents)


def parse_bytes(
    content: bytes,
    where: str,
    kind: str,
    *,
    encoding: str = "utf-8",
    separator: str | None = None,
    header: bool | None = None,
    skip_lines: int = 0,
    decimal: str = ".",
    missing: Collection[str] = MISSING_TOKENS,
) -> Table:
    """Return the table of one file's content in the format ``kind``.

    :param missing: the texts that stand for a missing value
    :raises DataError: if it is not in that format
    """
    if kind == "mat":
        return parse_mat(content, where)
    text = decode(content, where, encoding)
    if kind == "arff":
        return parse_arff(text, where, missing)
    if kind == "keel":
        return parse_keel(text, where, missing)
    return parse_delimited(
        text,
        where,
        header=header,
        separator=separator,
        skip_lines=skip_lines,
        decimal=decimal,
        missing=missing,
    )


def _parse_files(source: Source, contents: Sequence[tuple[bytes, str, str]]) -> Table:
    """Parse ``(content, where, member)`` of each file, and put the tables one below the other."""
    tables, arrays = [], []
    for content, where, member in contents:
        name = f"{where}:{member}" if member and member not in where else where
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
        kinds = [column.labels is None for column in table.columns]
        if kinds != [column.labels is None for column in first.columns]:
            raise DataError(f"{table.where} does not have the columns of {first.where}")
    columns: list[Column] = []
    for parts in zip(*(table.columns for table in tables), strict=True):
        labels = [part.labels for part in parts if part.labels is not None]
        columns.append(
            replace(
                parts[0],
                values=np.concatenate([part.values for part in parts]),
                labels=np.concatenate(labels) if labels else None,
            )
        )
    return replace(first, columns=tuple(columns), lines=None)


def _mirror_files(source: Source, access: DataAccess) -> list[tuple[bytes, str, str]]:
    if access.mirror is None:
        raise NotAtHand("no mirror is given")
    contents = []
    for file in source.files:
        path = Path(access.mirror) / file.path
        if not path.is_file():
            raise NotAtHand(f"the mirror has no {file.path}")
        if file.sha256 and sha256_of(path) != file.sha256:
            raise DataError(f"{path} does not have the sha256 that the card expects")
        contents.append((archives.read_file(path), str(path), file.path))
    return contents
