"""The commands of action.yml, run by bash as GitHub does, on a repository with its own paper."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from experiments import write_model

from boostbench.yamltree import read_yaml
from results import edit

ACTION = Path(__file__).parents[2] / "action.yml"
pytestmark = [
    pytest.mark.skipif(not ACTION.is_file(), reason="not in a clone of the repository"),
    pytest.mark.skipif(not Path("/bin/bash").exists(), reason="without bash"),
]


@pytest.fixture
def archive(cli, folder: Path) -> Path:
    """The archive of somebody's method, with a paper of its own."""
    model = write_model("somebodys")
    Path("mypaper").mkdir()
    Path("mypaper/paper.yaml").write_text(
        "title: A\nauthors: A. Author\nmetric: r2\nroles: {own: {estimator: somebodys.Own}}\n"
    )
    Path("mypaper/tables.csv").write_text("table,dataset,method,r2_mean\n1,diabetes,own,0.0\n")
    Path("mypaper/claims.csv").write_text(
        "id,where,text,figures,reproduced_if,weaker_if,not_reproduced_if\n"
        "A-1,text,It is 50 % of nothing.,value = value(own),all(value < 0.5),,all(value > 0.9)\n"
    )
    Path("own.yaml").write_text(
        f"name: own\npaper: ./mypaper\ndatasets: [diabetes]\nmethods: [{model}]\n"
        "folds: 4\nseeds: 5\n"
    )
    cli.run_only("own.yaml", "-j1", "--offline")
    cli.well("archive", "own")
    return Path("results/own/archive")


def _step(name: str, archive: Path) -> subprocess.CompletedProcess[str]:
    """Run a step of the action with its inputs, most of them as they are by default."""
    action = read_yaml(ACTION).value
    (step,) = (each for each in action["runs"]["steps"] if each.get("name") == name)
    inputs = {key: each.get("default", "") for key, each in action["inputs"].items()}
    inputs |= {"archive": str(archive), "options": "--offline -j1"}
    given = {
        key: inputs[text.removeprefix("${{ inputs.").removesuffix(" }}")]
        for key, text in step["env"].items()
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["/bin/bash", "-e", "-o", "pipefail", "-c", step["run"]],
        env={**os.environ, **given, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_its_steps_pass_on_a_true_archive(archive: Path) -> None:
    sampled = _step("sample", archive)
    assert sampled.returncode == 0, sampled.stderr
    assert "20 of 20 planned trials, drawn with the nonce" in sampled.stdout
    judged = _step("claims", archive)
    assert (judged.returncode, "::error" in judged.stdout) == (0, False)
    assert _step("page", archive).returncode == 0
    assert Path("boostbench-page/table.html").is_file()


def test_it_fails_where_a_bit_or_a_claim_is_lost(archive: Path, cli) -> None:
    claims = archive / "mypaper" / "claims.csv"
    claims.write_text(claims.read_text().replace("< 0.5", "> 0.9").replace("> 0.9)\n", "< 0.5)\n"))
    judged = _step("claims", archive)
    assert judged.returncode == 3, judged.stdout
    place = f"file={archive}/mypaper/claims.csv,line=2"
    assert f"::error {place}::A-1 is not reproduced: It is 50 %25 of nothing." in judged.stdout
    better = "UPDATE outcomes SET metrics = replace(metrics, '\"n_test\":1', '\"n_test\":2')"
    edit(archive.parent, better)
    cli.well("archive", "own")
    sampled = _step("sample", archive)
    assert sampled.returncode == 3
    assert "20 differs" in sampled.stdout
