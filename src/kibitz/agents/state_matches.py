"""The ability `POLICIES` of games without secrets whose states recur: matches walk through a table of states.

Stationary strategies say once what they play in a state, and the rules say once what follows from a choice; the table
is filled in where matches come by, and all else is a walk through arrays.
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.core.abilities.policies import BatchPlayed, CompiledMatches, PlayerFailed, StationaryPolicy, UniformPolicy
from kibitz.core.game import CHANCE, TERMINAL, Game, State
from kibitz.core.kernels import jit_enabled, kernel
from kibitz.core.kernels.streams import STREAM, open_stream, stream_key, stream_unit

Ints = Annotated[NDArray[np.int64], "int64[::1]"]
Grid = Annotated[NDArray[np.int64], "int64[:, ::1]"]
Numbers = Annotated[NDArray[np.float64], "float64[::1]"]
Words = Annotated[NDArray[np.uint64], "uint64[:, ::1]"]

ENDED, CHOICE, BY_CHANCE = range(3)
"""What happens in a state."""
UNIFORM = -1
"""A number of shares that says: any option."""
UNKNOWN = -1
"""A successor that no match has reached yet."""
TOGETHER = 256
"""Matches whose moves are kept at a time."""
MOST_STATES = 200_000
"""The most states of a table; the loop plays matches that need more."""
MOST_TABLES = 32
"""Tables that are kept for the next batch."""


class StateArrays(NamedTuple):
    """All states by number: what happens there, who has which options, how they choose, and what follows."""

    kinds: Ints
    first_option: Grid
    option_counts: Grid
    """For each state and seat; 0 where the seat is not asked, and in seat 0 the number of outcomes of chance."""
    options: Ints
    """The actions, state by state and seat by seat, or the outcomes of chance."""
    first_share: Grid
    share_counts: Grid
    shared_options: Ints
    """Which option, by its place among the options, each share belongs to."""
    shares: Numbers
    fallbacks: Grid
    """The option that is chosen where the shares fall short of a draw by a rounding error."""
    first_successor: Ints
    successors: Ints


class Walks(NamedTuple):
    """What comes of the matches: their moves, and the state, the events and the moves at their end."""

    moves: Grid
    ends: Ints
    plies: Ints
    lengths: Ints


@kernel("int64(StateArrays, int64, int64, float64)")
def drawn_place(table: StateArrays, node: int, seat: int, unit: float) -> int:
    """The option that a draw falls on. Twin of `Distribution.sample` and of `drawn_outcome`."""
    first = table.first_share[node, seat]
    for place in range(first, first + table.share_counts[node, seat]):
        unit -= table.shares[place]
        if unit < 0.0:
            return int(table.shared_options[place])
    return int(table.fallbacks[node, seat])


@kernel("int64(StateArrays, uint64[:, ::1], uint64[::1], int64, int64, Walks, int64[::1])")
def walk_matches(
    table: StateArrays,
    keys: NDArray[np.uint64],
    seeds: NDArray[np.uint64],
    most: int,
    begun: int,
    walks: Walks,
    missing: NDArray[np.int64],
) -> int:
    """Play from match *begun* on, each from state 0; returns the first match that is not played to its end.

    That match misses a successor: *missing* gets its state and its place, and the match begins again afterwards.
    """
    seats = table.option_counts.shape[1]
    streams = np.empty((seats + 1, STREAM), np.uint64)
    opened = np.zeros(seats + 1, np.int64)
    for match in range(begun, len(seeds)):
        opened[:] = 0
        node = length = ply = 0
        while table.kinds[node] != ENDED and ply < most:
            together = 0
            for seat in range(seats):
                count = table.option_counts[node, seat]
                if count == 0:
                    continue
                drawer = seats if table.kinds[node] == BY_CHANCE else seat
                drawn = table.share_counts[node, seat]
                chosen = table.fallbacks[node, seat]
                if drawn != 0:
                    if not opened[drawer]:
                        opened[drawer] = 1
                        open_stream(seeds[match], keys[drawer], streams[drawer])
                    unit = stream_unit(streams[drawer])
                    chosen = int(unit * count) if drawn == UNIFORM else drawn_place(table, node, seat, unit)
                walks.moves[match, length] = table.options[table.first_option[node, seat] + chosen]
                length += 1
                together = together * count + chosen
            place = table.first_successor[node] + together
            if table.successors[place] == UNKNOWN:
                missing[0], missing[1] = node, together
                return match
            node = table.successors[place]
            ply += 1
        walks.ends[match], walks.plies[match], walks.lengths[match] = node, ply, length
    return len(seeds)


class StateTable:
    """The states that matches of some policies have reached, and how they go on."""

    def __init__(self, game: Game, policies: Sequence[Any]) -> None:
        self.game, self.policies = game, policies
        self.numbers: dict[Any, int] = {}
        self.states: list[State] = []
        seats = game.players
        self.arrays = StateArrays(
            *(np.zeros(0, np.int64), np.zeros((0, seats), np.int64), np.zeros((0, seats), np.int64)),
            *(np.zeros(0, np.int64), np.zeros((0, seats), np.int64), np.zeros((0, seats), np.int64)),
            *(np.zeros(0, np.int64), np.zeros(0), np.zeros((0, seats), np.int64)),
            *(np.zeros(0, np.int64), np.zeros(0, np.int64)),
        )
        self.used = dict.fromkeys(StateArrays._fields, 0)
        self.number(game.new_initial_state())

    def number(self, state: State) -> int:
        """The number of a state, which gets one when it is first reached."""
        key = state.key()
        found = self.numbers.get(key)
        if found is None:
            if len(self.states) >= MOST_STATES:
                raise PlayerFailed(f"more than {MOST_STATES:,} states")
            found = self.numbers[key] = len(self.states)
            self.states.append(state)
            self.add_state(state)
        return found

    def add_state(self, state: State) -> None:
        """Write down what happens in a state."""
        mover = state.current_player()
        lines = [(0, 0, 0, 0, 0)] * self.game.players
        if mover == CHANCE:
            kind = BY_CHANCE
            lines[0] = self.add_outcomes(state.chance_outcomes())
        elif mover == TERMINAL:
            kind = ENDED
        else:
            kind = CHOICE
            for seat in self.game.movers(state):
                legal = list(state.legal_actions(seat))
                lines[seat] = self.add_choice(legal, self.shares_at(state, seat, legal))
        self.append("kinds", [kind])
        for name, column in zip(
            ("first_option", "option_counts", "first_share", "share_counts", "fallbacks"),
            zip(*lines, strict=True),
            strict=True,
        ):
            self.append(name, [column])
        self.append("first_successor", [self.used["successors"]])
        pairs = 0 if kind == ENDED else int(np.prod([line[1] or 1 for line in lines]))
        self.append("successors", [UNKNOWN] * pairs)

    def shares_at(self, state: State, seat: int, legal: Sequence[int]) -> list[tuple[int, float]] | None:
        """How likely a seat chooses each option, by its place; None: all alike."""
        policy = self.policies[seat]
        if isinstance(policy, UniformPolicy):
            return None
        found = policy.strategy.policy(state.view(seat))
        if found.rest and found.others() > 0:
            raise PlayerFailed("what is left over is drawn in another way")
        return [(legal.index(action), share) for action, share in found.named.items()]

    def add_choice(
        self, actions: Sequence[int], shares: list[tuple[int, float]] | None
    ) -> tuple[int, int, int, int, int]:
        """Write down options and shares: where both begin, how many there are, and what is chosen without a draw."""
        first, first_share = self.used["options"], self.used["shares"]
        self.append("options", list(actions))
        if shares is None:
            return first, len(actions), first_share, UNIFORM, 0
        if shares[0][1] == 1.0:
            return first, len(actions), first_share, 0, shares[0][0]
        self.append("shared_options", [place for place, _ in shares])
        self.append("shares", [share for _, share in shares])
        return first, len(actions), first_share, len(shares), max(shares, key=lambda pair: pair[1])[0]

    def add_outcomes(self, outcomes: Sequence[tuple[int, float]]) -> tuple[int, int, int, int, int]:
        """Write down what chance may draw, as `add_choice` does; chance always draws."""
        first, first_share, count = self.used["options"], self.used["shares"], len(outcomes)
        self.append("options", [action for action, _ in outcomes])
        self.append("shared_options", range(count))
        self.append("shares", [share for _, share in outcomes])
        return first, count, first_share, count, count - 1

    def append(self, name: str, values: Sequence[Any]) -> None:
        """Add to an array, which grows by doubling."""
        held, used = getattr(self.arrays, name), self.used[name]
        if used + len(values) > len(held):
            grown = np.zeros((max(16, 2 * (used + len(values))), *held.shape[1:]), held.dtype)
            grown[:used] = held[:used]
            self.arrays = self.arrays._replace(**{name: grown})
            held = grown
        if len(values):
            held[used : used + len(values)] = values
        self.used[name] = used + len(values)

    def add_successor(self, node: int, together: int) -> None:
        """Find the state that a choice of all who are asked leads to."""
        state = self.states[node].clone()
        counts, actions, left = self.arrays.option_counts[node].tolist(), [], together
        for seat in reversed(range(self.game.players)):
            if counts[seat]:
                left, chosen = divmod(left, counts[seat])
                actions.append(int(self.arrays.options[self.arrays.first_option[node, seat] + chosen]))
        state.step(actions[::-1])
        number = self.number(state)  # it may replace the arrays
        self.arrays.successors[self.arrays.first_successor[node] + together] = number


class StateMatches(CompiledMatches):
    """Batches of matches between stationary strategies."""

    def __init__(self) -> None:
        self.tables: OrderedDict[tuple[Any, ...], StateTable] = OrderedDict()
        """The tables of late, by game and policies."""

    def plays(self, game: Game, policies: Sequence[Any]) -> bool:
        return jit_enabled() and all(isinstance(each, (StationaryPolicy, UniformPolicy)) for each in policies)

    def most_plies(self, game: Game) -> int:
        return game.max_plies

    def play(self, game: Game, matches: Sequence[Sequence[Any]], seeds: NDArray[np.uint64]) -> BatchPlayed:
        name, groups = repr(game), dict[tuple[Any, ...], list[int]]()
        for place, policies in enumerate(matches):
            same = tuple([None if isinstance(each, UniformPolicy) else each for each in policies])
            groups.setdefault((name, *same), []).append(place)
        rows: list[Any] = [None] * len(matches)
        for key, places in groups.items():
            table = self.table(game, key, matches[places[0]])
            for first in range(0, len(places), TOGETHER):
                some = places[first : first + TOGETHER]
                for place, row in zip(some, walk_all(table, seeds[some]), strict=True):
                    rows[place] = row
        found = BatchPlayed()
        for moves, last, plies in rows:
            found.add_match(game, moves, last, plies)
        return found

    def table(self, game: Game, key: tuple[Any, ...], policies: Sequence[Any]) -> StateTable:
        """The table of these policies, with what earlier batches found."""
        if key not in self.tables:
            try:
                self.tables[key] = StateTable(game, policies)
            except Exception as error:
                raise PlayerFailed from error
        self.tables.move_to_end(key)
        while len(self.tables) > MOST_TABLES:
            self.tables.popitem(last=False)
        return self.tables[key]


def walk_all(table: StateTable, seeds: NDArray[np.uint64]) -> list[tuple[NDArray[np.int64], State, int]]:
    """The moves, the last state and the number of events of a match for each seed."""
    players, most, count = table.game.players, table.game.max_plies, len(seeds)
    keys = np.stack([*(stream_key("agent", seat) for seat in range(players)), stream_key("chance")])
    done, missing = 0, np.zeros(2, np.int64)
    walks = Walks(*(np.zeros((count, players * most), np.int64), *(np.zeros(count, np.int64) for _ in range(3))))
    while (done := walk_matches(table.arrays, keys, seeds, most, done, walks, missing)) < count:
        try:
            table.add_successor(int(missing[0]), int(missing[1]))
        except Exception as error:
            raise PlayerFailed from error
    ends, plies, lengths = walks.ends.tolist(), walks.plies.tolist(), walks.lengths.tolist()
    return [(walks.moves[match, : lengths[match]], table.states[ends[match]], plies[match]) for match in range(count)]


POLICIES = StateMatches()
