"""Objects as files: written by cloudpickle, with the code that workers cannot import."""

import io
import pickle
import re
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import cloudpickle

from boostbench.errors import ConfigError, first_line
from boostbench.objects.digest import Identity, identify
from boostbench.objects.names import FOLDER, digest_in, pickle_name
from boostbench.objects.places import is_sent

_HEADER = re.compile(rb"boostbench object(?: of Python (\S+))?\n")


class _Pickler(cloudpickle.Pickler):
    """Writes classes so that loading them makes new ones.

    cloudpickle's own files change the class from which they were made when the same process loads
    them: a notebook's class would no longer see an edited helper.
    """

    def reducer_override(self, obj: object) -> object:
        reduced = super().reducer_override(obj)
        if isinstance(reduced, tuple) and reduced[0].__name__ in (
            "_make_skeleton_class",
            "_make_skeleton_enum",
        ):
            maker, (*arguments, _, extra), *more = reduced
            return maker, (*arguments, None, extra), *more
        return reduced


class _Checker(pickle.Unpickler):
    """Loads what was written, and refuses names that only this process knows."""

    def find_class(self, module: str, name: str, /) -> object:
        if is_sent(module):
            raise pickle.PicklingError(f"workers cannot import {module}.{name}")
        return super().find_class(module, name)


def pickled(value: object, name: str) -> tuple[bytes, Identity]:
    """Return a file's content for an object that users call ``name``, and what identifies it.

    Raises ConfigError, in a sentence, where it cannot be identified or sent.
    """
    identity = identify(value, name)
    file = io.BytesIO()
    try:
        with _by_value(identity.sent):
            _Pickler(file, protocol=5).dump(value)
        _Checker(io.BytesIO(file.getvalue())).load()
    except Exception as error:  # any object may refuse, in its own way
        raise ConfigError(f"{name} cannot be sent to workers: {first_line(error)}") from error
    version = f" of Python {_version()}" if identity.has_code else ""
    return f"boostbench object{version}\n".encode() + file.getvalue(), identity


@contextmanager
def _by_value(modules: Collection[str]) -> Iterator[None]:
    """Have cloudpickle send the code of these modules."""
    before = cloudpickle.list_registry_pickle_by_value()
    new = [sys.modules[name] for name in modules if name in sys.modules and name not in before]
    for module in new:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in new:
            cloudpickle.unregister_pickle_by_value(module)


def load(module_file: str) -> object:
    """Return the object that the module of this file stands for; ConfigError where it is missing.

    Loading an object runs code that whoever made it has chosen.
    """
    module = Path(module_file)
    path = module.parent / FOLDER / pickle_name(digest_in(module.stem))
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read ({error.strerror or error}): copy the whole folder of the "
            "results, or run the experiment again from Python"
        ) from None
    header = _HEADER.match(content)
    if header is None:
        raise ConfigError(f"{path} is damaged: remove it, and run the experiment again from Python")
    if header[1] and header[1].decode() != _version():
        raise ConfigError(
            f"{path} has code of Python {header[1].decode()}, which Python {_version()} cannot "
            "run: use that version, or run the experiment again from Python"
        )
    loaded: object = pickle.loads(content[header.end() :])
    return loaded


def _version() -> str:
    return "{}.{}".format(*sys.version_info)
