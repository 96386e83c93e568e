"""A learned program with the meaning of its answers: it plays a game, or gives the values of its states."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec
import numpy as np

from kibitz import core
from kibitz.core.errors import BadProgram
from kibitz.core.registry import spec_of
from kibitz.core.specs import parse_spec
from kibitz_lab.learn.examples import Column
from kibitz_lab.learn.programs import Leaf, Program, Size
from kibitz_lab.learn.programs.program import leaves, with_leaves
from kibitz_solve.programs.lessons import Columns, Floats, Ints

What: TypeAlias = Literal["actions", "value"]
"""What a program answers: how to play, or the value of a state for player 0."""
OTHER = ""
"""Stands for all words that a program does not name."""
Kind: TypeAlias = Literal["int", "float", "str"]
Answers: TypeAlias = dict[str, dict[str, float] | float]
"""By label: the probability of every action, or a value."""


class WrittenProgram(msgspec.Struct, frozen=True):
    """A program for one player of a game; its leaves name answers, and *answers* says what these are."""

    game: str
    player: int
    what: What
    kinds: dict[str, Kind]
    """The type of each variable, in the order of the program's parameters."""
    program: Program
    answers: Answers
    """The answer of each label."""

    @property
    def size(self) -> Size:
        """The numbers of answers and tests, and the depth."""
        return self.program.size

    def answer(self, variables: Mapping[str, Any]) -> dict[str, float] | float:
        """Its answer for these values of the variables."""
        row = {column.name: self.known_value(column, variables[column.name]) for column in self.program.columns}
        return self.answers[str(self.program.predict(row))]

    def known_value(self, column: Column, value: Any) -> Any:
        """A value as the program takes it; a word it never met is OTHER if it has that, else missing."""
        if self.kinds[column.name] != "str" or value in column.values:
            return value
        return OTHER if OTHER in column.values else None

    def shares(self, variables: Mapping[str, Any], actions: Sequence[str]) -> Floats:
        """The probabilities of a player's legal actions."""
        said = self.answer(variables)
        assert isinstance(said, dict), "only a program that plays has a policy"
        return legal_shares(said, actions)

    def labels(self, columns: Columns) -> Ints:
        """The indices of its answers, state by state."""
        found: Ints = self.program.coded_distributions(self.code_columns(columns)).argmax(axis=1)
        return found

    def code_columns(self, columns: Columns) -> Floats:
        """The variables it needs, a row for every state."""
        found = np.empty((len(next(iter(columns.values()))), len(self.program.columns)))
        for index, column in enumerate(self.program.columns):
            values = columns[column.name]
            if self.kinds[column.name] == "str":
                found[:, index] = [column.encode_value(self.known_value(column, value), "state") for value in values]
            else:
                found[:, index] = values
        return found

    def check(self, game: core.Game, variables: Mapping[str, Any]) -> None:
        """Raise BadProgram unless it was written for a game like *game*, whose states have these variables."""
        self.check_game(game)
        missing = [each for each in self.kinds if each not in variables]
        if missing:
            raise BadProgram("the program", f"it needs {missing[0]!r}, which states of {game!r} do not have")

    def check_game(self, game: core.Game) -> None:
        """Raise BadProgram if it was written for another game."""
        name, other = parse_spec(self.game).name, spec_of(game).name
        if name != other:
            raise BadProgram("the program", f"it was written for {name}, not for {other}")


def legal_shares(mix: Mapping[str, float], actions: Sequence[str]) -> Floats:
    """The shares of the legal actions, without illegal ones; equal shares if nothing is left."""
    shares = np.array([mix.get(action, 0.0) for action in actions])
    return shares / shares.sum() if shares.sum() > 0.0 else np.full(len(actions), 1.0 / len(actions))


def with_sure_leaves(program: Program) -> Program:
    """The program with labels only: each leaf is certain of its own, and labels without a leaf are dropped."""
    used = {leaf.label for leaf in leaves(program.body)}
    labels = tuple(label for label in program.labels if label in used)

    def sure(leaf: Leaf) -> Leaf:
        shares = tuple(float(label == leaf.label) for label in labels)
        return msgspec.structs.replace(leaf, shares=shares)

    return msgspec.structs.replace(program, labels=labels, body=with_leaves(program.body, sure))
