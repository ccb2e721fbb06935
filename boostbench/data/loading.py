"""Loading data sets: from a request to a data set."""

import contextlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np

from boostbench.data import sources
from boostbench.data.access import DataAccess, host_of
from boostbench.data.cards import Card, Source
from boostbench.data.columns import Encoding
from boostbench.data.dataset import Dataset, fingerprint
from boostbench.data.download import POLL_S, NotLocal, Unreachable, probe, unanswered
from boostbench.data.encode import encode
from boostbench.data.images import load_images
from boostbench.data.openml import NO_SUCH_ID, fetch_file, parse_dataset
from boostbench.data.order import in_canonical_order
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
        dataset = load_from_card(requested_card(request), access, request.name)
    elif request.openml is not None:
        dataset = _load_openml(request, access)
    else:
        path = Path(str(request.file)).expanduser()
        table = read_table(
            path, encoding=request.encoding, texts=request.texts, header=request.header
        )
        dataset = _encode_request(request, table, f"file {path.name}")
    if request.per_class is None or not dataset.classes:
        return dataset
    return _select_per_class(dataset, request.per_class)


def load_from_card(card: Card, access: DataAccess, name: str | None = None) -> Dataset:
    """Return the card's data set from the first of its sources that has it.

    The data must have the card's size and fingerprint; a file with other data is removed from the
    cache. Raises UnavailableDataError saying why each source failed.
    """
    access = replace(access, subject=name or card.name)
    reasons, silent = list[str](), dict[str, str]()
    for source in _in_order(card):
        try:
            dataset = _load_source(card, source, access)
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
    reasons += [unanswered(silent)] if silent else []
    if not reasons:
        unfetched = ", and may not be fetched" if access.offline else ""
        mirror = access.mirror or "a folder that --mirror names"
        files = [name for source in card.sources for f in source.files for name in f.names[:1]]
        copies = f" (as {listing(dict.fromkeys(files), 8)})" if files else ""
        reasons.append(card.obtain or f"it is not in the cache, nor in {mirror}{copies}{unfetched}")
    raise UnavailableDataError(f"data set {card.name!r} cannot be loaded: {'; '.join(reasons)}")


def _in_order(card: Card) -> list[Source]:
    """Return the card's sources in the order of the attempts, those of the mirror first."""
    copied = [s for s in card.sources if s.kind == "url" and all(file.sha256 for file in s.files)]
    own = [source for source in card.sources if source.kind == "file"]
    others = [source for source in card.sources if source.kind != "file"]
    return [*own, *(source.model_copy(update={"kind": "file"}) for source in copied), *others]


def _load_source(card: Card, source: Source, access: DataAccess) -> Dataset:
    try:
        if source.kind == "images":
            dataset, where = load_images(card, source, access), source.label
        else:
            table = sources.fetch_source(source, access)()
            dataset, where = _encode_card(card, source, table, access.subject), table.where
        n, p = dataset.X.shape
        if (n, p) != (card.n_samples or n, card.n_features or p):
            expected = f"but the card expects {card.n_samples} of {card.n_features}"
            raise DataError(f"{where} gives {n} rows of {p} features, {expected}")
        if dataset.fingerprint != (card.fingerprint or dataset.fingerprint):
            what = "differs from the data the card expects: its fingerprint is"
            raise DataError(f"{where} {what} {dataset.fingerprint}")
        return dataset
    except DataError:
        for path in () if access.offline else sources.unchecked_files(source, access):
            path.unlink(missing_ok=True)
        raise


def _encode_card(card: Card, source: Source, table: Table, name: str) -> Dataset:
    names = source.columns or card.columns
    table = table.renamed(names, source.rows)
    # A card without names takes those of the source, whose target may have another name.
    target = card.target if names or card.target in table.names else None
    drop = tuple(column for column in card.drop if column in names)
    encoding = Encoding(
        target, card.columns, drop, card.codes, card.onehot, strict=True, missing=card.missing,
        classes=source.classes,
    )  # fmt: skip
    dataset = encode(table, encoding, name=name, task=card.task, source=source.label)
    if card.order == "canonical":
        return in_canonical_order(dataset, card.train_rows)
    return dataset


def _load_openml(request: DataRequest, access: DataAccess) -> Dataset:
    access = replace(access, subject=request.name)
    source = Source(kind="openml", id=request.openml)
    try:
        found = fetch_file(source.openml_ids[0], access)
    except DataError as error:
        if isinstance(error, UnavailableDataError) or str(error).endswith(NO_SUCH_ID):
            raise
        raise UnavailableDataError(f"data set {request.name!r}: {error}") from error
    table = parse_dataset(*found, source.label, request.texts)
    return _encode_request(request, table, source.label)


def _encode_request(request: DataRequest, table: Table, source: str) -> Dataset:
    table, target = table.without(request.na_values or ()), request.target
    target = in_one_form(target) if isinstance(target, str) else target
    if isinstance(target, str) and target not in table.names:
        # A file without a header has numbered columns: accept "3" for 3.
        with contextlib.suppress(ValueError):
            target = int(target)
    onehot = () if request.categorical == "auto" else request.categorical
    drop, onehot = (tuple(map(in_one_form, names)) for names in (request.drop, onehot))
    encoding = Encoding(
        target, drop=drop, onehot=onehot, every_text=request.categorical == "auto",
        missing=request.missing, texts=request.texts, na_values=request.na_values,
    )  # fmt: skip
    return encode(table, encoding, name=request.name, task=request.task, source=source)


def _select_per_class(dataset: Dataset, per_class: int) -> Dataset:
    """Return ``per_class`` rows of each class, in their order, with a fingerprint of their own.

    Which rows these are depends only on the data set: the first of a permutation of the class's
    rows by ``numpy.random.RandomState(0)``, class after class.
    """
    everything = np.arange(len(dataset.y))
    rows = draw(dataset.y, everything, per_class, np.random.RandomState(0), dataset.name)
    X, y = np.ascontiguousarray(dataset.X[rows]), dataset.y[rows]
    source = f"{dataset.source}, {per_class} rows a class"
    return replace(dataset, X=X, y=y, fingerprint=fingerprint(X, y), source=source)


class NoNetwork(DataError):
    """No host answers; ``missing`` names the data sets that need a download."""

    def __init__(self, hosts: dict[str, str], missing: list[str]) -> None:
        are = f"{counted(len(missing), 'data set')} {'is' if len(missing) == 1 else 'are'}"
        advice = "connect and repeat the command, or name a folder with copies: --mirror DIR"
        why = f"no network: {unanswered(hosts)}"
        super().__init__(f"{why}; {are} missing: {listing(missing)}; {advice}")
        self.missing = missing


def prefetch(requests: Sequence[DataRequest], access: DataAccess) -> None:
    """Download the requests' files into the cache, :data:`AT_A_TIME` data sets at a time.

    The first source that has the files of a data set is used. Failures are kept in
    ``access.network``, so that a load with the same access reports them without a new attempt.
    Raises NoNetwork if downloads are needed and none of the hosts answers.
    """
    local = replace(access, offline=True)
    missing = [] if access.offline else [r for r in requests if not _download_files(r, local)]
    urls = {r: [u for s in _sources(r) for u in sources.addresses(s, access)] for r in missing}
    urls = {request: found for request, found in urls.items() if found}
    if not urls:
        return
    down = probe(chain(*urls.values()), access)
    if all(host_of(url) in down for url in chain(*urls.values())):
        raise NoNetwork(down, [request.name for request in urls])
    if down:
        access.notify(f"{unanswered(down)}; other sources are used")
    with ThreadPoolExecutor(AT_A_TIME, thread_name_prefix="download") as pool:
        try:
            for future in [pool.submit(_download_files, request, access) for request in urls]:
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
