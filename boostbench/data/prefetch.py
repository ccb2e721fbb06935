"""Downloads of several data sets at a time, before they are loaded one by one."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from boostbench.data.access import DataAccess
from boostbench.data.cards import Source, requested_card
from boostbench.data.loading import in_order
from boostbench.data.network import host_of, unanswered
from boostbench.data.request import DataRequest
from boostbench.data.sources import addresses, fetch_source
from boostbench.errors import DataError
from boostbench.suggest import counted, listing

AT_A_TIME = 4


class NoNetwork(DataError):
    """No host answers; ``missing`` names the data sets that are not here without one."""

    def __init__(self, hosts: dict[str, str], missing: Sequence[str]) -> None:
        are = "is" if len(missing) == 1 else "are"
        super().__init__(
            f"no network: {unanswered(hosts)}; {counted(len(missing), 'data set')} {are} missing: "
            f"{listing(missing)}; connect and repeat the command, or name a folder with copies: "
            "--mirror DIR"
        )
        self.missing = list(missing)


def prefetch(requests: Sequence[DataRequest], access: DataAccess) -> None:
    """Bring what the requests need into the cache, :data:`AT_A_TIME` data sets at a time.

    For each data set the first source that gives its files is taken. What goes wrong is known to
    ``access.network``, so that a load with the same access reports it without asking again.

    :param access: with a ``network`` (see :meth:`DataAccess.sharing`)
    :raises NoNetwork: if downloads are needed and none of the hosts answers
    """
    network = access.known_network
    local = replace(access, offline=True)
    missing = [] if access.offline else [r for r in requests if not _bring(r, local)]
    places = {r.name: [url for s in _sources(r) for url in addresses(s, access)] for r in missing}
    urls = [url for found in places.values() for url in found]
    if not urls:
        return
    network.probe(urls)
    down = network.down(urls)
    if all(host_of(url) in down for url in urls):
        raise NoNetwork(down, [name for name, found in places.items() if found])
    if down:
        access.notify(f"{unanswered(down)}; other sources are used")
    with ThreadPoolExecutor(AT_A_TIME, thread_name_prefix="download") as pool:
        try:
            for future in [pool.submit(_bring, r, access) for r in missing if places[r.name]]:
                future.result()
        except BaseException:
            network.stopping.set()
            pool.shutdown(cancel_futures=True)
            raise


def _bring(request: DataRequest, access: DataAccess) -> bool:
    """Bring the files of the first source that gives them; return whether any does or must."""
    sources = _sources(request)
    for source in sources:
        try:
            fetch_source(source, replace(access, subject=request.name), {})
            return True
        except DataError:
            continue
    return not sources


def _sources(request: DataRequest) -> list[Source]:
    """Return what may be downloaded; nothing for a local file or a request that is wrong."""
    if request.openml is not None:
        return [Source(kind="openml", id=request.openml)]
    try:
        return [] if request.card is None else in_order(requested_card(request))
    except DataError:
        return []
