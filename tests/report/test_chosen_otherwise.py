"""Values chosen by a metric, on inner folds or by a search, beside those of a paper."""

from boostbench import numbers
from boostbench.methods import BUILTIN, ResolvedMethod
from boostbench.papers.roles import methods_in_paper


def test_many_drawn_values_are_shown_by_the_least_and_the_largest() -> None:
    few = numbers.count_values([0.5 * n for n in range(12)])
    many = numbers.count_values([0.5 * n for n in range(13)] * 2)
    texts = numbers.count_values([f"t{n}" for n in range(13)])
    assert numbers.counted(few).startswith("0 ×1, 0.5 ×1, ")
    assert numbers.counted(many) == "0 to 6 (13 values)"
    assert numbers.counted(texts).startswith("t0 ×1, ")


def test_a_registered_method_that_chooses_otherwise_is_not_the_registered_one() -> None:
    own = BUILTIN["srt"]

    def changed(label: str, **how: object) -> object:
        method = ResolvedMethod(label, own.estimator, "1", dict(own.params), **how)
        entry = {"name": label, "method": label if label in BUILTIN else None, "estimator": "a:B"}
        if label in BUILTIN:
            del entry["estimator"]
        record = {"methods": [entry], "own_estimators": {}}
        return methods_in_paper([method], record, None)[0].changed

    assert changed("srt") == {}
    assert changed("srt", choose_by="mae", choose_folds=3) == {
        "choose by": "mae",
        "choose folds": 3,
    }
    assert changed("mine", choose_by="mae") == {}
