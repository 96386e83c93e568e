"""A model seen by a coalition: one player chooses rows, the other columns; and the recursive games made from that.

The row player maximises. A coalition's row or column is one action for each of its players.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.solve.prism.explicit import IDLE, ExplicitModel, Joint
from kibitz.solve.recursive.game.game import Floats, Ints, RecursiveGame, States, Structure, beyond_infinite_play

Flags = NDArray[np.bool_]
Places = NDArray[np.int64]


class Arena:
    """The pairs of rows and columns of all states, as flat arrays, and the distribution after each pair."""

    def __init__(self, model: ExplicitModel, row_players: Sequence[int]) -> None:
        self.model = model
        players = range(len(model.rules.players))
        self.row_players = [player for player in players if player in row_players]
        self.column_players = [player for player in players if player not in row_players]
        self.rows: list[list[Joint]] = []
        self.columns: list[list[Joint]] = []
        self.joints: list[Joint] = []
        """The joint action of every pair, in the order of all players."""
        drawn: dict[tuple[tuple[int, float], ...], int] = {}
        pairs: list[int] = []
        for choices in model.choices:
            rows, columns = (
                list(product(*(choices.actions[player] for player in side)))
                for side in (self.row_players, self.column_players)
            )
            self.rows.append(rows)
            self.columns.append(columns)
            known: dict[int, int] = {}
            for row, column in product(rows, columns):
                chosen = dict(zip((*self.row_players, *self.column_players), (*row, *column), strict=True))
                joint = tuple(chosen[player] for player in players)
                distribution = choices.after[joint]
                if id(distribution) not in known:
                    key = tuple(sorted((model.numbers[after], odds) for after, odds in distribution.items()))
                    known[id(distribution)] = drawn.setdefault(key, len(drawn))
                pairs.append(known[id(distribution)])
                self.joints.append(joint)
        self.width = np.array([len(each) for each in self.columns], np.int64)
        self.height = np.array([len(each) for each in self.rows], np.int64)
        self.first: Places = np.concatenate([[0], np.cumsum(self.width * self.height)])
        self.pair: Places = np.array(pairs, np.int64)
        """The distribution after every pair."""
        self.drawn_first: Places = np.concatenate([[0], np.cumsum([len(key) for key in drawn])]).astype(np.int64)
        self.drawn_after: Places = np.array([after for key in drawn for after, _ in key], np.int64)
        self.drawn_odds: Floats = np.array([odds for key in drawn for _, odds in key])

    @property
    def states(self) -> int:
        return len(self.width)

    def owner(self) -> Places:
        """The state of every pair."""
        return np.repeat(np.arange(self.states), np.diff(self.first))

    def all_in(self, marks: Flags) -> Flags:
        """For every pair, whether play certainly goes on in the marked states."""
        found: Flags = np.logical_and.reduceat(marks[self.drawn_after], self.drawn_first[:-1])[self.pair]
        return found

    def column_of_pairs(self) -> Places:
        """A number for the state and column of every pair."""
        owner = self.owner()
        starts = np.concatenate([[0], np.cumsum(self.width)])
        found: Places = starts[owner] + (np.arange(len(owner)) - self.first[owner]) % self.width[owner]
        return found

    def with_columns(self, kept: Flags) -> "Arena":
        """The same arena with these columns alone, counted through all states; every state keeps one."""
        fewer = object.__new__(Arena)
        fewer.__dict__.update(self.__dict__)
        pairs = kept[self.column_of_pairs()]
        starts = np.concatenate([[0], np.cumsum(self.width)])
        fewer.columns = [
            [each for each, stays in zip(columns, kept[starts[state] :], strict=False) if stays]
            for state, columns in enumerate(self.columns)
        ]
        fewer.width = np.add.reduceat(kept.astype(np.int64), starts[:-1])
        fewer.first = np.concatenate([[0], np.cumsum(fewer.width * fewer.height)])
        fewer.pair = self.pair[pairs]
        fewer.joints = [joint for joint, stays in zip(self.joints, pairs, strict=True) if stays]
        return fewer


class LayeredStates(States):
    """The states of an arena's game: a state of the model, and the step if steps count."""

    def __init__(self, arena: Arena, layers: Places, numbers: Places, first: int) -> None:
        self.arena, self.layers, self.numbers, self.first = arena, layers, numbers, first
        self.last_layer = int(layers.max(initial=0))
        self.nodes = {}

    def first_nodes(self) -> dict[int, int]:
        """The nodes of the first layer, by the number of their state in the model."""
        return {int(number): node for node, number in enumerate(self.numbers[: self.first])}

    def node(self, state: Any) -> int:
        if not self.nodes:
            self.nodes = {self.name(node): node for node in range(len(self.numbers))}
        return self.nodes[state if isinstance(state, str) else self.arena.model.rules.name(state)]

    def name(self, node: int) -> str:
        model = self.arena.model
        name = model.rules.name(model.states[int(self.numbers[node])])
        return f"{name} step {int(self.layers[node])}" if self.last_layer else name

    def actions(self, node: int, player: int) -> list[str] | None:
        offered = (self.arena.rows, self.arena.columns)[player][int(self.numbers[node])]
        return [",".join(action for action in joint if action != IDLE) or "–" for joint in offered]


def arena_game(
    arena: Arena,
    layers: Sequence[Floats],
    *,
    loops: bool,
    stage: Floats | None = None,
    infinite_play: float = 0.0,
) -> RecursiveGame:
    """The game through layers of states, one a step; in the last one play stays if it *loops*.

    A layer holds the payoff of every state where play ends, and NaN elsewhere. *stage* is paid after every pair.
    """
    live = [np.flatnonzero(np.isnan(ends)) for ends in layers]
    counts = np.array([len(each) for each in live], np.int64)
    bases = np.concatenate([[0], np.cumsum(counts)])
    payoffs = np.unique(np.concatenate([ends[~np.isnan(ends)] for ends in layers]))
    builder = _Assembly(arena, int(bases[-1]))
    for layer, states in enumerate(live):
        after = layer if loops and layer == len(layers) - 1 else layer + 1
        if not len(states):
            continue
        node = np.full(arena.states, -1, np.int64)
        node[live[after]] = bases[after] + np.arange(len(live[after]))
        ending = ~np.isnan(layers[after])
        node[ending] = -2 - np.searchsorted(payoffs, layers[after][ending])
        builder.add_layer(states, node, stage)
    structure = builder.structure(len(payoffs))
    shifted = beyond_infinite_play(payoffs, infinite_play)
    layer_of = np.repeat(np.arange(len(live)), counts)
    numbers = np.concatenate(live) if live else np.empty(0, np.int64)
    named = LayeredStates(arena, layer_of, numbers, int(counts[0]))
    return RecursiveGame(structure, shifted, shifted, named, infinite_play)


class _Assembly:
    """The arrays of a game, layer by layer. Ends are written as -2 - place until all nodes are counted."""

    def __init__(self, arena: Arena, choices: int) -> None:
        self.arena, self.choices, self.moves = arena, choices, 0
        self.sizes: list[Places] = []
        self.widths: list[Places] = []
        self.successors: list[Places] = []
        self.stages: list[Floats] = []
        self.chance_sizes: list[Places] = []
        self.chance_after: list[Places] = []
        self.chance_odds: list[Floats] = []

    def add_layer(self, states: Places, node: Places, stage: Floats | None) -> None:
        arena = self.arena
        entries = np.concatenate([np.arange(arena.first[state], arena.first[state + 1]) for state in states])
        drawn = np.unique(arena.pair[entries])
        sizes = arena.drawn_first[drawn + 1] - arena.drawn_first[drawn]
        target = np.full(len(arena.drawn_first) - 1, -1, np.int64)
        certain = drawn[sizes == 1]
        target[certain] = node[arena.drawn_after[arena.drawn_first[certain]]]
        random = drawn[sizes > 1]
        target[random] = self.choices + self.moves + np.arange(len(random))
        self.moves += len(random)
        if len(random):
            outcomes = np.concatenate(
                [np.arange(arena.drawn_first[each], arena.drawn_first[each + 1]) for each in random]
            )
            self.chance_sizes.append(sizes[sizes > 1])
            self.chance_after.append(node[arena.drawn_after[outcomes]])
            self.chance_odds.append(arena.drawn_odds[outcomes])
        self.sizes.append(np.diff(arena.first)[states])
        self.widths.append(arena.width[states])
        self.successors.append(target[arena.pair[entries]])
        if stage is not None:
            self.stages.append(stage[entries])

    def structure(self, ends: int) -> Structure:
        """The finished arrays."""
        live = self.choices + self.moves

        def place_nodes(parts: list[Places]) -> Ints:
            nodes = np.concatenate([*parts, np.empty(0, np.int64)]).astype(np.int64)
            return np.where(nodes <= -2, live - 2 - nodes, nodes).astype(np.int32)

        def starts(parts: list[Places]) -> Ints:
            return np.concatenate([[0], np.cumsum(np.concatenate([*parts, np.empty(0, np.int64)]))]).astype(np.int32)

        return Structure(
            first=starts(self.sizes),
            columns=np.concatenate([*self.widths, np.empty(0, np.int64)]).astype(np.uint16),
            successors=place_nodes(self.successors),
            chance_first=starts(self.chance_sizes),
            chance_successors=place_nodes(self.chance_after),
            chance_odds=np.concatenate([*self.chance_odds, np.empty(0)]),
            stage=np.concatenate([*self.stages, np.empty(0)]),
        )
