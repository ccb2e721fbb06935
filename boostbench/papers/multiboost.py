"""MultiBoost-cw (Lin, Shen, van den Hengel, Suter, ACCV 2012): names, protocol, claims, notes.

Its test errors and times are printed in the legends of its figures, which are pictures, and not in
its text; so it has no table, but claims (``multiboost_claims``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from boostbench.data.splits import SplitRule
from boostbench.papers.multiboost_roles import PROTOCOL, claim_roles
from boostbench.papers.multiboost_rules import RULES
from boostbench.papers.paper import Paper, ProtocolRow
from boostbench.papers.results import Dataset, Method, Results

if TYPE_CHECKING:
    from boostbench.papers.claim import Claim

PRINTED_NAMES: Mapping[str, str] = {
    "multiboost_cw": "CW",
    "multiboost_cw1": "CW-1",
    "multiboost": "MultiBoost",
    "adaboost_ecc": "Ada.ECC",
    "adaboost_mh": "Ada.MH",
    "adaboost_mo": "Ada.MO",
}
"""The paper's short names, by the registered names of the methods."""


def _display_name(method: Method) -> str | None:
    """The paper's MultiBoost is solved by L-BFGS-B; by coordinate descent it has another name."""
    if method.label == "multiboost" and method.params.get("solver") == "fcd":
        return f"{PRINTED_NAMES[method.label]} (FCD)"
    return None


_NO_NUMBERS = (
    "The paper prints its errors and times only in the legends of its figures, not in its "
    "text, so no published number is shown beside the measured ones; its claims are checked "
    "instead."
)
_SAME_OPTIMUM = (
    "With an equal C, `multiboost_cw` and `multiboost` minimise the same function over the same "
    "stumps, and differ in the way there. Any better generalisation shows at equal early "
    "iterations and need not last to the end."
)
_OWN_C = (
    "Here each method chooses its own C on every split, so that the two functions can differ; "
    "where the runs of a cell chose different values, no mean objective is given."
)
_DESCENT = (
    "The paper solves MultiBoost by L-BFGS-B. By fast coordinate descent (`solver: fcd`) it has "
    "the same optimum after each iteration, up to the tolerance, and is many times faster; its "
    "times say nothing of the paper's claims, which are checked with L-BFGS-B where that is "
    "measured, over as many iterations as both have."
)
_MNIST = (
    "The paper trains on 1,000 digits per class of MNIST and tests on the original 10,000. Here so "
    "many per class are drawn, and then divided into training and test rows like every data set."
)
_ON_CARDS = {
    "vowel": "The authors' own VOWEL file has 1,452 rows: it contains the 462 test rows twice, so "
    "that a random split puts copies of training rows into the test part. The data here are the "
    "990 distinct rows, and errors are higher.",
    "isolet_partial": "`isolet_partial` is two of ISOLET's five groups of speakers. Results on it "
    "are not results on ISOLET.",
    "scene15_images": "The code words of `scene15_images` are of gradients in small cells. The "
    "paper does not name its descriptors.",
    "sun25": "The paper does not name its 25 categories of SUN, and its HOG features are those of "
    "the data's authors. `sun25` has plain HOG of a small grey image.",
    "pascal07": "The paper has five types of features of PASCAL07. Of images `pascal07` has GIST.",
    "scene15": "`scene15` here has 119 features (GIST, PHOG, LBP), not the paper's 6,200 code word "
    "counts.",
}


_REST = "the rest for the test"
_CIFAR = (
    SplitRule("given", PROTOCOL.runs, None, 50_000, None, 5),
    "one of 5 training sets of 10,000, its own 10,000 for the test",
)
_SCENE15 = (
    SplitRule("given", PROTOCOL.runs, None, None, 100),
    f"100 per class for training, {_REST}",
)
_70 = (SplitRule("shuffle", PROTOCOL.runs, 0.3), f"70 % for training, {_REST}")
_DIVIDED: Mapping[str, tuple[SplitRule, str]] = {
    "mnist": (
        SplitRule("given", PROTOCOL.runs, None, 60_000, PROTOCOL.mnist_per_class),
        f"{PROTOCOL.mnist_per_class:,} per class for training, its own 10,000 for the test",
    ),
    "pascal07": _70,
    "labelme12": _70,
    "cifar10_gist": _CIFAR,
    "cifar10_pixels": _CIFAR,
    "scene15": _SCENE15,
    "scene15_images": _SCENE15,
    "sun25": (SplitRule("shuffle", PROTOCOL.runs, 0.2), f"80 % for training, {_REST}"),
    "gtsrb": (
        SplitRule("given", PROTOCOL.runs, None, 39_209, 100),
        "100 per class for training, its own 12,630 for the test",
    ),
}
"""How the paper divides the rows of a card other than into 75 % and 25 %, and that in words."""


def _notes(results: Results) -> list[str]:
    registered = {method.registered for method in results.methods}
    texts = [_NO_NUMBERS]
    if {"multiboost_cw", "multiboost"} <= registered:
        texts.append(f"{_SAME_OPTIMUM} {_OWN_C}" if _chooses_c(results) else _SAME_OPTIMUM)
    if any(
        method.registered == "multiboost" and method.params.get("solver") == "fcd"
        for method in results.methods
    ):
        texts.append(_DESCENT)
    cards = {data.card for data in results.datasets}
    texts += [_MNIST] if _mnist(results) else []
    return [*texts, *(text for card, text in _ON_CARDS.items() if card in cards)]


def _chooses_c(results: Results) -> bool:
    return any(
        "C" in method.choose
        or any(
            (cell := results.measured(data.label, method.label)) and "C" in cell.chosen
            for data in results.datasets
        )
        for method in results.methods
        if method.registered in ("multiboost_cw", "multiboost")
    )


def _protocol(results: Results) -> list[ProtocolRow]:
    """Return the paper's protocol beside this experiment's."""
    experiment = results.experiment
    rows: list[ProtocolRow] = [
        ("Runs per method and data set", [PROTOCOL.runs], results.planned_runs())
    ]
    splits, folds = experiment.get("splits"), experiment.get("folds")
    test = splits.get("test_size") if isinstance(splits, Mapping) else None
    share = test or (1 / folds if isinstance(folds, int) else None)
    alike = [data for data in results.datasets if data.card not in _DIVIDED or data.per_class]
    if share is not None and alike:
        rows.append(("Share of test rows", [PROTOCOL.test_size], [share]))
    how = f"split {100 - 100 * test:g}/{100 * test:g}" if test else f"in {folds} folds"
    rows += [
        (f"Rows of {data.label}", words, words if _same(data.rule, rule) else data.rule.words)
        for data in results.datasets
        if data.rule is not None and not data.per_class and data.card in _DIVIDED
        for rule, words in [_DIVIDED[data.card]]
    ]
    rows += [
        (
            f"Rows of {data.label}",
            f"{PROTOCOL.mnist_per_class:,} per class for training, its own 10,000 for the test",
            f"{data.per_class:,} per class, {how}",
        )
        for data in _mnist(results)
    ]
    iterations = {method.params.get("max_iter", PROTOCOL.iterations) for method in results.methods}
    rows.append(("Iterations", [PROTOCOL.iterations], sorted(iterations)))
    rows += [
        ("C chosen from", PROTOCOL.candidates, values)
        for values in dict.fromkeys(
            tuple(m.choose["C"]) for m in results.methods if "C" in m.choose
        )
    ]
    return rows


def _same(rule: SplitRule, other: SplitRule) -> bool:
    """Whether two rules divide rows alike; how often is told elsewhere."""
    return replace(rule, folds=other.folds) == other


def _mnist(results: Results) -> list[Dataset]:
    """Return the data sets that are MNIST with a part of each class."""
    return [data for data in results.datasets if data.card == "mnist" and data.per_class]


def _claims() -> list[Claim]:
    from boostbench.papers.claim import read_claims

    return read_claims(Path(__file__).parent / "multiboost_claims.csv", RULES)


PAPER = Paper(
    key="multiboost",
    title="Fast training of effective multi-class boosting using coordinate descent optimization",
    authors="G. Lin, C. Shen, A. van den Hengel, D. Suter",
    journal="11th Asian Conference on Computer Vision (ACCV), 2012",
    doi="10.1007/978-3-642-37444-9_61",
    arxiv="1311.5947",
    runs=PROTOCOL.runs,
    metric="error",
    data=Path(__file__).parent / "multiboost_datasets.csv",
    printed_names=PRINTED_NAMES,
    display_name=_display_name,
    figures=("Figure 1", "Figure 2", "Figure 3", "Figure 4", "Figure 5", "Figure 6"),
    load_claims=_claims,
    roles=claim_roles,
    notes=_notes,
    protocol=_protocol,
)
