"""Learning what a position is worth: games that players of the whole game play, and a regression on them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.errors import BadSource
from kibitz.core.files import write_file
from kibitz.core.match import drawn_outcome
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import derived_seed, stream
from kibitz.games.axis.commander.kernels.answers import Prospect
from kibitz.games.axis.commander.kernels.fights import Counts
from kibitz.games.axis.commander.kernels.plans import LEAST_GAIN, PlanScene, look_ahead
from kibitz.games.axis.commander.kernels.positions import (
    AIRCRAFT,
    ARMOUR,
    CITIES,
    FEATURES,
    FOOT,
    FRONT,
    FUNDS,
    HOMES,
    INCOME,
    MOVER_PRESSURE,
    MOVER_SAFETY,
    NAMES,
    PRESSURE,
    SAFETY,
    TRANSPORTS,
    VICTORY,
    WARSHIPS,
    WORKS,
)
from kibitz.games.axis.commander.survey import Ground, Survey, ground_of, numbers_of
from kibitz.games.axis.commander.values import HAND, SHARES, LearnedWeights, Target
from kibitz.games.axis.full.fast import FastState
from kibitz.games.axis.full.kernels.layout import MOVER, ROUND, Words
from kibitz.games.axis.full.kernels.packing import board_words, situation_words
from kibitz.games.axis.full.situation import NOBODY, Situation, initial_situation
from kibitz.games.axis.full.turn import advance

GAME = "axis(scenario='revised', rules='full')"
CHEAP = "axis.commander(value=hand, rounds=0, lessons=0"
PLAYERS = (
    f"{CHEAP}, variety=0.5)",
    f"{CHEAP}, variety=1.0)",
    f"{CHEAP}, depth=1, variety=0.5)",
    "axis.sensible_full",
    "axis.greedy_full",
)
"""Who plays the games that the value is learned from, cheap and of many tastes; each side draws one of them."""
OPENING, OPENING_ROUNDS = "axis.greedy_full", 4
"""Who plays the rounds before a game that begins in the middle, and how many they are at most."""
CHANGED_STACKS, MOST_MORE, CHANGED_AREAS, MOST_MONEY = 0.3, 2, 0.08, 20
"""Of the start, the shares of stacks whose number and of areas at a border whose owner is another, and how much more
they may be: what is drawn has no other cause, so that what it does to the result is its own effect."""
RIDGES = (1.0, 4.0, 16.0, 64.0, 256.0, 1024.0)
"""How strongly weights are pulled to those set by hand, as so many games in which those are right: the one that
predicts games best that it was not fitted to is used."""
FOLDS, HELD_OUT = 5, 0.2
AHEAD = 2
"""The lead is that so many rounds later."""
STEPS = 60
SCALES = (0.25, 0.5, 1.0, 2.0, 3.0, 5.0)
"""Factors from weights in shares of the board to logits that are tried."""
MATERIAL = np.array([FUNDS, FOOT, ARMOUR, AIRCRAFT, WARSHIPS, TRANSPORTS])
"""What can be bought for its price keeps it: these have one weight, to which all others are compared. By themselves
they would be worth what those have who win for other reasons."""
OTHERS = np.array([INCOME, CITIES, HOMES, FRONT, PRESSURE, SAFETY, WORKS, MOVER_PRESSURE, MOVER_SAFETY])
"""What is learned; a victory is the end."""
BLEND, LEAST_SHARE = 0.5, 0.1
"""Weights that are played are means (geometric ones) of those fitted, which count for this share, and those set by
hand: what predicts best moves weights far, where plans that are chosen by them leave what games have shown. A fitted
weight counts as no less than a share of the one by hand."""
SAVED_EVERY = 20
"""Games are written to their file when so many more are played, and at the end."""


class Sample(msgspec.Struct, frozen=True):
    """Positions of one game when a turn has ended, for the first side, and how the game ended for it, from 0 to 1."""

    features: list[list[float]]
    """Of each position and of the one that is expected after the answers, by their shares."""
    leads: list[float]
    """The lead in units and money, and in income for as many turns as by hand, as shares of the board."""
    movers: list[int]
    """The power whose turn has ended."""
    result: float


class GamesFile(msgspec.Struct, frozen=True):
    """Games that were played so far, and what they were played for: only the same training goes on with them."""

    seed: int
    players: tuple[str, ...]
    names: tuple[str, ...]
    samples: list[Sample]


def turn_features(ground: Ground, numbers: Words, power: int) -> Counts:
    """The features of a position when the turn of a power has ended, and of what is expected after the answers."""
    survey, order = Survey(ground, numbers), ground.world.turns
    place, areas, looks = order.index(power), len(ground.world.areas), len(SHARES[1])
    turns = np.array([*order[place:], *order[:place]], dtype=np.int64)
    scene = PlanScene(
        ground.board, numbers, survey.units, survey.held, survey.money, survey.near, survey.worth, ground.steps,
        np.zeros((0, 6), dtype=np.int64), np.zeros((0, 7), dtype=np.int64), turns, np.ones((ground.powers, areas)),
        np.zeros((looks, FEATURES)), ground.scale, looks, LEAST_GAIN, int(np.argmax(turns == order[-1])),
    )  # fmt: skip
    prospect = Prospect(
        ground.board, numbers, survey.units, survey.held, survey.money, survey.worth, ground.steps, np.zeros(areas)
    )
    features = np.zeros((looks, FEATURES))
    look_ahead(scene, prospect, features)
    return features if ground.world.powers[power].side == 0 else -features


def drawn_start(game: Any, rng: core.Rng) -> FastState:
    """The start of a game, or the beginning of a later round, with other numbers of units, some other owners, and more
    money, as drawn."""
    situation = opening(game, int(rng.integers(OPENING_ROUNDS + 1)), rng)
    world, owners, units = game.world, list(situation.owners), dict(situation.units)
    for area, owner in enumerate(situation.owners):
        borders = [situation.owners[to] for to in world.ways[area] if situation.owners[to] != owner]
        fixed = world.sea[area] or world.areas[area].city or area in world.capitals or area in situation.factories
        if not fixed and NOBODY not in (owner, *borders) and borders and rng.random() < CHANGED_AREAS:
            owners[area] = borders[int(rng.integers(len(borders)))]
    for stack, number in situation.units:
        if owners[stack.area] != situation.owners[stack.area]:
            del units[stack]
        elif rng.random() < CHANGED_STACKS and world.units.kinds[stack.kind].fights:
            units[stack] = max(0, number + int(rng.integers(-MOST_MORE, MOST_MORE + 1)))
    kept = tuple((stack, number) for stack, number in units.items() if number)
    money = tuple(each + int(rng.integers(MOST_MONEY + 1)) for each in situation.money)
    board = board_words(world, game.full_rules)
    changed = advance(situation.replace(units=kept, owners=tuple(owners), money=money))
    return FastState(game, board, situation_words(board, changed))


def opening(game: Any, rounds: int, rng: core.Rng) -> Situation:
    """The situation when so many rounds are over, or when the last turn of a game begins that ends before."""
    situation = initial_situation(game.world, game.full_rules)
    if not rounds:
        return situation
    agents = [make_agent(OPENING, "axis") for _ in game.world.powers]
    for player, agent in enumerate(agents):
        agent.begin(game, player, rng)
    state, clock, before = game.new_initial_state(), core.Clock(), (0, 0)
    while not state.is_terminal():
        player = state.current_player()
        if player == core.CHANCE:
            state.apply_action(drawn_outcome(state, rng.random()))
            continue
        if (now := (int(state.numbers[ROUND]), int(state.numbers[MOVER]))) != before:
            before, situation = now, state.situation
            if now[0] > rounds:
                break
        state.apply_action(agents[player].act(state.clone(), clock))
    return situation


def play_sample(seed: int, game_spec: str = GAME, players: Sequence[str] = PLAYERS) -> Sample:
    """Play one game from a drawn start between drawn players, and keep the position at the end of every turn."""
    game: Any = make_game(game_spec)
    ground = ground_of(game)
    rng = stream(seed, "players")
    specs = [players[int(rng.integers(len(players)))] for _ in game.world.sides]
    agents = [make_agent(specs[power.side], "axis") for power in game.world.powers]
    for player, agent in enumerate(agents):
        agent.begin(game, player, stream(seed, "agent", player))
    luck, state = stream(seed, "dice"), drawn_start(game, stream(seed, "start"))
    rows, before = list[tuple[int, Counts]](), (0, 0)
    clock = core.Clock()
    while not state.is_terminal():
        player = state.current_player()
        if player == core.CHANCE:
            state.apply_action(drawn_outcome(state, luck.random()))
            continue
        numbers = numbers_of(ground, state)
        now = int(numbers[ROUND]), int(numbers[MOVER])
        if now != before:
            if before[0] > 0:
                rows.append((before[1], turn_features(ground, numbers, before[1])))
            before = now
        state.apply_action(agents[player].act(state.clone(), clock))
    mixed = [np.array(SHARES[1]) @ each for _, each in rows]
    leads = [float(each[0, MATERIAL].sum() + HAND["income"] * each[0, INCOME]) for _, each in rows]
    return Sample(
        [[round(float(each), 6) for each in row] for row in mixed],
        [round(each, 6) for each in leads],
        [power for power, _ in rows],
        0.5 + 0.5 * state.returns()[0],
    )


# Fitting.


class Task(NamedTuple):
    """What is fitted: rows of positions, what each is to predict, and how much each counts; every game counts 1."""

    rows: NDArray[np.float64]
    wanted: Counts
    shares: Counts
    logistic: bool

    def error(self, weights: Counts) -> float:
        """The mean squared error, or the mean loss in nats of a logistic prediction."""
        found = self.predict(weights)
        if not self.logistic:
            return float(self.shares @ (found - self.wanted) ** 2 / self.shares.sum())
        found = np.clip(found, 1e-9, 1.0 - 1e-9)
        losses = -(self.wanted * np.log(found) + (1.0 - self.wanted) * np.log(1.0 - found))
        return float(self.shares @ losses / self.shares.sum())

    def predict(self, weights: Counts) -> Counts:
        """What weights predict."""
        found: Counts = self.rows @ weights
        return 1.0 / (1.0 + np.exp(-found)) if self.logistic else found


def make_task(samples: Sequence[Sample], target: Target) -> Task:
    """What is fitted of samples: the results of games, or leads some rounds later, as far as games go on so long."""
    powers = 1 + max(max(sample.movers) for sample in samples)
    later = AHEAD * powers if target == "lead" else 0
    rows, wanted, shares = list[Counts](), list[Counts](), list[Counts]()
    for sample in samples:
        if (count := len(sample.features) - later) <= 0:
            continue
        moved = np.eye(powers)[sample.movers[:count]]
        features = np.array(sample.features[:count])
        rows.append(np.column_stack([features[:, MATERIAL].sum(axis=1), features[:, OTHERS], moved]))
        wanted.append(np.array(sample.leads[later:]) if later else np.full(count, sample.result))
        shares.append(np.full(count, 1.0 / count))
    return Task(np.concatenate(rows), np.concatenate(wanted), np.concatenate(shares), target == "result")


def fit_weights(
    samples: Sequence[Sample], seed: int = 0, target: Target = "result", blend: float = BLEND
) -> LearnedWeights:
    """Fit the weights to samples, pulled towards those set by hand; some games are held out.

    The target is the `result` of the game, by logistic regression, or the `lead` some rounds later, by least squares
    (temporal differences over as many turns). The weights are *blended* with those set by hand.
    """
    order = stream(seed, "held out").permutation(len(samples))
    held = [samples[place] for place in order[: int(HELD_OUT * len(samples))]]
    used = [samples[place] for place in order[int(HELD_OUT * len(samples)) :]]
    task, test = make_task(used, target), make_task(held, target)
    hand = np.zeros(task.rows.shape[1])
    hand[: 1 + len(OTHERS)] = [1.0, *(HAND[NAMES[place]] for place in OTHERS)]
    by_hand = min((fit_moves(task, scale * hand) for scale in SCALES), key=task.error)
    ridge = min(RIDGES, key=lambda each: crossed_error(used, target, by_hand, each))
    weights = fit_near(task, by_hand, ridge)
    errors = [test.error(each) for each in (weights, by_hand, fit_moves(task, 0.0 * hand))]
    found = dict.fromkeys((NAMES[place] for place in MATERIAL), 1.0)
    for place, each in zip(OTHERS, weights[1:], strict=False):
        by_hand_weight = HAND[NAMES[place]]
        fitted = max(float(each / weights[0]), LEAST_SHARE * by_hand_weight)
        found[NAMES[place]] = round(fitted**blend * by_hand_weight ** (1.0 - blend), 4)
    found[NAMES[VICTORY]] = max(HAND[NAMES[VICTORY]], 2.0 * max(found.values()))  # the end is worth more than any lead
    in_order = {name: found.get(name, 0.0) for name in NAMES}
    return LearnedWeights(in_order, target, len(samples), len(task.rows), *(round(each, 4) for each in errors))


def fit_moves(task: Task, weights: Counts) -> Counts:
    """The same weights with what it means fitted that a power has just moved."""
    return fit(task, weights, np.arange(len(weights)) > len(OTHERS), 0.0)


def fit_near(task: Task, start: Counts, ridge: float) -> Counts:
    """The weights that fit best near *start*; a lead in anything never counts against a side."""
    free, features = np.ones(len(start), dtype=bool), np.arange(len(start)) <= len(OTHERS)
    weights = fit(task, start, free, ridge)
    while (weights[features] < 0.0).any():
        free &= ~features | (weights > 0.0)
        weights = fit(task, start * free, free, ridge)
    return weights


def crossed_error(samples: Sequence[Sample], target: Target, start: Counts, ridge: float) -> float:
    """The mean error on each part of the samples, of weights that are fitted to the others."""
    errors = []
    for fold in range(FOLDS):
        others = [sample for place, sample in enumerate(samples) if place % FOLDS != fold]
        errors.append(make_task(samples[fold::FOLDS], target).error(fit_near(make_task(others, target), start, ridge)))
    return float(np.mean(errors))


def fit(task: Task, start: Counts, free: NDArray[np.bool_], pull: float) -> Counts:
    """The weights that fit best, by Newton's steps from *start* where they are *free*, and pulled to it."""
    rows = task.rows * free
    ridge = pull * (task.rows.std(axis=0) + 1e-3) ** 2 * (np.arange(len(start)) <= len(OTHERS)) + 1e-6
    weights = start.copy()
    for _ in range(STEPS):
        found = task.predict(weights)
        slopes = task.shares * (found * (1.0 - found) if task.logistic else 1.0)
        gradient = rows.T @ (task.shares * (found - task.wanted)) + ridge * (weights - start)
        step = np.linalg.solve((rows * slopes[:, None]).T @ rows + np.diag(ridge), gradient)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def learn_value(
    games: int,
    seed: int,
    target: Target = "result",
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
                write_file(kept, msgspec.json.encode(GamesFile(seed, PLAYERS, NAMES, samples)))
            told(number + 1, (process_time() - started) / (number + 1 - done))
    finally:
        if kept is not None and len(samples) > done:
            write_file(kept, msgspec.json.encode(GamesFile(seed, PLAYERS, NAMES, samples)))
    return fit_weights(samples, seed, target)


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
