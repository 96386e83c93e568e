"""Learning on a table, for look-aheads that fit into one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from kibitz import core
from kibitz.core.seeds import kernel_stream
from kibitz_lab.automata.kernels import ROWS, WIDTH
from kibitz_lab.automata.look_ahead import LookAhead
from kibitz_lab.automata.team import TeamResult
from kibitz_lab.automata.team_kernels import learn_by_odds, learn_tiers
from kibitz_lab.automata.tier import KINDS, Tier
from kibitz_lab.automata.turn_table import TurnTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

Outcomes: TypeAlias = Literal["dice", "odds"]
"""How the outcome of a turn is found: drawn, or not at all: then every status is the exact expectation, and every
position is learned once."""


def learn_on_table(
    table: TurnTable, tiers: Sequence[Tier], seed: int, outcomes: Outcomes = "dice", *, squads: bool = True
) -> TeamResult:
    """What the team at the beginning of a table learns to do; the last tier also learns all own turns after it.

    By odds it learns in *squads* too; where outcomes are drawn every unit learns for itself, as the thesis has it.
    """
    tiers = [*tiers, *[tiers[-1]] * (table.look_ahead.depth - len(tiers))]
    words = kernel_stream(seed, "automata")
    return _by_odds(table, tiers, words, squads) if outcomes == "odds" else _by_dice(table, tiers, words)


class LearningArrays:
    """The arrays that kernels learn in, large enough for every position of a table and so many *teams* on each."""

    def __init__(self, table: TurnTable, tiers: Sequence[Tier], teams: int = 1) -> None:
        options, self.width = int(table.option_counts.max()), max(map(len, table.units))
        levels, most = (
            table.look_ahead.depth * table.look_ahead.game.players + 2,
            teams * max(tier.rounds for tier in tiers),
        )
        kinds = np.array([(KINDS.index(tier.kind), tier.rounds) for tier in tiers], dtype=np.int64)
        memory = np.zeros((levels * self.width, ROWS, max(options, WIDTH)))
        self.teams = kinds, np.array([tier.numbers() for tier in tiers]), memory
        self.stack = np.zeros((levels, 2), dtype=np.int64)
        self.seen = np.zeros((levels, most, table.look_ahead.game.players))
        self.tried = np.zeros(most, dtype=np.int64)
        self.mean = np.zeros(table.look_ahead.game.players)
        self.notes = self.stack, self.seen, self.tried, self.mean

    def team_result(self, table: TurnTable, top: int) -> TeamResult:
        """The answer read from the arrays."""
        counts, rounds = table.units[0], int(self.stack[0, 1])
        turns = [core.digits(turn, counts) for turn in self.tried[:rounds].tolist()]
        statuses = self.seen[0, :rounds, table.begin.mover].tolist()
        return TeamResult(core.digits(top, counts), tuple(self.mean.tolist()), tuple(zip(turns, statuses, strict=True)))


def _by_dice(table: TurnTable, tiers: Sequence[Tier], words: "NDArray[np.uint64]") -> TeamResult:
    """Learn tier by tier, with drawn outcomes."""
    room = LearningArrays(table, tiers)
    turns = table.positions, table.option_counts, table.turn_rows
    after = table.row_starts, table.outcome_positions, table.outcome_sums
    top = learn_tiers(room.width, turns, after, table.statuses, room.teams, room.notes, words)
    return room.team_result(table, top)


def _by_odds(table: TurnTable, tiers: Sequence[Tier], words: "NDArray[np.uint64]", squads: bool) -> TeamResult:
    """From exact expectations, the last positions first."""
    groups = table.groups[: 1 + squads]
    room, values = LearningArrays(table, tiers, teams=len(groups)), np.array([table.statuses, table.statuses])
    turns = table.positions, table.option_counts, table.turn_rows
    after = table.row_starts, table.outcome_positions, table.outcome_odds
    top = learn_by_odds(table.last_first, groups, turns, after, values, room.teams, room.notes, words)
    return room.team_result(table, top)


def table_of(game: core.Game, player: int, depth: int, **options: Any) -> TurnTable:
    """The table of a game's first position for one player."""
    return TurnTable(LookAhead(game, player, depth, **options), game.new_initial_state())
