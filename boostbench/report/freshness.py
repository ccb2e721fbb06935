"""Changes since the results of a report: of the experiment file, methods, the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from boostbench import __version__
from boostbench.errors import ConfigError
from boostbench.report.provenance import portable_entry
from boostbench.suggest import listing

if TYPE_CHECKING:
    from boostbench.report.collect import Collected, Method

_ENTRIES = {"datasets": "data set", "methods": "method"}
# Keys that change no result: words, places, and limits of the machine.
_NO_RESULT = frozenset(
    {"name", "title", "description", "paper", "table", "results", "limits", *_ENTRIES}
)


def changed_since(collected: Collected) -> list[str]:
    """Return the changes since the results were recorded, in words; none where unknown."""
    experiment = collected.experiment
    return [
        *_versions(collected.environments),
        *_methods(collected.methods),
        *_config(experiment),
    ]


def _versions(environments: Mapping[str, Mapping[str, Any]]) -> list[str]:
    packages = [values.get("packages") or {} for values in environments.values()]
    found = sorted({str(p["boostbench"]) for p in packages if p.get("boostbench")} - {__version__})
    return [f"boostbench: {__version__} now, {listing(found)} in these results"] if found else []


def _methods(methods: Sequence[Method]) -> list[str]:
    from boostbench.methods import get_method

    found = []
    for method in methods:
        try:
            version = get_method(method.registered).version if method.registered else ""
        except ConfigError:
            continue
        if version and version != method.version:
            found.append(
                f"{method.label}: version {version} now, {method.version} in these results"
            )
    return found


def _config(experiment: Mapping[str, Any]) -> list[str]:
    from boostbench.config.loading import load_experiment

    config = str(experiment.get("config") or "")
    said = [str(text) for text in experiment.get("overrides") or []]
    try:
        now = load_experiment(config, said) if config else None
    except (ConfigError, OSError):
        return []
    if now is None or now.name != experiment.get("name"):
        return []
    changes = _changes(now.model_dump(mode="json"), experiment)
    return [f"{config}: {', '.join(changes)}"] if changes else []


def _changes(now: Mapping[str, Any], before: Mapping[str, Any]) -> list[str]:
    found = []
    for key, word in _ENTRIES.items():
        old, new = (
            {entry["name"]: portable_entry(entry) for entry in values.get(key) or []}
            for values in (before, now)
        )
        found += [f"{word} {name} added" for name in new if name not in old]
        found += [f"{word} {name} removed" for name in old if name not in new]
        found += [
            f"{word} {name} changed" for name in new if name in old and new[name] != old[name]
        ]
    found += [
        f"{key} {_shown(before[key])} → {_shown(value)}"
        for key, value in now.items()
        if key not in _NO_RESULT and key in before and before[key] != value
    ]
    return found


def _shown(value: Any) -> str:
    from boostbench.plan.trial import canonical_json

    return "none" if value is None else canonical_json(value)
