"""The formats of a report: each is a file of this folder, which registers a :class:`Renderer`."""

import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from boostbench.errors import ConfigError
from boostbench.report import render
from boostbench.report.document.report import Report
from boostbench.report.names import FIGURE, FORMATS
from boostbench.suggest import did_you_mean


@dataclass(frozen=True)
class Renderer:
    """A format called ``name``, whose text ``render`` returns, in the file ``stem`` + ``suffix``.

    Several of one name are written together.
    """

    name: str
    suffix: str = ""
    render: Callable[[Report], str] = str
    stem: str = "table"

    def file_names(self, experiment: str) -> list[str]:
        """Return the names of all files that a report of an experiment may have."""
        return [f"{self.stem}{self.suffix}"]

    def files(self, report: Report) -> dict[str, bytes]:
        """Return the files of a report by name."""
        return {f"{self.stem}{self.suffix}": self.render(report).encode()}


_REGISTERED: list[Renderer] = []


def register(renderer: Renderer) -> None:
    """Make a format known, as each file of this folder does when it is imported."""
    _REGISTERED.append(renderer)


@cache
def _import_all() -> None:
    for module in pkgutil.iter_modules(render.__path__):
        import_module(f"{render.__name__}.{module.name}")


def _known() -> list[str]:
    """Return the names of all formats, those that a run writes first."""
    _import_all()
    return list(dict.fromkeys([*FORMATS, *(each.name for each in _REGISTERED)]))


def format_names(names: Sequence[str] = ()) -> list[str]:
    """Return the formats called ``names``, those of :data:`FORMATS` if there are none.

    Raises ConfigError where one is not known.
    """
    known = _known()
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            raise ConfigError(
                f"'{name}' is not a format of the report: choose from {', '.join(known)}{hint}"
            )
    return list(dict.fromkeys(names or FORMATS))


def renderers(names: Sequence[str] = ()) -> list[Renderer]:
    """Return the renderers of formats, figures first; see :func:`format_names`."""
    chosen = format_names(names)
    order = [FIGURE, *_known()]
    found = [each for each in _REGISTERED if each.name in chosen]
    return sorted(found, key=lambda each: order.index(each.name))


def file_names(experiment: str) -> list[str]:
    """Return the names of all files that a report of an experiment may have."""
    return [name for each in renderers(_known()) for name in each.file_names(experiment)]
