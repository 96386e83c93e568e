"""Prints the lists of games, agents and models; `kibitz games` without options needs nothing but this."""

import sys
from typing import Any

import msgspec
from rich.text import Text

from kibitz.cli.console import console, plain_table
from kibitz.cli.output import BAD_INPUT, flush_output, prepare_output
from kibitz.core.errors import BrokenPlugin, reason, short_repr
from kibitz.core.registry import Kind, RegistryEntry, can_train, entries, find
from kibitz.core.registry.descriptions import describe
from kibitz.core.registry.specs import spec_text


def print_all(kind: Kind, *, json: bool) -> int:
    """The command that lists everything of a kind; its exit code."""
    prepare_output()
    trouble = None
    try:
        print_list(kind, fitting_entries(kind, None), json)
    except BrokenPipeError:
        pass
    except OSError as error:
        trouble = f"{error.filename or 'output'}: {reason(error)}"
    trouble = flush_output() or trouble
    if trouble:
        print(f"kibitz: {trouble}", file=sys.stderr)
    return BAD_INPUT if trouble else 0


def fitting_entries(kind: Kind, game: str | None) -> list[RegistryEntry]:
    """All of a kind, or those that fit a game."""
    if game is None:
        return list(entries(kind).values())
    from kibitz.core.registry import make_game
    from kibitz.core.registry.fitting import fitting_names

    return [find(name, kind) for name in fitting_names(kind, make_game(game))]


def print_list(kind: Kind, shown: list[RegistryEntry], json: bool) -> None:
    rows = [_row(entry) for entry in shown]
    if json:
        print(msgspec.json.encode(rows).decode())
        return
    table = plain_table()
    for heading in (kind, "parameters and their defaults", "what it is"):
        table.add_column(heading)
    for row in rows:
        parameters = ", ".join(f"{name}={spec_text(default)}" for name, default in row["parameters"].items())
        trained = " *" if row.get("trainable") else ""
        table.add_row(Text(row["name"] + trained), Text(parameters), Text(row["summary"]))
    console.print(table)
    if any(row.get("trainable") for row in rows):
        console.print("* can be trained: kibitz train", style="dim")


def _plain(default: Any) -> Any:
    """A default value in a form that JSON can hold."""
    try:
        return msgspec.json.decode(msgspec.json.encode(default))
    except (TypeError, msgspec.MsgspecError):
        return short_repr(default)


def _row(entry: RegistryEntry) -> dict[str, Any]:
    try:
        described = describe(entry)
    except BrokenPlugin as error:
        return {"name": entry.name, "parameters": {}, "summary": f"cannot be loaded: {error.why}"}
    defaults = {name: _plain(default) for name, default in described.parameters.items()}
    trainable = {"trainable": can_train(entry.name)} if entry.kind == "model" else {}
    return {"name": entry.name, "parameters": defaults, "summary": described.summary, **trainable}
