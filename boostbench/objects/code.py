"""What decides how code runs: its instructions and constants, and the values that it reaches.

Lines, the names of files and annotations are left out, so that the same source gives the same parts
in each process.
"""

import builtins
import dis
import importlib.util
from collections.abc import Iterator, Mapping
from types import CellType, CodeType, FunctionType

from boostbench.objects.places import is_sent

Parts = list[tuple[str, object]]
"""Named values, in an order that does not depend on the process."""

# Of a class: what Python or typing notes there, which changes no result.
_NOTES = frozenset(
    {
        "__module__",
        "__dict__",
        "__weakref__",
        "__annotations__",
        "__annotate__",
        "__annotate_func__",
        "__annotations_cache__",
        "__conditional_annotations__",
        "__firstlineno__",
        "__static_attributes__",
        "__orig_bases__",
        "__parameters__",
        "__slotnames__",
        "__type_params__",
        "_abc_impl",
    }
)
_OF_THE_COMPILER = frozenset({"__firstlineno__", "__static_attributes__"})
_GLOBAL = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL"})


class OwnImport(Exception):
    """A function imports a module of the user's own while it runs; the text is its name."""


def parts_of_code(code: CodeType) -> Parts:
    """Return what decides how a code object runs, but for the values of its names."""
    parts: Parts = [
        ("name", code.co_name),
        ("arguments", (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)),
        ("flags", code.co_flags),
        ("names", (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)),
        ("exceptions", code.co_exceptiontable),
    ]
    if _OF_THE_COMPILER.isdisjoint(code.co_names):
        return [*parts, ("instructions", code.co_code), ("constants", code.co_consts)]
    # The body of a class notes its line, and the attributes that its methods set, in any order.
    kept = list(_without_notes(code))
    return [
        *parts,
        ("instructions", tuple((each.opname, each.argrepr) for each in kept)),
        ("constants", tuple(each.argval for each in kept if each.opname == "LOAD_CONST")),
    ]


def _without_notes(code: CodeType) -> Iterator[dis.Instruction]:
    """Yield the instructions but for those that store what the compiler notes."""
    instructions = list(dis.get_instructions(code))
    for each, following in zip(instructions, [*instructions[1:], None], strict=True):
        if each.argval not in _OF_THE_COMPILER and (
            following is None or following.argval not in _OF_THE_COMPILER
        ):
            yield each


def parts_of_function(function: FunctionType) -> Parts:
    """Return what decides how a function runs: its code and all values that it reaches.

    Raises OwnImport where it imports a module that is not installed.
    """
    package = str(function.__globals__.get("__package__") or "")
    for module in imports_of(function.__code__, package):
        if is_sent(module):
            raise OwnImport(module)
    return [
        ("code", function.__code__),
        ("defaults", function.__defaults__),
        ("keyword defaults", function.__kwdefaults__),
        *((f"closure {name}", cell) for name, cell in _cells(function)),
        *sorted(function.__dict__.items()),
        *_globals(function.__code__, function.__globals__),
    ]


def _cells(function: FunctionType) -> list[tuple[str, CellType]]:
    return list(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))


def _globals(code: CodeType, known: Mapping[str, object]) -> Parts:
    """Return the global values that a function names, in it and in functions inside it."""
    names = sorted(set(_global_names(code)))
    return [(name, known[name]) for name in names if name in known and name != "__builtins__"] + [
        (f"undefined {name}", None)
        for name in names
        if name not in known and not hasattr(builtins, name)
    ]


def _global_names(code: CodeType) -> Iterator[str]:
    for each in dis.get_instructions(code):
        if each.opname in _GLOBAL:
            yield str(each.argval)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _global_names(constant)


def imports_of(code: CodeType, package: str) -> Iterator[str]:
    """Yield the absolute names of the modules that code imports while it runs."""
    previous: list[object] = []
    for each in dis.get_instructions(code):
        if each.opname == "IMPORT_NAME":
            # The level, then the names that are wanted, were loaded before.
            level = next((value for value in previous[-2:] if isinstance(value, int)), 0)
            name = "." * level + str(each.argval)
            yield importlib.util.resolve_name(name, package) if level and package else name
        previous.append(each.argval)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from imports_of(constant, package)


def parts_of_class(made: type) -> Parts:
    """Return what decides how a class behaves: its bases and all that its body defines."""
    body = {name: value for name, value in vars(made).items() if name not in _NOTES}
    return [
        ("name", made.__name__),
        ("made by", type(made)),
        ("bases", made.__bases__),
        *sorted(body.items()),
    ]
