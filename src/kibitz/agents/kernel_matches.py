"""The ability `POLICIES` of games that have KERNELS: batches of matches between players at random and alpha-beta."""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from kibitz.agents.search.alphabeta import FORCED, TIE, SearchPolicy
from kibitz.agents.search.compiled_search import TABLE_SIZE, CompiledSearch
from kibitz.agents.search.kernel import search
from kibitz.agents.search.settings import Settings
from kibitz.agents.search.workspace import HISTORY, SEARCHES, Kernels, SearchPlan, Workspace, plan_with_seed
from kibitz.core.abilities import ability
from kibitz.core.abilities.compiled import LEGAL, PLAY, CompiledGame
from kibitz.core.abilities.policies import BatchPlayed, CompiledMatches, UniformPolicy
from kibitz.core.game import Game
from kibitz.core.kernels import jit_enabled, kernel, kernel_address, kernel_at
from kibitz.core.kernels.streams import STREAM, open_stream, stream_key, stream_unit, stream_word
from kibitz.core.registry import spec_of

MOST_ACTIONS = 4096
"""The most legal actions of a state that these kernels play."""
AT_RANDOM, ANY_OF_BEST, BY_LEAVES, FIRST_OF_BEST = range(4)
"""How a player chooses: any action; any of the best; the best with noise at the leaves; the first of the best."""
NOISES = {"root": ANY_OF_BEST, "leaf": BY_LEAVES, "none": FIRST_OF_BEST}
legal_at, play_at = kernel_at(LEGAL), kernel_at(PLAY)


class Seats(NamedTuple):
    """The two players, the one who moves first before the other."""

    keys: Annotated[NDArray[np.uint64], "uint64[:, ::1]"]
    """The keys of their streams."""
    kinds: Annotated[NDArray[np.int64], "int64[::1]"]
    weights: Annotated[NDArray[np.float64], "float64[:, ::1]"]


class Played(NamedTuple):
    """Where matches are written: seeds go in, and actions, how many they are and the last states come out."""

    seeds: Annotated[NDArray[np.uint64], "uint64[::1]"]
    start: Annotated[NDArray[np.uint64], "uint64[::1]"]
    plies: Annotated[NDArray[np.int64], "int64[::1]"]
    moves: Annotated[NDArray[np.uint16], "uint16[:, ::1]"]
    ends: Annotated[NDArray[np.uint64], "uint64[:, ::1]"]


@kernel("int64(int64[::1], float64[::1], int64, uint64[::1])")
def any_of_best(actions: NDArray[np.int64], values: NDArray[np.float64], count: int, stream: NDArray[np.uint64]) -> int:
    """One of the best actions, drawn if there are several. Twin of `root_distribution` and `Distribution.sample`."""
    best = values[:count].max()
    least = FORCED if best >= FORCED else -FORCED if best > -FORCED else -np.inf
    near, first = 0, -1
    for place in range(count):
        reached = values[place] >= least if best >= FORCED else values[place] > least
        if reached and best - values[place] < TIE:
            near += 1
            if first < 0:
                first = place
    if near == 1:
        return int(actions[first])
    left = stream_unit(stream)
    for place in range(first, count):
        reached = values[place] >= least if best >= FORCED else values[place] > least
        if reached and best - values[place] < TIE:
            left -= 1.0 / near
            if left < 0.0:
                return int(actions[place])
    return int(actions[first])  # the sum fell short of 1 by a rounding error


@kernel("int64(Kernels, float64[::1], SearchPlan, Workspace, int64, int64, uint64[::1])")
def searched_action(
    kernels: Kernels,
    weights: NDArray[np.float64],
    plan: SearchPlan,
    work: Workspace,
    kind: int,
    count: int,
    stream: NDArray[np.uint64],
) -> int:
    """What an alpha-beta player plays in `work.states[0]`, with *count* legal actions. Twin of `AlphaBeta.act`."""
    if plan.switches & HISTORY:
        work.history[: plan.limit] = 0
    work.counted[SEARCHES] += 1
    if kind == BY_LEAVES:
        plan = plan_with_seed(plan, np.int64(stream_word(stream) >> np.uint64(1)))  # type: ignore[arg-type]
    search(kernels, weights, plan, work)
    if kind == ANY_OF_BEST:
        return any_of_best(work.lists[0, 0], work.root_values, count, stream)
    return int(work.lines[0, 0])


@kernel("void(Kernels, Seats, SearchPlan, SearchPlan, Workspace, Played)")
def play_matches(
    kernels: Kernels, seats: Seats, one: SearchPlan, other: SearchPlan, work: Workspace, played: Played
) -> None:
    """Play a match for each seed: write its actions, how many they are, and the last state.

    Players at random draw `int(u * count)` as the agent `random` does. Each draws from a stream of their own; they move
    in turns.
    """
    legal, play = legal_at(kernels.legal), play_at(kernels.play)
    actions = np.empty(MOST_ACTIONS, np.int64)
    streams = np.empty((2, STREAM), np.uint64)
    state, child = np.empty_like(played.start), np.empty_like(played.start)
    for match in range(len(played.seeds)):
        for seat in range(2):
            open_stream(played.seeds[match], seats.keys[seat], streams[seat])
        state[:] = played.start
        ply = outcome = 0
        while not outcome:
            count = legal(state, actions)
            if count == 0:  # over before the first move
                break
            seat = ply % 2
            kind = seats.kinds[seat]
            if kind == AT_RANDOM:
                action = actions[int(stream_unit(streams[seat]) * count)]
            else:
                work.states[0] = state
                plan = one if seat == 0 else other
                action = searched_action(kernels, seats.weights[seat], plan, work, kind, count, streams[seat])
            outcome = play(state, action, child)
            state[:] = child
            played.moves[match, ply] = action
            ply += 1
        played.plies[match] = ply
        played.ends[match] = state


class KernelMatches(CompiledMatches):
    """Batches of matches of a game over words, whose players move in turns."""

    def plays(self, game: Game, policies: Sequence[Any]) -> bool:
        return jit_enabled() and all(isinstance(each, (UniformPolicy, SearchPolicy)) for each in policies)

    def most_plies(self, game: Game) -> int:
        most = kernels_of(game).most_plies
        assert most is not None, "a game with this ability says how long its matches are"
        return most(game)

    def play(self, game: Game, matches: Sequence[Sequence[Any]], seeds: NDArray[np.uint64]) -> BatchPlayed:
        compiled = kernels_of(game)
        assert compiled.decode is not None, "a game with this ability makes states of words"
        assert compiled.most_actions <= MOST_ACTIONS
        first, count = game.new_initial_state(), len(seeds)
        mover, start = first.current_player(), compiled.encode(first)
        plies, ends = np.empty(count, np.int64), np.empty((count, compiled.words), np.uint64)
        moves = np.empty((count, self.most_plies(game)), np.uint16)
        groups: dict[tuple[Any, Any], list[int]] = {}
        for place, pair in enumerate(matches):
            groups.setdefault((pair[mover], pair[1 - mover]), []).append(place)
        for policies, places in groups.items():
            size = len(places)
            part = Played(seeds[places], start, plies[:size].copy(), moves[:size].copy(), ends[:size].copy())
            play_group(compiled, policies, mover, part)
            plies[places], moves[places], ends[places] = part.plies, part.moves, part.ends
        found = BatchPlayed()
        for row, length, end in zip(moves, plies.tolist(), ends, strict=True):
            found.add_match(game, row[:length], compiled.decode(game, end))
        return found


def play_group(compiled: CompiledGame, policies: Sequence[Any], mover: int, played: Played) -> None:
    """Play matches of the same two players, the one who moves first before the other."""
    searching = any(isinstance(each, SearchPolicy) for each in policies)
    searcher = CompiledSearch(compiled, TABLE_SIZE if searching else 1)
    settings = [each.settings if isinstance(each, SearchPolicy) else Settings(depth=1) for each in policies]
    searcher.prepare(settings[0], max(each.depth for each in settings))
    width = max(1, *(len(each.weights) for each in policies if isinstance(each, SearchPolicy)), 0)
    weights, kinds = np.zeros((2, width)), np.full(2, AT_RANDOM, np.int64)
    for seat, each in enumerate(policies):
        if isinstance(each, SearchPolicy):
            weights[seat, : len(each.weights)], kinds[seat] = each.weights, NOISES[each.noise]
    keys = np.stack([stream_key("agent", mover), stream_key("agent", 1 - mover)])
    legal, play = kernel_address(compiled.legal), kernel_address(compiled.play)
    plans = [searcher.plan(each) for each in settings]
    for seat, kind in enumerate(kinds.tolist()):
        if kind == BY_LEAVES:  # noise is on, with another seed for every search
            plans[seat] = searcher.plan(replace(settings[seat], noise_seed=0))
    kernels = searcher.kernels._replace(legal=legal, play=play)
    play_matches(kernels, Seats(keys, kinds, weights), plans[0], plans[1], searcher.work, played)


def kernels_of(game: Game) -> CompiledGame:
    """The kernels of a game."""
    return ability(spec_of(game).name, "KERNELS")


POLICIES = KernelMatches()
