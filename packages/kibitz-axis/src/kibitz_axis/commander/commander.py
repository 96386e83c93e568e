"""`axis.commander`: every part of its forces has a learning automaton that chooses among operations (Lie 2009)."""

from math import inf
from typing import Annotated

import msgspec
import numpy as np

from kibitz import core
from kibitz.core.insight import Intention
from kibitz.core.seeds import kernel_stream
from kibitz_axis.commander.battle_choices import battle_armies, battle_results
from kibitz_axis.commander.kernels.fights import TAKE, WIN, Counts
from kibitz_axis.commander.kernels.plans import (
    LEAST_GAIN,
    LIFT,
    RAID,
    STAY,
    Choices,
    PlanScene,
    learn_plan,
    plan_value,
    teach_pieces,
    try_operations,
)
from kibitz_axis.commander.kernels.positions import NAMES, VICTORY
from kibitz_axis.commander.pieces import ForcePiece, Stations
from kibitz_axis.commander.players import Attacks, CarefulAttacks, Plan, WholeGamePlayer, peaceful_plan
from kibitz_axis.commander.survey import Possible, Survey
from kibitz_axis.full import orders as verbs
from kibitz_axis.full.position import COMBAT, NOBODY, NONCOMBAT, PLACE, PURCHASE
from kibitz_lab.automata import kernels as automata
from kibitz_lab.automata.tier import KINDS, Kind, Tier

WEIGHTS = {
    "income": 3.0,
    "cities": 0.6,
    "capitals": 0.6,
    "money": 1.0,
    "infantry and artillery": 1.0,
    "tanks": 1.0,
    "aircraft": 1.0,
    "warships": 1.0,
    "transports": 1.0,
    "front": 0.3,
    "threats": 0.2,
    "safety": 0.2,
    "factories": 0.3,
    "victory": 4.0,
    "threats to the next mover": 0.2,
    "safety of the next mover": 0.2,
    "mass": 0.5,
}
"""IPC at their price, three turns of income, a guess for what is not counted in IPC, and mass: in 240 games whose sides
drew how much it counts, it added 0.81 (standard error 0.27) to the logit of the chance to win."""
TURN_WEIGHTS = ((1.0,), (0.7, 0.3))
"""How much each position counts that is looked at, one or two turns ahead. In games of the players, what both sides own
some rounds later is predicted best if the expected position after the answers counts for 3 of 10: it is less sure than
the one after the own turn."""


def position_weights(depth: int) -> Counts:
    """The weights, a row for each position that is looked at, by its share; a victory counts once."""
    rows = np.outer(TURN_WEIGHTS[depth - 1], [WEIGHTS[name] for name in NAMES])
    rows[0, VICTORY] = WEIGHTS[NAMES[VICTORY]]
    return rows


NOTHING = np.zeros(0, dtype=np.int64)


def added_value(survey: Survey, scene: PlanScene, kind: int, count: int, area: int) -> float:
    """The value of the position with units added in an area."""
    scene.units[area, survey.mover, kind] += count
    value = plan_value(scene, NOTHING, np.zeros(scene.weights.shape))
    scene.units[area, survey.mover, kind] -= count
    return float(value)


def units_with_bought(survey: Survey) -> Counts:
    """The units of a position with those that are bought, placed where they are needed most."""
    units, world, bought = survey.units.copy(), survey.ground.world, survey.fields["bought"]
    if not bought.any() or survey.phase not in (PURCHASE, COMBAT, NONCOMBAT, PLACE):
        return units
    stations = Stations(survey)
    room = {area: world.areas[area].value for area in survey.own_factories}
    for kind, number in enumerate(bought):
        homes = sorted(room, key=lambda area: -stations.score(area, kind))
        for home in homes:
            count, areas = min(int(number), room[home]), placing_areas(survey, kind, [home])
            if areas:
                units[areas[0], survey.mover, kind] += count
                room[home] -= count
                number -= count
    return units


def marginal_placing(survey: Survey, scene: PlanScene) -> Possible | None:
    """Where bought units of a kind add most to the position, if all that fit go there: what half of them cannot save
    all may; None if nothing is left to be placed."""
    puts = [order for order in survey.orders if order.verb == verbs.PUT]
    if not puts:
        return None
    kind = puts[0].kind
    scene.units[:] = survey.units
    stations = Stations(survey)

    def score(order: Possible) -> tuple[float, float]:
        return added_value(survey, scene, kind, order.most, order.to), stations.score(order.to, kind)

    return max((order for order in puts if order.kind == kind), key=score)


def placing_areas(survey: Survey, kind: int, homes: list[int]) -> list[int]:
    """Where units of a kind can be placed: areas with factories, or zones beside them."""
    world = survey.ground.world
    if world.units.kinds[kind].domain != "sea":
        return homes
    zones = [zone for home in homes for zone in world.by_sea[home]]
    own = survey.own[:, list(world.units.ships)].sum(axis=1)
    return sorted(dict.fromkeys(zones), key=lambda zone: -own[zone])[:3]


def plan_armies(survey: Survey, pieces: list[ForcePiece], chosen: list[int]) -> dict[tuple[int, int], np.ndarray]:
    """What a plan sends to each area, raids (mode `RAID`) apart from all else."""
    armies: dict[tuple[int, int], np.ndarray] = {}
    for piece, pick in zip(pieces, chosen, strict=True):
        if pick == STAY:
            continue
        option = piece.options[pick]
        mode = RAID if option.mode == RAID else 0
        piece.join(armies.setdefault((option.to, mode), np.zeros(len(survey.ground.world.units.kinds))), option)
    return armies


def doubtful_attacks(survey: Survey, pieces: list[ForcePiece], chosen: list[int], sure: float) -> list[int]:
    """The areas that a plan attacks with a smaller chance than *sure*."""
    doubtful = []
    for (to, mode), army in plan_armies(survey, pieces, chosen).items():
        if mode != RAID and survey.attackable(to):
            _, defence = battle_armies(survey, to)
            if 1.0 - sure < battle_results(survey, army, defence, to)[WIN] < sure:
                doubtful.append(to)
    return sorted(doubtful)


def operation_lines(survey: Survey, pieces: list[ForcePiece], chosen: list[int]) -> list[str]:
    """A line for every operation of a plan, the largest first."""
    armies = plan_armies(survey, pieces, chosen)
    prices = np.array([kind.price for kind in survey.ground.world.units.kinds])
    largest = sorted(armies.items(), key=lambda each: (-float(each[1] @ prices), each[0]))
    picked = [piece.options[pick] for piece, pick in zip(pieces, chosen, strict=True) if pick != STAY]
    modes = {option.to: LIFT for option in picked if option.mode == LIFT}
    return [operation_line(survey, to, mode or modes.get(to, 0), army) for (to, mode), army in largest]


def operation_line(survey: Survey, to: int, mode: int, army: np.ndarray) -> str:
    """One operation: what it is, where, with what, and with what odds."""
    world = survey.ground.world
    units = " ".join(f"{int(n)} {world.units.names[kind]}" for kind, n in enumerate(army) if n)
    where = world.areas[to].name
    if mode == RAID:
        return f"raid {where} with {units}"
    if survey.phase != COMBAT or not survey.attackable(to):
        stake = world.areas[to].city or survey.has_factory(to)
        return f"{'hold' if stake else 'build up in'} {where} with {units}"
    _, defence = battle_armies(survey, to)
    results = battle_results(survey, army, defence, to)
    if world.sea[to]:
        return f"sink what is in {where} with {units}: {results[WIN]:.0%}"
    verb = "land in" if mode == LIFT else "take" if results[TAKE] > 0.0 else "strike"
    return f"{verb} {where} with {units}: {max(results[TAKE], results[WIN] * (verb == 'strike')):.0%}"


BLOCK = 20
"""The clock is looked at after so many rounds or pieces."""
STARTS = 3
"""So many plans by odds alone are improved, the best ones first: one may lead where another cannot."""
MOST_RELIEFS = 4
"""The most places for which a plan is tried in which all that can come to their help, before pieces leave again."""
SPARE = 0.7
"""The share of its time for an action that planning may take."""
SURE, TRIFLE = 0.98, 0.003
"""Attacks with smaller chances are strengthened where a plan loses no more value by it than this."""


class Commander(WholeGamePlayer):
    """Plans a turn with one automaton for every part of its forces, which learn together what their orders are worth.

    A plan is worth the position after it, *depth* turns ahead: 1 is its own turn, 2 the answers of the other powers
    too. First every piece tries all it can do while the others keep the plan, in some *lessons*, then automata of one
    *kind* choose together for some *rounds*, and the best plan is played. *seconds* limit the planning of a phase; 0 is
    no limit but that of the match.
    """

    def __init__(
        self,
        kind: Kind = "bla",
        depth: Annotated[int, msgspec.Meta(ge=1, le=2)] = 2,
        rounds: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 100,
        seconds: Annotated[float, msgspec.Meta(ge=0.0, le=3600.0)] = 0.0,
        lessons: Annotated[int, msgspec.Meta(ge=0, le=20)] = 1,
    ) -> None:
        self.kind, self.depth, self.rounds, self.seconds = kind, depth, rounds, seconds
        self.lessons = lessons
        self.weights = position_weights(depth)

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.words = kernel_stream(int(rng.integers(2**63)), "commander")
        self.latest: tuple[Survey, list[ForcePiece], Choices, float] | None = None

    # Planning.

    def plan(self, survey: Survey, pieces: list[ForcePiece], clock: core.Clock) -> Plan:
        """What every piece does, as far as time allows."""
        if not pieces:
            return []
        scene, features = self.scene(survey, pieces), np.zeros(self.weights.shape)
        started, limit = clock.elapsed_seconds(), min(self.seconds or inf, SPARE * clock.pace())

        def is_late() -> bool:
            return clock.elapsed_seconds() - started > limit

        first = [np.array(each, dtype=np.int64) for each in self.first_plans(survey, pieces)]
        values = [plan_value(scene, each, features) for each in first]
        before, memory, plans = values[-1], self.memory(pieces), list[tuple[float, Choices]]()
        for number in np.argsort(values)[::-1][:STARTS]:
            chosen, best = first[number].copy(), values[number]
            if not (plans and is_late()):
                best = try_operations(scene, chosen)
            for start in [*range(0, len(pieces), BLOCK)] * self.lessons:
                if not is_late():
                    best = teach_pieces(scene, chosen, before, memory, start, min(len(pieces), start + BLOCK))
            plans.append((best, chosen))
        best, chosen = max(plans, key=lambda each: each[0])
        for to in self.areas_in_need(survey, pieces) if self.lessons else ():
            helped = relief_plan(pieces, chosen, to)
            for start in range(0, len(pieces), BLOCK):
                if not is_late():
                    value = teach_pieces(scene, helped, before, memory, start, min(len(pieces), start + BLOCK))
            if value > best:
                best, chosen = value, helped
        for _ in range(0, self.rounds, BLOCK):
            if is_late():
                break
            best = learn_plan(scene, chosen, best, before, KINDS.index(self.kind), BLOCK, memory, self.words)
        if survey.phase == COMBAT:
            best = self.strengthen_attacks(survey, pieces, scene, chosen, best)
        self.latest = survey, pieces, chosen, best
        return [int(each) for each in chosen]

    def strengthen_attacks(
        self, survey: Survey, pieces: list[ForcePiece], scene: PlanScene, chosen: Choices, best: float
    ) -> float:
        """Send idle pieces along to attacks that may fail, where that costs next to nothing; return the new value."""
        features = np.zeros(self.weights.shape)
        for to in doubtful_attacks(survey, pieces, chosen.tolist(), SURE):
            for number, piece in enumerate(pieces):
                before = chosen[number]
                if before != STAY and survey.attackable(piece.options[before].to):
                    continue
                if (option := piece.option_to(to)) == STAY:
                    continue
                chosen[number] = option
                value = plan_value(scene, chosen, features)
                if value < best - TRIFLE:
                    chosen[number] = before
                else:
                    best = value
        return best

    def areas_in_need(self, survey: Survey, pieces: list[ForcePiece]) -> list[int]:
        """The most valuable areas that may fall and can be helped, which one piece alone may not begin."""
        stations, values = Stations(survey), survey.area_values
        reached = {option.to for piece in pieces for option in piece.options}
        needy = [area for area in reached if survey.control[area, survey.side] == 1.0 and stations.in_need(area)]
        return sorted(needy, key=lambda area: (-values[area], area))[:MOST_RELIEFS]

    def first_plans(self, survey: Survey, pieces: list[ForcePiece]) -> list[Plan]:
        """Plans by odds alone, to start from; the last one attacks nothing."""
        peaceful = peaceful_plan(survey, pieces)
        if survey.phase == NONCOMBAT:
            return [peaceful, [0 if piece.must else STAY for piece in pieces]]
        attacks = [Attacks(survey, pieces).plan(), CarefulAttacks(survey, pieces).plan(), [STAY] * len(pieces)]
        both = [[move if pick == STAY else pick for pick, move in zip(plan, peaceful, strict=True)] for plan in attacks]
        return [*both, *attacks]

    def memory(self, pieces: list[ForcePiece]) -> Counts:
        """What the automata know: nothing yet."""
        width = max(automata.WIDTH, 1 + max(len(piece.options) for piece in pieces))
        memory = np.zeros((len(pieces), automata.ROWS, width))
        settings = Tier(kind=self.kind, prior=(1.0, 0.01, 0.5, 0.1)).numbers()
        for slot, piece in enumerate(pieces):
            memory[slot, automata.SETTINGS, : len(settings)] = settings
            automata.begin(KINDS.index(self.kind), 1 + len(piece.options), slot, memory, self.words)
        return memory

    def scene(self, survey: Survey, pieces: list[ForcePiece]) -> PlanScene:
        """What plans are judged in."""
        ground = self.ground
        table, options = piece_tables(pieces)
        order = ground.world.turns
        first = order.index(survey.mover)
        turns = np.array([*order[first:], *order[:first]], dtype=np.int64)
        return PlanScene(
            ground.board, survey.row, units_with_bought(survey), survey.control, survey.money, survey.proximity,
            survey.area_values, ground.steps, table, options, turns, self.weights, ground.scale, self.depth, LEAST_GAIN,
            int(np.argmax(turns == order[-1])),
        )  # fmt: skip

    def placing(self, survey: Survey) -> Possible | None:
        if survey.phase != PLACE:
            return super().placing(survey)
        return marginal_placing(survey, self.scene(survey, []))

    # Words.

    def explain(self) -> Intention | None:
        if self.latest is None:
            return None
        survey, pieces, chosen, value = self.latest
        lines = operation_lines(survey, pieces, [int(each) for each in chosen])
        return Intention(lines[0] if lines else "wait", value, line=tuple(lines))


def relief_plan(pieces: list[ForcePiece], chosen: Choices, to: int) -> Choices:
    """The plan with every piece that can be in an area in it."""
    plan = []
    for piece, pick in zip(pieces, chosen, strict=True):
        option = STAY if piece.area == to else piece.option_to(to)
        plan.append(option if option != STAY or piece.area == to else pick)
    return np.array(plan, dtype=np.int64)


def piece_tables(pieces: list[ForcePiece]) -> tuple[Choices, Choices]:
    """Pieces and their options as the kernels take them."""
    table: list[tuple[int, ...]] = []
    options: list[tuple[int, ...]] = []
    for piece in pieces:
        table.append((piece.area, piece.kind, piece.number, len(options), len(piece.options), int(piece.must)))
        for each in piece.options:
            cargo = [number for item in each.cargo[:2] for number in item]
            options.append((each.to, each.mode, each.zone, *cargo, *([NOBODY] * (4 - len(cargo)))))
    return np.array(table, dtype=np.int64).reshape(-1, 6), np.array(options, dtype=np.int64).reshape(-1, 7)
