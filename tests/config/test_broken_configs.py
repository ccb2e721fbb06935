"""Each file in ``broken/`` is refused with exactly the words of ``expected.txt``."""

import re
from pathlib import Path

import pytest
from sklearn.linear_model import Ridge

from boostbench.config.loading import load_experiment
from boostbench.data.cards import Catalog
from boostbench.errors import ConfigError
from boostbench.methods import method_names
from boostbench.papers import paper_names
from boostbench.plan.check import check_experiment
from boostbench.suggest import listing

FOLDER = Path(__file__).parent / "broken"


def _expected() -> dict[str, str]:
    text = (FOLDER / "expected.txt").read_text(encoding="utf-8")
    parts = re.split(r"^## (\w+)\n", text, flags=re.MULTILINE)
    return {name: words.strip() for name, words in zip(parts[1::2], parts[2::2], strict=True)}


def _complaint_of_scikit_learn() -> str:
    with pytest.raises(ValueError) as caught:
        Ridge(alpha=-1).fit([[0.0], [1.0]], [0.0, 1.0])
    return str(caught.value)


def test_every_broken_file_has_its_words() -> None:
    assert sorted(_expected()) == sorted(path.stem for path in FOLDER.glob("*.yaml"))


@pytest.mark.parametrize("name", sorted(_expected()))
def test_broken_file_is_refused_in_these_words(name: str) -> None:
    path = FOLDER / f"{name}.yaml"
    expected = (
        _expected()[name]
        .replace("{cards}", listing(Catalog().names))
        .replace("{methods}", listing(method_names()))
        .replace("{papers}", listing(paper_names()))
        .replace("{ridge}", _complaint_of_scikit_learn())
        .replace("FILE", str(path))
    )
    with pytest.raises(ConfigError) as caught:
        check_experiment(load_experiment(path))
    assert str(caught.value) == expected
