"""The sources of a user's own modules: which files decide a result, and whether they have changed.

A module is the user's own where it lies outside the folders in which Python and its packages are
installed: beside an experiment file, on ``PYTHONPATH``, or in a package installed as editable.
"""

import ast
import contextlib
import hashlib
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from boostbench.errors import ConfigError
from boostbench.estimators import module_of
from boostbench.importing import TRUSTED, installed_version, is_library

# Changes of these packages are changes of the environment, for own estimators as for all others.
_OF_THE_ENVIRONMENT = frozenset({"boostbench", "numpy", "scipy", "numba", "pandas"})


@dataclass(frozen=True)
class Sources:
    """The own files that importing a module executes, and the other modules that they import.

    ``files`` maps the name of each file, relative to the folder that holds the outermost package or
    module, to where it lies.
    """

    files: Mapping[str, Path] = field(default_factory=dict)
    installed: frozenset[str] = frozenset()

    def versions(self) -> dict[str, str]:
        """Return the versions of the installed packages that the files import, by name.

        Packages on which all results depend, such as NumPy, belong to the environment instead.
        """
        tops = {name.partition(".")[0] for name in self.installed}
        tops -= _OF_THE_ENVIRONMENT | sys.stdlib_module_names
        return {top: found for top in sorted(tops) if (found := installed_version(top))}

    def record(self) -> dict[str, str]:
        """Return the digests by absolute path; ConfigError for a file that cannot be read."""
        return {str(path.absolute()): file_digest(path) for path in self.files.values()}

    @property
    def digest(self) -> str:
        """The digest of the sources, 16 hex digits; empty where no file is the user's own."""
        parts = {name: file_digest(path) for name, path in sorted(self.files.items())}
        text = "\n".join(f"{name} {found}" for name, found in (parts | self.versions()).items())
        return hashlib.sha256(text.encode()).hexdigest()[:16] if parts else ""


def own_sources(estimator: str) -> Sources:
    """Return the sources behind an import path ``package.module:name`` or ``package.module.name``.

    They are the module's file and the Python files below the same folder that it imports, directly
    or not, at any level of the code. Nothing is imported. boostbench is never the user's own, even
    where it is installed as editable: its methods have versions.
    """
    waiting = [module_of(estimator)]
    top = waiting[0].partition(".")[0]
    places = _places_of(top)
    if not places or top in TRUSTED or is_installed(top):
        return Sources()
    root = (places[0].parent if places[0].name == "__init__.py" else places[0]).parent
    files: dict[str, Path] = {}
    others: set[str] = set()
    while waiting:
        name = waiting.pop()
        found = list(_files_of(name, root))
        if not found:
            others.add(name)
        for package, path in found:
            relative = path.relative_to(root).as_posix()
            if relative not in files:
                files[relative] = path
                waiting += _imports(path, package)
    return Sources(files, frozenset(others))


def changed_files(record: Mapping[str, str]) -> list[str]:
    """Return the paths of :meth:`Sources.record` whose files are not as they were.

    A file that is not there is passed over: it may be on another machine.
    """
    now = {name: file_digest(Path(name)) for name in record if Path(name).is_file()}
    return [shown_path(name) for name, found in now.items() if found != record[name]]


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
    return module in sys.stdlib_module_names or (bool(places) and all(map(is_library, places)))


def _places_of(module: str) -> list[Path]:
    """Return the file of an outermost module, or the folders of a package without __init__.py."""
    # An invalid name, or a module that was not loaded from a file, has no place.
    with contextlib.suppress(ImportError, ValueError, AttributeError):
        spec = importlib.util.find_spec(module)
        if spec is not None and spec.origin and spec.has_location:
            return [Path(spec.origin)]
        return [Path(place) for place in (spec and spec.submodule_search_locations) or []]
    return []


def _files_of(name: str, root: Path) -> Iterator[tuple[str, Path]]:
    """Yield (package, file) of each file below ``root`` that importing ``name`` executes.

    ``package`` is the base of relative imports in the file. A name that ends in a part that is no
    module, such as a class, yields the files of the modules before it.
    """
    package, folder = "", root
    for part in name.split("."):
        module, folder = folder / f"{part}.py", folder / part
        inner = f"{package}.{part}".lstrip(".")
        if (folder / "__init__.py").is_file():
            yield inner, folder / "__init__.py"
        elif module.is_file():
            yield package, module
        package = inner


def _imports(path: Path, package: str) -> Iterator[str]:
    """Yield the dotted names that a file may import; a name may be an attribute of a module."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        # Importing it will report the error.
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # Nothing beyond the outermost package can be imported.
            with contextlib.suppress(ImportError):
                base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
                yield from (base, *(f"{base}.{alias.name}" for alias in node.names))
