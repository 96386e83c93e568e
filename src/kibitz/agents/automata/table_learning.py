"""Learning on a table, for look-aheads that fit into one: by compiled kernels, or by their Python references."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from kibitz import core
from kibitz.agents.automata.kernels import ROWS, WIDTH
from kibitz.agents.automata.outlook import NOBODY, Outlook
from kibitz.agents.automata.table import TurnTable
from kibitz.agents.automata.team import Learning, Statuses, Team, TeamResult, late_mean
from kibitz.agents.automata.team_kernels import learn_by_odds, learn_tiers
from kibitz.agents.automata.tier import KINDS, Tier
from kibitz.core.kernels import jit_enabled
from kibitz.core.kernels.random import Draws
from kibitz.core.seeds import kernel_stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

Outcomes: TypeAlias = Literal["dice", "common", "odds"]
"""How the outcome of a turn is found: drawn; drawn so that all turns have the same, evenly spread luck; or not drawn at
all: then every status is the exact expectation, and every position is learned once."""


class TabledTurns:
    """A table in the form that `Learning` takes; with *common* luck the n-th tries of all turns get the same number."""

    def __init__(self, table: TurnTable, *, common: bool = False) -> None:
        self.table, self.common = table, common
        self.visits = [0] * len(table.rows)

    def mover(self, node: int) -> int:
        return self.table.found[node].mover

    def tier(self, node: int) -> int:
        return self.table.outlook.tier(self.table.found[node])

    def counts(self, node: int) -> Sequence[int]:
        return self.table.units[node]

    def statuses(self, node: int) -> Statuses:
        return self.table.statuses[node].tolist()  # type: ignore[no-any-return]

    def row(self, node: int, picks: Sequence[int]) -> int:
        """The row of outcomes of a turn."""
        turn = 0
        for count, pick in zip(self.table.units[node], picks, strict=True):
            turn = turn * count + pick
        return self.table.turns[node][turn]

    def outcome(self, node: int, picks: Sequence[int], draws: Draws) -> int:
        row = self.row(node, picks)
        outcomes = self.table.rows[row]
        if len(outcomes) == 1:
            return outcomes[0][0]
        drawn = spread_evenly(self.visits[row]) if self.common else draws.unit()
        self.visits[row] += 1
        sums = self.table.outcome_sums[self.table.row_starts[row] : self.table.row_starts[row + 1]]
        return outcomes[min(int(np.searchsorted(sums, drawn, side="right")), len(outcomes) - 1)][0]


def spread_evenly(number: int) -> float:
    """The numbers 0, 1, 2 … spread evenly over [0, 1): the bits of each behind the point, in reverse.

    >>> [spread_evenly(number) for number in range(5)]
    [0.0, 0.5, 0.25, 0.75, 0.125]
    """
    return float(sum(0.5 ** (place + 1) for place in range(number.bit_length()) if number >> place & 1))


def learned_on(
    table: TurnTable, tiers: Sequence[Tier], seed: int, outcomes: Outcomes = "dice", *, compiled: bool | None = None
) -> TeamResult:
    """What the team at the beginning of a table learns to do; the last tier also learns all own turns after it."""
    outlook = table.outlook
    tiers = [*tiers, *[tiers[-1]] * (outlook.depth - len(tiers))]
    words = kernel_stream(seed, "automata")
    if compiled or (compiled is None and jit_enabled()):
        return _by_odds(table, tiers, words) if outcomes == "odds" else _by_tiers(table, tiers, words, outcomes)
    if outcomes == "odds":
        return learned_by_odds(table, tiers, Draws(words))
    turns = TabledTurns(table, common=outcomes == "common")
    return Learning(turns, table.begin.mover, tiers, Draws(words), outlook.others).learn_turn(0)


def learned_by_odds(table: TurnTable, tiers: Sequence[Tier], draws: Draws) -> TeamResult:
    """Learn every position once, the last first, from the exact expectation of every turn."""
    turns, worth = TabledTurns(table), table.statuses.copy()
    answer = TeamResult((), (), ())
    for node in table.last_first.tolist():
        mover = turns.mover(node)
        if mover == NOBODY:
            continue
        myopic = table.outlook.others == "learning" and mover != table.begin.mover
        team = Team(turns.counts(node), tiers[turns.tier(node)], draws)
        tried: list[tuple[tuple[int, ...], float]] = []
        seen: list[Statuses] = []
        while not team.is_done(len(seen)):
            picks = team.choose()
            expected = expectation(table, turns.row(node, picks), worth)
            status = expectation(table, turns.row(node, picks), table.statuses)[mover] if myopic else expected[mover]
            team.learn(picks, status)
            tried.append((tuple(picks), status))
            seen.append(expected)
        top = team.top()
        statuses = tuple(expectation(table, turns.row(node, top), worth)) if myopic else late_mean(seen)
        worth[node], answer = statuses, TeamResult(tuple(top), statuses, tuple(tried))
    return answer


def expectation(table: TurnTable, row: int, worth: "NDArray[np.float64]") -> list[float]:
    """Every player's expectation of a turn, given the *worth* of each position."""
    outcomes = table.rows[row]
    return [sum(chance * float(worth[after, player]) for after, chance in outcomes) for player in range(worth.shape[1])]


class LearningArrays:
    """The arrays in which kernels learn, large enough for every position of a table."""

    def __init__(self, table: TurnTable, tiers: Sequence[Tier]) -> None:
        options, self.width = int(table.option_counts.max()), max(map(len, table.units))
        levels, most = table.outlook.depth * table.outlook.game.players + 2, max(tier.rounds for tier in tiers)
        kinds = np.array([(KINDS.index(tier.kind), tier.rounds) for tier in tiers], dtype=np.int64)
        memory = np.zeros((levels * self.width, ROWS, max(options, WIDTH)))
        self.teams = kinds, np.array([tier.numbers() for tier in tiers]), memory
        self.stack = np.zeros((levels, 2), dtype=np.int64)
        self.seen = np.zeros((levels, most, table.outlook.game.players))
        self.tried = np.zeros(most, dtype=np.int64)
        self.mean = np.zeros(table.outlook.game.players)
        self.notes = self.stack, self.seen, self.tried, self.mean

    def team_result(self, table: TurnTable, top: int) -> TeamResult:
        """The answer read from the arrays."""
        counts, rounds = table.units[0], int(self.stack[0, 1])
        turns = [core.digits(turn, counts) for turn in self.tried[:rounds].tolist()]
        statuses = self.seen[0, :rounds, table.begin.mover].tolist()
        return TeamResult(core.digits(top, counts), tuple(self.mean.tolist()), tuple(zip(turns, statuses, strict=True)))


def _by_tiers(table: TurnTable, tiers: Sequence[Tier], words: "NDArray[np.uint64]", outcomes: Outcomes) -> TeamResult:
    """Learn tier by tier, with drawn outcomes."""
    room = LearningArrays(table, tiers)
    visits = np.zeros(len(table.rows) if outcomes == "common" else 0, dtype=np.int64)
    replying = table.outlook.others == "learning"
    turns = table.positions, table.option_counts, table.turn_rows
    after = table.row_starts, table.outcome_positions, table.outcome_sums
    top = learn_tiers(replying, room.width, turns, after, table.statuses, room.teams, room.notes, visits, words)
    return room.team_result(table, top)


def _by_odds(table: TurnTable, tiers: Sequence[Tier], words: "NDArray[np.uint64]") -> TeamResult:
    """Learn from exact expectations, the last positions first."""
    room, worth = LearningArrays(table, tiers), table.statuses.copy()
    replying = table.outlook.others == "learning"
    turns = table.positions, table.option_counts, table.turn_rows
    after = table.row_starts, table.outcome_positions, table.outcome_odds
    top = learn_by_odds(replying, table.last_first, turns, after, table.statuses, worth, room.teams, room.notes, words)
    return room.team_result(table, top)


def table_of(game: core.Game, player: int, depth: int, **options: Any) -> TurnTable:
    """The table of a game's first position for one player."""
    return TurnTable(Outlook(game, player, depth, **options), game.new_initial_state())
