"""`check_table`: tests that the table of a game agrees with its rules."""

from itertools import product

import numpy as np

from kibitz import core
from kibitz.core.kit.state_table import COLUMN_BITS, OUTSIDE, StateTable
from kibitz.core.registry import kit_of, make_game
from kibitz.core.seeds import stream
from kibitz.testing.walks import require, walk


def check_table(game: str | core.Game, *, samples: int = 200, seed: int = 0) -> None:
    """Compare a game's table with its rules, at random numbers and along a random walk."""
    made = make_game(game)
    make_table = kit_of(made).table
    assert make_table is not None
    table = make_table(made)
    rng = stream(seed, "check_table", repr(made))
    low, high = table.outside
    require(low <= high, f"{made}: what lies outside its table is worth {table.outside}, which is no range")
    numbers = {int(rng.random() * table.size) for _ in range(samples)} | {0, table.size - 1}
    numbers |= {table.number(state) for state in walk(made, rng, samples)} - {OUTSIDE}
    for number in sorted(numbers):
        _check_number(made, table, number)


def _check_number(game: core.Game, table: StateTable, number: int) -> None:
    where = f"{game}: number {number} of its table"
    found = np.full(table.most_pairs + 1, -2, np.int64)
    shape = int(table.successors(table.parameters, number, found[:-1]))
    rows, columns = shape >> COLUMN_BITS, shape & ((1 << COLUMN_BITS) - 1)
    require(rows * columns <= table.most_pairs, f"{where} has {rows * columns} pairs of actions, more than most_pairs")
    if shape == 0:
        _check_end(table, number, where)
        return
    state = table.state(number)
    require(table.number(state) == number, f"{where} is a state whose number is {table.number(state)}")
    require(not state.is_terminal(), f"{where} goes on, but by the rules the game is over")
    choices = [_choices(game, state, player) for player in (0, 1)]
    legal = tuple(len(each) for each in choices)
    require((rows, columns) == legal, f"{where} has shape {rows, columns}; the rules say {legal}")
    for place, pair in enumerate(product(*choices)):
        after = state.clone()
        after.step([action for action in pair if action is not None])
        require(
            int(found[place]) == table.number(after),
            f"{where}: {pair} leads to {int(found[place])}, by the rules to {table.number(after)}",
        )


def _choices(game: core.Game, state: core.State, player: int) -> list[int | None]:
    """The legal actions of a player; only None if they have no choice."""
    return list(state.legal_actions(player)) if player in game.movers(state) else [None]


def _check_end(table: StateTable, number: int, where: str) -> None:
    """Require the payoff of the rules if the game is over; a number that stands for no state needs none."""
    try:
        state = table.state(number)
    except ValueError:
        return
    payoff = float(table.payoff(table.parameters, number))
    require(state.is_terminal(), f"{where} is over, but by the rules the game goes on")
    require(payoff == state.returns()[0], f"{where} pays {payoff}, by the rules {state.returns()[0]}")
