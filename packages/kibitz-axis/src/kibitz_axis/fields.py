"""The map, armies and orders of Axis & Allies as named fields."""

import msgspec

from kibitz.core.kit.positions import Fields
from kibitz_axis.full.board import World
from kibitz_axis.full.game import FullState
from kibitz_axis.full.position import NOBODY, PHASES, Position
from kibitz_axis.full.rules_options import FullRules
from kibitz_axis.full.units import TECHNOLOGIES
from kibitz_axis.game import Axis
from kibitz_axis.land.board import Board
from kibitz_axis.land.movement import Flight, Post
from kibitz_axis.land.rules import State
from kibitz_axis.units import Army


class AxisArea(msgspec.Struct, frozen=True, omit_defaults=True):
    """An area: its neighbours by number, what it is worth (a factory included), and what it is."""

    name: str
    neighbours: tuple[int, ...]
    value: int = 0
    factory: bool = False
    city: bool = False
    sea: bool = False
    closed: bool = False


class AxisPower(msgspec.Struct, frozen=True):
    """A power, the side it fights for, and whether its attacks follow a script."""

    name: str
    side: str
    scripted: bool


class AxisUnit(msgspec.Struct, frozen=True):
    """A kind of unit: it hits with a die of at most *attack* or *defence*, costs *cost*, and moves *move* areas."""

    name: str
    attack: int
    defence: int
    cost: int
    move: int
    domain: str
    supports: bool
    blitz: bool
    anti_air: bool


class WholeBoard(msgspec.Struct, frozen=True):
    """Money and capitals of the powers at the start, canals (two zones, the land beside), prices, and all switches."""

    money: tuple[int, ...]
    capitals: tuple[int, ...]
    canals: tuple[tuple[int, int, tuple[int, ...]], ...]
    prices: dict[str, int]
    technologies: tuple[str, ...]
    rules: FullRules


class AxisBoard(msgspec.Struct, frozen=True, omit_defaults=True):
    """The scenario. Areas, and powers in the order they move, are numbered from 0.

    *steps*: the most areas of a move (0: what each unit can do). *noncombat*: attacks come first, other moves after the
    battles. *victory*: cities with which a side wins (0: never). *retreat*: an attacker withdraws when so many units or
    fewer are left.
    """

    scenario: str
    about: str
    areas: list[AxisArea]
    powers: list[AxisPower]
    units: list[AxisUnit]
    turns: int
    steps: int
    blitz: bool
    noncombat: bool
    victory: int
    retreat: int
    low_luck: bool
    whole: WholeBoard | None = None
    """What only the whole game has."""


class AxisArmy(msgspec.Struct, frozen=True):
    """What a power has in an area: the number of units by kind."""

    area: int
    power: int
    units: dict[str, int]


class AxisOrder(msgspec.Struct, frozen=True, omit_defaults=True):
    """An order of this phase: a unit goes to an area, or stays there; *via*: the area that it takes on its way."""

    unit: str
    origin: int
    to: int
    via: int | None = None


class AxisFlight(msgspec.Struct, frozen=True):
    """An aircraft in the air: where it is, where it came from, and how many areas it can still fly."""

    unit: str
    area: int
    origin: int
    left: int


class AxisBattle(msgspec.Struct, frozen=True, omit_defaults=True):
    """A battle that waits: the attackers, the aircraft among them, and where land units withdraw to."""

    area: int
    attackers: dict[str, int]
    flights: list[AxisFlight] = []
    back: int | None = None


class AxisView(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A position. Owners (null: nobody) are in the order of the board's areas.

    *turn* counts from 0; *unit* is the one to be ordered next. *moved*: units that have moved in this turn. *taken*:
    areas taken in this turn. *gain*: what the first side has won so far.
    """

    turn: int
    power: int
    phase: str
    owners: list[int | None]
    armies: list[AxisArmy]
    gain: float
    unit: str = ""
    orders: list[AxisOrder] = []
    battles: list[AxisBattle] = []
    moved: list[AxisArmy] = []
    flights: list[AxisFlight] = []
    taken: list[int] = []
    whole: Position | None = None
    """Of the whole game all fields of its `Position`."""


def whole_board(world: World, rules: FullRules) -> WholeBoard:
    """What only the whole game has on its board."""
    prices = dict(zip(world.units.names, world.units.prices, strict=True))
    return WholeBoard(world.money, world.capitals, world.canals, prices, TECHNOLOGIES, rules)


def board(game: Axis) -> AxisBoard:
    played = game.board
    rules, fighting = played.switches, played.battle_rules
    sides = game.world.sides if game.rules == "full" else played.sides
    return AxisBoard(
        scenario=played.name,
        about=played.about,
        areas=[
            AxisArea(area.name, area.neighbours, value, area.factory, area.city, area.sea, area.closed)
            for area, value in zip(played.areas, played.area_values, strict=True)
        ],
        powers=[AxisPower(each.name, sides[each.side], each.script is not None) for each in played.powers],
        units=[
            AxisUnit(
                each.name, each.attack, each.defence, each.price, each.move, each.domain, each.supports, each.blitz,
                each.anti_air,
            )
            for each in played.units
        ],
        turns=played.turns,
        steps=rules.steps,
        blitz=rules.blitz,
        noncombat=rules.noncombat,
        victory=rules.victory,
        retreat=fighting.retreat,
        low_luck=fighting.low_luck,
        whole=whole_board(game.world, game.full_rules) if game.rules == "full" else None,
    )  # fmt: skip


def view(state: State) -> AxisView:
    if not isinstance(state, State):
        return _view_of_whole_game(state)
    played = state.board
    powers = len(played.powers)
    armies = [AxisArmy(*divmod(n, powers), counts(played, army)) for n, army in enumerate(state.forces) if any(army)]
    battles = [
        AxisBattle(
            each.area,
            counts(played, each.attackers),
            [flight(played, one) for one in each.flights],
            None if each.back < 0 else each.back,
        )
        for each in state.fights
    ]
    asked = state.posts[len(state.orders)] if state.current_player() >= 0 else None
    return AxisView(
        turn=state.turn,
        power=state.mover,
        phase=state.phase,
        owners=list(state.owners),
        armies=armies,
        gain=state.gain(),
        unit="" if asked is None else unit_name(played, asked),
        orders=[order(played, *each) for each in state.orders_given()],
        battles=battles,
        moved=[AxisArmy(area, state.mover, counts(played, army)) for area, army in state.tired],
        flights=[flight(played, each) for each in state.flights],
        taken=list(state.taken),
    )


def _view_of_whole_game(state: FullState) -> AxisView:
    position, names = state.position, state.tables.world.units.names
    armies: dict[tuple[int, int], dict[str, int]] = {}
    for stack in position.stacks:
        army = armies.setdefault((stack.area, stack.power), {})
        army[names[stack.kind]] = army.get(names[stack.kind], 0) + stack.count
    return AxisView(
        turn=position.round - 1,
        power=position.mover,
        phase=PHASES[position.phase],
        owners=[None if owner == NOBODY else owner for owner in position.owners],
        armies=[AxisArmy(area, power, army) for (area, power), army in sorted(armies.items())],
        gain=state.returns()[0],
        taken=[area for area, taken in enumerate(position.taken) if taken],
        whole=position.copy(),
    )


def counts(board: Board, army: Army) -> dict[str, int]:
    """An army by kinds of units."""
    return {unit.name: count for unit, count in zip(board.units, army, strict=True) if count}


def unit_name(board: Board, post: Post) -> str:
    """A unit by its kind and its area."""
    return f"{board.units[post.kind].name} {board.areas[post.area].name}"


def flight(board: Board, each: Flight) -> AxisFlight:
    """An aircraft in the air."""
    return AxisFlight(board.units[each.kind].name, each.area, each.origin, each.left)


def order(board: Board, area: int, kind: int, option: int) -> AxisOrder:
    """An order by its area, its kind of unit and its option."""
    via, to = divmod(option, len(board.areas))
    return AxisOrder(board.units[kind].name, area, to, via - 1 if via else None)


FIELDS = Fields(board, view)
