"""Makes games, agents, models, odds makers and importers from specs, their parameters checked by type."""

import typing
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from kibitz.core.errors import BadSource, BadSpec, BrokenPlugin, MissingPackage, UnknownName, advice
from kibitz.core.registry.registry import (
    Kind,
    RegistryEntry,
    ability_target,
    entries,
    find,
    has_ability,
    load_ability,
)
from kibitz.core.registry.schemas import Misfit, convert_value, takes_objects, takes_text
from kibitz.core.registry.specs import Configurable, Spec, constructor_parameters, shared_spec, spec_text

if TYPE_CHECKING:
    from kibitz.core.abilities.importer import Importer
    from kibitz.core.abilities.odds import OddsMaker
    from kibitz.core.agent import Agent
    from kibitz.core.game import Game
    from kibitz.core.model import Model


def make_game(spec: "str | Spec | Game", *, fast: bool = True) -> "Game":
    """The game a spec names: its compiled twin if it has one, unless *fast* is off or `KIBITZ_NO_JIT` is set.

    >>> from kibitz import make_game
    >>> make_game("dilemma(rounds=3)")
    dilemma(rounds=3)
    """
    from kibitz.core.game import Game
    from kibitz.core.kernels import jit_enabled

    if isinstance(spec, Game):
        return spec
    parsed = spec if isinstance(spec, Spec) else shared_spec(spec)
    entry = find(parsed.name, "game")
    if fast and jit_enabled() and has_ability(entry.name, "FAST"):
        entry = RegistryEntry("game", entry.name, ability_target(entry.name, "FAST"), entry.manifest, entry.prefix)
    game = _make_entry(entry, parsed)
    assert isinstance(game, Game)
    return game


def make_agent(spec: "str | Spec | Agent", game: str | None = None) -> "Agent":
    """The agent that a spec names; with *game*, the name of the game's folder may be left out.

    >>> from kibitz import make_agent
    >>> make_agent("grim", game="dilemma")
    dilemma.grim
    """
    from kibitz.core.agent import Agent

    agent = spec if isinstance(spec, Agent) else _make_from_spec(spec, "agent", game)
    assert isinstance(agent, Agent)
    return agent


def make_model(spec: "str | Spec | Model", game: str | None = None) -> "Model":
    """The model a spec names.

    >>> from kibitz import make_model
    >>> make_model("strategy_filter(drift=0.1)")
    strategy_filter(drift=0.1)
    """
    from kibitz.core.model import Model

    model = spec if isinstance(spec, Model) else _make_from_spec(spec, "model", game)
    assert isinstance(model, Model)
    return model


def make_odds(spec: "str | Spec") -> "OddsMaker":
    """The odds maker of a game (`ODDS`), from a spec with the game's name: `axis(losses=pairs)`."""
    from kibitz.core.abilities.odds import OddsMaker

    parsed = spec if isinstance(spec, Spec) else shared_spec(spec)
    name = find(parsed.name, "game").name
    kind = load_ability(name, "ODDS")
    if kind.takes_all_rules:
        own, rules = constructor_parameters(kind), constructor_parameters(find(name, "game").load())
        others = {each: value for each, value in parsed.parameters.items() if each in rules and each not in own}
        for each in parsed.parameters:
            if each not in own and each not in rules:
                known = {**own, **rules}
                raise BadSpec(str(parsed), f"the odds of {name} have no parameter {each!r}; {advice(each, known, 20)}")
        if others:
            game: Any = _make_from_spec(Spec(name, others), "game", None)
            game.new_initial_state()  # a game checks values that need a file, such as its map, no earlier
        parsed = Spec(parsed.name, {each: value for each, value in parsed.parameters.items() if each not in others})
    maker = _make_instance(kind, f"ODDS of {name}", ability_target(name, "ODDS"), parsed)
    assert isinstance(maker, OddsMaker)
    return maker


def make_importer(spec: "str | Spec") -> "Importer":
    """The importer of another program's files (`IMPORT` of a game), by name: `domination(missions=all)`."""
    from kibitz.core.abilities.importer import Importer

    parsed = spec if isinstance(spec, Spec) else shared_spec(spec)
    games = {load_ability(name, "IMPORT").form: name for name in entries("game") if has_ability(name, "IMPORT")}
    if parsed.name not in games:
        raise UnknownName("format", parsed.name, tuple(games))
    target = ability_target(games[parsed.name], "IMPORT")
    made = _make_instance(load_ability(games[parsed.name], "IMPORT"), parsed.name, target, parsed)
    assert isinstance(made, Importer)
    return made


def _make_from_spec(spec: str | Spec, kind: Kind | None, game: str | None) -> Configurable:
    parsed = spec if isinstance(spec, Spec) else shared_spec(spec)
    return _make_entry(find(parsed.name, kind, game), parsed, game)


def _make_entry(entry: RegistryEntry, spec: Spec, game: str | None = None) -> Configurable:
    """An instance of what an entry names."""
    return _make_instance(entry.load(), entry.name, entry.target, spec, game)


def _make_instance(kind: Any, called: str, target: str, spec: Spec, game: str | None = None) -> Configurable:
    """An instance, its parameters checked against the types its constructor declares."""
    takes = constructor_parameters(kind)
    hints = _type_hints(kind)
    values = {}
    for name, value in spec.parameters.items():
        if name not in takes:
            raise BadSpec(str(spec), f"{called} has no parameter {name!r}; {advice(name, takes, 20)}")
        # If the parameter takes no object, a word is text: `noise=leaf` needs no quotes.
        named = partial(_make_from_spec, kind=None, game=game) if _holds_objects(kind, name) else str
        values[name] = _argument(spec, name, value, hints.get(name, Any), named)
    missing = [name for name, parameter in takes.items() if parameter.default is parameter.empty and name not in values]
    if missing:
        raise BadSpec(str(spec), f"{called} needs {', '.join(missing)}")
    try:
        made: Configurable = kind(**values)
        made.parameters()
    except (BadSource, BadSpec, MissingPackage):
        raise
    except Exception as error:  # a plugin may fail in any way; name it
        raise BrokenPlugin(called, target, f"{type(error).__name__}: {error}") from error
    return made


def _argument(spec: Spec, name: str, value: Any, hint: Any, named: Callable[[Spec], Any]) -> Any:
    """The value of a parameter, with what *named* makes of specs, as the type that the constructor declares."""

    def blame(found: Misfit) -> BadSpec:
        wrong = found.value if len(found.keys) > 1 else value
        return BadSpec(str(spec), f"{found.where}={spec_text(wrong)}: {found.why}{found.remedy}")

    try:
        built = _replace_specs(value, named)
    except UnknownName as error:
        if not (isinstance(value, Spec) and not value.parameters and takes_text(hint)):
            raise UnknownName(error.kind, error.name, error.known, f"(for {name} of {spec.name})") from None
        built = value.name  # a word that names no object is text, such as the name of a file
    try:
        return convert_value(built, hint, blame, name)
    except TypeError:  # a type that cannot be checked
        return built


@cache
def _type_hints(kind: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(kind.__init__, include_extras=True)
    except NameError:  # a type that is imported for the type checker only
        return {}


@cache
def _holds_objects(kind: Any, name: str) -> bool:
    """Whether a parameter of the constructor of *kind* is or holds objects."""
    return takes_objects(_type_hints(kind).get(name, Any))


def _replace_specs(value: Any, made: Callable[[Spec], Any]) -> Any:
    """A value in which every spec is replaced by what *made* returns for it."""
    if isinstance(value, Spec):
        return made(value)
    if isinstance(value, tuple):
        return tuple(_replace_specs(item, made) for item in value)
    if isinstance(value, dict):
        return {key: _replace_specs(item, made) for key, item in value.items()}
    return value
