"""The names under which objects lie beside an experiment file.

Nothing heavy is imported here: commands ask by name whether a method is a stored object.
"""

import re

FOLDER = "objects"
"""The folder of pickled objects and of tables, beside the experiment file."""
ESTIMATOR, FUNCTION = "estimator", "function"
"""The name of a stored estimator, or of the function of a metric, in its module."""

_MODULE = re.compile(r"saved_([0-9a-f]{16})")


def module_name(digest: str) -> str:
    """Return the name of the module that loads the object of this digest."""
    return f"saved_{digest}"


def is_saved(path: str) -> bool:
    """Return whether an import path, or a module, is that of a stored object."""
    return bool(digest_in(path))


def digest_in(path: str) -> str:
    """Return the digest in the import path of a stored object, empty for any other path."""
    match = _MODULE.fullmatch(re.split(r"[.:]", path)[0])
    return match[1] if match else ""


def pickle_name(digest: str) -> str:
    """Return the name of the file with the pickled object of this digest."""
    return f"{digest}.pickle"


def table_name(digest: str) -> str:
    """Return the name of the file with the table of this digest."""
    return f"{digest}.npz"
