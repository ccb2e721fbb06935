"""Which methods have other bits on processors without AVX-512, and by how much they differ.

Predictions (in sds of the target; of classifiers: scores) of each registered method by kernels
(``NUMBA_CPU_NAME``), OpenBLAS (``OPENBLAS_CORETYPE``) and NumPy (``NPY_DISABLE_CPU_FEATURES``) as
they are on a processor without AVX-512, against those on one that has it: on diabetes and
Friedman #1, or on digits with 50 iterations, three seeds each. Of other data it says nothing, nor
of R's forest.

``python scripts/check_processors.py`` writes ``results/processors``.
"""

import argparse
import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
from sklearn.datasets import load_diabetes, load_digits, make_friedman1
from sklearn.preprocessing import minmax_scale, scale

from boostbench.estimators import build, unavailable
from boostbench.methods import BUILTIN, get_method

OUT = Path(__file__).parents[1] / "results" / "processors"
_AVX2 = "+sse4.2,+avx,+avx2,+fma,+bmi,+bmi2,+lzcnt,+movbe,+popcnt,+f16c,+cx16"
KERNELS = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": _AVX2}
BLAS = {"OPENBLAS_CORETYPE": "Haswell"}
# NumPy's names of instruction sets depend on its version.
_WIDE = [name for name in __cpu_dispatch__ if name.startswith(("AVX512", "X86_V4"))]
NUMPY = {"NPY_DISABLE_CPU_FEATURES": " ".join(_WIDE)}
SETTINGS = {
    "the processor at hand": {},
    "kernels for AVX2": KERNELS,
    "OpenBLAS for AVX2": BLAS,
    "NumPy for AVX2": NUMPY,
    "all three": KERNELS | BLAS | NUMPY,
}
SEEDS = range(3)


def problems(task: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return real and made-up data of a task, scaled as experiments scale them."""
    if task == "classification":
        return {"digits": load_digits(return_X_y=True)}
    found = {
        "diabetes": load_diabetes(return_X_y=True),
        "friedman1": make_friedman1(2_000, random_state=0),
    }
    return {name: (minmax_scale(X), scale(y)) for name, (X, y) in found.items()}


def trained() -> dict[str, str]:
    """Return the predictions of each method, by its name, data set and seed, as text."""
    found = {}
    for name in BUILTIN:
        method = get_method(name)
        if unavailable(method.estimator) or name == "random_forest_r":
            continue
        for title, (X, y) in problems(method.task).items():
            for seed in SEEDS:
                small = {"max_iter": 50} if method.task == "classification" else {}
                model = build(method.estimator, {**method.params, **small}, random_state=seed)
                half = len(X) // 2
                model.fit(X[:half], y[:half])
                score = getattr(model, "decision_function", model.predict)
                said = np.asarray(score(X[half:]), dtype=float)
                found[f"{name} {title} {seed}"] = base64.b64encode(said.tobytes()).decode()
    return found


def in_process(settings: dict[str, str]) -> dict[str, np.ndarray]:
    """Return what :func:`trained` returns in a process with these settings."""
    run = subprocess.run(
        [sys.executable, __file__, "--train"],
        env=os.environ | settings,
        check=True,
        capture_output=True,
        text=True,
    )
    said = json.loads(run.stdout)
    return {name: np.frombuffer(base64.b64decode(text)) for name, text in said.items()}


def compared(mine: dict[str, np.ndarray], other: dict[str, np.ndarray], method: str) -> str:
    """Return "same bits", or the most by which predictions of a method differ, and how many do."""
    pairs = [(mine[key], other[key]) for key in mine if key.split()[0] == method]
    if all(np.array_equal(a, b) for a, b in pairs):
        return "same bits"
    most = max(float(np.max(np.abs(a - b))) for a, b in pairs)
    runs = sum(not np.array_equal(a, b) for a, b in pairs)
    return f"{runs} of {len(pairs)} runs, by at most {most:.1g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--train", action="store_true", help="print the predictions, as JSON")
    if parser.parse_args().train:
        print(json.dumps(trained()))
        return
    if not any(__cpu_features__.get(name) for name in _WIDE):
        raise SystemExit("this processor has no AVX-512: there is nothing to compare with")
    found = {title: in_process(settings) for title, settings in SETTINGS.items()}
    first, *others = found.values()
    methods = list(dict.fromkeys(key.split()[0] for key in first))
    titles = ["method", *list(SETTINGS)[1:]]
    lines = [titles, [":--"] * len(titles)]
    for method in methods:
        lines.append([method, *(compared(first, other, method) for other in others)])
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / "README.md").write_text(f"# Processors: {__doc__}\n{table}\n", encoding="utf-8")
    print(table)


if __name__ == "__main__":
    main()
