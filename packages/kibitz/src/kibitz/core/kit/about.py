"""What a game is, in words; players, people and programs alike, read it before they play.

The words are in a TOML file, for people to edit and translate: the fields of `About`, which leave out what the game's
fields say in numbers. `{name}` stands for an attribute of the game or for one of its `word_values`, formatted as
Python does: `{name:g}`, `{name[0]}`. It may also stand for a choice among texts by a value, so that words fit the
game's parameters:

    [choices.walls]
    by = "edge"
    clip = "A step into the wall stays put."
    other = "There are no walls."

An entry with `when = { edge = "clip" }` is left out for other values; in a table of texts its text is `text`.
"""

import inspect
import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import msgspec

from kibitz.core.errors import BadSpec, BrokenPlugin
from kibitz.core.game import Game
from kibitz.core.registry import entries, house_agents, kit_of, spec_of
from kibitz.core.specs import parse_spec, spec_text
from kibitz.plugins import GameKit

NO_SECRET = "Nothing: all players see everything."
MOST_WORDS = 200
"""The most words of the rules."""


class ActionForm(msgspec.Struct, frozen=True, omit_defaults=True):
    """A kind of action: its notation, with `<…>` for what varies, its meaning, and examples."""

    form: str
    meaning: str
    examples: tuple[str, ...]
    phase: str = ""
    """The phase in which it can be chosen, if the game has phases."""

    def fits(self, notation: str) -> bool:
        """Whether an action in the game's notation has this form.

        >>> ActionForm("place <n> <territory>", "", ()).fits("place 3 New Guinea")
        True
        """
        parts = map(re.escape, re.split(r"<[^<>]*>", self.form))
        return re.fullmatch(".+".join(parts), notation) is not None


class About(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a game is."""

    title: str
    goal: str
    """One sentence: how a player wins, or what they earn."""
    rules: str
    """At most `MOST_WORDS` words."""
    players: tuple[str, ...]
    """Each player by name, with what they do if they differ."""
    actions: tuple[ActionForm, ...]
    phases: dict[str, str] = {}
    """The phases that the fields name, each in a few words."""
    secret: str = NO_SECRET
    """What is hidden from whom."""
    labels: dict[str, str] = {}
    """The cards, missions and types that players may hold, as models and records call them, each in words."""
    strategies: dict[str, str] = {}
    """The agents of the game by their names without the game's, each in words."""
    minutes: int = 0
    """How long a person's match takes, in minutes; 0: not known."""
    glossary: dict[str, str] = {}
    """Words of the game that newcomers do not know, each explained."""
    colours: dict[str, str] = {}
    """What stands for what in the picture: a colour, letter or shape, and its meaning."""
    opponents: dict[str, str] = {}
    """Good first opponents, the best one first: their specs without the game's name, and a sentence about each."""
    first_game: str = ""
    """The spec of a good game for beginners; empty: this one."""


def about_game(game: Game) -> About | None:
    """What *game* is; None if it does not say. Raises BrokenPlugin if its words fail."""
    kit = kit_of(game)
    return None if kit.words is None else _read_about(game, kit)


@lru_cache(maxsize=64)
def _read_about(game: Game, kit: GameKit) -> About:
    assert kit.words is not None
    try:
        texts, values = read_texts(kit.words), kit.word_values(game) if kit.word_values is not None else {}
        filler = _Filler(game, texts.get("choices", {}), values)
        for variant in filter(filler.fits, texts.get("variants", ())):
            texts = {**texts, **variant}
        parts = {name: filler.fill(texts[name]) for name in About.__struct_fields__ if name in texts}
        for form in parts.get("actions", ()):
            usual = [] if "<" in form["form"] else [form["form"]]
            form["examples"] = [each for each in form.get("examples", usual) if each]
        about = msgspec.convert({"players": numbered_players(game), "actions": (), **parts, **values}, About)
    except Exception as error:  # a plugin may fail in any way; name it
        raise BrokenPlugin(spec_of(game).name, kit.words, f"{type(error).__name__}: {error}") from error
    return about


@cache
def read_texts(target: str) -> Mapping[str, Any]:
    """The texts in a file of a package, `"package:words.toml"`."""
    package, _, name = target.partition(":")
    return tomllib.loads(files(package).joinpath(name).read_text(encoding="utf-8"))


class _Filler(dict[str, Any]):
    """Fills the placeholders of texts: by values, by choices among texts, or by attributes of the game."""

    def __init__(self, game: Game, choices: Mapping[str, Mapping[str, str]], values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.game, self.choices = game, choices

    def __missing__(self, name: str) -> Any:
        if name not in self.choices:
            return getattr(self.game, name)
        texts = self.choices[name]
        return texts.get(str(self[texts["by"]]), texts.get("other", "")).format_map(self)

    def fill(self, part: Any) -> Any:
        """A part of a file in words that fit the game."""
        match part:
            case str():
                return " ".join(part.format_map(self).split())
            case list():
                return [self.fill(each) for each in part if self.fits(each)]
            case {"text": text}:
                return self.fill(text)
            case dict():
                return {name: self.fill(each) for name, each in part.items() if name != "when" and self.fits(each)}
        return part

    def fits(self, part: Any) -> bool:
        """Whether a part is for this game."""
        wanted = part.get("when", {}) if isinstance(part, dict) else {}
        return all(self[name] == value for name, value in wanted.items())


def described_game(game: Game) -> About:
    """What *game* is; if it does not say, or fails to, what its docstrings say.

    >>> from kibitz.core.registry import make_game
    >>> described_game(make_game("kuhn")).title
    'Kuhn poker'
    """
    try:
        return about_game(game) or about_from_docstrings(game)
    except BrokenPlugin:  # `check_game` and the command line say so; people can play all the same
        return about_from_docstrings(game)


def about_from_docstrings(game: Game) -> About:
    """What the docstrings of a game and of its agents say."""
    name = spec_of(game).name
    words = inspect.cleandoc(type(game).__doc__ or "")
    first, _, rest = words.partition("\n\n")
    goal = " ".join(first.split()) or "Earn as much as you can."
    strategies = {agent.removeprefix(f"{name}."): agent_words(agent) for agent in house_agents(name)}
    return About(
        title=name.replace("_", " ").replace("-", " ").capitalize(),
        goal=goal,
        rules=" ".join(rest.split()) or "Its author wrote no rules; the choices offered are all legal.",
        players=numbered_players(game),
        actions=(),
        secret="Something: players see only their own view." if game.hidden else NO_SECRET,
        strategies=strategies,
    )


def agent_words(name: str) -> str:
    """What a registered agent does, by its docstring, to follow its name."""
    summary = entries("agent")[name].summary().rstrip(".")
    return summary[:1].lower() + summary[1:]


def first_opponents(game: Game) -> dict[str, str]:
    """Good first opponents in a game, the best one first, each with a sentence."""
    about = described_game(game)
    if about.opponents:
        return about.opponents
    if about.strategies:
        return {spec: f"{words[:1].upper()}{words[1:]}." for spec, words in about.strategies.items()}
    return {"mcts": "Tries its moves in many simulated games.", "random": "Does anything legal."}


def label_name(game: Game, label: str, player: int | None = None) -> str:
    """A label without the name of the game it belongs to; said of a *player*, as what it means for them.

    >>> from kibitz.core.registry import make_game
    >>> label_name(make_game("dilemma"), "dilemma.generous(mercy=0.5)")
    'generous(mercy=0.5)'
    """
    meant = label if player is None else game.player_label(player, label)
    return meant.removeprefix(f"{spec_of(game).name}.")


def label_words(game: Game, label: str) -> str | None:
    """A label that models and records use, in words: a card, a mission, or the spec of an agent; None if unknown.

    >>> from kibitz.core.registry import make_game
    >>> label_words(make_game("dilemma"), "dilemma.generous(mercy=0.5)")
    'does what the other did last, but forgives some defections (mercy=0.5)'
    """
    about = described_game(game)
    if label in about.labels:
        return about.labels[label]
    try:
        spec = parse_spec(label)
    except BadSpec:
        return None
    words = about.strategies.get(spec.name.removeprefix(f"{spec_of(game).name}."))
    if words is None and spec.name in entries("agent"):
        words = agent_words(spec.name)
    given = ", ".join(f"{name}={spec_text(value)}" for name, value in spec.parameters.items())
    return f"{words} ({given})" if words and given else words


def numbered_players(game: Game) -> tuple[str, ...]:
    """The players of a game in which all do the same, by their names."""
    return tuple(map(game.player_name, range(game.players)))
