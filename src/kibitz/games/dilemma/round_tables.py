"""The kernel that plays batches of repeated games between strategies that are tables (`POLICIES`)."""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.core.abilities.policies import BatchPlayed, CompiledMatches, UniformPolicy
from kibitz.core.abilities.round_tables import UNIFORM, RoundTable
from kibitz.core.game import Game, digest
from kibitz.core.kernels import jit_enabled, kernel
from kibitz.core.kernels.streams import (
    STREAM,
    open_stream,
    stream_key,
    stream_unit,
)
from kibitz.games.dilemma.rules import RepeatedStage, State


def uniform_table(counts: tuple[int, int]) -> RoundTable:
    """The table of a player of any action."""
    return RoundTable(np.array([UNIFORM]), np.full((1, counts[0]), 1.0 / counts[0]), np.zeros((1, *counts), np.int64))


class TableBank(NamedTuple):
    """Many tables, one after another."""

    starts: Annotated[NDArray[np.int64], "int64[::1]"]
    plays: Annotated[NDArray[np.int64], "int64[::1]"]
    shares: Annotated[NDArray[np.float64], "float64[:, ::1]"]
    nexts: Annotated[NDArray[np.int64], "int64[:, :, ::1]"]


class Rounds(NamedTuple):
    """The game: what both earn by their actions, how many rounds there are, and how likely a choice turns."""

    payoffs: Annotated[NDArray[np.float64], "float64[:, :, ::1]"]
    rounds: int
    noise: float


@kernel("int64(float64[::1], int64, int64, float64)")
def draw_choice(shares: NDArray[np.float64], plays: int, count: int, unit: float) -> int:
    """The action that a draw in [0, 1) falls on. Twin of `Distribution.sample`, and of the agent `random`."""
    if plays == UNIFORM:
        return int(unit * count)
    for action in range(count - 1):
        unit -= shares[action]
        if unit < 0.0:
            return action
    return count - 1


@kernel("int64(float64, int64, int64, int64, int64, float64)")
def settle_round(noise: float, one: int, other: int, rows: int, columns: int, draw: float) -> int:
    """The pair of deeds that a pair of choices becomes. Twin of `State.chance_outcomes` and `drawn_outcome`."""
    last = 0
    for pair in range(rows * columns):
        row, column = pair // columns, pair % columns
        share = 1.0 if rows == 1 else 1.0 - noise if row == one else noise / (rows - 1)
        share *= 1.0 if columns == 1 else 1.0 - noise if column == other else noise / (columns - 1)
        if share > 0.0:
            last = pair
            draw -= share
            if draw < 0.0:
                return pair
    return last


@kernel("void(TableBank, Rounds, uint64[:, ::1], uint64[::1], int64[:, ::1], uint16[:, ::1], float64[:, ::1])")
def play_rounds(
    bank: TableBank,
    game: Rounds,
    keys: NDArray[np.uint64],
    seeds: NDArray[np.uint64],
    seats: NDArray[np.int64],
    moves: NDArray[np.uint16],
    returns: NDArray[np.float64],
) -> None:
    """Play a match for each seed: write its actions, with noise the settled pair after them, and what both earn."""
    rows, columns = game.payoffs.shape[0], game.payoffs.shape[1]
    streams = np.empty((3, STREAM), np.uint64)
    opened = np.zeros(3, np.int64)
    chosen = np.zeros(2, np.int64)
    state = np.zeros(2, np.int64)
    for match in range(len(seeds)):
        opened[:] = 0
        one_points = other_points = 0.0
        for seat in range(2):
            state[seat] = bank.starts[seats[match, seat]]
        place = 0
        for _ in range(game.rounds):
            for seat in range(2):
                plays = bank.plays[state[seat]]
                if plays < 0:
                    if not opened[seat]:
                        opened[seat] = 1
                        open_stream(seeds[match], keys[seat], streams[seat])
                    count = rows if seat == 0 else columns
                    plays = draw_choice(bank.shares[state[seat]], plays, count, stream_unit(streams[seat]))
                chosen[seat] = plays
                moves[match, place] = plays
                place += 1
            one, other = chosen[0], chosen[1]
            if game.noise > 0.0:
                if not opened[2]:
                    opened[2] = 1
                    open_stream(seeds[match], keys[2], streams[2])
                pair = settle_round(game.noise, one, other, rows, columns, stream_unit(streams[2]))
                moves[match, place] = pair
                place += 1
                one, other = pair // columns, pair % columns
            one_points += game.payoffs[one, other, 0]
            other_points += game.payoffs[one, other, 1]
            state[0] = bank.nexts[state[0], one, other]
            state[1] = bank.nexts[state[1], other, one]
        returns[match, 0], returns[match, 1] = one_points, other_points


class RoundMatches(CompiledMatches):
    """Batches of matches of a repeated game between tables."""

    def plays(self, game: Game, policies: Sequence[Any]) -> bool:
        return jit_enabled() and all(isinstance(each, (RoundTable, UniformPolicy)) for each in policies)

    def most_plies(self, game: Game) -> int:
        assert isinstance(game, RepeatedStage)
        return game.rounds * (2 if game.noise else 1)

    def play(self, game: Game, matches: Sequence[Sequence[Any]], seeds: NDArray[np.uint64]) -> BatchPlayed:
        assert isinstance(game, RepeatedStage)
        moves, returns = play_tables(game, matches, seeds)
        return packed_batch(game, moves, returns, self.most_plies(game))


def play_tables(
    game: RepeatedStage, matches: Sequence[Sequence[Any]], seeds: NDArray[np.uint64]
) -> tuple[NDArray[np.uint16], NDArray[np.float64]]:
    """The actions of matches between tables, played by the kernel, and what both earn."""
    counts = len(game.names[0]), len(game.names[1])
    numbers: dict[tuple[int, int], int] = {}
    tables: list[RoundTable] = []
    seats = np.empty((len(matches), 2), np.int64)
    for match, pair in enumerate(matches):
        for seat, policy in enumerate(pair):
            key = (id(policy), seat) if isinstance(policy, RoundTable) else (0, seat)
            if key not in numbers:
                own = counts if seat == 0 else counts[::-1]
                numbers[key] = len(tables)
                tables.append(policy if isinstance(policy, RoundTable) else uniform_table(own))
            seats[match, seat] = numbers[key]
    rules = Rounds(np.array(game.table, np.float64), game.rounds, game.noise)
    width = game.rounds * (3 if game.noise else 2)
    moves, returns = np.empty((len(matches), width), np.uint16), np.empty((len(matches), 2))
    keys = np.stack([stream_key("agent", 0), stream_key("agent", 1), stream_key("chance")])
    play_rounds(join_tables(tables, max(counts)), rules, keys, seeds, seats, moves, returns)
    return moves, returns


def join_tables(tables: Sequence[RoundTable], most: int) -> TableBank:
    """Tables as the kernel reads them, with columns for *most* actions; the other columns are not used."""
    sizes = [len(table.plays) for table in tables]
    ends = np.cumsum(sizes)
    starts = (ends - sizes).astype(np.int64)
    shares = np.zeros((int(ends[-1]), most))
    nexts = np.zeros((int(ends[-1]), most, most), np.int64)
    for start, end, table in zip(starts, ends, tables, strict=True):
        shares[start:end, : table.shares.shape[1]] = table.shares
        nexts[start:end, : table.nexts.shape[1], : table.nexts.shape[2]] = table.nexts + start
    plays = np.concatenate([table.plays for table in tables]).astype(np.int64)
    return TableBank(starts, plays, shares, nexts)


def packed_batch(
    game: RepeatedStage, moves: NDArray[np.uint16], returns: NDArray[np.float64], plies: int
) -> BatchPlayed:
    """The matches as the arena stores them."""
    bits = 1 if moves.max(initial=0) < 2 else 8 if moves.max() < 256 else 16
    packed: NDArray[Any] = moves if bits == 16 else moves.astype(np.uint8)
    if bits == 1:
        packed = np.packbits(packed, axis=1, bitorder="little")
    rows = [row.tobytes() for row in np.ascontiguousarray(packed)]
    earned = [(one, other) for one, other in returns.tolist()]
    hashes = {pair: digest(State(game, game.rounds, pair)) for pair in dict.fromkeys(earned)}
    shared = [plies] * len(rows), [bits] * len(rows), rows
    return BatchPlayed(*shared, [list(pair) for pair in earned], [hashes[pair] for pair in earned])


POLICIES = RoundMatches()
