"""Learning on a table, for look-aheads that fit into one: by compiled kernels, or by their Python references."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from kibitz import core
from kibitz.agents.automata.kernels import ROWS, WIDTH
from kibitz.agents.automata.outlook import NOBODY, Outlook
from kibitz.agents.automata.table import TurnTable
from kibitz.agents.automata.team import Learning, Statuses, Team, TeamResult
from kibitz.agents.automata.team_kernels import EQUAL, learn_by_odds, learn_tiers
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
    table: TurnTable,
    tiers: Sequence[Tier],
    seed: int,
    outcomes: Outcomes = "dice",
    *,
    squads: bool = True,
    compiled: bool | None = None,
) -> TeamResult:
    """What the team at the beginning of a table learns to do; the last tier also learns all own turns after it.

    By odds it learns in *squads* too; where outcomes are drawn every unit learns for itself, as the thesis has it.
    """
    outlook = table.outlook
    tiers = [*tiers, *[tiers[-1]] * (outlook.depth - len(tiers))]
    words = kernel_stream(seed, "automata")
    if compiled or (compiled is None and jit_enabled()):
        return _by_odds(table, tiers, words, squads) if outcomes == "odds" else _by_tiers(table, tiers, words, outcomes)
    if outcomes == "odds":
        return learned_by_odds(table, tiers, Draws(words), squads=squads)
    turns = TabledTurns(table, common=outcomes == "common")
    return Learning(turns, table.begin.mover, tiers, Draws(words), outlook.others).learn_turn(0)


def learned_by_odds(table: TurnTable, tiers: Sequence[Tier], draws: Draws, *, squads: bool = True) -> TeamResult:
    """Learn every position once, the last first, from the exact expectation of every turn.

    A position is worth what its top turn is. Others who look at their own turn alone do any of the turns that are as
    good there as their top one, all alike: what is equal to them need not be to those who look further.
    """
    turns, worth = TabledTurns(table), table.statuses.copy()
    answer = TeamResult((), (), ())
    for node in table.last_first.tolist():
        mover = turns.mover(node)
        if mover == NOBODY:
            continue
        myopic = table.outlook.others == "learning" and mover != table.begin.mover
        told = table.statuses if myopic else worth
        top, tried = learned_turn(turns, node, tiers[turns.tier(node)], told, draws, squads=squads)
        row = turns.row(node, top)
        rows = [row]
        if myopic:
            status = expectation(table, row, told)[mover]
            rows = [row for row in table.turns[node] if abs(expectation(table, row, told)[mover] - status) <= EQUAL]
        expected = [expectation(table, row, worth) for row in rows]
        statuses = tuple(sum(each) / len(rows) for each in zip(*expected, strict=True))
        worth[node], answer = statuses, TeamResult(top, statuses, tuple(tried))
    return answer


def learned_turn(
    turns: TabledTurns, node: int, tier: Tier, told: "NDArray[np.float64]", draws: Draws, *, squads: bool
) -> tuple[tuple[int, ...], list[tuple[tuple[int, ...], float]]]:
    """The top turn of a position, where positions after it are *told* to be worth so much, and all that was tried.

    Every unit learns for itself; then squads do, where there are any, and their turn is taken if it is better.
    """
    mover, counts = turns.mover(node), turns.counts(node)
    tried: list[tuple[tuple[int, ...], float]] = []
    best: tuple[int, ...] = ()
    most = -1.0
    for groups in (range(len(counts)), turns.table.squads[node])[: 1 + squads]:
        if best and max(groups) + 1 == len(counts):
            break  # every unit is a squad of its own
        team, rounds = Team(list(dict(zip(groups, counts, strict=True)).values()), tier, draws), 0
        while not team.is_done(rounds):
            picks = team.choose()
            turn = tuple(picks[group] for group in groups)
            tried.append((turn, expectation(turns.table, turns.row(node, turn), told)[mover]))
            team.learn(picks, tried[-1][1])
            rounds += 1
        picks = team.top()
        turn = tuple(picks[group] for group in groups)
        status = expectation(turns.table, turns.row(node, turn), told)[mover]
        if status > most + EQUAL:
            best, most = turn, status
    return best, tried


def expectation(table: TurnTable, row: int, worth: "NDArray[np.float64]") -> list[float]:
    """Every player's expectation of a turn, given the *worth* of each position."""
    outcomes = table.rows[row]
    return [sum(chance * float(worth[after, player]) for after, chance in outcomes) for player in range(worth.shape[1])]


class LearningArrays:
    """The arrays that kernels learn in, large enough for every position of a table and so many *teams* on each."""

    def __init__(self, table: TurnTable, tiers: Sequence[Tier], teams: int = 1) -> None:
        options, self.width = int(table.option_counts.max()), max(map(len, table.units))
        levels, most = table.outlook.depth * table.outlook.game.players + 2, teams * max(tier.rounds for tier in tiers)
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


def _by_odds(table: TurnTable, tiers: Sequence[Tier], words: "NDArray[np.uint64]", squads: bool) -> TeamResult:
    """From exact expectations, the last positions first."""
    groups = table.groups[: 1 + squads]
    room, worth = LearningArrays(table, tiers, teams=len(groups)), np.array([table.statuses, table.statuses])
    replying = table.outlook.others == "learning"
    turns = table.positions, table.option_counts, table.turn_rows
    after = table.row_starts, table.outcome_positions, table.outcome_odds
    top = learn_by_odds(replying, table.last_first, groups, turns, after, worth, room.teams, room.notes, words)
    return room.team_result(table, top)


def table_of(game: core.Game, player: int, depth: int, **options: Any) -> TurnTable:
    """The table of a game's first position for one player."""
    return TurnTable(Outlook(game, player, depth, **options), game.new_initial_state())
