"""Finds games, agents and models by name, without importing any of them until it is used, and makes them from specs.

Packages name them in a `Plugin`, which their entry point in the group `kibitz.plugins` names. What bridges name belongs
to packages that need not be installed: it is found by name, and not among the `entries`.

Parameters are checked by type. Which agents and models fit a game is needed to offer a choice of them, or to correct an
unknown name.
"""

import typing
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from kibitz.core.errors import BadSource, BadSpec, BrokenPlugin, KibitzError, MissingPackage, UnknownName, advice
from kibitz.core.specs import (
    Configurable,
    Misfit,
    Spec,
    constructor_parameters,
    convert_value,
    shared_spec,
    spec_text,
    takes_objects,
    takes_text,
)
from kibitz.members import check_installed
from kibitz.plugins import AwareOffer, Bridge, GameKit, Plugin, load_target, plugins

if TYPE_CHECKING:
    from kibitz.core.agent import Agent, Model
    from kibitz.core.game import Game
    from kibitz.core.kit.matches import Importer
    from kibitz.core.kit.odds import OddsMaker

Kind = Literal["game", "agent", "model"]
WITH_ARTICLE: dict[Kind, str] = {"game": "a game", "agent": "an agent", "model": "a model"}
ANCESTORS = {"game": "kibitz.core.game:Game", "agent": "kibitz.core.agent:Agent", "model": "kibitz.core.agent:Model"}
"""The classes that registered ones extend, loaded when they are needed."""
UNREGISTERED = GameKit(game="")
"""The kit of a game that has no name: it offers nothing."""


class RegistryEntry(msgspec.Struct, frozen=True):
    """A registered name: the target of its object, and the game that an agent or model belongs to, if any."""

    kind: Kind
    name: str
    target: str
    game: str = ""
    kit: GameKit = UNREGISTERED
    """What a game offers."""
    bridge: str = ""
    """The bridge that it belongs to, such as `openspiel`; empty for all others."""

    def load(self) -> type[Any]:
        """The class behind the name."""
        found = load_target(self.name, self.target)
        if not (isinstance(found, type) and issubclass(found, load_target(self.kind, ANCESTORS[self.kind]))):
            raise BrokenPlugin(self.name, self.target, f"it is no {self.kind} class")
        return found

    def summary(self) -> str:
        """The first line of its docstring."""
        return (self.load().__doc__ or "").strip().partition("\n")[0].replace("*", "")


@cache
def entries(kind: Kind) -> Mapping[str, RegistryEntry]:
    """Everything registered of one kind but what bridges name, by name, in the order of the plugins."""
    return {name: entry for name, entry in _of_kind(kind).items() if not entry.bridge}


@cache
def bridged_entries(kind: Kind) -> Mapping[str, RegistryEntry]:
    """What bridges name of one kind, whether its package is installed or not."""
    return {name: entry for name, entry in _of_kind(kind).items() if entry.bridge}


@cache
def _of_kind(kind: Kind) -> Mapping[str, RegistryEntry]:
    return {name: entry for name, entry in _everything().items() if entry.kind == kind}


def find(name: str, kind: Kind | None = None, game: str | None = None) -> RegistryEntry:
    """The entry called *name*; `dilemma-grim` also finds `dilemma.grim`, as `grim` does if *game* is dilemma."""
    known = _everything() if kind is None else _of_kind(kind)
    for candidate in (name, f"{game}.{name}", name.replace("-", ".", 1)):
        if candidate in known:
            return known[candidate]
    check_installed(name)
    hint = "" if name not in _everything() else f"({name} is the name of {WITH_ARTICLE[_everything()[name].kind]})"
    if kind in ("agent", "model") and game is not None and game in entries("game"):
        where = f"(kibitz {kind}s --game {game} lists all that fit)"
        fitting, told = candidates(kind, game), names_to_tell(kind, game)
        raise UnknownName(kind, name, fitting, f"{hint} {where}".strip(), told)
    listed = [each for each, entry in known.items() if not entry.bridge]
    raise UnknownName(kind or "game, agent or model", name, tuple(known), hint, listed)


def spec_of(thing: Configurable) -> Spec:
    """The spec that makes *thing* again; an unregistered class goes by its class name."""
    entry = _entry_of(type(thing))
    return Spec(type(thing).__name__ if entry is None else entry.name, thing.parameters())


def kit_of(game: "str | Game") -> GameKit:
    """What *game* offers besides its rules; nothing if it is not registered."""
    entry = find(game, "game") if isinstance(game, str) else _entry_of(type(game))
    return UNREGISTERED if entry is None else entry.kit


def house_agents(game: str) -> list[str]:
    """The names of the agents that belong to *game*, in the order of its kit."""
    return house_names("agent", game)


def house_names(kind: Kind, game: str) -> list[str]:
    """The names of the agents or models that belong to *game*, in the order of its kit."""
    return [name for name, entry in _of_kind(kind).items() if entry.game == game]


def candidates(kind: Kind, game: str) -> list[str]:
    """The agents or models that may fit *game*: its own, then the general ones."""
    return [*house_names(kind, game), *(name for name, entry in entries(kind).items() if not entry.game)]


def at_home(agent: Configurable, game: Configurable) -> bool:
    """Whether *agent* may play *game*: an agent that belongs to a game plays only that one."""
    own = _entry_of(type(agent))
    homes = (_entry_of(kind) for kind in type(game).__mro__)
    return own is None or not own.game or any(home is not None and home.name == own.game for home in homes)


def forget() -> None:
    """Forget all plugins, so that they are read again; for tests that install packages."""
    for found in (_everything, _of_kind, entries, bridged_entries, plugins, bridges, _by_target, load_target):
        found.cache_clear()


def _entry_of(kind: type) -> RegistryEntry | None:
    """The entry of a class; None if it is not registered."""
    return _by_target().get(f"{kind.__module__}:{kind.__qualname__}")


@cache
def _by_target() -> dict[str, RegistryEntry]:
    found: dict[str, RegistryEntry] = {}
    for entry in _everything().values():
        found.setdefault(entry.target, entry)
    return found


@cache
def _everything() -> dict[str, RegistryEntry]:
    """All entries of all kinds: a name may be used only once."""
    found: dict[str, RegistryEntry] = {}
    for plugin in plugins():
        for entry in _plugin_entries(plugin):
            first = found.setdefault(entry.name, entry)
            if first.target != entry.target:  # one bad plugin must not stop the others
                warnings.warn(
                    f"{entry.target} is ignored: {first.target} has the name {entry.name!r} already", stacklevel=2
                )
    return found


@cache
def bridges() -> Mapping[str, Bridge]:
    """The bridges to other projects, by name."""
    return {name: bridge for plugin in plugins() for name, bridge in plugin.bridges.items()}


def aware_offers() -> tuple[AwareOffer, ...]:
    """What `aware` is in games of some kind."""
    return tuple(load_target("aware", target) for plugin in plugins() for target in plugin.aware)


def _plugin_entries(plugin: Plugin) -> Iterator[RegistryEntry]:
    yield from _entries_of(plugin)
    for name, bridge in plugin.bridges.items():
        yield from _entries_of(Plugin(games=bridge.games, agents=bridge.agents), name)


def _entries_of(plugin: Plugin, bridge: str = "") -> Iterator[RegistryEntry]:
    for game, kit in plugin.games.items():
        yield RegistryEntry("game", game, kit.game, kit=kit, bridge=bridge)
    homes: dict[str, Plugin | GameKit] = {"": plugin, **plugin.games}
    for game, home in homes.items():
        prefix = f"{game}." if game else ""
        for name, target in home.agents.items():
            yield RegistryEntry("agent", prefix + name, target, game, bridge=bridge)
        for name, target in home.models.items():
            yield RegistryEntry("model", prefix + name, target, game, bridge=bridge)


def make_game(spec: "str | Spec | Game") -> "Game":
    """The game a spec names.

    >>> from kibitz import make_game
    >>> make_game("dilemma(rounds=3)")
    dilemma(rounds=3)
    """
    from kibitz.core.game import Game

    made: Game = spec if isinstance(spec, Game) else _make_from_spec(spec, "game")
    return made


def make_agent(spec: "str | Spec | Agent", game: str | None = None) -> "Agent":
    """The agent that a spec names; with *game*, the name of the game's folder may be left out.

    >>> from kibitz import make_agent
    >>> make_agent("grim", game="dilemma")
    dilemma.grim
    """
    from kibitz.core.agent import Agent

    made: Agent = spec if isinstance(spec, Agent) else _make_from_spec(spec, "agent", game)
    return made


def make_model(spec: "str | Spec | Model", game: str | None = None) -> "Model":
    """The model a spec names.

    >>> from kibitz import make_model
    >>> make_model("strategy_filter(drift=0.1)")
    strategy_filter(drift=0.1)
    """
    from kibitz.core.agent import Model

    made: Model = spec if isinstance(spec, Model) else _make_from_spec(spec, "model", game)
    return made


def make_odds(spec: "str | Spec") -> "OddsMaker":
    """The odds maker of a game, from a spec with the game's name: `axis(losses=pairs)`."""
    parsed = _read_spec(spec)
    name = find(parsed.name, "game").name
    kind = kit_of(name).odds
    if kind is None:
        raise UnknownName("game with odds", name, [each for each in entries("game") if kit_of(each).odds])
    if kind.takes_all_rules:
        own = constructor_parameters(kind)
        others = {each: value for each, value in parsed.parameters.items() if each not in own}
        if others:
            game: Any = _make_from_spec(Spec(name, others), "game")
            game.new_initial_state()  # a game checks values that need a file, such as its map, no earlier
        parsed = Spec(parsed.name, {each: value for each, value in parsed.parameters.items() if each not in others})
    maker: OddsMaker = _make_instance(kind, f"odds of {name}", parsed)
    return maker


def make_importer(spec: "str | Spec") -> "Importer":
    """The importer of another program's files, by name: `domination(missions=all)`."""
    parsed = _read_spec(spec)
    offered = filter(None, (kit_of(name).importer for name in entries("game")))
    importers = {kind.form: kind for kind in offered}
    if parsed.name not in importers:
        raise UnknownName("format", parsed.name, tuple(importers))
    importer: Importer = _make_instance(importers[parsed.name], parsed.name, parsed)
    return importer


def _read_spec(spec: str | Spec) -> Spec:
    return spec if isinstance(spec, Spec) else shared_spec(spec)


def _make_from_spec(spec: str | Spec, kind: Kind | None, game: str | None = None) -> Any:
    parsed = _read_spec(spec)
    entry = find(parsed.name, kind, game)
    return _make_instance(entry.load(), entry.name, parsed, game)


def _make_instance(kind: Any, called: str, spec: Spec, game: str | None = None) -> Any:
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
        target = f"{kind.__module__}:{kind.__qualname__}"
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


def fitting_names(kind: Kind, game: "Game") -> list[str]:
    """The agents or models that can take part in *game*: its own, general ones, those of bridges."""
    name = spec_of(game).name
    known = candidates(kind, name) if name in entries("game") else [each for each in entries(kind) if "." not in each]
    if name in bridged_entries("game"):
        known += bridged_entries(kind)
    return [each for each in known if fits(kind, each, game)]


def fits(kind: Kind, name: str, game: "Game") -> bool:
    """Whether an agent `manages` *game*, or a model can begin to watch it, with default parameters.

    The agent's `begin` is not called, because it may take long.
    """
    from kibitz.core.match.watchers import Watchers  # it imports the registry

    try:
        if kind == "agent":
            return make_agent(name).manages(game)
        Watchers(game, [name], seed=0)
    except KibitzError:
        return False
    return True


def default_agents(game: "Game") -> list[str]:
    """The game's own agents that can play it as it is, without its name before theirs; `random` if there are none."""
    own = (name for name in house_agents(spec_of(game).name) if fits("agent", name, game))
    return [name.rpartition(".")[2] for name in own] or ["random"]


def names_to_tell(kind: Kind, game: str) -> list[str]:
    """Names that fit *game*, for an error message: the game's own agents, if it has any, need no test."""
    own = house_names(kind, game)
    return own if own and kind == "agent" else fitting_names(kind, make_game(game))
