"""The ability `POLICIES` of games that have KERNELS: batches of matches between players at random, in one call."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.core.abilities import ability
from kibitz.core.abilities.compiled import LEGAL, PLAY, CompiledGame
from kibitz.core.abilities.policies import BatchPlayed, CompiledMatches, UniformPolicy
from kibitz.core.game import Game, digest
from kibitz.core.kernels import jit_enabled, kernel, kernel_address, kernel_at
from kibitz.core.kernels.streams import STREAM, open_stream, stream_key, stream_unit
from kibitz.core.registry import spec_of

MOST_ACTIONS = 4096
"""The most legal actions of a state that these kernels play."""
legal_at, play_at = kernel_at(LEGAL), kernel_at(PLAY)


@kernel("void(int64, int64, uint64[:, ::1], uint64[::1], uint64[::1], int64[::1], uint16[:, ::1], uint64[:, ::1])")
def play_at_random(
    legal_address: int,
    play_address: int,
    keys: NDArray[np.uint64],
    start: NDArray[np.uint64],
    seeds: NDArray[np.uint64],
    plies: NDArray[np.int64],
    moves: NDArray[np.uint16],
    ends: NDArray[np.uint64],
) -> None:
    """Play a match for each seed: write its actions, how many they are, and the last state.

    The players draw `int(u * count)` as the agent `random` does, each from a stream of their own; they move in turns,
    the player whose key is first before the other.
    """
    legal, play = legal_at(legal_address), play_at(play_address)
    actions = np.empty(MOST_ACTIONS, np.int64)
    streams = np.empty((2, STREAM), np.uint64)
    state, child = np.empty_like(start), np.empty_like(start)
    for match in range(len(seeds)):
        for seat in range(2):
            open_stream(seeds[match], keys[seat], streams[seat])
        state[:] = start
        ply = outcome = 0
        while not outcome:
            count = legal(state, actions)
            if count == 0:  # over before the first move
                break
            action = actions[int(stream_unit(streams[ply % 2]) * count)]
            outcome = play(state, action, child)
            state[:] = child
            moves[match, ply] = action
            ply += 1
        plies[match] = ply
        ends[match] = state


class KernelMatches(CompiledMatches):
    """Batches of matches of a game over words, whose players move in turns."""

    def plays(self, game: Game, policies: Sequence[Any]) -> bool:
        return jit_enabled() and all(isinstance(each, UniformPolicy) for each in policies)

    def most_plies(self, game: Game) -> int:
        most = kernels_of(game).most_plies
        assert most is not None, "a game with this ability says how long its matches are"
        return most(game)

    def play(self, game: Game, matches: Sequence[Sequence[Any]], seeds: NDArray[np.uint64]) -> BatchPlayed:
        compiled = kernels_of(game)
        assert compiled.decode is not None, "a game with this ability makes states of words"
        assert compiled.most_actions <= MOST_ACTIONS
        first = game.new_initial_state()
        start, count = compiled.encode(first), len(seeds)
        mover = first.current_player()
        keys = np.stack([stream_key("agent", mover), stream_key("agent", 1 - mover)])
        plies, ends = np.empty(count, np.int64), np.empty((count, compiled.words), np.uint64)
        moves = np.empty((count, self.most_plies(game)), np.uint16)
        addresses = kernel_address(compiled.legal), kernel_address(compiled.play)
        play_at_random(*addresses, keys, start, seeds, plies, moves, ends)
        lasts = [compiled.decode(game, end) for end in ends]
        lengths = plies.tolist()
        packed = [row[:length] for row, length in zip(moves, lengths, strict=True)]
        bits = [8 if row.max(initial=0) < 256 else 16 for row in packed]
        pairs = zip(packed, bits, strict=True)
        actions = [row.astype(np.uint8).tobytes() if width == 8 else row.tobytes() for row, width in pairs]
        return BatchPlayed(lengths, bits, actions, [last.returns() for last in lasts], list(map(digest, lasts)))


def kernels_of(game: Game) -> CompiledGame:
    """The kernels of a game."""
    return ability(spec_of(game).name, "KERNELS")


POLICIES = KernelMatches()
