"""Parts of reference pages that are made from the code while the site is built.

In a page, ``{commands}`` is the list of all commands, and ``{keys} PART`` that of the keys of a
part of an experiment file, a card or a paper. A page for each module that users import is written
to ``docs/reference/generated`` before Sphinx looks for pages; autosummary then makes a page for
each function and class there.
"""

import importlib
import inspect
from pathlib import Path

from docutils import nodes
from reference_texts import commands, keys
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.docutils import SphinxDirective

MODULES = (
    "boostbench",
    "boostbench.trees",
    "boostbench.boosting",
    "boostbench.stats",
    "boostbench.methods",
)
"""The modules that users import."""


class Commands(SphinxDirective):
    """The list of all commands, with their arguments and options."""

    def run(self) -> list[nodes.Node]:
        """Return the list, one section a command."""
        return self.parse_text_to_nodes(commands(), allow_section_headings=True)


class Keys(SphinxDirective):
    """The list of the keys of a part of a file."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the list."""
        return self.parse_text_to_nodes(keys(self.arguments[0]))


def module_page(name: str) -> str:
    """Return the page of a module: what its ``__all__`` has, in tables with a line on each."""
    module = importlib.import_module(name)
    groups: dict[str, list[str]] = {"Functions": [], "Classes": [], "Records": [], "Errors": []}
    for each in module.__all__:
        if callable(value := getattr(module, each)):
            groups[_group(value)].append(each)
    lines = [name, "=" * len(name), "", f".. currentmodule:: {name}", ""]
    for group, names in groups.items():
        if names:
            lines += [group, "-" * len(group), "", ".. autosummary::", "   :toctree: ."]
            lines += ["   :nosignatures:", "", *(f"   {each}" for each in names), ""]
    return "\n".join(lines)


def _group(value: object) -> str:
    if not inspect.isclass(value):
        return "Functions"
    if issubclass(value, Exception):
        return "Errors"
    is_record = hasattr(value, "__dataclass_fields__") and value.__name__ != "Method"
    return "Records" if is_record else "Classes"


def _write_module_pages(app: Sphinx, _config: Config) -> None:
    """Write the pages of modules, those that have changed only, so that others stay as built."""
    folder = Path(app.srcdir) / "docs" / "reference" / "generated"
    folder.mkdir(parents=True, exist_ok=True)
    for name in MODULES:
        page, text = folder / f"{name}.rst", module_page(name)
        if not page.is_file() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives, and what writes the pages of modules."""
    app.add_directive("commands", Commands)
    app.add_directive("keys", Keys)
    app.connect("config-inited", _write_module_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
