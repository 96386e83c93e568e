"""`kibitz games`, `kibitz agents` and `kibitz models`: lists of what is installed, and all about one game."""

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec

from kibitz.cli.console import Part, Table, bold, dim
from kibitz.cli.options import Argument, TableCommand
from kibitz.core.bridges import catalogue
from kibitz.core.errors import BrokenPlugin, short_repr
from kibitz.core.kit.about import About, about_game
from kibitz.core.registry import Kind, RegistryEntry, entries, find, fitting_names, kit_of, make_game
from kibitz.core.specs import constructor_parameters, spec_text


class GamesCommand(TableCommand, frozen=True):
    """List the games, or explain one: its goal, rules, actions and strategies.

    Examples:
      kibitz games --json
      kibitz games "kuhn(players=2)"
      kibitz games --bridge openspiel
    """

    game: Argument[Annotated[str | None, "GAME"]] = None
    """A game to explain, with its parameters if you like."""
    bridge: Annotated[str | None, "NAME"] = None
    """List the games of another package: openspiel."""

    def execute(self) -> None:
        if self.bridge is not None:
            found = catalogue(self.bridge)
            refused = {each.spec: f"; refused: {each.refused}" if each.refused else "" for each in found}
            rows = ((each.spec, each.kind, each.title + refused[each.spec]) for each in found)
            self.show(found, [Table(("game", "kind", "what it is"), rows)])
        elif self.game is None:
            show_entries(self, "game", list(entries("game").values()))
        else:
            show_about(self, self.game)


class AgentsCommand(TableCommand, frozen=True):
    """List the agents.

    Example: kibitz agents --game dilemma
    """

    game: Annotated[str | None, "GAME"] = None
    """Only those that can play GAME."""

    def execute(self) -> None:
        show_entries(self, "agent", fitting_entries("agent", self.game))


class ModelsCommand(TableCommand, frozen=True):
    """List the models, and which of them can be trained.

    Example: kibitz models --game kuhn
    """

    game: Annotated[str | None, "GAME"] = None
    """Only those that can watch GAME."""

    def execute(self) -> None:
        show_entries(self, "model", fitting_entries("model", self.game))


def fitting_entries(kind: Kind, game: str | None) -> list[RegistryEntry]:
    """All of a kind, or those that fit a game."""
    if game is None:
        return list(entries(kind).values())
    return [find(name, kind) for name in fitting_names(kind, make_game(game))]


def show_entries(command: TableCommand, kind: Kind, shown: list[RegistryEntry]) -> None:
    """Print what is registered, with parameters and their defaults."""
    found = [described_entry(entry) for entry in shown]
    rows = []
    for each in found:
        parameters = ", ".join(f"{name}={spec_text(default)}" for name, default in each["parameters"].items())
        rows.append((each["name"] + " *" * each.get("trainable", False), parameters, each["summary"]))
    trainable = any(each.get("trainable") for each in found)
    notes = [dim("* can be trained: kibitz train")] if trainable else []
    command.show(found, [Table((kind, "parameters and their defaults", "what it is"), rows), *notes])


def described_entry(entry: RegistryEntry) -> dict[str, Any]:
    """A registered name with its parameters and its summary, or why it cannot be loaded."""
    try:
        takes = constructor_parameters(entry.load())
    except BrokenPlugin as error:
        return {"name": entry.name, "parameters": {}, "summary": f"cannot be loaded: {error.why}"}
    defaults = {name: plain_default(parameter.default) for name, parameter in takes.items()}
    trainable = {"trainable": bool(entry.load().trainer)} if entry.kind == "model" else {}
    return {"name": entry.name, "parameters": defaults, "summary": entry.summary(), **trainable}


def plain_default(default: Any) -> Any:
    """A default value in a form that JSON can hold."""
    try:
        return msgspec.json.decode(msgspec.json.encode(default))
    except (TypeError, msgspec.MsgspecError):
        return short_repr(default)


def show_about(command: TableCommand, spec: str) -> None:
    """Print all about one game; as JSON with its board."""
    game = make_game(spec)
    game.new_initial_state()  # some parameters are checked here only
    about, fields = about_game(game), kit_of(game).fields
    report = {"game": repr(game), "about": about, "board": None if fields is None else fields.board(game)}
    command.show(report, [f"{game!r} does not say what it is"] if about is None else about_parts(about))


def about_parts(about: About) -> Iterator[Part]:
    """What a game is, in words and tables."""
    yield bold(about.title)
    for words in (about.goal, about.rules, f"Secret: {about.secret}"):
        yield f"\n{words}"
    parts = {
        "Players": {str(number): words for number, words in enumerate(about.players)},
        "Actions": {
            form.form: form.meaning + ("" if form.examples == (form.form,) else f" ({', '.join(form.examples)})")
            for form in about.actions
        },
        "Phases": about.phases,
        "Cards, missions and types": about.labels,
        "Agents": about.strategies,
    }
    for heading, rows in parts.items():
        if rows:
            yield ""
            yield Table((heading, ""), rows.items())
