"""Plugin: the games, agents and models that a package adds. GameKit: what one game offers besides its rules.

Both name objects as `"module:object"`, so that reading them imports nothing; an object is loaded when it is used.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar

if TYPE_CHECKING:
    from kibitz.core.agent import Agent
    from kibitz.core.drawing import Drawing
    from kibitz.core.game import Game, State
    from kibitz.core.kit.compiled import CompiledGame
    from kibitz.core.kit.matches import CompiledMatches, Importer
    from kibitz.core.kit.numbers import Evaluation, Features, Heuristic, Measures
    from kibitz.core.kit.odds import OddsMaker
    from kibitz.core.kit.plans import GamePlans
    from kibitz.core.kit.positions import Fields, Preview, StateMap, Units
    from kibitz.core.kit.state_table import StateTable

Loaded = TypeVar("Loaded")
AwareOffer: TypeAlias = "Callable[[Game, Any], Agent | None]"
"""The agent that `aware` is in a game, if any: a function of the game and of the `aware` whose options it reads."""


@cache
def load_target(name: str, target: str) -> Any:
    """The object at *target*, `"module:object"`; raises BrokenPlugin, which says what *name* is, if there is none."""
    module, _, path = target.partition(":")
    try:
        found: Any = import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (Exception, SystemExit) as error:  # a plugin may fail in any way; name it and continue
        from kibitz.core.errors import BrokenPlugin  # late: `kibitz --help` loads this module and nothing more

        raise BrokenPlugin(name, target, f"{type(error).__name__}: {error}") from error
    return found


class Lazy(Generic[Loaded]):
    """A field that is given as `"module:object"` and loaded when it is first read; None if it is not given."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __set__(self, kit: "GameKit", target: str | None) -> None:
        kit.__dict__[self.name] = target

    def __get__(self, kit: "GameKit | None", owner: type) -> Loaded | None:
        found: Any = None if kit is None else kit.__dict__[self.name]
        if kit is not None and isinstance(found, str):
            found = kit.__dict__[self.name] = load_target(f"{self.name} of {kit.game}", found)
        return found  # type: ignore[no-any-return]


@dataclass(kw_only=True, eq=False, repr=False)
class GameKit:
    """What a game offers besides its rules; all but `game` may be left out.

    >>> from kibitz.core.registry import kit_of
    >>> kit_of("kuhn").drawing.__name__, kit_of("kuhn").odds
    ('draw', None)
    """

    game: str
    """The class with the rules."""
    agents: Mapping[str, str] = field(default_factory=dict)
    """Agents that play only this game, by name; specs name them `game.agent`."""
    models: Mapping[str, str] = field(default_factory=dict)
    """Models that watch only this game, by name; specs name them `game.model`."""

    words: str | None = None
    """What the game is, in words: a file, as `"package:words.toml"`; see `core.kit.about`."""
    word_values: "Lazy[Callable[[Any], Mapping[str, Any]]]" = Lazy()
    """What the words leave open: a function of the game. Values named as a field of `About` take its place."""
    fields: "Lazy[Fields]" = Lazy()
    """Boards and positions as named fields, for programs that do not know the game."""
    drawing: "Lazy[Callable[[State], Drawing]]" = Lazy()
    """The picture of a position."""
    preview: "Lazy[Callable[[State, int, int], Preview | None]]" = Lazy()
    """What a choice would bring, in words: of a view, a player who is to choose, and one of their legal actions."""
    measures: "Lazy[Measures]" = Lazy()
    """Numbers about a whole match besides its result."""
    odds: "Lazy[type[OddsMaker]]" = Lazy()
    """The odds of a contest that dice decide: `kibitz odds`."""
    importer: "Lazy[type[Importer]]" = Lazy()
    """Reads the matches of another program: `kibitz import`."""

    kernels: "Lazy[CompiledGame]" = Lazy()
    """States as words and rules as kernels, for compiled search."""
    batches: "Lazy[CompiledMatches]" = Lazy()
    """Matches that kernels play from start to end, many in one call."""
    features: "Lazy[Features]" = Lazy()
    """Named numbers of a position."""
    evaluation: "Lazy[Evaluation]" = Lazy()
    """The value of a position, by weights."""
    heuristics: "Lazy[Mapping[str, Heuristic]]" = Lazy()
    """Bounds on the value of a position, by name, the most informative ones first; for solvers."""
    table: "Lazy[Callable[[Game], StateTable]]" = Lazy()
    """All states by number, for solvers."""
    state_map: "Lazy[Callable[[Game, State], StateMap]]" = Lazy()
    """The states around a given one laid out on a sheet, to draw a solution on."""
    units: "Lazy[Units]" = Lazy()
    """Turns that are one action per unit."""

    plans: "Lazy[GamePlans | Callable[[Game], GamePlans | None]]" = Lazy()
    """A plan library, or a function of the game that returns one."""
    constraint: "Lazy[Callable[[State, int], Sequence[int]]]" = Lazy()
    """The actions that serve the goal of a player on their view."""
    aware: "Lazy[AwareOffer]" = Lazy()
    """The agent that `aware` is in this game."""


class NamedCommand(NamedTuple):
    """A command of `kibitz`: its line in `kibitz --help`, its class, a `kibitz.cli.options.Command`, and its heading.

    >>> NamedCommand("Count the ways to take.", "my_package.commands:Ways").summary
    'Count the ways to take.'
    """

    summary: str
    target: str
    heading: str = "Other packages"


@dataclass(kw_only=True)
class Bridge:
    """Another project whose games and agents a plugin brings in. They are found by name, but not listed as ours."""

    package: str = ""
    """The package to install; empty if the bridge reads files by itself."""
    least: str = ""
    """The oldest version that it works with."""
    games: Mapping[str, GameKit] = field(default_factory=dict)
    agents: Mapping[str, str] = field(default_factory=dict)
    shorthands: Mapping[str, str] = field(default_factory=dict)
    """Names that may be written `name:text` in a spec; the text is the value of this parameter."""
    request: str = ""
    """A function of a spec and its text, which raises BadSpec if a request to a server may not name this game."""
    catalogue: str = ""
    """A function that lists the games, as `core.bridges.CatalogueEntry` each."""


@dataclass(kw_only=True)
class Plugin:
    """What a package adds: its entry point in the group `kibitz.plugins` names one of these.

    >>> plugin = Plugin(games={"nim": GameKit(game="my_package.nim:Nim", agents={"perfect": "my_package.nim:Perfect"})})
    """

    games: Mapping[str, GameKit] = field(default_factory=dict)
    agents: Mapping[str, str] = field(default_factory=dict)
    """Agents that play any game, by name."""
    models: Mapping[str, str] = field(default_factory=dict)
    """Models that watch any game, by name."""
    commands: Mapping[str, NamedCommand] = field(default_factory=dict)
    """Commands of `kibitz`, by name."""
    studies: Mapping[str, str] = field(default_factory=dict)
    """Studies, by name."""
    bridges: Mapping[str, Bridge] = field(default_factory=dict)
    """Other projects, by name."""
    aware: Sequence[str] = ()
    """What `aware` is in games of some kind, as an `AwareOffer` each; a game's own kit goes first."""


PACKAGES = ("kibitz", "lab", "solve", "web", "risk", "axis", "trails")
"""The entry points of our packages: their names take precedence over those of other packages."""


@cache
def plugins() -> tuple[Plugin, ...]:
    """The plugins of all packages, ours first; one that cannot be loaded is left out with a warning."""
    found = []
    for point in sorted(entry_points(group="kibitz.plugins"), key=_precedence):
        try:
            plugin = load_target(point.name, point.value)
        except ImportError as error:  # it must not hide the others
            warnings.warn(str(error), stacklevel=2)
            continue
        if isinstance(plugin, Plugin):
            found.append(plugin)
        else:
            warnings.warn(f"{point.name} is registered as {point.value}, which is no kibitz.Plugin", stacklevel=2)
    return tuple(found)


def installed_packages() -> list[str]:
    """The top-level packages that have a plugin, ours first."""
    points = sorted(entry_points(group="kibitz.plugins"), key=_precedence)
    return list(dict.fromkeys(point.value.partition(":")[0].partition(".")[0] for point in points))


def _precedence(point: EntryPoint) -> tuple[int, str]:
    ours = point.name in PACKAGES and point.value.startswith("kibitz")
    return PACKAGES.index(point.name) if ours else len(PACKAGES), point.name
