"""The parts of the reference that the code itself knows, as Markdown: commands and keys."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from pydantic import TypeAdapter

import boostbench
from boostbench.cli.app import app
from boostbench.config.messages import PARTS
from boostbench.data.cards import Card, Source, SourceFile, Variant
from boostbench.data.splits import SplitRule
from boostbench.papers.claims import Claim
from boostbench.papers.design import Design, DesignFor
from boostbench.papers.paper import Paper
from boostbench.papers.settings import Condition
from boostbench.papers.tables import PublishedDataset
from boostbench.yamltree import read_yaml

_PACKAGE = Path(boostbench.__file__).parent
TEXTS: Mapping[str, Mapping[str, str]] = {
    name: dict(part)
    for folder in ("config", "data", "papers")
    for name, part in read_yaml(_PACKAGE / folder / "keys.yaml").value.items()
}
"""The description of each key of each part of a file: its allowed values, then its purpose."""
TYPES: Mapping[str, Sequence[type]] = {
    **{part.__name__: [part] for part, _ in PARTS.values()},
    **{part.__name__: [part] for part in (Card, Variant, Source, SourceFile, Paper)},
    "Design": [SplitRule, Design],
    "DesignFor": [DesignFor],
    "Condition": [Condition],
    "datasets.csv": [PublishedDataset],
    "claims.csv": [Claim],
}
"""The types that have the keys of a part, and their defaults; other parts have no defaults."""


def escaped(text: str) -> str:
    """Return a text of one paragraph so that Markdown shows every character of it."""
    return re.sub(r"([\\`*_{}\[\]<>#|~$])", r"\\\1", " ".join(text.split()))


def keys(name: str) -> str:
    """Return a list of the keys of a part, with their defaults and descriptions."""
    schemas = [TypeAdapter(kind).json_schema() for kind in TYPES.get(name, ())]
    required = {key for schema in schemas for key in schema.get("required", ())}
    known = {key: value for schema in schemas for key, value in schema["properties"].items()}
    return "\n".join(
        f"`{key}`{_if_left_out(key in required, known.get(key, {}), text)}\n"
        f": {escaped(text[0].upper() + text[1:])}\n"
        for key, text in TEXTS[name].items()
    )


def _if_left_out(is_required: bool, schema: Mapping[str, object], text: str) -> str:
    """Return what holds where a key is left out, "" where its description or nothing says it."""
    if "default:" in text.lower():
        return ""
    if is_required:
        return ", required"
    default = schema.get("default")
    if default in (None, "") or not isinstance(default, str | int | float):
        return ""
    shown = str(default).lower() if isinstance(default, bool) else default
    return f", default `{shown}`"


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
