"""A trial: one method on one fold of one data set with one seed, a pure function of its key."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from operator import itemgetter
from typing import ClassVar, Literal, NamedTuple

from boostbench.data.splits import SplitRule
from boostbench.values import RUN, Choices, Record

LABELS = ("dataset", "method", *RUN)
"""The fields by which users know a trial."""
# Made once: json.dumps makes an encoder per call, which takes most of the time of small values.
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def canonical_json(value: object) -> str:
    """Return ``value`` as JSON with sorted keys and no blanks: equal values are equal text."""
    return _ENCODER.encode(value)


def json_digest(value: object) -> str:
    """Return the sha256 of :func:`canonical_json`, as 64 hex digits."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Trial(SplitRule):
    """A trial to be run: one split of its rule, one method, one seed.

    The key has the fields in :data:`DETERMINING`.

    ``estimator`` is an import path ``package.module:Class`` or ``package.module.Class``;
    ``params`` are the estimator's arguments, resolved, without ``random_state``, JSON values only.
    ``fold`` is one of ``folds`` where ``split`` is ``kfold`` or ``stratified``, else one of so many
    splits; how many splits there are changes none of them and is not in the key.
    ``choose`` maps parameters to the values from which the best on a part of the training rows is
    taken, and ``choose_with`` has parameters for that comparison only. ``curves`` says whether the
    outcome has learning curves.
    ``code`` is the digest of the sources of the user's own modules behind the estimator (see
    :mod:`boostbench.user_code`), empty where it is installed. ``units`` is the unit of errors:
    ``scaled``, or ``original`` for the target's own. ``metrics`` maps further scores to be recorded
    to their functions; they change nothing else in the result. Those of classes get the ``labels``
    of the data set, by their codes; ``positive`` is the label of the class that scikit-learn's
    scorers take as the positive one, "" where none is named. ``features`` is what the estimator
    gets, ``weighted`` says whether it gets the weights of the training rows. ``rows`` is the digest
    of the training and test rows where these were listed by the plan, and ``split`` says how.
    ``choose_by`` is the metric by which values are chosen, "" for the least error (see
    :func:`boostbench.plan.expand.choose_by`), and ``choose_folds`` the number of inner folds for
    it, 0 for a quarter of the rows. ``keep`` names what else is kept: ``predictions``.
    ``described`` is the estimator in words where its import path is that of a stored object.

    What changes nothing else in the result is not compared, and so not in the key.
    """

    dataset: str
    method: str
    estimator: str
    method_version: str
    fingerprint: str
    task: str
    fold: int
    split_seed: int
    seed: int
    scale_features: Literal["minmax", "standard", "none"]
    scale_target: Literal["standard", "none"]
    params: Record = field(default_factory=dict)
    split: str = "kfold"
    choose: Choices = field(default_factory=dict)
    choose_with: Record = field(default_factory=dict)
    curves: bool = False
    code: str = ""
    units: str = "scaled"
    metrics: Mapping[str, str] = field(default_factory=dict, compare=False)
    labels: Sequence[str] = field(default=(), compare=False)
    positive: str = ""
    features: Literal["matrix", "frame"] = "matrix"
    weighted: bool = False
    rows: str = ""
    choose_by: str = ""
    choose_folds: int = 0
    keep: Sequence[str] = field(default=(), compare=False)
    described: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        """The name for users: dataset/method/fold/seed, or dataset/method/split_seed/fold/seed.

        The split seed is left out where it is 0.
        """
        split_seed = (self.split_seed,) if self.split_seed else ()
        return "/".join(map(str, (self.dataset, self.method, *split_seed, self.fold, self.seed)))

    _like: ClassVar["Trial | None"] = None

    @property
    def like(self) -> "Trial":
        """The trial from which this one was made by :meth:`at`, or itself."""
        return self._like or self

    @cached_property
    def key(self) -> str:
        """The sha256 of the canonical JSON of :meth:`key_parts`, as 64 hex digits."""
        like = self._like
        text = canonical_json(self.key_parts()) if like is None else like._key_text(self)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def text(self) -> str:
        """The canonical JSON of :meth:`to_dict`, as a plan in a store has it."""
        like = self._like
        return canonical_json(self.to_dict()) if like is None else like._text(self)

    @cached_property
    def _key_text(self) -> Callable[["Trial"], str]:
        return _at_other_places(self.key_parts())

    @cached_property
    def _text(self) -> Callable[["Trial"], str]:
        return _at_other_places(self.to_dict())

    def at(
        self, split_seed: int, fold: int, seed: int, rows: str = "", key: str | None = None
    ) -> "Trial":
        """Return the trial like this one of another split and seed; ``key`` is its known key."""
        if bool(rows) != bool(self.rows):
            return replace(self, split_seed=split_seed, fold=fold, seed=seed, rows=rows)
        # A plan of many trials is made so in a tenth of the time that their fields would take.
        other = object.__new__(Trial)
        place = {"split_seed": split_seed, "fold": fold, "seed": seed, "rows": rows}
        other.__dict__.update(self._fields, **place, _like=self)
        if key is not None:
            other.__dict__["key"] = key
        return other

    @property
    def planned(self) -> "PlannedTrial":
        """The trial by its place."""
        return PlannedTrial(self.like, self.split_seed, self.fold, self.seed, self.rows, self.key)

    @cached_property
    def _fields(self) -> dict[str, object]:
        return {name: self.__dict__[name] for name in _NAMES}

    def key_parts(self) -> dict[str, object]:
        """Return the fields that determine the result."""
        # Fields that are newer than the first stores are left out if unused, so that keys stay.
        used = {n: v for n, v in self.to_dict().items() if n == "params" or v != _UNUSED[n]}
        return {
            name: used[name]
            for name in DETERMINING
            if name in used and (name != "folds" or (self.makes_folds and not self.rows))
        }

    @property
    def shown_estimator(self) -> str:
        """The estimator for users: its import path, or a stored object in words."""
        return self.described or self.estimator

    @property
    def random_state(self) -> int:
        """A seed in [0, 2**32), from data, split and seed only: every method sees the same one."""
        how: object = self.rows or self.folds
        if not (self.rows or self.makes_folds):
            how = [getattr(self, name) for name in ("split", *_DECIDE[self.split])]
        parts = [self.fingerprint, how, self.fold, self.split_seed, self.seed]
        return int.from_bytes(hashlib.sha256(canonical_json(parts).encode()).digest()[:4], "little")

    @property
    def choice_metric(self) -> str:
        """The name or the function of the metric by which values are chosen, "" without one."""
        return self.choose_by.partition("@")[0].removeprefix("-")

    @property
    def split_rule(self) -> SplitRule:
        """How the rows are divided."""
        return SplitRule(*(getattr(self, each.name) for each in fields(SplitRule)))

    def to_dict(self) -> dict[str, object]:
        """Return the fields as JSON values."""
        state = self.__dict__
        values = {name: state[name] for name in _NAMES}
        for name in ("params", "choose", "choose_with", "metrics"):
            values[name] = dict(values[name])
        values["choose"] = {name: list(given) for name, given in self.choose.items()}
        # These are newer than the first archives, whose digests cover the plans too.
        for name in (
            *("test_rows", "units", "metrics", "labels", "positive"),
            *("features", "weighted", "rows", "overlap", "choose_by", "choose_folds", "keep"),
            "described",
        ):
            if values[name] == _UNUSED[name]:
                del values[name]
        return values

    @classmethod
    def from_dict(cls, values: Record, key: str | None = None) -> "Trial":
        """Inverse of :meth:`to_dict`; ``key`` is the trial's key if it is already known."""
        trial = cls(**values)
        if key is not None:
            trial.__dict__["key"] = key
        return trial


class PlannedTrial(NamedTuple):
    """A trial of a plan by its place and key: all else it has in common with those ``like`` it."""

    like: Trial
    split_seed: int
    fold: int
    seed: int
    rows: str
    key: str

    @property
    def dataset(self) -> str:
        """The label of its data set."""
        return self.like.dataset

    @property
    def method(self) -> str:
        """The label of its method."""
        return self.like.method

    @property
    def name(self) -> str:
        """The name for users; see :attr:`Trial.name`."""
        return self.trial.name

    @property
    def trial(self) -> Trial:
        """The trial itself."""
        return self.like.at(*self[1:])


PLACE = ("split_seed", "fold", "seed", "rows")


def _at_other_places(values: Mapping[str, object]) -> Callable[[Trial], str]:
    """Return a function that gives the canonical JSON of ``values`` of trials at other places."""
    marked = canonical_json({**values, **{name: f"\0{name}" for name in PLACE if name in values}})
    mark = re.compile(r'"\\u0000(\w+)"')
    names = mark.findall(marked)
    text = mark.sub(lambda found: '"%s"' if found[1] == "rows" else "%s", marked.replace("%", "%%"))
    place: Callable[[Mapping[str, object]], object] = itemgetter(*names)
    return partial(_filled, text, place)


def _filled(text: str, place: Callable[[Mapping[str, object]], object], trial: Trial) -> str:
    return text % place(trial.__dict__)


_NAMES = tuple(each.name for each in fields(Trial))
DETERMINING = tuple(
    each.name for each in fields(Trial) if each.compare and each.name not in ("dataset", "method")
)
"""The fields that determine the result: names do not, nor do further scores."""
# The value of a field that is not used, {} for fields that always are.
_UNUSED: Mapping[str, object] = {name: getattr(Trial, name, {}) for name in _NAMES}
_DECIDE = {
    "shuffle": ("test_size",),
    "given": ("train_rows", "train_per_class", "train_batches"),
    "listed": ("test_rows",),
}
