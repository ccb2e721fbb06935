"""The keys and the JSON of very many trials: what alike ones share is encoded once."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from operator import is_, itemgetter
from typing import Any

from boostbench.plan.trial import Trial, canonical_json


def fill_keys(trials: Sequence[Trial]) -> None:
    """Let ``trials`` know their keys; each is what :attr:`Trial.key` would come to by itself."""
    encode = _Encoder(Trial.key_parts)
    for trial in trials:
        state = trial.__dict__
        if "key" not in state:
            state["key"] = hashlib.sha256(encode(trial).encode()).hexdigest()


def texts(trials: Sequence[Trial]) -> list[str]:
    """Return the canonical JSON of each of ``trials``."""
    encode = _Encoder(Trial.to_dict)
    return [encode(trial) for trial in trials]


class _Encoder:
    """Encodes one trial after another; nothing that they hold may change meanwhile."""

    def __init__(self, parts: Callable[[Trial], Mapping[str, Any]]) -> None:
        self._parts = parts
        self._shared: tuple[Any, ...] = ()
        self._pieces = ("", "", "")

    def __call__(self, trial: Trial) -> str:
        shared = _shared(trial.__dict__)
        if not self._shared or not all(map(is_, shared, self._shared)):
            self._shared, self._pieces = shared, _cut(self._parts(trial))
        before, between, after = self._pieces
        return f"{before}{trial.fold:d}{between}{trial.seed:d}{after}"


_shared = itemgetter(*(name for name in Trial.__dataclass_fields__ if name not in ("fold", "seed")))


def _cut(parts: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the canonical JSON of ``parts`` without the values of ``fold`` and ``seed``."""
    fold, seed = "fold", "seed"
    before = canonical_json({k: v for k, v in parts.items() if k < fold})
    between = canonical_json({k: v for k, v in parts.items() if fold < k < seed})
    after = canonical_json({k: v for k, v in parts.items() if k > seed})
    # Each of the three has fields that are never left out.
    return f'{before[:-1]},"fold":', f',{between[1:-1]},"seed":', f",{after[1:]}"
