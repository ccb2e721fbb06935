"""Loading data sets: from a request to a data set."""

import contextlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path

import numpy as np

from boostbench.data import sources
from boostbench.data.access import DataAccess, host_of
from boostbench.data.cards import Card, Source
from boostbench.data.columns import Encoding
from boostbench.data.dataset import (
    Dataset,
    fingerprint,
    fingerprint_of,
    in_canonical_order,
    take_rows,
)
from boostbench.data.download import POLL_S, NotLocal, Unreachable, probe, unanswered
from boostbench.data.encode import encode
from boostbench.data.images import load_images
from boostbench.data.openml import NO_SUCH_ID, fetch_file, parse_dataset
from boostbench.data.options import DatasetOptions, Form
from boostbench.data.readers import read_table
from boostbench.data.request import DataRequest, requested_card
from boostbench.data.splits import draw
from boostbench.data.table import Table, in_one_form
from boostbench.errors import DataError, UnavailableDataError
from boostbench.suggest import counted, listing

AT_A_TIME = 4


def load_dataset(request: DataRequest, access: DataAccess) -> Dataset:
    """Return the parsed and encoded data set that ``request`` names.

    Raises DataError, a sentence, if it is unavailable, or cannot be read or used.
    """
    if request.card is not None:
        card = requested_card(request)
        dataset = load_from_card(card, access, request.name, request.features)
    elif request.openml is not None:
        dataset = _load_openml(request, access)
    else:
        path = Path(str(request.file)).expanduser()
        target = request.target
        table = read_table(
            path,
            encoding=request.encoding,
            texts=request.texts,
            header=request.header,
            target=in_one_form(target) if isinstance(target, str) else "",
            name=request.name,
        )
        dataset = _encode_request(request, table, f"file {path.name}")
    if request.per_class is None or not dataset.classes:
        return dataset
    return _select_per_class(dataset, request.per_class)


def load_from_card(
    card: Card, access: DataAccess, name: str | None = None, features: Form = "matrix"
) -> Dataset:
    """Return the card's data set from the first of its sources that has it.

    The data must have the card's size and fingerprint, which is that of the matrix; a file with
    other data is removed from the cache. Raises DataError where a frame is asked for and the
    columns have no names, and UnavailableDataError saying why each source failed.
    """
    access = replace(access, subject=name or card.name)
    if features == "frame":
        _check_names_columns(card, access.subject)
    reasons: list[str] = []
    silent: dict[str, str] = {}
    for source in _in_order(card):
        try:
            dataset = _load_source(card, source, access, features)
            for reason in reasons:
                access.notify(f"{card.name}: {reason}")
            return dataset
        except NotLocal:
            continue
        except Unreachable as error:
            silent |= error.hosts
        except DataError as error:
            reason = str(error)
            reasons.append(reason if source.label in reason else f"{source.label}: {reason}")
    if silent:
        reasons.append(unanswered(silent))
    if not reasons:
        reasons.append(card.obtain or _nowhere(card, access))
    raise UnavailableDataError(f"data set {card.name!r} cannot be loaded: {'; '.join(reasons)}")


def _nowhere(card: Card, access: DataAccess) -> str:
    """Return where the files of a card were looked for in vain."""
    names = [name for source in card.sources for file in source.files for name in file.names[:1]]
    copies = f" (as {listing(dict.fromkeys(names), 8)})" if names else ""
    unfetched = ", and may not be fetched" if access.offline else ""
    mirror = access.mirror or "a folder that --mirror names"
    return f"it is not in the cache, nor in {mirror}{copies}{unfetched}"


def _in_order(card: Card) -> list[Source]:
    """Return the card's sources in the order of the attempts, those of the mirror first."""
    own = [source for source in card.sources if source.kind == "file"]
    others = [source for source in card.sources if source.kind != "file"]
    copied = [
        source.model_copy(update={"kind": "file"})
        for source in others
        if source.kind == "url" and all(file.sha256 for file in source.files)
    ]
    return [*own, *copied, *others]


def _check_names_columns(card: Card, name: str) -> None:
    """Raise DataError unless columns have the same names whichever source they come from."""
    has_names = len(card.sources) == 1 and card.sources[0].kind != "images"
    if not (card.columns or has_names):
        raise DataError(
            f"data set {name!r}: the card {card.name!r} gives its columns no names, without which "
            "there is no frame; leave 'features: frame' out"
        )


def _load_source(card: Card, source: Source, access: DataAccess, features: Form) -> Dataset:
    try:
        if source.kind == "images":
            dataset, where = load_images(card, source, access), source.label
        else:
            table = sources.fetch_source(source, access)()
            dataset = _encode_card(card, source, table, access.subject, features)
            where = table.where
        n, p = dataset.X.shape
        if (n, p) != (card.n_samples or n, card.n_features or p):
            raise DataError(
                f"{where} gives {n} rows of {p} features, but the card expects {card.n_samples} of "
                f"{card.n_features}"
            )
        found = dataset.fingerprint
        if dataset.frame is not None:
            found = fingerprint(dataset.X, dataset.y)
        if found != (card.fingerprint or found):
            raise DataError(
                f"{where} differs from the data the card expects: its fingerprint is {found}"
            )
        return dataset
    except DataError:
        for path in () if access.offline else sources.unchecked_files(source, access):
            path.unlink(missing_ok=True)
        raise


def _encode_card(card: Card, source: Source, table: Table, name: str, features: Form) -> Dataset:
    names = source.columns or card.columns
    table = table.renamed(names, source.rows)
    # A card without names takes those of the source, whose target may have another name.
    target = card.target if names or card.target in table.names else None
    options = DatasetOptions(
        target=target,
        drop=[column for column in card.drop if column in names],
        categorical=list(card.onehot),
        missing=card.missing,
        features=features,
    )
    encoding = Encoding(options, card.columns, card.codes, strict=True, classes=source.classes)
    dataset = encode(table, encoding, name=name, task=card.task, source=source.label)
    if card.order == "canonical":
        return in_canonical_order(dataset, card.train_rows)
    return dataset


def _load_openml(request: DataRequest, access: DataAccess) -> Dataset:
    access = replace(access, subject=request.name)
    source = Source(kind="openml", id=request.openml)
    try:
        description, path = fetch_file(source.openml_ids[0], access)
    except DataError as error:
        if isinstance(error, UnavailableDataError) or str(error).endswith(NO_SUCH_ID):
            raise
        raise UnavailableDataError(f"data set {request.name!r}: {error}") from error
    table = parse_dataset(description, path, source.label, request.texts)
    return _encode_request(request, table, source.label)


def _encode_request(request: DataRequest, table: Table, source: str) -> Dataset:
    table = table.without(request.na_values or ())
    target = request.target
    if isinstance(target, str):
        target = in_one_form(target)
        if target not in table.names:
            # A file without a header has numbered columns: accept "3" for 3.
            with contextlib.suppress(ValueError):
                target = int(target)
    options = request.model_copy(
        update={
            "target": target,
            "drop": list(map(in_one_form, request.drop)),
            "categorical": "auto"
            if request.categorical == "auto"
            else list(map(in_one_form, request.onehot)),
            **{key: in_one_form(name) for key, name in request.of_rows.items()},
        }
    )
    return encode(table, Encoding(options), name=request.name, task=request.task, source=source)


def _select_per_class(dataset: Dataset, per_class: int) -> Dataset:
    """Return ``per_class`` rows of each class, in their order, with a fingerprint of their own.

    Which rows these are depends only on the data set: the first of a permutation of the class's
    rows by ``numpy.random.RandomState(0)``, class after class.
    """
    everything = np.arange(len(dataset.y))
    rows = draw(dataset.y, everything, per_class, np.random.RandomState(0), dataset.name)
    part = take_rows(dataset, rows)
    source = f"{dataset.source}, {per_class} rows a class"
    return replace(part, fingerprint=fingerprint_of(part), source=source)


class NoNetwork(DataError):
    """No host answers; ``missing`` names the data sets that need a download."""

    def __init__(self, hosts: dict[str, str], missing: list[str]) -> None:
        verb = "is" if len(missing) == 1 else "are"
        super().__init__(
            f"no network: {unanswered(hosts)}; {counted(len(missing), 'data set')} {verb} missing: "
            f"{listing(missing)}; connect and repeat the command, or name a folder with copies: "
            "--mirror DIR"
        )
        self.missing = missing


def prefetch(requests: Sequence[DataRequest], access: DataAccess) -> None:
    """Download the requests' files into the cache, :data:`AT_A_TIME` data sets at a time.

    The first source that has the files of a data set is used. Failures are kept in
    ``access.network``, so that a load with the same access reports them without a new attempt.
    Raises NoNetwork if downloads are needed and none of the hosts answers.
    """
    wanted = [] if access.offline else _missing(requests, access)
    if not wanted:
        return
    urls = [url for request in wanted for url in _urls(request, access)]
    down = probe(urls, access)
    if all(host_of(url) in down for url in urls):
        raise NoNetwork(down, [request.name for request in wanted])
    if down:
        access.notify(f"{unanswered(down)}; other sources are used")
    _download_together(wanted, access)


def _missing(requests: Sequence[DataRequest], access: DataAccess) -> list[DataRequest]:
    """Return the requests whose files are not here, and can be downloaded."""
    local = replace(access, offline=True)
    missing = [request for request in requests if not _download_files(request, local)]
    return [request for request in missing if _urls(request, access)]


def _urls(request: DataRequest, access: DataAccess) -> list[str]:
    """Return the addresses from which the files of a request can be downloaded."""
    return [url for source in _sources(request) for url in sources.addresses(source, access)]


def _download_together(requests: Sequence[DataRequest], access: DataAccess) -> None:
    """Download the files of requests, several at a time, until an interrupt."""
    with ThreadPoolExecutor(AT_A_TIME, thread_name_prefix="download") as pool:
        try:
            for future in [pool.submit(_download_files, request, access) for request in requests]:
                # An interrupt just before a wait is noticed only when the wait ends.
                while not wait([future], POLL_S).done:
                    pass
                future.result()
        except BaseException:  # raised again
            access.network.stopping.set()
            pool.shutdown(cancel_futures=True)
            raise


def _download_files(request: DataRequest, access: DataAccess) -> bool:
    """Download the files of the first source that has them; return False if every source failed."""
    wanted = _sources(request)
    access = replace(access, subject=request.name)
    for source in wanted:
        with contextlib.suppress(DataError):
            if source.kind == "images":
                sources.find_folder(source.folder, access)
            else:
                sources.fetch_source(source, access)
            return True
    return not wanted


def _sources(request: DataRequest) -> list[Source]:
    """Return the sources for downloads; none for a local file or a request that is wrong."""
    if request.openml is not None:
        return [Source(kind="openml", id=request.openml)]
    with contextlib.suppress(DataError):
        return [] if request.card is None else _in_order(requested_card(request))
    return []
