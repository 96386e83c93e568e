"""Finds games, agents and models by name, without importing any of them until it is used.

A *manifest* is a module of names: `GAMES`, `AGENTS`, `MODELS` map a name to `"module:object"`, and every other
upper-case name is an *ability* of the manifest's games, except `TRAIN`, which maps its models to their trainers. If one
manifest names several games, agents and abilities may be mapped by the game they belong to. Each folder of
`kibitz.games` is one; `kibitz.agents` and `kibitz.models` hold those that belong to no game; other packages add theirs
with the entry points `kibitz.games`, `kibitz.agents` and `kibitz.models`. `kibitz.bridges` names what belongs to
packages that need not be installed: it is found by name, and not among the `entries`.
"""

import pkgutil
import typing
import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any, Literal

import msgspec

from kibitz.core.errors import BrokenPlugin, UnknownName
from kibitz.core.registry.specs import Configurable, Spec

Kind = Literal["game", "agent", "model"]
WITH_ARTICLE: dict[Kind, str] = {"game": "a game", "agent": "an agent", "model": "a model"}
KINDS: tuple[Kind, ...] = ("game", "agent", "model")
LISTS: dict[Kind, str] = {"game": "GAMES", "agent": "AGENTS", "model": "MODELS"}
BRIDGES = ("kibitz.bridges", "kibitz.bridges.games")
"""The manifests of bridges. Agents are named apart from games, because they play other games, too."""
Home: typing.TypeAlias = tuple[str, str]
"""A manifest, and the prefix of its agents' names: the folder's name, or the game's if it names several."""


class RegistryEntry(msgspec.Struct, frozen=True):
    """A registered name: the target of its object, its manifest, and the prefix of its agents' names."""

    kind: Kind
    name: str
    target: str
    manifest: str = ""
    prefix: str = ""

    @property
    def home(self) -> Home | None:
        """The home that a game shares with its own agents."""
        return (self.manifest, self.prefix) if self.manifest else None

    @property
    def bridge(self) -> str:
        """The bridge that it belongs to, such as `openspiel`; empty for all others."""
        return self.target.split(":")[0].split(".")[2] if self.manifest in BRIDGES else ""

    def load(self) -> type[Any]:
        """The class behind the name."""
        found = load_target(self.name, self.target)
        if not (isinstance(found, type) and issubclass(found, _ancestor(self.kind))):
            raise BrokenPlugin(self.name, self.target, f"it is no {self.kind} class")
        return found

    def summary(self) -> str:
        """The first line of its docstring."""
        return (self.load().__doc__ or "").strip().partition("\n")[0].replace("*", "")


@cache
def entries(kind: Kind) -> Mapping[str, RegistryEntry]:
    """Everything registered of one kind but what bridges name, by name, in the order of the manifests."""
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
    for candidate in (name, _prefix(game) + name, name.replace("-", ".", 1)):
        if candidate in known:
            return known[candidate]
    hint = "" if name not in _everything() else f"({name} is the name of {WITH_ARTICLE[_everything()[name].kind]})"
    if kind in ("agent", "model") and game is not None and game in entries("game"):
        from kibitz.core.registry.fitting import names_to_tell  # it makes agents and models, which import the registry

        where = f"(kibitz {kind}s --game {game} lists all that fit)"
        fitting, told = candidates(kind, game), names_to_tell(kind, game)
        raise UnknownName(kind, name, fitting, f"{hint} {where}".strip(), told)
    listed = [each for each, entry in known.items() if not entry.bridge]
    raise UnknownName(kind or "game, agent or model", name, tuple(known), hint, listed)


def spec_of(thing: Configurable) -> Spec:
    """The spec that makes *thing* again; an unregistered class goes by its class name."""
    kind = type(thing)
    target = f"{kind.__module__}:{kind.__qualname__}"
    return Spec(_names_by_target().get(target, kind.__name__), thing.parameters())


def has_ability(game: str, name: str) -> bool:
    """Whether *game* is registered and its manifest names the ability for it."""
    return game in _of_kind("game") and _ability_target(game, name) is not None


def ability_target(game: str, name: str) -> str:
    """The target of an ability, as `"module:object"`."""
    target = _ability_target(game, name)
    if target is None:
        others = [other for other in entries("game") if has_ability(other, name)]
        raise UnknownName("ability", name, others, f"(these games offer it; {game} does not)")
    return target


def load_ability(game: str, name: str) -> Any:
    """The ability *name* of *game*; `core.abilities.ability` is this function with types."""
    return load_target(f"{name} of {game}", ability_target(game, name))


def trainer(model: str) -> Any:
    """The function that fits the parameters of *model* to records (`TRAIN`), loaded; see `core.abilities.trainer`."""
    target = _trainer_target(model)
    if target is None:
        others = [name for name in entries("model") if can_train(name)]
        raise UnknownName("trainer", model, others, f"(these models can be trained; {model} cannot)")
    return load_target(f"TRAIN of {model}", target)


def can_train(model: str) -> bool:
    """Whether the manifest of *model* names a trainer for it."""
    return _trainer_target(model) is not None


def house_agents(game: str) -> list[str]:
    """The names of the agents that belong to *game*, in the order of its manifest."""
    return house_names("agent", game)


def house_names(kind: Kind, game: str) -> list[str]:
    """The names of the agents or models that belong to *game*, in the order of its manifest."""
    home = find(game, "game").home
    return [name for name, entry in entries(kind).items() if home is not None and entry.home == home]


def candidates(kind: Kind, game: str) -> list[str]:
    """The agents or models that may fit *game*: its own, then the general ones."""
    general = [name for name, entry in entries(kind).items() if not _comes_with_a_game(entry)]
    return [*house_names(kind, game), *general]


def at_home(agent: Configurable, game: Configurable) -> bool:
    """Whether *agent* may play *game*: an agent that belongs to a game plays only that one."""
    home = _home_of(type(agent))
    if home is None or not hasattr(_module(home[0]), LISTS["game"]):
        return True
    return any(_home_of(kind) == home for kind in type(game).__mro__)


def forget() -> None:
    """Forget all manifests and entry points, so that they are read again; for tests that install packages."""
    for found in (_everything, _of_kind, entries, bridged_entries, _names_by_target, _module):
        found.cache_clear()


def _ancestor(kind: Kind) -> type:
    match kind:
        case "game":
            from kibitz.core.game import Game

            return Game
        case "agent":
            from kibitz.core.agent import Agent

            return Agent
        case "model":
            from kibitz.core.model import Model

            return Model


def _ability_target(game: str, name: str) -> str | None:
    manifest = find(game, "game").manifest
    value = getattr(_module(manifest), name, None) if manifest else None
    if isinstance(value, Mapping):  # a folder of several games names an ability for each
        value = value.get(game)
    return typing.cast("str | None", value)


def _trainer_target(model: str) -> str | None:
    entry = find(model, "model")
    named = getattr(import_module(entry.manifest), "TRAIN", {}) if entry.manifest else {}
    return typing.cast("str | None", named.get(entry.name.removeprefix(entry.prefix)))


def _home_of(kind: type) -> Home | None:
    name = _names_by_target().get(f"{kind.__module__}:{kind.__qualname__}")
    return _everything()[name].home if name else None


def _comes_with_a_game(entry: RegistryEntry) -> bool:
    return bool(entry.manifest) and hasattr(_module(entry.manifest), LISTS["game"])


def _prefix(game: str | None) -> str:
    entry = _everything().get(game or "")
    return entry.prefix if entry else ""


@cache
def _module(name: str) -> ModuleType:
    """An imported module, ten times faster than import_module."""
    return import_module(name)


def load_target(name: str, target: str) -> Any:
    """The object at *target*, `"module:object"`; raises BrokenPlugin, which says what *name* is, if there is none."""
    module, _, path = target.partition(":")
    try:
        found: Any = _module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (Exception, SystemExit) as error:  # a plugin may fail in any way; name it and continue
        raise BrokenPlugin(name, target, f"{type(error).__name__}: {error}") from error
    return found


@cache
def _names_by_target() -> dict[str, str]:
    names: dict[str, str] = {}
    for name, entry in _everything().items():
        names.setdefault(entry.target, name)
    for name in _of_kind("game"):
        fast = _ability_target(name, "FAST")
        if fast is not None:
            names[fast] = name
    return names


@cache
def _everything() -> dict[str, RegistryEntry]:
    """All entries of all kinds: a name may be used only once."""
    found: dict[str, RegistryEntry] = {}
    for entry in (*_ours(), *_third_party()):
        first = found.setdefault(entry.name, entry)
        if first.target != entry.target:  # one bad plugin must not stop the others
            warnings.warn(
                f"{entry.target} is ignored: {first.target} has the name {entry.name!r} already", stacklevel=2
            )
    return found


def _ours() -> Iterator[RegistryEntry]:
    yield from _manifest_entries("kibitz.agents", prefix="")
    yield from _manifest_entries("kibitz.models", prefix="")
    games = import_module("kibitz.games")
    for module in pkgutil.iter_modules(games.__path__):
        if module.ispkg:
            yield from _manifest_entries(f"kibitz.games.{module.name}", prefix=f"{module.name}.")
    for manifest in BRIDGES:
        yield from _manifest_entries(manifest, prefix="")


def _manifest_entries(manifest: str, prefix: str) -> Iterator[RegistryEntry]:
    """The entries of a manifest; agents and models of games get *prefix*, or their own game's name."""
    lists = {kind: getattr(import_module(manifest), LISTS[kind], {}) for kind in KINDS}
    by_game = {name for kind in KINDS for name, target in lists[kind].items() if isinstance(target, Mapping)}
    for kind in KINDS:
        for name, target in lists[kind].items():
            if kind == "game":
                yield RegistryEntry(kind, name, target, manifest, f"{name}." if name in by_game else prefix)
            elif name in by_game:
                for part, place in target.items():
                    yield RegistryEntry(kind, f"{name}.{part}", place, manifest, f"{name}.")
            else:
                yield RegistryEntry(kind, prefix + name, target, manifest, prefix)


def _third_party() -> Iterator[RegistryEntry]:
    installed = entry_points()  # reads the files of every package that is installed: once for all kinds
    for kind in KINDS:
        for point in sorted(installed.select(group=f"kibitz.{kind}s"), key=lambda point: point.name):
            yield from _entry_point_entries(kind, point)


def _entry_point_entries(kind: Kind, point: EntryPoint) -> Iterator[RegistryEntry]:
    """`name = "module:object"` is one object; `name = "module"` is a manifest, whose agents are called `name.agent`."""
    if ":" in point.value:
        yield RegistryEntry(kind, point.name, point.value)
        return
    try:
        yield from _manifest_entries(point.value, prefix=f"{point.name}." if kind == "game" else "")
    except (Exception, SystemExit):  # it must not hide the others; its use will raise the error
        yield RegistryEntry(kind, point.name, point.value)
