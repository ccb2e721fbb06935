"""A request in, a data set out."""

import contextlib
from pathlib import Path

from boostbench.data.access import DataAccess
from boostbench.data.cards import Card, Source, requested_card
from boostbench.data.columns import Encoding
from boostbench.data.dataset import Dataset
from boostbench.data.encode import encode
from boostbench.data.fetch import NotAtHand
from boostbench.data.large import load_large
from boostbench.data.mirror import copies
from boostbench.data.network import Unreachable, unanswered
from boostbench.data.openml_client import NO_SUCH_ID, fetch_dataset, parse_dataset
from boostbench.data.readers import read_table
from boostbench.data.request import DataRequest
from boostbench.data.sources import fetch_source, origin
from boostbench.data.subset import take_per_class
from boostbench.data.table import Table
from boostbench.errors import DataError, UnavailableDataError


def load_dataset(request: DataRequest, access: DataAccess) -> Dataset:
    """Return the parsed and encoded data set that ``request`` names.

    :raises DataError: a sentence, if it is unavailable, or cannot be read or used
    """
    if request.card is not None:
        dataset = load_from_card(requested_card(request), access, request.name)
    elif request.openml is not None:
        dataset = _load_openml(request, access)
    else:
        dataset = _load_file(request)
    return dataset if request.per_class is None else take_per_class(dataset, request.per_class)


def load_from_card(card: Card, access: DataAccess, name: str | None = None) -> Dataset:
    """Return the card's data set from the first of its sources that has it.

    What a source gives must have the card's size and fingerprint. A cached file that does not is
    taken out of the cache, and fetched once more.

    :raises UnavailableDataError: saying of each source why it does not serve
    """
    name = name or card.name
    access = access.sharing(name)
    reasons: list[str] = []
    silent: dict[str, str] = {}
    for source in in_order(card):
        try:
            dataset = _load_source(card, source, access, name)
            access.known_network.served[name] = origin(source, access)
            return dataset
        except NotAtHand:
            continue
        except Unreachable as error:
            silent |= error.hosts
        except DataError as error:
            reason = str(error)
            reasons.append(reason if source.label in reason else f"{source.label}: {reason}")
            access.notify(f"{card.name}: {reasons[-1]}")
    if silent:
        reasons.append(unanswered(silent))
    if card.obtain and not reasons:
        reasons.append(card.obtain)
    elif all(source.kind == "file" for source in card.sources) and not reasons:
        reasons.append(_mirror_alone(card, access))
    elif access.offline or not reasons:
        places = "not in the cache"
        if access.mirror is not None:
            places = f"neither in the cache nor in {access.mirror}"
        reasons.append(f"it is {places}" + ", and may not be fetched" * access.offline)
    known = card.obtain or access.mirror is not None
    hint = "" if known else " (--mirror names a folder with copies)"
    raise UnavailableDataError(
        f"data set {card.name!r} cannot be loaded{hint}: {'; '.join(reasons)}"
    )


def in_order(card: Card) -> list[Source]:
    """Return the card's sources as they are tried, first as the mirror may hold their files."""
    copied = [s for s in card.sources if s.kind == "url" and all(file.sha256 for file in s.files)]
    return [
        *(source for source in card.sources if source.kind == "file"),
        *(source.model_copy(update={"kind": "file"}) for source in copied),
        *(source for source in card.sources if source.kind != "file"),
    ]


def _mirror_alone(card: Card, access: DataAccess) -> str:
    mirror = access.mirror
    files = [file for source in card.sources for file in source.files]
    lacking = [file.names[0] for file in files if mirror is None or not copies(file, access)]
    names = " and ".join(lacking)
    if mirror is None:
        return f"no server has it, only a mirror that holds {names}"
    return f"the mirror {mirror} does not hold {names}, and no server does"


def _load_source(card: Card, source: Source, access: DataAccess, name: str) -> Dataset:
    while True:
        used: dict[Path, bool] = {}
        try:
            if source.kind == "images":
                from boostbench.data.images import load_images

                return verified(card, load_images(card, source, access, name), source.label)
            if source.in_blocks:
                return verified(card, load_large(card, source, access, name), source.label)
            return _checked(card, source, fetch_source(source, access, used)(), name)
        except DataError:
            if access.offline:
                raise
            for path in used:
                with contextlib.suppress(OSError):
                    path.unlink()
            # Only a file that was in the cache before can be better when fetched again.
            if not any(used.values()):
                raise


def _checked(card: Card, source: Source, table: Table, name: str) -> Dataset:
    names = source.columns or card.columns
    # A card without names takes those of the source, whose target may be called otherwise.
    own = bool(names) or card.target in table.names
    encoding = Encoding(
        target=card.target if own else None,
        columns=names,
        order=card.columns,
        drop=tuple(column for column in card.drop if column in names),
        codes=card.codes,
        onehot=card.onehot,
        strict=True,
        missing=card.missing,
        rows=source.rows,
        classes=source.classes,
    )
    dataset = encode(table, encoding, name=name, task=card.task, source=source.label)
    return verified(card, dataset, table.where)


def verified(card: Card, dataset: Dataset, where: str) -> Dataset:
    """Return ``dataset``, read at ``where``, if it is what the card describes.

    :raises DataError: if it has another size or other values
    """
    n, p = dataset.X.shape
    if (n, p) != (card.n_samples or n, card.n_features or p):
        raise DataError(
            f"{where} gives {n} rows of {p} features, "
            f"but the card expects {card.n_samples} of {card.n_features}"
        )
    if card.fingerprint and dataset.fingerprint != card.fingerprint:
        raise DataError(
            f"{where} differs from the data the card expects: its fingerprint is "
            f"{dataset.fingerprint}"
        )
    return dataset


def _load_openml(request: DataRequest, access: DataAccess) -> Dataset:
    assert request.openml is not None
    access = access.sharing(request.name)
    source = Source(kind="openml", id=request.openml)
    try:
        meta, content = fetch_dataset(request.openml, access)
    except UnavailableDataError:
        raise
    except DataError as error:
        if str(error).endswith(NO_SUCH_ID):
            raise
        raise UnavailableDataError(f"data set {request.name!r}: {error}") from error
    table = parse_dataset(request.openml, meta, content, request.texts)
    access.known_network.served[request.name] = origin(source, access)
    return _encode_request(request, table, source.label)


def _load_file(request: DataRequest) -> Dataset:
    assert request.file is not None
    path = Path(request.file).expanduser()
    table = read_table(path, encoding=request.encoding, texts=request.texts)
    return _encode_request(request, table, f"file {path.name}")


def _encode_request(request: DataRequest, table: Table, source: str) -> Dataset:
    table, target = table.without(request.na_values), request.target
    if isinstance(target, str) and target not in table.names:
        # A file without a header has numbered columns: accept "3" for 3.
        with contextlib.suppress(ValueError):
            target = int(target)
    encoding = Encoding(
        target=target,
        drop=request.drop,
        onehot=() if request.categorical == "auto" else request.categorical,
        every_text=request.categorical == "auto",
        missing=request.missing,
        texts=request.texts,
    )
    return encode(table, encoding, name=request.name, task=request.task, source=source)
