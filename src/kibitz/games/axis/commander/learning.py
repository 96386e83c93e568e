"""Learning what a position is worth: games of quick commanders who value it differently, and who of them win."""

from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.errors import BadSource
from kibitz.core.files import write_file
from kibitz.core.registry import make_game
from kibitz.core.seeds import derived_seed, kernel_stream, stream
from kibitz.games.axis.commander.commander import Commander
from kibitz.games.axis.commander.kernels.fights import Counts
from kibitz.games.axis.commander.values import HAND, LearnedTerm, LearnedWeights, shared_rows
from kibitz.games.axis.full.kernels.dice import draw_result, what_is_rolled

EVEN_GAME = "axis(scenario='revised', rules='full', switches={'bids': {'Russians': 24, 'British': 12}})"
"""With these bids equal commanders win about as often from both sides, so that a game tells more of who is better."""
TERMS: dict[str, dict[str, float]] = {
    "fleets": {"fleets": 0.4, "fleets of the next mover": 0.1},
    "stacks": {"stacks": 0.4, "stacks of the next mover": 0.1},
    "mass": {"mass": 0.5},
}
"""What is learned: for each term, the weights of a level of it. Those set by hand have none of them."""
LEVELS = 3
"""Each side draws a level of every term, from none to one less than this."""
RIDGE, STEPS = 1.0, 30
"""How strongly gains are pulled to 0, as if they had been drawn with this precision, and the most steps of the fit."""
CLEAR = 2.0
"""A term counts if the best level of it gains so many standard errors."""
SAVED_EVERY = 20
"""Games are written to their file when so many more are played, and at the end."""


class Sample(msgspec.Struct, frozen=True):
    """One game: the levels that each side has drawn, and how it ended for the first side, from 0 to 1."""

    levels: list[list[int]]
    result: float


class GamesFile(msgspec.Struct, frozen=True):
    """Games that were played so far, and what they were played for: only the same training goes on with them."""

    seed: int
    terms: dict[str, dict[str, float]]
    samples: list[Sample]


def term_weights(levels: Sequence[int]) -> dict[str, float]:
    """The weights by hand with so much of each term."""
    found = dict(HAND)
    for level, term in zip(levels, TERMS.values(), strict=True):
        found.update({name: round(level * each, 4) for name, each in term.items()})
    return found


def play_sample(seed: int) -> Sample:
    """Play one game of quick commanders, whose sides have drawn how much of each term they count."""
    game: Any = make_game(EVEN_GAME)
    levels = stream(seed, "levels").integers(LEVELS, size=(len(game.world.sides), len(TERMS))).tolist()
    agents = []
    for player, power in enumerate(game.world.powers):
        agent = Commander(rounds=0, lessons=0)
        agent.weights = shared_rows(term_weights(levels[power.side]), agent.depth)
        agent.begin(game, player, stream(seed, "agent", player))
        agents.append(agent)
    state, words, clock = game.new_initial_state(), kernel_stream(seed, "dice"), core.Clock()
    while not state.is_terminal():
        player = state.current_player()
        if player == core.CHANCE:
            what = what_is_rolled(state.board_numbers, state.numbers)
            state.apply_action(int(draw_result(state.board_numbers, state.numbers, what, words)))
        else:
            state.apply_action(agents[player].act(state.clone(), clock))
    return Sample(levels, 0.5 + 0.5 * state.returns()[0])


def fit_weights(samples: Sequence[Sample]) -> LearnedWeights:
    """Fit how much each level of each term adds to the chance to win, and take a level of those that clearly add.

    A logistic regression of the result on the levels of the first side less those of the second, which play each other.
    """
    drawn = np.array([sample.levels for sample in samples])
    has = np.eye(LEVELS)[drawn][..., 1:]
    rows = (has[:, 0] - has[:, 1]).reshape(len(samples), -1)
    gains, errors = fit_logistic(
        np.column_stack([rows, np.ones(len(rows))]), np.array([sample.result for sample in samples])
    )
    terms, levels = dict[str, LearnedTerm](), list[int]()
    for place, name in enumerate(TERMS):
        part = slice(place * (LEVELS - 1), (place + 1) * (LEVELS - 1))
        levels.append(chosen_level(gains[part], errors[part]))
        terms[name] = LearnedTerm(levels[-1], gains[part].round(3).tolist(), errors[part].round(3).tolist())
    return LearnedWeights(term_weights(levels), len(samples), terms)


def chosen_level(gains: Counts, errors: Counts) -> int:
    """None if the best level is less than two standard errors above it, else the first within one of the best."""
    best = int(np.argmax(gains))
    if gains[best] < CLEAR * errors[best]:
        return 0
    return 1 + int(np.argmax(gains >= gains[best] - errors[best]))


def fit_logistic(rows: NDArray[np.float64], wanted: Counts) -> tuple[Counts, Counts]:
    """Weights by Newton's steps, and their standard errors; the last one, of the first side, is not pulled to 0."""
    weights = np.zeros(rows.shape[1])
    ridge = np.append(np.full(len(weights) - 1, RIDGE), 1e-6)
    for _ in range(STEPS):
        found = 1.0 / (1.0 + np.exp(-rows @ weights))
        slopes = (rows * (found * (1.0 - found))[:, None]).T @ rows + np.diag(ridge)
        step = np.linalg.solve(slopes, rows.T @ (found - wanted) + ridge * weights)
        weights -= step
        if np.abs(step).max() < 1e-9:
            break
    return weights, np.sqrt(np.diag(np.linalg.inv(slopes)))


def learn_value(
    games: int,
    seed: int,
    kept: Path | None = None,
    told: Callable[[int, float], None] = lambda _games, _seconds: None,
) -> LearnedWeights:
    """Play games and fit the weights to them; *told* hears how many are played and the CPU seconds a game.

    Games are kept in a file, so that a training that was stopped goes on from there.
    """
    started, samples = process_time(), read_games(kept, seed)[:games]
    done = len(samples)
    try:
        for number in range(done, games):
            samples.append(play_sample(derived_seed(seed, "axis-value", number)))
            if kept is not None and len(samples) % SAVED_EVERY == 0:
                write_file(kept, msgspec.json.encode(GamesFile(seed, TERMS, samples)))
            told(number + 1, (process_time() - started) / (number + 1 - done))
    finally:
        if kept is not None and len(samples) > done:
            write_file(kept, msgspec.json.encode(GamesFile(seed, TERMS, samples)))
    return fit_weights(samples)


def read_games(kept: Path | None, seed: int) -> list[Sample]:
    """The games in a file, if it belongs to the same training; a file that does not is an error."""
    if kept is None or not kept.exists():
        return []
    try:
        found = msgspec.json.decode(kept.read_bytes(), type=GamesFile)
    except (OSError, msgspec.MsgspecError) as error:
        raise BadSource(kept, f"no games of a training ({error}); remove it to begin again") from error
    if (found.seed, found.terms) != (seed, TERMS):
        raise BadSource(kept, f"games of another training (seed {found.seed}); remove it or write to another file")
    return found.samples
