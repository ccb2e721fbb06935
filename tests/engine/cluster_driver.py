"""A run on a cluster in a process of its own: python cluster_driver.py FOLDER ADDRESS SECONDS N."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from support import save_small, trial

from boostbench.engine.cluster import run_on_cluster
from boostbench.engine.clusterchoice import choose_cluster
from boostbench.store.store import Store


def main(folder, address, seconds, count):
    mark = save_small(folder / "arrays")
    trials = [
        trial(mark, "elsewhere:Takes", i % 4, i // 4, seconds=seconds, where=str(folder / f"at{i}"))
        for i in range(count)
    ]
    with Store.open(folder / "results", create=True) as store:
        store.set_plan({}, trials)
        summary = run_on_cluster(
            store.missing(),
            store,
            cluster=choose_cluster(address, None),
            arrays_dir=folder / "arrays",
            listener=lambda event: print(event.kind, event.detail, flush=True),
            environment={},
        )
    print("done", summary.done, flush=True)
    return 130 if summary.interrupted else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]), int(sys.argv[4])))
