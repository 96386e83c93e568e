"""Random walks through a game, which all contract tests use."""

import pickle
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeVar

from kibitz import core
from kibitz.core.errors import ContractBroken
from kibitz.core.match import drawn_outcome

Thing = TypeVar("Thing")
SAMPLE = 40
"""Number of actions of a large set that are checked."""


def require(condition: object, message: str) -> None:
    """Raise ContractBroken unless *condition* holds."""
    if not condition:
        raise ContractBroken(message)


def sample_actions(legal: Sequence[int], rng: core.Rng) -> list[int]:
    """All of a few actions; the first, the last and some between of many."""
    if len(legal) <= SAMPLE:
        return list(legal)
    inner = {int(rng.random() * len(legal)) for _ in range(SAMPLE - 2)}
    return [legal[index] for index in sorted(inner | {0, len(legal) - 1})]


def random_step(game: core.Game, state: core.State, rng: core.Rng) -> tuple[int, ...]:
    """Play a random action of each mover, in place; return the actions."""
    if state.current_player() == core.CHANCE:
        actions: tuple[int, ...] = (drawn_outcome(state, rng.random()),)
    else:
        actions = tuple(random_action(state, player, rng) for player in game.movers(state))
    state.step(actions)
    return actions


def random_action(state: core.State, player: int, rng: core.Rng) -> int:
    """A legal action of *player*, uniformly at random."""
    legal = state.legal_actions(player)
    return legal[int(rng.random() * len(legal))]


def walk(game: core.Game, rng: core.Rng, plies: int) -> Iterator[core.State]:
    """The states of one random game, the initial one first; the caller may keep each."""
    state = game.new_initial_state()
    for _ in range(plies):
        yield state.clone()
        if state.is_terminal():
            return
        random_step(game, state, rng)


def pickle_copy(thing: Thing, what: str) -> Thing:
    """A copy through pickle, as on the way to another process."""
    try:
        copied: Thing = pickle.loads(pickle.dumps(thing))
    except Exception as error:
        raise ContractBroken(f"{what} cannot be pickled ({error}); define its class at the top of a module") from error
    return copied


def seat_name(seat: int | None) -> str:
    """A seat in words."""
    return "outside" if seat is None else f"seat {seat}"


def first(items: Sequence[int], count: int) -> list[int]:
    """The first few of a sequence that may be huge."""
    return list(islice(items, count))
