"""Axis & Allies in words (`ABOUT`), and its map, armies and orders as named fields (`FIELDS`)."""

import msgspec

from kibitz import core
from kibitz.core.abilities.about import About, ActionForm
from kibitz.core.abilities.fields import Fields
from kibitz.games.axis.board import Board
from kibitz.games.axis.full.about import PLAYERS, WholeBoard, WholeView, about_whole_game, whole_board, whole_view
from kibitz.games.axis.full.game import FullState
from kibitz.games.axis.full.situation import NOBODY, PHASES
from kibitz.games.axis.movement import COMBAT, NONCOMBAT, Flight, Post
from kibitz.games.axis.rules import Axis, State
from kibitz.games.axis.units import Army

STRATEGIES = {
    "greedy": "attacks wherever a battle is worth it in this turn alone; other units march to the front",
    "defender": "never attacks, and guards what is worth most",
    "scripted": "follows the script of the scenario",
    "exact": "plays perfectly to the end, in small scenarios",
}
"""The players of the land scenarios; `full.about` has those of the whole game."""


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
    whole: WholeView | None = None
    """What only the whole game has."""


def about(game: core.Game) -> About:
    """Axis & Allies in any scenario."""
    assert isinstance(game, Axis)
    if game.rules == "full":
        return about_whole_game(game.world, game.full_rules, STRATEGIES)
    board = game.board
    first = board.sides[0]
    victory = f" A side that holds {board.switches.victory} cities ends the game." if board.switches.victory else ""
    reach = "one area" if board.switches.steps == 1 else "as many areas as it can move"
    return About(
        title=f"Axis & Allies on land: {board.name}",
        goal="Destroy enemy units and take areas that are worth more than what you lose.",
        rules=(
            "The rules are those of Axis & Allies Revised, on land. Powers take turns, and powers of one side are "
            f"allies. In a turn each unit gets one order: it stays, or goes {reach} far. No order hinders another, and "
            "all are carried out together. A unit that enters an area without defenders takes it. Otherwise there is "
            "a battle: round after round each unit rolls a die and hits with at most its attack or defence, and every "
            "hit destroys an enemy unit, until one side is destroyed. Artillery lifts the attack of one infantry "
            "beside it by 1. Attackers with a land unit left take the area; aircraft return. "
            f"The gain of {first} is the cost of enemy units destroyed less that of own units lost, plus the worth of "
            "areas taken less that of areas lost. Each power of the other side earns the opposite. The game ends after "
            f"{board.turns} turns.{victory}"
        ),
        players=tuple(f"{power.name}, of the side {board.sides[power.side]}" for power in board.powers),
        actions=action_forms(game),
        phases={
            COMBAT: "orders that may attack",
            NONCOMBAT: "orders after the battles, among friends; aircraft land",
        },
        strategies=STRATEGIES | {name: f"{words} (in the whole game only)" for name, words in PLAYERS.items()},
        minutes=15,
        glossary={
            "IPC": "what units cost and areas are worth",
            "infantry": "attacks with 1, defends with 2, and is cheap",
            "artillery": "attacks and defends with 2, and helps one infantry beside it to attack",
            "tank": "attacks and defends with 3, and moves two areas",
        },
        colours={"blue": board.sides[0], "orange": board.sides[-1]},
        opponents={
            "greedy": "Attacks wherever it pays at once, and looks no further.",
            "defender": "Never attacks, and guards what is worth most.",
        },
    )


def action_forms(game: Axis) -> tuple[ActionForm, ...]:
    """The notation of orders, with examples from the first units that have a choice."""
    state, board = game.new_initial_state(), game.board
    while state.legal_actions() and len(state.legal_actions()) < 2 and not state.fights:
        state.apply_action(state.legal_actions()[0])
    going: list[str] = []
    staying: list[str] = []
    through: list[str] = []
    for action in state.legal_actions():
        notation = state.action_to_string(state.mover, action)
        (staying if " > " not in notation else through if action >= len(board.areas) else going).append(notation)
    forms = [
        ActionForm(
            "<unit> <area> > <area>", "the unit, which is in the first area, goes to the last", tuple(going[:1])
        ),
        ActionForm("<unit> <area> stays", "the unit stays in the area", tuple(staying[:1])),
    ]
    if board.switches.blitz:
        words = "the unit goes through an empty hostile area, which it takes, to another"
        forms.append(ActionForm("<unit> <area> > <area> > <area>", words, tuple(through[:1])))
    return tuple(forms)


def board(game: Axis) -> AxisBoard:
    played = game.board
    rules, fighting = played.switches, played.battle_rules
    sides = game.world.sides if game.rules == "full" else played.sides
    return AxisBoard(
        scenario=played.name,
        about=played.about,
        areas=[
            AxisArea(area.name, area.neighbours, worth, area.factory, area.city, area.sea, area.closed)
            for area, worth in zip(played.areas, played.worth, strict=True)
        ],
        powers=[AxisPower(each.name, sides[each.side], each.script is not None) for each in played.powers],
        units=[
            AxisUnit(
                each.name, each.attack, each.defence, each.cost, each.move, each.domain, each.supports, each.blitz,
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
    situation = state.situation
    names = situation.world.units.names
    armies: dict[tuple[int, int], dict[str, int]] = {}
    for stack, number in situation.units:
        army = armies.setdefault((stack.area, stack.power), {})
        army[names[stack.kind]] = army.get(names[stack.kind], 0) + number
    return AxisView(
        turn=situation.round - 1,
        power=situation.mover,
        phase=PHASES[situation.phase],
        owners=[None if owner == NOBODY else owner for owner in situation.owners],
        armies=[AxisArmy(area, power, army) for (area, power), army in sorted(armies.items())],
        gain=state.returns()[0],
        taken=list(situation.taken),
        whole=whole_view(situation),
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
