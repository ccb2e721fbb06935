"""The master problems of MultiBoost-cw by coordinate descent here and by the authors' own code.

    git clone https://github.com/cshen/fast-multiboost-cw DIR
    python scripts/bench_authors.py --authors DIR --mirror MIRROR [--rounds 200] [--repeats 5]

Their compiled solver runs in GNU Octave on the stumps of our training, round by round, with the
same C and two passes a round. A turn is one whole training of each on one thread. Seconds are those
of the processor in the solver, as two programs share a busy machine unequally. Their code has no
licence and is not part of this project; without it, or without Octave, nothing is measured and it
is said why.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from shutil import copy, which
from time import process_time
from typing import Any

import bench_parts as bench
import numpy as np
from scipy.io import savemat
from speed_tables import SpeedTable

from boostbench.boosting import MultiBoostCW, stump_outputs
from boostbench.kernels import clock

C = 1e4
SOLVER = "boost_solver_mex_simple.cpp"
# Headers of MATLAB, which Octave lacks; the solver does not call the function that one of them has.
HEADERS = {
    "blas.h": "#pragma once\ntemplate <class... T> void dgemm(T...) {}\n",
    "matrix.h": "",
}
# In the pair (i, y) a stump h of class c is h(x_i) if c is the class of i, -h(x_i) if c is y.
SCRIPT = """
global seconds
load problem.mat
info = struct("use_stagewise", false, "use_solver_mex", true, "max_ws_iter", 2);
info.tradeoff_nv = numel(row) / C;
work = struct("pair_label_losses", ones(numel(row), 1));
seconds = 0;
for t = 1:size(h, 2) / K
  for c = 1:K
    signs = (own == c) - (other == c);
    work.new_pair_feat(:, c) = double(h(row, (t - 1) * K + c)) .* signs;
  end
  [result, work] = boost_solver_cd(info, work);
end
printf("\\nseconds %.9g objective %.9g\\n", seconds, result.obj_value / info.tradeoff_nv);
"""
# Called by ``boost_solver_cd`` in place of the compiled solver, which it calls in turn.
TIMED = """
function [w, weights] = boost_solver_mex_simple(varargin)
  global seconds
  start = cputime;
  [w, weights] = compiled_solver(varargin{:});
  seconds += cputime - start;
end
"""


def reason_to_skip(authors: Path | None) -> str:
    """Return why their code cannot be measured here, empty if it can."""
    for program in ("octave-cli", "mkoctfile"):
        if which(program) is None:
            return f"{program} of GNU Octave is not installed"
    if authors is None:
        return "--authors does not name a clone of github.com/cshen/fast-multiboost-cw"
    if not list(authors.rglob(SOLVER)):
        return f"{authors} has no {SOLVER}"
    return ""


def prepare(folder: Path, authors: Path) -> None:
    """Compile their solver in ``folder``, beside the function that calls it."""
    place = next(iter(authors.rglob(SOLVER))).parent
    for name in (SOLVER, "cp_matlib.h", "boost_solver_cd.m"):
        copy(place / name, folder)
    for name, text in HEADERS.items():
        (folder / name).write_text(text, encoding="ascii")
    (folder / "replay.m").write_text(SCRIPT, encoding="ascii")
    (folder / "boost_solver_mex_simple.m").write_text(TIMED, encoding="ascii")
    build = ["mkoctfile", "--mex", "-O2", f"-I{folder}", "-o", "compiled_solver.mex", SOLVER]
    output_of(build, folder)


def output_of(command: list[str], folder: Path) -> str:
    """Return the output of a command in ``folder``; end with its complaints where it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{command[0]} failed:\n{done.stderr}")
    return done.stdout


def write_problem(folder: Path, model: MultiBoostCW, X: np.ndarray, y: np.ndarray) -> None:
    """Write the outputs of the model's stumps, and the pairs (i, y), for ``replay.m``."""
    K = len(model.classes_)
    row, other = np.nonzero(np.arange(K) != y[:, np.newaxis])
    columns = {"row": row + 1.0, "own": y[row] + 1.0, "other": other + 1.0}
    problem: dict[str, Any] = {name: values[:, np.newaxis] for name, values in columns.items()}
    problem |= {"h": stump_outputs(model.stumps_, X).T, "K": float(K), "C": C}
    savemat(folder / "problem.mat", problem)


def replayed(folder: Path) -> tuple[float, float]:
    """Return the seconds of their solver, and the objective (2) with which it ends."""
    words = output_of(["octave-cli", "--quiet", "--eval", "replay"], folder).split()
    return float(words[-3]), float(words[-1])


def main() -> None:
    parser = bench.parser(__doc__, repeats=5, rounds=200)
    parser.add_argument("--authors", type=Path, help="folder with the authors' code")
    parser.add_argument("--data", nargs="+", default=["vowel"])
    args = parser.parse_args()
    if reason := reason_to_skip(args.authors):
        print(f"boosting_authors: skipped, since {reason}")
        return
    table = SpeedTable(
        "boosting_authors",
        "Coordinate descent beside the authors' own code",
        f"Processor seconds in the solver over all rounds, C = {C:g}. Theirs is the compiled part "
        "of `fast-multiboost-cw`, in GNU Octave, on the stumps of the first row's training: each "
        "round visits all variables. Ours skips those whose violated value "
        "is at most epsilon, and with a very small epsilon nearly none. The ratio is of the "
        "seconds in one turn.",
        {
            "dataset": "data set",
            "n": "rows",
            "rounds": "rounds",
            "epsilon": "epsilon",
            "ours_s": "ours, s",
            "authors_s": "theirs, s",
            "ratio": "ratio",
            "objective": "objective",
            "authors_objective": "theirs",
        },
    )
    # The clock of the estimators then has processor seconds.
    vars(clock)["perf_counter"] = process_time
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, args.authors.resolve())
        for each in args.data:
            data = bench.load(each, args.mirror)
            compare(table, folder, each, np.asarray(data.X), np.asarray(data.y), args)
    table.write(args)


def compare(
    table: SpeedTable, folder: Path, name: str, X: np.ndarray, y: np.ndarray, args: Any
) -> None:
    """Add a row per epsilon to ``table``."""
    descent: dict[str, Any] = {"C": C, "max_iter": args.rounds, "polish": False, "random_state": 0}
    models = {tol: MultiBoostCW(tol=tol, objective_tol=0, **descent) for tol in (0.1, 1e-9)}
    ours: dict[float, list[float]] = {tol: [] for tol in models}
    theirs = []
    for _ in range(args.repeats):
        for tol, model in models.items():
            ours[tol].append(model.fit(X, y).solver_time_)
        if not theirs:
            write_problem(folder, models[0.1], X, y)
        seconds, objective = replayed(folder)
        theirs.append(seconds)
    for tol, model in models.items():
        table.add(
            dataset=name,
            n=len(y),
            rounds=model.n_iter_,
            epsilon=f"{tol:g}",
            ours_s=ours[tol],
            authors_s=theirs,
            ratio=np.divide(theirs, ours[tol]),
            objective=float(model.objective_history_[-1]),
            authors_objective=objective,
        )


if __name__ == "__main__":
    main()
