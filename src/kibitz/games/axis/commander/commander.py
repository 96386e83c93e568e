"""`axis.commander`: every part of its forces has a learning automaton that chooses among operations (Lie 2009)."""

from math import inf
from typing import Annotated

import msgspec
import numpy as np

from kibitz import core
from kibitz.agents.automata import kernels as automata
from kibitz.agents.automata.tier import KINDS, Kind, Tier
from kibitz.core.clocks import Clock
from kibitz.core.seeds import kernel_stream
from kibitz.games.axis.commander.kernels.fights import Counts
from kibitz.games.axis.commander.kernels.plans import (
    STAY,
    Choices,
    PlanScene,
    learn_plan,
    plan_value,
    teach_pieces,
    try_operations,
)
from kibitz.games.axis.commander.pieces import ForcePiece
from kibitz.games.axis.commander.players import Attacks, CarefulAttacks, Plan, WholeGamePlayer, peaceful_plan
from kibitz.games.axis.commander.survey import Survey
from kibitz.games.axis.commander.values import weights_of
from kibitz.games.axis.full.situation import NOBODY, NONCOMBAT

BLOCK = 20
"""The clock is looked at after so many rounds or pieces."""
SPARE = 0.8
"""The share of its time for a phase that planning may take."""
LEAST_GAIN = 0.5


class Commander(WholeGamePlayer):
    """Plans a turn with one automaton for every part of its forces, which learn together what their orders are worth.

    A plan is worth the position after it, *depth* turns ahead: 1 is its own turn, 2 the answers of the other powers
    too, 3 its own next turn. *value* names the weights of a position. First every part tries all it can do while the
    others keep a plan made by odds alone, then automata of one *kind* choose together for some *rounds*, and the best
    plan is played. *seconds* limit the planning of a phase; 0 is no limit but that of the match.
    """

    def __init__(
        self,
        kind: Kind = "bla",
        depth: Annotated[int, msgspec.Meta(ge=1, le=3)] = 2,
        rounds: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 100,
        seconds: Annotated[float, msgspec.Meta(ge=0.0, le=3600.0)] = 0.0,
        lessons: Annotated[int, msgspec.Meta(ge=0, le=20)] = 1,
        value: str = "hand",
    ) -> None:
        self.kind, self.depth, self.rounds, self.seconds = kind, depth, rounds, seconds
        self.lessons, self.value = lessons, value

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.weights = weights_of(self.value)
        self.words = kernel_stream(int(rng.integers(2**63)), "commander")

    def plan(self, survey: Survey, pieces: list[ForcePiece], clock: Clock) -> Plan:
        if not pieces:
            return []
        scene = self.scene(survey, pieces)
        started = clock.elapsed_seconds()

        limit = min(self.seconds or inf, SPARE * clock.pace())

        def late() -> bool:
            return clock.elapsed_seconds() - started > limit

        features = np.zeros(len(self.weights))
        first = self.first_plans(survey, pieces)
        before = plan_value(scene, np.array(first[-1], dtype=np.int64), features)
        plans = [(plan_value(scene, np.array(each, dtype=np.int64), features), each) for each in first]
        best, plan = max(plans, key=lambda each: each[0])
        chosen = np.array(plan, dtype=np.int64)
        memory = self.memory(pieces)
        best = try_operations(scene, chosen)
        for _ in range(self.lessons):
            for start in range(0, len(pieces), BLOCK):
                if not late():
                    best = teach_pieces(scene, chosen, before, memory, start, min(len(pieces), start + BLOCK))
        number = KINDS.index(self.kind)
        for _ in range(0, self.rounds, BLOCK):
            if late():
                break
            best = learn_plan(scene, chosen, best, before, number, BLOCK, memory, self.words)
        self.found = survey, pieces, chosen, best
        return [int(each) for each in chosen]

    def first_plans(self, survey: Survey, pieces: list[ForcePiece]) -> list[Plan]:
        """Plans by odds alone, to start from; the last one attacks nothing."""
        if survey.phase == NONCOMBAT:
            return [peaceful_plan(survey, pieces), [0 if piece.must else STAY for piece in pieces]]
        return [Attacks(survey, pieces).plan(), CarefulAttacks(survey, pieces).plan(), [STAY] * len(pieces)]

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
        place = order.index(survey.mover)
        turns = np.array([*order[place:], *order[:place]], dtype=np.int64)
        wanted = np.ones((ground.powers, len(ground.world.areas)))
        return PlanScene(
            ground.board, survey.numbers, survey.units, survey.held, survey.money, survey.near(), survey.worth(),
            ground.steps, table, options, turns, wanted, self.weights, ground.scale, self.depth, LEAST_GAIN,
        )  # fmt: skip


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
