"""State recursive games by names: one matrix of successors per state, one payoff per end."""

from collections.abc import Hashable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from math import isfinite, nan
from typing import Any

import numpy as np

from kibitz.core.errors import BadGame, short_repr
from kibitz_solve.recursive.building.recursive_game import Ints, RecursiveGame, States, Structure, beyond_infinite_play

Successor = Hashable | Mapping[Hashable, float]
"""A state's name, or a chance move: names with their probabilities."""


def recursive_game(
    transitions: Mapping[Hashable, Sequence[Sequence[Successor]]],
    payoffs: Mapping[Hashable, float],
    *,
    stage: Mapping[Hashable, Sequence[Sequence[float]]] | None = None,
    actions: Mapping[Hashable, tuple[Sequence[str], Sequence[str]]] | None = None,
    infinite_play: float = 0.0,
) -> RecursiveGame:
    """A game (3.7) stated as one matrix of successors per state and one payoff per end.

    >>> guan = recursive_game({"S": [["S", "X"], ["X", "D"]]}, {"X": 1, "D": 0})

    *stage* holds player 0's payoffs on the way, *actions* the names of rows and columns.
    """
    draft, stage, actions = Draft(), stage or {}, actions or {}
    for what, named in (("payoffs on the way", stage), ("actions", actions)):
        for name in named:
            if name not in transitions:
                raise BadGame(f"state {short_repr(name)}", f"its {what} are given, but it is not a state with a choice")
    for name, payoff in payoffs.items():
        draft.end(name, payoff, payoff)
    for name in transitions:
        draft.state(name)
    for name, matrix in transitions.items():
        rows, columns = _shape(name, matrix)
        if name in actions:
            _check_names(name, actions[name], (rows, columns))
        flat = [draft.successor(entry, name) for row in matrix for entry in row]
        paid = stage.get(name)
        if paid is not None and [len(row) for row in paid] != [columns] * rows:
            raise BadGame(f"state {short_repr(name)}", f"its payoffs on the way must be {rows} rows of {columns}")
        amounts = [finite_number(amount, name, "a payoff on the way") for row in paid or () for amount in row]
        draft.choice(name, flat, columns, None if paid is None else amounts)
    return draft.finish_game(NamedStates(draft, actions), infinite_play)


def _shape(name: Hashable, matrix: Sequence[Sequence[Any]]) -> tuple[int, int]:
    """The number of rows and columns of a state's matrix."""
    widths = {len(row) for row in matrix}
    if len(widths) != 1 or widths == {0}:
        raise BadGame(f"state {short_repr(name)}", "its matrix needs rows of equal length, at least one of each")
    return len(matrix), widths.pop()


def _check_names(name: Hashable, actions: Sequence[Sequence[str]], shape: tuple[int, int]) -> None:
    """Raise BadGame if actions are not named one by one."""
    if len(actions) != 2:
        raise BadGame(f"state {short_repr(name)}", "its actions must be two lists of names, for rows and for columns")
    for player, (names, count) in enumerate(zip(actions, shape, strict=True)):
        if len(names) != count:
            why = f"{len(names)} names are given to player {player}, who has {count} actions"
            raise BadGame(f"state {short_repr(name)}", why)
        for each in names:
            if list(names).count(each) > 1:
                raise BadGame(f"state {short_repr(name)}", f"player {player} has the action {short_repr(each)} twice")


def finite_number(value: Any, where: object, what: str) -> float:
    """A value as a number; raises BadGame if it is not a finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = nan
    if not isfinite(number):
        raise BadGame(f"state {short_repr(where)}", f"{what} is {short_repr(value)}, which is not a finite number")
    return number


class Draft:
    """A structure that is built state by state."""

    def __init__(self) -> None:
        self.numbers: dict[Hashable, int] = {}
        """States count from 0 up; ends and chance moves count from -1 down, and get their nodes last."""
        self.names: list[Hashable] = []
        self.choices: dict[int, tuple[list[int], int, list[float] | None]] = {}
        self.chances: list[tuple[list[int], list[float]]] = []
        self.payoffs: list[tuple[float, float]] = []
        """The least and the most that every end pays."""
        self.below: list[tuple[str, int]] = []
        """What the numbers from -1 down stand for: `end` or `chance`, and its index among these."""

    def state(self, name: Hashable) -> int:
        """The number of a new state."""
        if name in self.numbers:
            raise BadGame(f"state {short_repr(name)}", "it is both an end and a state with a choice")
        self.numbers[name] = len(self.names)
        self.names.append(name)
        return self.numbers[name]

    def end(self, name: Hashable, low: float, high: float) -> int:
        """The number of an end that pays at least *low* and at most *high*."""
        self.payoffs.append((finite_number(low, name, "its payoff"), finite_number(high, name, "its payoff")))
        return self._below("end", len(self.payoffs) - 1, name)

    def chance(self, name: Hashable) -> int:
        """The number of a new chance move."""
        self.chances.append(([], []))
        return self._below("chance", len(self.chances) - 1, name)

    def draw(self, number: int, outcomes: Sequence[tuple[int, float]], where: object) -> None:
        """Set the outcomes of a chance move."""
        odds = [finite_number(chance, where, "a probability of its chance move") for _, chance in outcomes]
        if not odds:
            raise BadGame(f"state {short_repr(where)}", "its chance move leads nowhere")
        if min(odds) < 0.0:
            raise BadGame(f"state {short_repr(where)}", f"a probability of its chance move is {min(odds)}, below 0")
        if not abs(sum(odds) - 1.0) < 1e-9:
            total = f"{sum(odds):.12g}"
            raise BadGame(
                f"state {short_repr(where)}", f"the probabilities of its chance move add up to {total}, not 1"
            )
        possible = [(after, chance) for (after, _), chance in zip(outcomes, odds, strict=True) if chance > 0.0]
        self.chances[self.below[-1 - number][1]] = [after for after, _ in possible], [chance for _, chance in possible]

    def choice(self, name: Hashable, successors: list[int], columns: int, stage: list[float] | None = None) -> None:
        """Set the successors of a state."""
        self.choices[self.numbers[name]] = successors, columns, stage

    def successor(self, entry: Any, where: object) -> int:
        """The number of a matrix entry: a state or an end, or a new chance move."""
        if isinstance(entry, Mapping):
            drawn = self.chance(None)
            self.draw(drawn, [(self.successor(name, where), odds) for name, odds in entry.items()], where)
            return drawn
        try:
            return self.numbers[entry]
        except (KeyError, TypeError):
            raise BadGame(f"state {short_repr(where)}", f"it leads to {short_repr(entry)}, not a state") from None

    def _below(self, kind: str, index: int, name: Hashable) -> int:
        self.below.append((kind, index))
        if name is not None:
            self.numbers[name] = -len(self.below)
        return -len(self.below)

    def finish_game(self, states: States, infinite_play: float) -> RecursiveGame:
        """The game as arrays."""
        choices = [self.choices[number] for number in range(len(self.names))]
        order = self._chance_order()
        live = len(choices) + len(order)
        moves = {move: node for node, move in enumerate(order, len(choices))}
        amounts = sorted(set(self.payoffs))
        ends = {amount: node for node, amount in enumerate(amounts, live)}
        nodes = [ends[self.payoffs[index]] if kind == "end" else moves[index] for kind, index in self.below]
        states.nodes = {name: node if node >= 0 else nodes[-1 - node] for name, node in self.numbers.items()}

        def node_numbers(numbers: list[int]) -> Ints:
            return np.array([number if number >= 0 else nodes[-1 - number] for number in numbers], np.int32)

        drawn = [self.chances[move] for move in order]
        staged = any(stage is not None for _, _, stage in choices)
        structure = Structure(
            first=_starts([len(successors) for successors, _, _ in choices]),
            columns=np.array([columns for _, columns, _ in choices], np.uint16),
            successors=node_numbers([number for successors, _, _ in choices for number in successors]),
            chance_first=_starts([len(outcomes) for outcomes, _ in drawn]),
            chance_successors=node_numbers([number for outcomes, _ in drawn for number in outcomes]),
            chance_odds=np.array([odds for _, chances in drawn for odds in chances]),
            stage=np.array(
                [amount for after, _, stage in choices for amount in stage or [0.0] * len(after)] if staged else []
            ),
        )
        low, high = (beyond_infinite_play([amount[side] for amount in amounts], infinite_play) for side in (0, 1))
        return RecursiveGame(structure, low, high, states, infinite_play)

    def _chance_order(self) -> list[int]:
        """The chance moves, each after those it leads to."""
        kinds = [[self.below[-1 - number] for number in nodes if number < 0] for nodes, _ in self.chances]
        before = {move: [index for kind, index in after if kind == "chance"] for move, after in enumerate(kinds)}
        try:
            return list(TopologicalSorter(before).static_order())
        except CycleError:
            raise BadGame("the game", "chance moves form a cycle; let a player choose in between") from None


def _starts(counts: list[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int32)


class NamedStates(States):
    """States stated by name."""

    def __init__(self, draft: Draft, labels: Mapping[Hashable, tuple[Sequence[str], Sequence[str]]]) -> None:
        self.names, self.labels = draft.names, labels

    def name(self, node: int) -> Hashable:
        return self.names[node]

    def actions(self, node: int, player: int) -> list[str] | None:
        labels = self.labels.get(self.names[node])
        return None if labels is None else list(labels[player])
