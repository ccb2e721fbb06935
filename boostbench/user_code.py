"""The sources of a user's own modules: what of them decides a result, and whether it has changed.

A module is the user's own where it lies outside the folders in which Python and its packages are
installed: beside an experiment file, on ``PYTHONPATH``, or in a package installed as editable.
"""

import ast
import hashlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from boostbench.errors import ConfigError
from boostbench.estimators import module_of
from boostbench.importing import installed_version, is_library

# Their results carry a version that is raised with every change of theirs.
_VERSIONED = frozenset({"boostbench", "sklearn"})
_IMPORTERS = frozenset({"import_module", "__import__"})
# A change of these is a change of the environment, for own estimators as for all others.
_OF_THE_ENVIRONMENT = frozenset({"boostbench", "numpy", "scipy", "numba", "pandas"})
_PACKAGE = "package "


@dataclass(frozen=True)
class Sources:
    """The own files that importing a module can execute, and the installed modules they import.

    ``files`` maps the name of each file, relative to the folder that holds its outermost package
    or module, to where it lies. ``installed`` are the modules that they import of other packages.
    """

    files: Mapping[str, Path] = field(default_factory=dict)
    installed: frozenset[str] = frozenset()

    def digests(self) -> dict[str, str]:
        """Return 16 hex digits of the sha256 of each file's content, by name.

        Raises ConfigError for a file that cannot be read.
        """
        return {name: file_digest(path) for name, path in sorted(self.files.items())}

    def versions(self) -> dict[str, str]:
        """Return the versions of the installed packages that the files import, by name.

        Those on which all results depend alike, such as NumPy, are left to the environment.
        """
        tops = {name.partition(".")[0] for name in self.installed} - _OF_THE_ENVIRONMENT
        tops -= {*sys.builtin_module_names, *sys.stdlib_module_names}
        return {top: installed_version(top) for top in sorted(tops)}

    def record(self) -> dict[str, str]:
        """Return the digests by absolute path, and :meth:`versions` by ``package NAME``."""
        digests = self.digests()
        files = {str(self.files[name].absolute()): found for name, found in digests.items()}
        return files | {f"{_PACKAGE}{name}": found for name, found in self.versions().items()}

    @property
    def digest(self) -> str:
        """16 hex digits that equal sources share; empty where no file is the user's own."""
        if not self.files:
            return ""
        parts = [*self.digests().items(), *self.versions().items()]
        text = "\n".join(f"{name} {found}" for name, found in parts)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def own_sources(estimator: str) -> Sources:
    """Return the sources behind an import path ``package.module:name`` or ``package.module.name``.

    The module and what it imports, directly or not, are followed as far as they are the user's own,
    by reading the code: imports inside functions count, and so does ``import_module`` of a text, or
    a text that names a Python file beside the module. Data files are not followed. Nothing is
    imported.
    """
    module = module_of(estimator)
    if module.partition(".")[0] in _VERSIONED:
        return Sources()
    files: dict[str, Path] = {}
    installed: set[str] = set()
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        top = name.partition(".")[0]
        # Also where boostbench itself is installed as editable: its methods have versions.
        if top in _VERSIONED or is_installed(top):
            installed.add(name)
            continue
        for package, relative, path in _files_of(name):
            if relative not in files:
                files[relative] = path
                nodes = _nodes(path)
                waiting += _imports(nodes, package)
                for named in _files_named_in(nodes, path):
                    files.setdefault((Path(relative).parent / named.name).as_posix(), named)
                    waiting += _imports(_nodes(named), package)
    return Sources(files, frozenset(installed))


def changed_files(record: Mapping[str, str]) -> list[str]:
    """Return the paths and packages of :meth:`Sources.record` that are not as they were.

    A file that is not there is passed over: it may be on another machine.
    """
    return [shown_path(name) for name, found in record.items() if _now(name, found) != found]


def shown_path(name: str) -> str:
    """Return a path or package of :meth:`Sources.record` for the user, short where possible."""
    path, here = Path(name), Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else name


def _now(name: str, found: str) -> str:
    if name.startswith(_PACKAGE):
        return installed_version(name.removeprefix(_PACKAGE))
    return file_digest(Path(name)) if Path(name).is_file() else found


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
    if module in sys.builtin_module_names or module in sys.stdlib_module_names:
        return True
    loaded = sys.modules.get(module)
    places = _places_of(loaded) if loaded is not None else _places_found(module)
    return bool(places) and all(is_library(place) for place in places)


def _places_of(module: object) -> list[Path]:
    path = getattr(module, "__file__", None)
    return [Path(path)] if path else [Path(p) for p in getattr(module, "__path__", [])]


def _places_found(module: str) -> list[Path]:
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError, AttributeError):
        return []
    if spec is None:
        return []
    if spec.origin and spec.has_location:
        return [Path(spec.origin)]
    return [Path(place) for place in spec.submodule_search_locations or []]


def _files_of(name: str) -> Iterator[tuple[str, str, Path]]:
    """Yield (package, relative name, path) of each file that importing the module executes.

    ``package`` is what relative imports in the file start from. A name that ends in something that
    is no module, such as a class, yields the files of the modules before it.
    """
    top, *rest = name.split(".")
    spec = None
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError, AttributeError):
        # ValueError: a module that is loaded, but not by the usual machinery.
        return
    if spec is None:
        return
    if not spec.submodule_search_locations:
        if spec.origin and spec.has_location:
            yield "", Path(spec.origin).name, Path(spec.origin)
        return
    folder = Path(next(iter(spec.submodule_search_locations)))
    root, package = folder.parent, top
    yield from _initialiser(package, folder, root)
    for part in rest:
        module = folder / f"{part}.py"
        is_package = (folder / part / "__init__.py").is_file()
        # As Python does: a folder without __init__.py only where there is no module of its name.
        if is_package or ((folder / part).is_dir() and not module.is_file()):
            folder, package = folder / part, f"{package}.{part}"
            yield from _initialiser(package, folder, root)
        elif module.is_file():
            yield package, module.relative_to(root).as_posix(), module
            return
        else:
            for compiled in sorted(folder.glob(f"{part}.*.so")):
                yield package, compiled.relative_to(root).as_posix(), compiled
            return


def _initialiser(package: str, folder: Path, root: Path) -> Iterator[tuple[str, str, Path]]:
    path = folder / "__init__.py"
    if path.is_file():
        yield package, path.relative_to(root).as_posix(), path


def _imports(nodes: Iterable[ast.AST], package: str) -> Iterator[str]:
    """Yield the dotted names that a file may import; a name may be an attribute of a module."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from _imported_from(node, package)
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            first = node.args[0] if node.args else None
            if name in _IMPORTERS and isinstance(first, ast.Constant) and first.value:
                text = str(first.value)
                level = len(text) - len(text.lstrip("."))
                yield _absolute(text[level:], level, package)


def _nodes(path: Path) -> list[ast.AST]:
    if path.suffix != ".py":
        return []
    try:
        return list(ast.walk(ast.parse(path.read_bytes())))
    except (OSError, SyntaxError, ValueError, RecursionError):
        # Importing it will say what is wrong.
        return []


def _files_named_in(nodes: Iterable[ast.AST], path: Path) -> Iterator[Path]:
    """Yield the Python files beside a module that it names in a text, to load them by path."""
    for node in nodes:
        if isinstance(node, ast.Constant) and str(node.value).endswith(".py"):
            named = path.parent / Path(str(node.value)).name
            if named != path and named.is_file():
                yield named


def _imported_from(node: ast.ImportFrom, package: str) -> Iterable[str]:
    base = _absolute(node.module or "", node.level, package)
    if not base:
        return []
    return [base, *(f"{base}.{alias.name}" for alias in node.names if alias.name != "*")]


def _absolute(name: str, level: int, package: str) -> str:
    """Return the whole name of a module that ``package`` names with ``level`` dots before it."""
    if not level:
        return name
    parts = package.split(".") if package else []
    kept = parts[: len(parts) - (level - 1)]
    return ".".join([*kept, *([name] if name else [])])
