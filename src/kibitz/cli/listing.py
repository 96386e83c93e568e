"""`kibitz games`, `kibitz agents` and `kibitz models`: lists of what is installed."""

from typing import Annotated, Any

import msgspec
import typer
from rich.text import Text

from kibitz.cli.options import JsonOption
from kibitz.cli.screen import console, plain_table
from kibitz.core.errors import BrokenPlugin, short_repr
from kibitz.core.registry import Kind, RegistryEntry, can_train, entries
from kibitz.core.registry.specs import constructor_parameters, spec_text


def games(json: JsonOption = False) -> None:
    """List the games.

    Example: kibitz games --json
    """
    _print_list("game", list(entries("game").values()), json)


def agents(
    game: Annotated[str | None, typer.Option("--game", metavar="GAME", help="Only those that can play GAME.")] = None,
    json: JsonOption = False,
) -> None:
    """List the agents.

    Example: kibitz agents --game dilemma
    """
    _print_list("agent", _fitting("agent", game), json)


def models(
    game: Annotated[str | None, typer.Option("--game", metavar="GAME", help="Only those that can watch GAME.")] = None,
    json: JsonOption = False,
) -> None:
    """List the models, and which of them can be trained.

    Example: kibitz models --game kuhn
    """
    _print_list("model", _fitting("model", game), json)


def _fitting(kind: Kind, game: str | None) -> list[RegistryEntry]:
    """All of a kind, or those that fit a game."""
    if game is None:
        return list(entries(kind).values())
    from kibitz.core.registry import make_game
    from kibitz.core.registry.fitting import fitting_names

    return [entries(kind)[name] for name in fitting_names(kind, make_game(game))]


def _print_list(kind: Kind, shown: list[RegistryEntry], json: bool) -> None:
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
        takes = constructor_parameters(entry.load())
        summary = entry.summary()
    except BrokenPlugin as error:
        return {"name": entry.name, "parameters": {}, "summary": f"cannot be loaded: {error.why}"}
    defaults = {name: _plain(parameter.default) for name, parameter in takes.items()}
    trainable = {"trainable": can_train(entry.name)} if entry.kind == "model" else {}
    return {"name": entry.name, "parameters": defaults, "summary": summary, **trainable}
