"""`kibitz games`, `kibitz agents` and `kibitz models`: lists of what is installed, and all about one game."""

from typing import Annotated, Any

import msgspec
import typer
from rich.text import Text

from kibitz.cli.console import console, plain_table
from kibitz.cli.options import JsonOption
from kibitz.core.errors import BrokenPlugin, short_repr
from kibitz.core.registry import Kind, RegistryEntry, can_train, entries, find
from kibitz.core.registry.specs import constructor_parameters, spec_text


def games(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="A game to explain, with its parameters if you like.")
    ] = None,
    bridge: Annotated[
        str | None, typer.Option("--bridge", metavar="NAME", help="List the games of another package: openspiel.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """List the games, or explain one: its goal, rules, actions and strategies.

    Examples: kibitz games --json
              kibitz games "kuhn(players=2)"
              kibitz games --bridge openspiel
    """
    if bridge is not None:
        _print_catalogue(bridge, json)
    elif game is None:
        print_list("game", list(entries("game").values()), json)
    else:
        _print_about(game, json)


def agents(
    game: Annotated[str | None, typer.Option("--game", metavar="GAME", help="Only those that can play GAME.")] = None,
    json: JsonOption = False,
) -> None:
    """List the agents.

    Example: kibitz agents --game dilemma
    """
    print_list("agent", fitting_entries("agent", game), json)


def models(
    game: Annotated[str | None, typer.Option("--game", metavar="GAME", help="Only those that can watch GAME.")] = None,
    json: JsonOption = False,
) -> None:
    """List the models, and which of them can be trained.

    Example: kibitz models --game kuhn
    """
    print_list("model", fitting_entries("model", game), json)


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


def _row(entry: RegistryEntry) -> dict[str, Any]:
    try:
        takes = constructor_parameters(entry.load())
    except BrokenPlugin as error:
        return {"name": entry.name, "parameters": {}, "summary": f"cannot be loaded: {error.why}"}
    defaults = {name: _plain(parameter.default) for name, parameter in takes.items()}
    trainable = {"trainable": can_train(entry.name)} if entry.kind == "model" else {}
    return {"name": entry.name, "parameters": defaults, "summary": entry.summary(), **trainable}


def _plain(default: Any) -> Any:
    """A default value in a form that JSON can hold."""
    try:
        return msgspec.json.decode(msgspec.json.encode(default))
    except (TypeError, msgspec.MsgspecError):
        return short_repr(default)


def _print_catalogue(bridge: str, json: bool) -> None:
    """The games of another package, with those that cannot be played here."""
    from kibitz.bridges.packages import catalogue

    found = catalogue(bridge)
    if json:
        print(msgspec.json.encode(found).decode())
        return
    table = plain_table()
    for heading in ("game", "kind", "what it is"):
        table.add_column(heading)
    for each in found:
        words = f"{each.title}; refused: {each.refused}" if each.refused else each.title
        table.add_row(Text(each.spec), Text(each.kind), Text(words))
    console.print(table)


def _print_about(spec: str, json: bool) -> None:
    """All about one game; as JSON with its board."""
    from kibitz.core.abilities.about import about_game
    from kibitz.core.abilities.fields import fields_of
    from kibitz.core.registry import make_game

    game = make_game(spec)
    game.new_initial_state()  # some parameters are checked here only
    about, fields = about_game(game), fields_of(game)
    if json:
        board = None if fields is None else fields.board(game)
        print(msgspec.json.encode({"game": repr(game), "about": about, "board": board}).decode())
        return
    if about is None:
        console.print(Text(f"{game!r} does not say what it is"))
        return
    forms = {form.form: f"{form.meaning} ({', '.join(form.examples)})" for form in about.actions}
    alike = {form.form: form.meaning for form in about.actions if form.examples == (form.form,)}
    players = {str(number): words for number, words in enumerate(about.players)}
    parts = {"Players": players, "Actions": forms | alike, "Phases": about.phases}
    console.print(Text(about.title), style="bold")
    for words in (about.goal, about.rules, f"Secret: {about.secret}"):
        console.print(Text(f"\n{words}"))
    for heading, rows in (*parts.items(), ("Cards, missions and types", about.labels), ("Agents", about.strategies)):
        if rows:
            table = plain_table()
            table.add_column(heading, no_wrap=True)
            table.add_column("")
            for name, words in rows.items():
                table.add_row(Text(name), Text(words))
            console.print()
            console.print(table)
