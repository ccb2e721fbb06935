"""The docstrings of what users import: their sections are complete, and their examples run."""

import doctest
import importlib
import inspect
from collections.abc import Iterator

import pytest

# Left out of numpydoc's checks are:
# GL01: a summary stands on the line of the opening quotes;
# ES01, SA01, EX01: a second paragraph, references to others and an example, where they help.
LEFT_OUT = {"GL01", "ES01", "SA01", "EX01"}
# Records are made by the functions that return them; their docstrings list fields as attributes.
LEFT_OUT_OF_RECORDS = {"PR01"}
MODULES = ("boostbench", "boostbench.boosting", "boostbench.stats", "boostbench.trees")


def _public() -> Iterator[str]:
    """The names of all functions and classes in ``__all__``, and of the classes' own members."""
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        for name in module.__all__:
            value = getattr(module, name)
            if not callable(value):
                continue
            yield f"{module_name}.{name}"
            if inspect.isclass(value):
                yield from (f"{module_name}.{name}.{member}" for member in _members(value))


def _members(value: type) -> list[str]:
    """The public methods and properties of a class that this package defines."""
    own = [base for base in value.__mro__ if base.__module__.startswith("boostbench.")]
    names = {name for base in own for name, member in vars(base).items() if _is_documented(member)}
    return sorted(name for name in names if not name.startswith("_"))


def _is_documented(member: object) -> bool:
    is_function = inspect.isfunction(member) or isinstance(member, staticmethod | classmethod)
    return is_function or inspect.isdatadescriptor(member) or hasattr(member, "attrname")


def _object(name: str) -> object:
    module = next(each for each in reversed(MODULES) if name.startswith(f"{each}."))
    value: object = importlib.import_module(module)
    for part in name.removeprefix(f"{module}.").split("."):
        value = getattr(value, part)
    return value


def _complaints(name: str) -> list[str]:
    """What numpydoc finds wrong with a docstring, without the checks that are left out."""
    validate = pytest.importorskip("numpydoc.validate").validate
    value = _object(name)
    is_record = hasattr(value, "__dataclass_fields__")
    left_out = LEFT_OUT | LEFT_OUT_OF_RECORDS if is_record else LEFT_OUT
    found = validate(name)["errors"]
    return [f"{name}: {code} {text}" for code, text in found if code not in left_out]


@pytest.mark.parametrize("module", MODULES)
def test_docstrings_have_all_sections(module: str) -> None:
    names = [name for name in _public() if name.rpartition(".")[0].startswith(module)]
    assert [text for name in names for text in _complaints(name)] == []
