"""Whatever bytes come, a parser reads them or refuses them in a sentence, and in bounded time.

``BOOSTBENCH_STRESS=20 pytest tests/fuzz`` tries twenty times as many.
"""

import os

import fuzz_targets
import pytest
from fuzz_targets import TARGETS, WORDS, samples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boostbench.data import bounds

EXAMPLES = 80 * int(os.environ.get("BOOSTBENCH_STRESS", "1"))
SLOWER = {"config": 4, "card": 4}

pytestmark = pytest.mark.timeout(120 + EXAMPLES // 10)


@pytest.fixture(autouse=True, scope="module")
def _small_bounds():
    names = [name for name in vars(bounds) if name.startswith("MAX_")]
    before = {name: getattr(bounds, name) for name in names}
    fuzz_targets.small_bounds()
    yield
    for name, value in before.items():
        setattr(bounds, name, value)


def edited(whole: bytes, edits: list[tuple[float, int, bytes]]) -> bytes:
    """Put each edit's bytes at its place (a share of the length) over as many as it says."""
    for place, over, new in edits:
        at = round(place * len(whole))
        whole = whole[:at] + new + whole[at + over :]
    return whole


def inputs(name: str) -> st.SearchStrategy[bytes]:
    """Random bytes, random edits of valid files, and the format's own words in any order."""
    piece = st.sampled_from(WORDS[name]) | st.binary(max_size=4)
    edit = st.tuples(st.floats(0, 1), st.integers(0, 20), piece)
    return st.one_of(
        st.binary(max_size=200),
        st.builds(edited, st.sampled_from(samples(name)), st.lists(edit, min_size=1, max_size=5)),
        st.lists(st.sampled_from(WORDS[name]) | st.just(b"\n") | st.just(b" "), max_size=40).map(
            b"".join
        ),
    )


@pytest.mark.parametrize("name", TARGETS)
def test_any_bytes_are_read_or_refused_in_a_sentence(name):
    @settings(
        max_examples=EXAMPLES // SLOWER.get(name, 1),
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(inputs(name))
    def check(content):
        TARGETS[name](content)

    check()


@pytest.mark.parametrize("name", TARGETS)
def test_inputs_that_broke_a_parser_are_handled(name):
    for content in samples(name):
        TARGETS[name](content)


@pytest.mark.parametrize("name", ["arff", "keel", "csv", "idx", "config", "card"])
def test_targets_read_valid_files(name, monkeypatch):
    # Else a target that refuses everything would pass all of the above.
    seen = []
    monkeypatch.setattr(fuzz_targets, "_sentence", lambda error, **_: seen.append(str(error)))
    valid = [p for p in (fuzz_targets.SAMPLES / name).iterdir() if p.stem in VALID[name]]
    assert len(valid) == len(VALID[name])
    for path in valid:
        TARGETS[name](path.read_bytes())
    refused = [text for text in seen if not any(known in text for known in KNOWN)]
    assert refused == []


VALID = {
    "arff": {"valid", "blanks"},
    "keel": {"valid"},
    "csv": {"commas", "blanks"},
    "idx": {"type8", "type12", "type13"},
    "config": {"valid", "small"},
    "card": {"yacht"},
}
# A table of text columns is read, though not made into features without more being said.
KNOWN = ("has text in", "has no column left to be a feature")
