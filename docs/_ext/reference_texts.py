"""The parts of the reference that the code itself knows, as Markdown: commands and keys."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

import boostbench
from boostbench.cli.app import app
from boostbench.config.messages import PARTS
from boostbench.data.cards import Card, Source, SourceFile, Variant
from boostbench.yamltree import read_yaml

_PACKAGE = Path(boostbench.__file__).parent
_OF_CARDS = read_yaml(_PACKAGE / "data" / "keys.yaml").value
MODELS: Mapping[str, type[BaseModel]] = {
    **{part.__name__: part for part, _ in PARTS.values()},
    **{part.__name__: part for part in (Card, Variant, Source, SourceFile)},
}
"""What ``keys`` can be asked for: the parts of an experiment file and of a card."""


def escaped(text: str) -> str:
    """Return a text of one paragraph so that Markdown shows every character of it."""
    return re.sub(r"([\\`*_{}\[\]<>#|~$])", r"\\\1", " ".join(text.split()))


def texts_of(name: str) -> Mapping[str, str]:
    """Return the description of each key of a part: its allowed values, then its purpose."""
    if name in _OF_CARDS:
        return dict(_OF_CARDS[name])
    part: Any = MODELS[name]
    return dict(part.key_texts())


def keys(name: str) -> str:
    """Return a list of the keys of a part, with their defaults and descriptions."""
    fields = MODELS[name].model_fields
    return "\n".join(
        f"`{key}`{_default(fields[key], text)}\n: {escaped(text[0].upper() + text[1:])}\n"
        for key, text in texts_of(name).items()
    )


def _default(field: Any, text: str) -> str:
    """Return what holds where a key is left out, "" where its description or nothing says it."""
    if field.is_required():
        return ", required"
    default = field.default
    is_told = "default:" in text.lower()
    if is_told or default in (None, "", PydanticUndefined) or not _is_plain(default):
        return ""
    shown = str(default).lower() if isinstance(default, bool) else default
    return f", default `{shown}`"


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float)


def commands() -> str:
    """Return all commands with their arguments and options."""
    group = typer.main.get_command(app)
    root = group.context_class(group, info_name="boostbench", **group.context_settings)
    return "\n".join(_command_lines(group, root))


def _command_lines(group: Any, context: Any) -> Iterator[str]:
    """Yield the lines on each command of a group; those of a group within it follow its own."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        own = command.context_class(command, info_name=name, parent=context)
        yield f"## {own.command_path}\n"
        yield f"```text\n{_usage(command, own)}\n```\n"
        yield from (f"{escaped(paragraph)}\n" for paragraph in command.help.split("\n\n"))
        yield from _parameter_lines(command, own)
        if hasattr(command, "list_commands"):
            yield from _command_lines(command, own)


def _usage(command: Any, context: Any) -> str:
    """Return how a command is called, without further brackets around those of its arguments."""
    pieces = command.collect_usage_pieces(context)
    plain = [re.sub(r"^(?:\{(.*)\}|\[(\[.*)\])(?:\.\.\.)?$", r"\1\2", each) for each in pieces]
    return " ".join([context.command_path, *plain])


def _parameter_lines(command: Any, context: Any) -> Iterator[str]:
    """Yield the lines on each argument and option of a command; --help, which all have, on none."""
    records = [each.get_help_record(context) for each in command.get_params(context)]
    for names, text in (record for record in records if record is not None):
        if "--help" not in names:
            yield f"`{names}`\n: {escaped(text)}\n"
