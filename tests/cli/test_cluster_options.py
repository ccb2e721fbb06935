"""What a wrong way to name a cluster comes to: one sentence, exit code 2, and nothing left."""

from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="needs boostbench[cluster]")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--cluster tcp://127.0.0.1:1", "no dask scheduler answers there (Connection refused)"),
        ("--cluster somewhere", "give the address of a dask scheduler"),
        ("--cluster slurm", "--cluster-config FILE belongs to --cluster slurm"),
        ("--cluster slurm --cluster-config no.yaml", "no.yaml cannot be read"),
        ("--cluster-config tiny.yaml", "--cluster-config needs --cluster"),
        ("--cluster host:1 --jobs 2", "--jobs is not for --cluster"),
    ],
)
def test_wrong_cluster_options_are_refused(folder: Path, cli, options: str, sentence: str) -> None:
    assert sentence in cli.refused("run", "tiny.yaml", *options.split())
    assert not (folder / "results").exists()
