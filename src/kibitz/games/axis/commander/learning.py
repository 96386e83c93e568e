"""Learning what a position is worth: games that players of the whole game play, and a logistic regression on them."""

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
from kibitz.core.match import drawn_outcome
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import derived_seed, stream
from kibitz.games.axis.commander.kernels.fights import Counts
from kibitz.games.axis.commander.kernels.positions import FEATURES, FOOT, NAMES, WARSHIPS, judge
from kibitz.games.axis.commander.survey import Ground, Survey, ground_of, numbers_of
from kibitz.games.axis.commander.values import HAND, LearnedWeights
from kibitz.games.axis.full.kernels.layout import MOVER, PHASE, ROUND
from kibitz.games.axis.full.situation import COMBAT

GAME = "axis(scenario='revised', rules='full')"
PLAYERS = (
    "axis.commander(value=hand, rounds=20)",
    "axis.greedy_full",
    "axis.sensible_full",
    "axis.commander(value=hand, rounds=0, depth=1)",
)
"""Who plays the games that the value is learned from; each side draws one of them."""
RIDGES = (1.0, 4.0, 16.0, 64.0, 256.0)
"""How strongly weights are pulled to those set by hand times a common factor, in logits for one standard deviation: the
one that predicts games best that it was not fitted to is used."""
FOLDS = 5
HELD_OUT = 0.2
STEPS = 60
FACTORS = (0.25, 0.5, 1.0, 2.0, 3.0, 5.0)
"""Factors from weights in shares of the board to logits that are tried."""


class Sample(msgspec.Struct, frozen=True):
    """Positions of one game as features of the first side, and how the game ended for it, from 0 to 1."""

    features: list[list[float]]
    result: float

    @property
    def rows(self) -> NDArray[np.float64]:
        """The features as an array."""
        return np.array(self.features).reshape(-1, FEATURES)


class GamesFile(msgspec.Struct, frozen=True):
    """Games that were played so far, and what they were played for: only the same training goes on with them."""

    seed: int
    players: tuple[str, ...]
    names: tuple[str, ...]
    samples: list[Sample]


def position_features(ground: Ground, numbers: NDArray[np.int64], side: int) -> Counts:
    """The features of a position as it is."""
    survey = Survey(ground, numbers)
    found = np.zeros(FEATURES)
    judge(
        ground.board, numbers, survey.units, survey.held, survey.money, survey.near(), ground.scale, side, found
    )  # fmt: skip
    return found


def play_sample(seed: int, game_spec: str = GAME, players: Sequence[str] = PLAYERS) -> Sample:
    """Play one game between drawn players, and keep the position at the beginning of every turn."""
    game: Any = make_game(game_spec)
    ground = ground_of(game)
    rng = stream(seed, "players")
    specs = [players[int(rng.integers(len(players)))] for _ in game.world.sides]
    agents = [make_agent(specs[power.side], "axis") for power in game.world.powers]
    for player, agent in enumerate(agents):
        agent.begin(game, player, stream(seed, "agent", player))
    luck, state = stream(seed, "dice"), game.new_initial_state()
    rows, before = [], (-1, -1)
    clock = core.Clock()
    while not state.is_terminal():
        player = state.current_player()
        if player == core.CHANCE:
            state.apply_action(drawn_outcome(state, luck.random()))
            continue
        numbers = numbers_of(ground, state)
        now = int(numbers[ROUND]), int(numbers[MOVER])
        if now != before and numbers[PHASE] == COMBAT:
            before = now
            rows.append(position_features(ground, numbers, 0))
        state.apply_action(agents[player].act(state.clone(), clock))
    return Sample([[round(float(each), 6) for each in row] for row in rows], 0.5 + 0.5 * state.returns()[0])


def fit_weights(samples: Sequence[Sample], seed: int = 0) -> LearnedWeights:
    """Fit the weights to samples by logistic regression, pulled towards those set by hand; some games are held out."""
    order = stream(seed, "held out").permutation(len(samples))
    held = [samples[place] for place in order[: int(HELD_OUT * len(samples))]]
    used = [samples[place] for place in order[int(HELD_OUT * len(samples)) :]]
    hand = np.append([HAND[name] for name in NAMES], 0.0)
    factor = min(FACTORS, key=lambda each: mean_loss(used, each * hand))
    ridge = min(RIDGES, key=lambda each: crossed_loss(used, factor * hand, each))
    weights = fit_near(used, factor * hand, ridge)
    unit = weights[FOOT:WARSHIPS].mean()  # land units and aircraft are worth their price on average
    found = {name: round(float(weight / unit), 4) for name, weight in zip(NAMES, weights[:-1], strict=True)}
    positions = sum(len(sample.rows) for sample in used)
    losses = (mean_loss(held, each) for each in (weights, factor * hand, 0.0 * hand))
    return LearnedWeights(found, len(samples), positions, *(round(each, 4) for each in losses))


def fit_near(samples: Sequence[Sample], start: Counts, ridge: float) -> Counts:
    """The weights that fit best near *start*; a lead in anything never counts against a side."""
    free = np.ones(len(start), dtype=bool)
    weights = newton(samples, start, free, ridge)
    while (weights[:-1] < 0.0).any():
        free[:-1] &= weights[:-1] > 0.0
        weights = newton(samples, start * free, free, ridge)
    return weights


def crossed_loss(samples: Sequence[Sample], start: Counts, ridge: float) -> float:
    """The mean loss on each part of the samples, of weights that are fitted to the others."""
    parts = [samples[fold::FOLDS] for fold in range(FOLDS)]
    others = [[each for place, each in enumerate(samples) if place % FOLDS != fold] for fold in range(FOLDS)]
    return float(np.mean([mean_loss(p, fit_near(o, start, ridge)) for p, o in zip(parts, others, strict=True) if o]))


def newton(samples: Sequence[Sample], start: Counts, free: NDArray[np.bool_], pull: float) -> Counts:
    """The weights, with a constant at the end, that fit best near *start*, where they are *free*; a game counts 1."""
    rows = np.concatenate([sample.rows for sample in samples])
    results = np.concatenate([np.full(len(sample.rows), sample.result) for sample in samples])
    each = np.concatenate([np.full(len(sample.rows), 1.0 / len(sample.rows)) for sample in samples])
    design = np.column_stack([rows, np.ones(len(rows))]) * free
    ridge = pull * np.append(rows.std(axis=0) + 1e-3, 1.0) ** 2
    weights = start.copy()
    for _ in range(STEPS):
        chances = 1.0 / (1.0 + np.exp(-design @ weights))
        gradient = design.T @ (each * (chances - results)) + ridge * (weights - start)
        hessian = (design * (each * chances * (1.0 - chances))[:, None]).T @ design + np.diag(ridge)
        step = np.linalg.solve(hessian, gradient)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def mean_loss(samples: Sequence[Sample], weights: Counts) -> float:
    """The mean loss of the predicted results, in nats a position; every game counts the same."""
    losses = []
    for sample in samples:
        chances = 1.0 / (1.0 + np.exp(-(sample.rows @ weights[:-1] + weights[-1])))
        chances = np.clip(chances, 1e-9, 1.0 - 1e-9)
        result = sample.result
        losses.append(float(-(result * np.log(chances) + (1.0 - result) * np.log(1.0 - chances)).mean()))
    return float(np.mean(losses)) if losses else 0.0


def learn_value(
    games: int,
    seed: int,
    kept: Path | None = None,
    told: Callable[[int, float], None] = lambda _games, _seconds: None,
) -> LearnedWeights:
    """Play games and fit the weights to them; *told* hears how many are played and the CPU seconds a game.

    Games are kept in a file as they end, so that a training that was stopped goes on from there.
    """
    started, samples = process_time(), read_games(kept, seed)[:games]
    done = len(samples)
    for number in range(done, games):
        samples.append(play_sample(derived_seed(seed, "axis-value", number)))
        if kept is not None:
            write_file(kept, msgspec.json.encode(GamesFile(seed, PLAYERS, NAMES, samples)))
        told(number + 1, (process_time() - started) / (number + 1 - done))
    return fit_weights(samples, seed)


def read_games(kept: Path | None, seed: int) -> list[Sample]:
    """The games in a file, if it belongs to the same training; a file that does not is an error."""
    if kept is None or not kept.exists():
        return []
    try:
        found = msgspec.json.decode(kept.read_bytes(), type=GamesFile)
    except (OSError, msgspec.MsgspecError) as error:
        raise BadSource(kept, f"no games of a training ({error}); remove it to begin again") from error
    if (found.seed, found.players, found.names) != (seed, PLAYERS, NAMES):
        raise BadSource(kept, f"games of another training (seed {found.seed}); remove it or write to another file")
    return found.samples
