"""The ability `ABOUT`: what a game is, in words; players, people and programs alike, read it before they play.

It is a function of a game, so that the words fit its parameters. Its sentences leave out what `FIELDS` says in numbers.
"""

import inspect
import re

import msgspec

from kibitz.core.abilities import ability
from kibitz.core.errors import BadSpec, BrokenPlugin
from kibitz.core.game import Game
from kibitz.core.registry import entries, find, has_ability, house_agents, spec_of
from kibitz.core.registry.specs import parse_spec, spec_text

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


def fixed_form(notation: str, meaning: str, phase: str = "") -> ActionForm:
    """The form of an action that is always written in the same way."""
    return ActionForm(notation, meaning, (notation,), phase)


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
    """The phases that `FIELDS` names, each in a few words."""
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
    kibitzer: str = ""
    """The spec of the model that should watch; empty: the usual one."""
    first_game: str = ""
    """The spec of a good game for beginners; empty: this one."""


def about_game(game: Game) -> About | None:
    """What *game* is; None if it does not say. Raises BrokenPlugin if its ABOUT fails."""
    name = spec_of(game).name
    if not has_ability(name, "ABOUT"):
        return None
    try:
        found: About = ability(name, "ABOUT")(game)
    except Exception as error:  # a plugin may fail in any way; name it
        raise BrokenPlugin(name, "ABOUT", f"{type(error).__name__}: {error}") from error
    return found


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
    own = house_agents(name) if name in entries("game") else []
    strategies = {agent.removeprefix(entries("game")[name].prefix): agent_words(agent) for agent in own}
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
    words = about.strategies.get(spec.name.removeprefix(find(spec_of(game).name, "game").prefix))
    if words is None and spec.name in entries("agent"):
        words = agent_words(spec.name)
    given = ", ".join(f"{name}={spec_text(value)}" for name, value in spec.parameters.items())
    return f"{words} ({given})" if words and given else words


def numbered_players(game: Game) -> tuple[str, ...]:
    """The players of a game in which all do the same, by their names."""
    return tuple(map(game.player_name, range(game.players)))
