"""Load generated files as large as GTSRB and CIFAR-10 over a loopback server, and measure it.

By hand: ``python scripts/check_large_sets.py [gtsrb|cifar10_pixels] [FOLDER]``. The folder needs
about 10 GB; the files are made of generated numbers, since no copy of the data is at hand. Prints
the time and the peak of memory of the download with a load, and of a load from the cache, which
takes about a minute of an idle processor and 6 GiB for gtsrb.
"""

import hashlib
import itertools
import multiprocessing
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from boostbench.data.cards import Card, load_card
from boostbench.data.loading import load_dataset
from boostbench.data.request import DataRequest

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))
from servers import LoopbackServer

WIDTHS = {41986: 1568, 41988: 1568, 41989: 2916, 40927: 3072}
PORT = 18734


def write_arff(path: Path, dataset_id: int, card: Card) -> None:
    """Write an ARFF file as large as the real one, its classes in the order of the card."""
    rng = np.random.default_rng(dataset_id)
    width = WIDTHS[dataset_id]
    if card.name == "gtsrb":
        pool = [",".join(f"{x:.6f}" for x in row) for row in rng.random((499, width))]
    else:
        pool = [",".join(map(str, row)) for row in rng.integers(0, 256, (499, width))]
    shuffle = np.random.default_rng(0).permutation
    parts = [shuffle(np.repeat(np.arange(len(counts)), counts)) for counts in card.class_counts]
    labels = np.concatenate(parts)
    levels = ",".join(map(str, range(len(card.class_counts[0]))))
    with path.open("w") as file:
        file.write(f"@relation set{dataset_id}\n")
        file.writelines(f"@attribute f{j} numeric\n" for j in range(width))
        file.write(f"@attribute {card.target} {{{levels}}}\n@data\n")
        rows = itertools.cycle(pool)
        file.writelines(f"{row},{label}\n" for row, label in zip(rows, labels, strict=False))


def serve(folder: Path, ids: list[int], target: str) -> None:
    """Serve the files until the process is ended."""
    with LoopbackServer(PORT) as server:
        for number in ids:
            path = folder / f"{number}.arff"
            with path.open("rb") as file:
                md5 = hashlib.file_digest(file, "md5").hexdigest()
            _, place = server.add_openml(number, b"", target=target, md5=md5)
            reply = server.replies[place]
            reply.headers = {"Content-Length": str(path.stat().st_size)}
            reply.stream = lambda path=path: iter(_pieces(path))
        time.sleep(3600)


def _pieces(path: Path):  # type: ignore[no-untyped-def]
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            yield piece


def main() -> None:
    """Measure one card."""
    name = sys.argv[1] if len(sys.argv) > 1 else "gtsrb"
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as made:
        folder, card = Path(made), load_card(name)
        ids = list(card.sources[-1].openml_ids)
        for number in ids:
            write_arff(folder / f"{number}.arff", number, card)
            size = (folder / f"{number}.arff").stat().st_size
            print(f"OpenML {number}: {size / 2**30:.2f} GiB of ARFF", flush=True)
        server = multiprocessing.get_context("spawn").Process(
            target=serve, args=(folder, ids, card.target), daemon=True
        )
        server.start()
        time.sleep(15)
        access = LoopbackServer.access(_Address(), folder / "cache")  # type: ignore[arg-type]
        request = DataRequest(name, card=name, task="classification")
        for what in ("download and load", "load from the cache"):
            wall, cpu = time.perf_counter(), time.process_time()
            X = load_dataset(request, access).X
            own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            print(
                f"{what}: {X.shape[0]:,} x {X.shape[1]:,} in {time.perf_counter() - wall:.1f} s "
                f"(processor {time.process_time() - cpu:.1f} s), peak {own:.2f} GiB",
                flush=True,
            )
            del X
        server.kill()


class _Address:
    url = f"http://127.0.0.1:{PORT}"


if __name__ == "__main__":
    main()
