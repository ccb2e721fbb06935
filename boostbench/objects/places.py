"""Where modules come from: those that workers import, and those whose code is sent to them."""

import sys
from functools import cache

from boostbench.importing import TRUSTED, installed_version
from boostbench.user_code import is_installed

_MAIN = frozenset({"__main__", "__mp_main__"})


def is_sent(module: str) -> bool:
    """Return whether the code of a module is sent to workers, which cannot import it.

    That is a notebook, a script, or a file beside one: whatever is neither Python's nor of an
    installed package, editable ones included.
    """
    return _is_sent(module.partition(".")[0])


@cache
def _is_sent(top: str) -> bool:
    if top in _MAIN:
        return True
    if top in TRUSTED or top in sys.builtin_module_names or is_installed(top):
        return False
    return not installed_version(top)


def named(value: object) -> str:
    """Return ``module:qualified.name`` of a class or function that has one, else an empty text.

    That is what a worker finds under this name, if the module is installed there.
    """
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or is_sent(module):
        return ""
    found: object = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"{module}:{name}" if found is value else ""


def module_with(value: object, name: str) -> str:
    """Return the module in which pickle finds a value by its name, ``__main__`` if in none."""
    if isinstance(module := getattr(value, "__module__", None), str):
        return module
    for module, loaded in list(sys.modules.items()):
        if module not in _MAIN and getattr(loaded, name, None) is value:
            return module
    return "__main__"


def public_path(path: str) -> str:
    """Return the shortest import path of what :func:`named` gave, as documentation has it.

    That is ``sklearn.linear_model.Ridge`` for ``sklearn.linear_model._ridge:Ridge``.
    """
    module, _, name = path.partition(":")
    if "." in name:
        return path
    thing = getattr(sys.modules[module], name)
    while "." in module:
        outer = module.rpartition(".")[0]
        if getattr(sys.modules.get(outer), name, None) is not thing:
            break
        module = outer
    return f"{module}.{name}"
