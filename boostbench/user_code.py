"""The sources of a user's own modules: which files decide a result, and whether they have changed.

A module is the user's own where it lies outside the folders in which Python and its packages are
installed: beside an experiment file, on ``PYTHONPATH``, or in a package installed as editable.
"""

import ast
import contextlib
import hashlib
import importlib.util
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from boostbench.errors import ConfigError
from boostbench.estimators import module_of, path_parts
from boostbench.importing import TRUSTED, installed_version, is_library
from boostbench.objects.names import is_saved

# Changes of these packages are changes of the environment, for own estimators as for all others.
_OF_THE_ENVIRONMENT = frozenset({"boostbench", "numpy", "scipy", "numba", "pandas"})
_NEVER_OWN = TRUSTED | _OF_THE_ENVIRONMENT | {"__main__"}


@dataclass(frozen=True)
class Sources:
    """The own files that importing a module executes, and the other modules that they import.

    ``files`` maps the name of each file to where it lies: its path below the folder that holds the
    outermost package or module.
    """

    files: Mapping[str, Path] = field(default_factory=dict)
    installed: frozenset[str] = frozenset()

    def versions(self) -> dict[str, str]:
        """Return the versions of the installed packages that the files import, by name.

        Packages on which all results depend, such as NumPy, belong to the environment instead.
        """
        tops = {name.partition(".")[0] for name in self.installed}
        tops -= _OF_THE_ENVIRONMENT | sys.stdlib_module_names
        return {top: version for top in sorted(tops) if (version := installed_version(top))}

    def record(self) -> dict[str, str]:
        """Return the digests by absolute path, and the versions of installed packages by name.

        Raises ConfigError for a file that cannot be read.
        """
        digests = {_absolute(path): file_digest(path) for path in self.files.values()}
        return {**digests, **self.versions()} if digests else {}

    @property
    def digest(self) -> str:
        """The digest of the sources, 16 hex digits; empty where no file is the user's own."""
        if not self.files:
            return ""
        parts = {name: file_digest(path) for name, path in sorted(self.files.items())}
        text = "\n".join(f"{name} {value}" for name, value in (parts | self.versions()).items())
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def own_sources(estimator: str) -> Sources:
    """Return the sources behind an import path ``package.module:name`` or ``package.module.name``.

    They are the module's file and the user's own files that it imports, directly or not, at any
    level of the code: below the same folder, or wherever else Python finds them, such as in a
    package installed as editable. Nothing is imported; but a module that puts a folder on the
    import path, builds modules itself, or imports them by names that are not in its text, has to be
    imported before the files there are found.
    boostbench is never the user's own, even where it is installed as editable: its methods have
    versions.
    """
    waiting = [module_of(estimator)]
    top = waiting[0].partition(".")[0]
    if top in TRUSTED or is_installed(top):
        return Sources()
    roots = [_folder_around(place) for place in _own_places(top)[:1]]
    files: dict[str, Path] = {}
    others: set[str] = set()
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        sources = _files_of(name, roots)
        # The digest of a stored object covers all that it has, wherever that came from.
        if sources and not is_saved(name):
            waiting += _modules_in_use(name, path_parts(estimator)[-1])
        else:
            others.add(name)
        for source in sources:
            if source.name not in files:
                files[source.name] = source.path
                waiting += _imports(source.path, source.package)
    return Sources(files, frozenset(others))


def _folder_around(place: Path) -> Path:
    """Return the folder that holds the file or folder of an outermost module."""
    return (place.parent if _is_package(place) else place).parent


def _files_of(name: str, roots: Sequence[Path]) -> list["ImportedFile"]:
    """Return the own files that importing ``name`` executes."""
    below = [file for root in roots for file in _files_below(root, "", name.split("."))]
    return below or list(_elsewhere(name)) or list(_loaded(name))


def sources_now(record: Mapping[str, str]) -> dict[str, str]:
    """Return a :meth:`Sources.record` as it is now.

    A file or package that is not there is as it was: it may be on another machine.
    """
    now = {}
    for name, then in record.items():
        path = Path(name)
        if path.is_absolute():
            now[name] = file_digest(path) if path.is_file() else then
        else:
            now[name] = installed_version(name) or then
    return now


def _absolute(path: Path) -> str:
    """Return an absolute path, without ``..``, which an entry of the import path may have."""
    return str(path.resolve() if ".." in path.parts else path.absolute())


def shown_path(name: str) -> str:
    """Return a path for the user, short where possible."""
    path, here = Path(name), Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else name


def file_digest(path: Path) -> str:
    """Return 16 hex digits of the sha256 of a file; ConfigError where it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}") from None


def forget(estimator: str) -> None:
    """Have the user's own modules behind an estimator imported again when they are next needed."""
    importlib.invalidate_caches()
    paths = {str(path) for path in own_sources(estimator).files.values()}
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)) in paths:
            del sys.modules[name]


def is_installed(module: str) -> bool:
    """Return whether the outermost module ``module`` is Python's or an installed package's."""
    places = _places_of(module)
    return all(map(is_library, places)) if places else module in sys.stdlib_module_names


def taken_name(path: str, folder: Path) -> str:
    """Return in words why the module of an import path is not the file of its name in ``folder``.

    Empty where it is, or where there is no such file.
    """
    top = path_parts(path)[0]
    files = [
        file for file in (folder / top / "__init__.py", folder / f"{top}.py") if file.is_file()
    ]
    places = _places_of(top)
    if not files or any(place.resolve() == files[0].resolve() for place in places):
        return ""
    if not (owner := _owner(top, places)):
        # A module of this name that another experiment has loaded is imported again.
        return ""
    return (
        f"the name of {shown_path(str(files[0]))} is taken by {owner}: give the file another name"
    )


def _owner(top: str, places: Sequence[Path]) -> str:
    """Return in words whose module has the name ``top`` for good, empty where none has."""
    pythons = Path(contextlib.__file__).parent
    if top in sys.stdlib_module_names or pythons / top in (place.parent for place in places):
        return f"Python's own module {top}"
    is_kept = top not in sys.modules or top in _NEVER_OWN or is_installed(top)
    return f"the module in {places[0]}" if places and is_kept else ""


def _places_of(module: str) -> list[Path]:
    """Return the file of an outermost module, or the folders of a package without __init__.py."""
    # An invalid name, or a module that was not loaded from a file, has no place.
    with contextlib.suppress(ImportError, ValueError, AttributeError):
        spec = importlib.util.find_spec(module)
        if spec is not None and spec.origin and spec.has_location:
            return [Path(spec.origin)]
        folders = map(Path, (spec and spec.submodule_search_locations) or [])
        # A package installed as editable may have an entry that is no folder.
        return [folder for folder in folders if folder.is_dir()]
    return []


def _own_places(module: str) -> list[Path]:
    return [place for place in _places_of(module) if not is_library(place)]


def _is_package(file: Path) -> bool:
    return file.name.partition(".")[0] == "__init__"


class ImportedFile(NamedTuple):
    """The base of relative imports in a file, its name in the digest, and where it lies."""

    package: str
    name: str
    path: Path


def _files_below(folder: Path, package: str, names: Sequence[str]) -> Iterator[ImportedFile]:
    """Yield each file that importing ``package.name.name…`` executes below the package's folder.

    A name that is no module, such as that of a class, has no file.
    """
    for name in names:
        inner = f"{package}.{name}".lstrip(".")
        for file in _files_of_module(folder, name):
            yield _imported_file(inner, file)
        package, folder = inner, folder / name


def _files_of_module(folder: Path, name: str) -> list[Path]:
    """Return the files in a folder from which a module ``name`` may be loaded."""
    package = folder / name / "__init__.py"
    if package.is_file():
        return [package]
    suffixes = (*EXTENSION_SUFFIXES, ".py")
    return [file for suffix in suffixes if (file := folder / f"{name}{suffix}").is_file()]


def _imported_file(module: str, file: Path) -> ImportedFile:
    """Return the entry for the file of a module, given by its dotted name."""
    outer = module if _is_package(file) else module.rpartition(".")[0]
    return ImportedFile(outer, "/".join([*filter(None, outer.split(".")), file.name]), file)


def _elsewhere(name: str) -> Iterator[ImportedFile]:
    """Yield each own file that importing ``name`` executes, wherever Python finds it."""
    top, *names = name.split(".")
    if top in _NEVER_OWN or is_installed(top):
        return
    for place in _own_places(top):
        if place.is_file():
            yield _imported_file(top, place)
        if place.is_dir() or _is_package(place):
            yield from _files_below(place if place.is_dir() else place.parent, top, names)


def _loaded(name: str) -> Iterator[ImportedFile]:
    """Yield the own files of a loaded module, and of its packages, which are not found by name."""
    parts = name.split(".")
    modules = [".".join(parts[: n + 1]) for n in range(len(parts))]
    for module in modules if parts[0] not in _NEVER_OWN else ():
        file = getattr(sys.modules.get(module), "__file__", None)
        if file and not is_library(Path(file)):
            yield _imported_file(module, Path(file))


def _modules_in_use(name: str, wanted: str) -> Iterator[str]:
    """Yield the own modules of what a loaded module has under its names, however it got them.

    ``wanted`` is a name that it may make only when it is asked. A package's modules are left out:
    they are there as soon as anything imports them.
    """
    module = sys.modules.get(name)
    if module is None:
        return
    for key in [*vars(module), wanted]:
        with contextlib.suppress(Exception):  # a user's own object may raise anything
            value = getattr(module, key)
            is_module = isinstance(value, ModuleType)
            used = value.__name__ if is_module else value.__module__
            if not (is_module and used == f"{name}.{key}") and any(_loaded(used)):
                yield used


def _imports(file: Path, package: str) -> tuple[str, ...]:
    """Return the dotted names that a file may import; a name may be an attribute of a module."""
    try:
        return _imported_names(file.read_bytes(), package) if file.suffix == ".py" else ()
    except (OSError, SyntaxError, ValueError, RecursionError):
        # Importing it will report the error.
        return ()


# Trials of one experiment ask for the same files again and again.
@lru_cache(maxsize=2000)
def _imported_names(text: bytes, package: str) -> tuple[str, ...]:
    names: list[str] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = _resolved("." * node.level + (node.module or ""), package)
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)] if base else []
        elif isinstance(node, ast.Call):
            names.append(_resolved(_name_in_call(node), package))
    return tuple(filter(None, names))


def _resolved(name: str, package: str) -> str:
    """Return an imported name as an absolute one, empty where there is none."""
    # Nothing beyond the outermost package can be imported.
    with contextlib.suppress(ImportError):
        return importlib.util.resolve_name(name, package)
    return ""


def _name_in_call(call: ast.Call) -> str:
    """Return the name in ``import_module("name")`` and like calls, empty for any other."""
    function = call.func
    called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if call.args and called in ("import_module", "__import__", "spec_from_file_location"):
        first = call.args[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            return first.value
    return ""
