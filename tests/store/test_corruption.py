"""A store whose bytes were changed or cut off gives its content or a sentence, never a traceback.

``BOOSTBENCH_STRESS=20 pytest tests/store/test_corruption.py`` damages twenty times as many.
"""

import os
import random

import pytest
from store_parts import LEARNT, OK, filled, make_trial

from boostbench.errors import StoreError
from boostbench.store.export import export_results
from boostbench.store.merge_stores import contents_of
from boostbench.store.store import Store
from boostbench.store.types import Outcome

ROUNDS = 120 * int(os.environ.get("BOOSTBENCH_STRESS", "1"))
PLAN = [make_trial(fold, seed) for fold in range(4) for seed in range(15)]


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """The bytes of a store of several pages of each kind."""
    folder = tmp_path_factory.mktemp("sound")
    kinds = (OK, LEARNT, Outcome("error", "no", traceback="x" * 3000))
    filled(folder, *((i, kinds[i % 3]) for i in range(50)), plan=PLAN)
    return (folder / "store.sqlite").read_bytes()


def flipped(whole, moments):
    content = bytearray(whole)
    for _ in range(moments.choice([1, 1, 3, 40])):
        content[moments.randrange(len(content))] ^= 1 << moments.randrange(8)
    return bytes(content)


def overwritten(whole, moments):
    start, length = moments.randrange(len(whole)), moments.choice([1, 16, 512, 4096])
    new = moments.choice([bytes(length), moments.randbytes(length), b"\xff" * length])
    return whole[:start] + new[: len(whole) - start] + whole[start + length :]


def shortened(whole, moments):
    return whole[: moments.randrange(len(whole))]


def swapped(whole, moments):
    pages = [whole[i : i + 4096] for i in range(0, len(whole), 4096)]
    i, j = moments.randrange(len(pages)), moments.randrange(len(pages))
    pages[i], pages[j] = pages[j], pages[i]
    return b"".join(pages)


def everything(folder, *, read_only):
    """The results in the store, after every way of reading it."""
    with (Store.read if read_only else Store.open)(folder) as store:
        (
            store.environments(),
            store.experiment(),
            store.runs(),
            store.outside_plan(()),
            contents_of(store),
        )
        results = [store.plan(), store.outcomes(), store.missing()]
        results += [path.read_bytes() for path in export_results(store, folder / "out")]
        if not read_only:
            store.record(PLAN[55], OK, "env")
            store.set_plan({"name": "d3"}, PLAN)
    return results


@pytest.mark.parametrize("harm", [flipped, overwritten, shortened, swapped])
def test_damage_of_any_kind_is_a_sentence_or_does_not_matter(tmp_path, sound, harm):
    (tmp_path / "whole").mkdir()
    (tmp_path / "whole" / "store.sqlite").write_bytes(sound)
    expected = everything(tmp_path / "whole", read_only=True)
    moments = random.Random(5)
    sentences = []
    for number in range(ROUNDS // 4):
        folder = tmp_path / str(number)
        folder.mkdir()
        damaged = harm(sound, moments)
        (folder / "store.sqlite").write_bytes(damaged)
        for read_only in (True, False):
            try:
                results = everything(folder, read_only=read_only)
            except StoreError as error:
                sentences.append(str(error))
                continue
            if damaged:
                assert results == expected, (harm.__name__, number)
    assert sentences
    assert not [text for text in sentences if "\n" in text]
