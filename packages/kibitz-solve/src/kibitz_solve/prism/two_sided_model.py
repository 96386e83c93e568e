"""A model seen by a coalition: one player chooses rows, the other columns; and the recursive games made from that.

The row player maximises. A coalition's row or column is one action for each of its players.
"""

from collections.abc import Sequence
from itertools import chain, product
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz_solve.prism.explicit import IDLE, ExplicitModel, Joint
from kibitz_solve.recursive.building.by_name import Draft
from kibitz_solve.recursive.building.recursive_game import Floats, RecursiveGame, States

Flags = NDArray[np.bool_]
Places = NDArray[np.int64]


class TwoSidedModel:
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

    def with_columns(self, kept: Flags) -> "TwoSidedModel":
        """The same model with these columns alone, counted through all states; every state keeps one."""
        fewer = object.__new__(TwoSidedModel)
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
    """The states of a two-sided model's game: a state of the model, and the step if steps count."""

    def __init__(self, sides: TwoSidedModel, names: Sequence[tuple[int, int]]) -> None:
        self.sides, self.names = sides, names
        self.layered = any(layer for layer, _ in names)
        self.by_name: dict[str, int] = {}

    def first_nodes(self) -> dict[int, int]:
        """The nodes of the first layer, by the number of their state in the model."""
        return {number: node for node, (layer, number) in enumerate(self.names) if layer == 0}

    def node(self, state: Any) -> int:
        if not self.by_name:
            self.by_name = {self.name(node): node for node in range(len(self.names))}
        return self.by_name[state if isinstance(state, str) else self.sides.model.rules.name(state)]

    def name(self, node: int) -> str:
        (layer, number), model = self.names[node], self.sides.model
        name = model.rules.name(model.states[number])
        return f"{name} step {layer}" if self.layered else name

    def actions(self, node: int, player: int) -> list[str] | None:
        offered = (self.sides.rows, self.sides.columns)[player][self.names[node][1]]
        return [",".join(action for action in joint if action != IDLE) or "–" for joint in offered]


def layered_game(
    sides: TwoSidedModel,
    layers: Sequence[Floats],
    *,
    loops: bool,
    stage: Floats | None = None,
    infinite_play: float = 0.0,
) -> RecursiveGame:
    """The game through layers of states, one a step; in the last one play stays if it *loops*.

    A layer holds the payoff of every state where play ends, and NaN elsewhere. *stage* is paid after every pair.
    """
    draft, live = Draft(), [np.flatnonzero(np.isnan(ends)).tolist() for ends in layers]
    names = [(layer, number) for layer, numbers in enumerate(live) for number in numbers]
    payoffs = np.unique(np.concatenate([ends[~np.isnan(ends)] for ends in layers])).tolist()
    end_of = {payoff: draft.end(f"pays {payoff}", payoff, payoff) for payoff in payoffs}
    for name in names:
        draft.state(name)
    for layer, numbers in enumerate(live):
        after = layer if loops and layer == len(layers) - 1 else layer + 1
        entries = {number: slice(sides.first[number], sides.first[number + 1]) for number in numbers}
        pairs = {number: sides.pair[entries[number]].tolist() for number in numbers}
        drawn: dict[int, int] = {}
        for each in sorted(set(chain.from_iterable(pairs.values()))):
            outcomes = slice(sides.drawn_first[each], sides.drawn_first[each + 1])
            numbered = sides.drawn_after[outcomes]
            ends = zip(numbered.tolist(), layers[after][numbered].tolist(), strict=True)
            reached = [draft.numbers[after, number] if isnan(paid) else end_of[paid] for number, paid in ends]
            drawn[each] = reached[0] if len(reached) == 1 else draft.chance(None)
            if len(reached) > 1:
                draft.draw(drawn[each], list(zip(reached, sides.drawn_odds[outcomes].tolist(), strict=True)), layer)
        for number in numbers:
            paid_on_way = None if stage is None else stage[entries[number]].tolist()
            successors = [drawn[each] for each in pairs[number]]
            draft.choice((layer, number), successors, int(sides.width[number]), paid_on_way)
    return draft.finish_game(LayeredStates(sides, names), infinite_play)
