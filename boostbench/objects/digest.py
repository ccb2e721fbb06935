"""The digest of an object: equal for equal objects in each process, another after any change.

An object of an installed class is its import path and its parameters, or its state where it has
none. Of classes and functions that workers cannot import, everything that is sent counts: code,
constants, defaults, closures, and what they reach, such as a helper in another cell.
"""

import copyreg
import functools
import hashlib
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from boostbench.data.stored import digest_of_arrays, frame_arrays
from boostbench.errors import BoostbenchError, ConfigError, first_line
from boostbench.objects.code import OwnImport, parts_of_class, parts_of_code, parts_of_function
from boostbench.objects.places import is_sent, module_with, named
from boostbench.user_code import Sources, own_sources

# Their text is exact.
_PLAIN = (type(None), bool, complex, types.EllipsisType, types.NotImplementedType, np.dtype)
# Descriptors of a class that say where an object keeps a value.
_SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)
# Containers in which scikit-learn clones estimators.
_CLONED = (list, tuple, set, frozenset)


@dataclass(frozen=True)
class Identity:
    """The ``digest`` of an object, that of the ``code`` in it, and what is sent.

    ``code`` is that of the user's own classes and functions, without the values of parameters; it
    is empty where there are none. ``sent`` are the modules whose code is sent; ``has_code`` says
    that any code is.
    """

    digest: str
    code: str
    sent: frozenset[str]
    has_code: bool


def identify(value: object, name: str) -> Identity:
    """Return what identifies an estimator, or a class or function, that users call ``name``.

    Raises ConfigError, in a sentence, where it reaches something that cannot be identified or sent.
    """
    walk = _Walk(name)
    try:
        walk.cloned(value)
    except RecursionError:
        raise ConfigError(
            f"{name} cannot be identified: objects in it are nested too deeply"
        ) from None
    versions = Sources({}, frozenset(walk.installed)).versions()
    editable = {top: digest for top in walk.installed if (digest := own_sources(f"{top}:").digest)}
    walk.put("versions", repr((sorted(versions.items()), sorted(editable.items()))).encode())
    if walk.code:
        walk.put("Python", repr(sys.version_info[:2]).encode())
    # In no order: that of sets depends on the process.
    parts = sorted({digest_of(each, name) for each in walk.code} | set(editable.values()))
    code = hashlib.sha256("".join(parts).encode()).hexdigest()[:16] if parts else ""
    return Identity(walk.hexdigest(), code, frozenset(walk.sent), bool(walk.code))


def digest_of(value: object, name: str) -> str:
    """Return the digest of a value alone; ConfigError as :func:`identify` raises."""
    walk = _Walk(name)
    walk.value(value)
    return walk.hexdigest()


@dataclass
class _Walk:
    """A walk over an object and all that it reaches, which hashes what it meets.

    ``code`` are the classes, functions and modules that are sent, each the outermost; ``places``
    are the names that lead to where the walk is, for messages.
    """

    name: str
    installed: set[str] = field(default_factory=set)
    sent: set[str] = field(default_factory=set)
    code: list[object] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    seen: dict[int, int] = field(default_factory=dict)
    # What has been seen, as the id of an object that is gone may be given to another one.
    kept: list[object] = field(default_factory=list)
    depth_of_code: int = 0

    def __post_init__(self) -> None:
        self._sha = hashlib.sha256()

    def hexdigest(self) -> str:
        """Return 16 hex digits of all that was hashed."""
        return self._sha.hexdigest()[:16]

    def put(self, kind: str, content: bytes = b"") -> None:
        """Hash a part of known length."""
        self._sha.update(f"{kind} {len(content)} ".encode())
        self._sha.update(content)

    # -- estimators ------------------------------------------------------------------------------

    def cloned(self, value: object) -> None:
        """Hash what a clone of an estimator keeps: its class and its parameters."""
        if isinstance(value, type) or not self._is_cloned_by_parameters(value):
            if type(value) in _CLONED and isinstance(value, list | tuple):
                self._items(type(value).__name__, value, self.cloned)
            else:
                self.value(value)
            return
        if self._is_known(value):
            return
        self.put("estimator")
        self.value(type(value))
        with self._inside(type(value).__name__):
            for key, parameter in sorted(self._params(value).items()):
                with self._inside(key):
                    self.put("parameter", key.encode())
                    self.cloned(parameter)

    def _is_cloned_by_parameters(self, value: object) -> bool:
        """Return whether scikit-learn clones a value as it clones most estimators."""
        from sklearn.base import BaseEstimator

        usual = getattr(BaseEstimator, "__sklearn_clone__", None)
        own = getattr(type(value), "__sklearn_clone__", usual)
        return hasattr(value, "get_params") and own is usual

    def _params(self, value: object) -> dict[str, object]:
        try:
            params: dict[str, object] = getattr(value, "get_params")(deep=False)  # noqa: B009
            return dict(params)
        except Exception as error:  # a user's own code may raise anything
            raise self._refusal(f"get_params() fails: {first_line(error)}") from error

    # -- values ----------------------------------------------------------------------------------

    def value(self, value: object) -> None:
        """Hash a value and all that it reaches."""
        if self._put_plain(value):
            return
        if isinstance(value, tuple) and type(value) is tuple:
            # Equal constants are one object, or not, as the compiler likes.
            self._items("tuple", value, self.value)
        elif type(value) is frozenset:
            self._unordered("frozenset", value)
        elif isinstance(value, types.CodeType):
            with self._inside_code(value):
                self._parts("code", parts_of_code(value))
        elif not self._is_known(value):
            self._put_object(value)

    def _put_plain(self, value: object) -> bool:
        """Hash a value without parts; return whether it is one."""
        kind = type(value)
        if kind is str:
            self.put("str", str(value).encode("utf-8", "surrogatepass"))
        elif isinstance(value, bytes | bytearray) and kind in (bytes, bytearray):
            self.put(kind.__name__, bytes(value))
        elif isinstance(value, int) and kind is int:
            self.put("int", f"{value:x}".encode())
        elif isinstance(value, float) and kind is float:
            self.put("float", value.hex().encode())
        elif isinstance(value, np.generic) and not isinstance(value, np.object_):
            self.put(f"number {value.dtype.str}", value.tobytes())
        elif isinstance(value, _PLAIN):
            self.put(kind.__name__, repr(value).encode())
        else:
            return False
        return True

    def _put_object(self, value: object) -> None:
        """Hash a value that is seen for the first time."""
        if isinstance(value, type | types.FunctionType):
            self._put_class_or_function(value)
        elif isinstance(value, types.ModuleType):
            self._put_module(value)
        elif type(value) in (list, dict, set, types.MappingProxyType, np.ndarray):
            self._put_container(value)
        elif isinstance(value, pd.DataFrame | pd.Series):
            frame = value if isinstance(value, pd.DataFrame) else value.to_frame()
            with self._explained():
                for part in (frame, frame.index.to_frame(index=False)):
                    self.put("frame", digest_of_arrays(frame_arrays(part, "a frame")).encode())
                    self.value([type(value).__name__, *map(str, part.dtypes)])
        else:
            self._put_other(value)

    def _put_class_or_function(self, value: type | types.FunctionType) -> None:
        if path := named(value):
            self.installed.add(value.__module__)
            self.put("named", path.encode())
            return
        if isinstance(module := value.__module__, str) and is_sent(module):
            self.sent.add(module)
            self._refuse_compiled(module)
        with self._inside(value.__name__), self._inside_code(value):
            if isinstance(value, type):
                self._parts("class", parts_of_class(value))
                return
            try:
                self._parts("function", parts_of_function(value))
            except OwnImport as error:
                raise self._refusal(
                    f"it imports {error} while it runs, which is not installed: import it at the "
                    "top instead"
                ) from None

    def _put_module(self, module: types.ModuleType) -> None:
        name = module.__name__
        if not is_sent(name):
            self.installed.add(name)
            self.put("module", name.encode())
            return
        self.sent.add(name)
        self._refuse_compiled(name)
        with self._inside(name), self._inside_code(module):
            self._parts(
                "own module",
                [
                    (key, value)
                    for key, value in sorted(vars(module).items())
                    if not (key.startswith("__") and key.endswith("__"))
                ],
            )

    def _refuse_compiled(self, name: str) -> None:
        """Raise ConfigError for a module that is no Python source, which cannot be sent."""
        file = str(getattr(sys.modules.get(name), "__file__", None) or "")
        if file.endswith((".so", ".pyd", ".dylib")):
            raise self._refusal(f"the module {name} is compiled and not installed: install it")

    def _put_container(self, value: object) -> None:
        if isinstance(value, np.ndarray):
            if value.dtype.hasobject:
                self.put("array", repr((value.dtype.str, value.shape)).encode())
                self.value(value.ravel().tolist())
            else:
                self.put("array", digest_of_arrays({"": value}).encode())
        elif isinstance(value, set):
            self._unordered("set", value)
        elif isinstance(value, list):
            self._items("list", value, self.value)
        elif isinstance(value, dict | types.MappingProxyType):
            self.put("dict", str(len(value)).encode())
            for key, item in value.items():
                self.value(key)
                with self._inside(key if isinstance(key, str) else "…"):
                    self.value(item)

    def _put_other(self, value: object) -> None:
        """Hash an object of any other type."""
        if isinstance(value, _SLOTS):
            self.put("slot", value.__name__.encode())
        elif isinstance(value, property):
            self._parts("property", [("", (value.fget, value.fset, value.fdel))])
        elif isinstance(value, staticmethod | classmethod):
            self._parts(type(value).__name__, [("", value.__func__)])
        elif isinstance(value, types.MethodType):
            self._parts("method", [("", (value.__func__, value.__self__))])
        elif isinstance(value, types.CellType):
            try:
                contents = [("", value.cell_contents)]
            except ValueError:  # it is empty
                contents = []
            self._parts("cell", contents)
        elif type(value).__module__.startswith("numba.") and hasattr(value, "py_func"):
            # It has a number of its own in each process.
            options = getattr(value, "targetoptions", {})
            self._parts("numba", [("", (value.py_func, sorted(options.items())))])
        else:
            self._put_reduced(value)

    def _put_reduced(self, value: object) -> None:
        """Hash what pickle makes of an object: how it is built again, and its state."""
        reduce = copyreg.dispatch_table.get(type(value))
        try:
            reduced = value.__reduce_ex__(4) if reduce is None else reduce(value)
        except BoostbenchError:
            raise
        except Exception as error:  # any type may refuse, in its own way
            raise self._refusal(
                f"an object of type {type(value).__name__} cannot be sent: {first_line(error)}"
            ) from error
        if isinstance(reduced, str):
            self._put_global(value, reduced)
            return
        self.kept.append(reduced)
        made_by, arguments, *more = reduced
        state, items, pairs, setter = [*more, None, None, None, None][:4]
        self._parts(
            "object",
            [
                ("", made_by),
                ("", arguments),
                ("", state),
                ("", None if items is None else list(items)),
                ("", None if pairs is None else list(pairs)),
                ("", setter),
            ],
        )

    def _put_global(self, value: object, name: str) -> None:
        """Hash an object that is sent as its name alone."""
        module = module_with(value, name)
        if is_sent(module):
            hint = ""
            if isinstance(value, functools._lru_cache_wrapper):
                hint = ": leave the cache out"
            raise self._refusal(
                f"'{name}', an object of type {type(value).__name__}, is known by its name only, "
                f"which workers cannot import{hint}"
            )
        self.installed.add(module)
        self.put("named", f"{module}:{name}".encode())

    # -- parts -----------------------------------------------------------------------------------

    def _parts(self, kind: str, parts: Iterable[tuple[str, object]]) -> None:
        """Hash named parts in their order."""
        parts = list(parts)
        self.put(kind, str(len(parts)).encode())
        for name, part in parts:
            self.put("part", name.encode("utf-8", "surrogatepass"))
            with self._inside(name):
                self.value(part)

    def _items(self, kind: str, items: Iterable[object], put: Callable[[object], None]) -> None:
        items = list(items)
        self.put(kind, str(len(items)).encode())
        for item in items:
            put(item)

    def _unordered(self, kind: str, items: Iterable[object]) -> None:
        """Hash the items of a set, whose order depends on the process."""
        digests = []
        for item in items:
            walk = _Walk(self.name, self.installed, self.sent, self.code, self.places)
            walk.depth_of_code = self.depth_of_code
            walk.seen, walk.kept = dict(self.seen), self.kept
            walk.value(item)
            digests.append(walk.hexdigest())
        self.put(kind, "".join(sorted(digests)).encode())

    def _is_known(self, value: object) -> bool:
        """Return whether a value was met before, and note it; its place is hashed then."""
        if id(value) in self.seen:
            self.put("seen", str(self.seen[id(value)]).encode())
            return True
        self.seen[id(value)] = len(self.seen)
        self.kept.append(value)
        return False

    @contextmanager
    def _inside(self, place: str) -> Iterator[None]:
        """Note the name that leads to what is hashed within."""
        self.places.append(place)
        yield
        self.places.pop()

    @contextmanager
    def _inside_code(self, code: object) -> Iterator[None]:
        """Note code that is sent, unless it is a part of other code."""
        if not self.depth_of_code:
            self.code.append(code)
        self.depth_of_code += 1
        yield
        self.depth_of_code -= 1

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Say where a value is that something else cannot describe."""
        try:
            yield
        except BoostbenchError as error:
            raise self._refusal(str(error)) from None

    def _refusal(self, why: str) -> ConfigError:
        where = " > ".join(dict.fromkeys(filter(None, self.places)))
        return ConfigError(
            f"{self.name} cannot be identified{f', at {where}' if where else ''}: {why}"
        )
