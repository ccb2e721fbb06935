"""The names under which objects lie beside an experiment file.

Nothing heavy is imported here: commands ask by name whether a method is a stored object.
"""

import re

FOLDER = "objects"
"""The folder of pickled objects and of tables, beside the experiment file."""
OWN_CODE = "OWN_CODE"
"""The name under which a module has the digest of the user's own code in its object."""

_MODULE = re.compile(r"saved_([0-9a-f]{16})")
_ROWS = re.compile(r"[0-9a-f]{16}-split-(\d+)-(train|test)\.txt")


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


def rows_name(digest: str, split: int, part: str) -> str:
    """Return the name of the file with the rows of a part, ``train`` or ``test``, of a split."""
    return f"{digest}-split-{split}-{part}.txt"


def rows_in_words(file: str) -> str:
    """Return what a file of rows has, as users of Python know it; empty for any other file."""
    match = _ROWS.fullmatch(file)
    return f"splits[{match[1]}] ({match[2]})" if match else ""


def readable(path: str) -> str:
    """Return an import path as users read it: of a stored object the name, without its address."""
    return re.split(r"[.:]", path)[-1] if is_saved(path) else path
