"""Trains the parameters of `dbn` from records: the tables, and the sharpness and tempers that fit new games."""

from collections.abc import Callable, Sequence
from math import ceil
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kibitz import core
from kibitz.core.errors import BadRecord
from kibitz.core.records import Record
from kibitz.core.registry import make_game, spec_of
from kibitz_lab.learn.assignment import best_assignment
from kibitz_lab.learn.discretisation import Discretisation
from kibitz_lab.learn.slice_learning import EMSettings, LearnedSlice, count_slice, game_posteriors, learn_slice
from kibitz_lab.learn.slices import Ints, Rows, SliceLayout
from kibitz_lab.models.dbn.model import Dbn
from kibitz_lab.models.dbn.parameters import Parameters, Perspective, perspective, write_parameters
from kibitz_lab.models.dbn.positions import Positions, positions_of, rows_of, scores_of
from kibitz_lab.models.dbn.validation import best_evidence, best_sharpness, fitted_choices, prediction_figures
from kibitz_lab.models.training import Told, TrainedModel

Said = Callable[[str], None]
"""Called after every step."""
STATES = 16
"""A feature with more values is divided into about this many intervals."""
HELD_BACK = 4
"""The first round of learning holds out one of this many games of each pairing, for validation."""


ENOUGH = 150
"""The most held-out games used for validation."""


class Progress:
    """Reports progress. Starts of EM that Ctrl-C cut off never count as done."""

    def __init__(self, total: int, told: Told) -> None:
        self.done, self.total, self.told = 0, total, told

    def step(self, words: str) -> None:
        """Count and report one step."""
        self.done += 1
        self.told(self.done, self.total, words)


class LearnedParameters:
    """The learned parameters, to be saved in their own file (`kibitz_lab.models.training.ParameterFile`)."""

    def __init__(self, parameters: Parameters, slices: int) -> None:
        self.parameters, self.slices = parameters, slices

    def reader(self, path: Path) -> Dbn:
        """The model that reads the file."""
        return Dbn(trained=str(path), slices=self.slices)

    def write(self, path: Path, made: dict[str, Any]) -> None:
        """Write the file, with how it was made."""
        write_parameters(msgspec.structs.replace(self.parameters, made=made), path)


def train(model: Dbn, records: Sequence[Record], rng: core.Rng, told: Told) -> TrainedModel:
    """Train a network on *records*, with the parameters of *model*.

    The first round learns from three of every four games of each pairing, measures on the fourth how well the network
    predicts new games, and fits to them all but the tables; then the tables are learned from all games.
    """
    if not records:
        raise BadRecord("records", "there are none to learn from; play some first")
    game = make_game(records[0].header.game)
    strangers = {record.header.game for record in records} - {records[0].header.game}
    if strangers:
        raise BadRecord("records", f"all must be of one game, not {records[0].header.game} and {min(strangers)}")
    starts = 2 * (1 if model.learning == "supervised" else model.restarts)
    progress = Progress(len(records) + 2 * starts + 4, told)
    played = []
    for record in records:
        played.append(positions_of(record, game))
        progress.step("reading")
    some, back = split(records)
    first = fit_parameters(model, game, [played[number] for number in some], rng, progress.step)
    unseen = [records[number] for number in back or some]
    unseen = unseen[:: ceil(len(unseen) / ENOUGH)]
    sharpness = model.sharpness or best_sharpness(first, unseen, model.slices)
    progress.step(f"sharpness {sharpness:g}")
    first = msgspec.structs.replace(first, sharpness=sharpness)
    choices = fitted_choices(first, unseen, model.slices)
    progress.step("choices fitted")
    first = msgspec.structs.replace(first, choices=choices)
    evidence = best_evidence(first, unseen, model.slices)
    if model.temper is not None:
        evidence = evidence._replace(temper=model.temper, stranger_temper=model.temper)
    progress.step(f"temper {evidence.temper:g}, of strangers {evidence.stranger_temper:g}")
    first = msgspec.structs.replace(first, **evidence._asdict())
    figures = prediction_figures(first, unseen, slices=model.slices)
    progress.step("predictions measured")
    tables = fit_parameters(model, game, played, rng, progress.step)
    parameters = msgspec.structs.replace(tables, sharpness=sharpness, choices=choices, **evidence._asdict())
    found = Dbn(slices=model.slices, unknown=model.unknown, drift=model.drift)
    found.preset = parameters
    kept = LearnedParameters(parameters, model.slices)
    return TrainedModel(found, {}, {"foretold": figures}, progress.done < progress.total, kept)


def split(records: Sequence[Record]) -> tuple[list[int], list[int]]:
    """The records to learn from and those to hold out, the same share of each pairing."""
    seen: dict[tuple[str, ...], int] = {}
    parts: tuple[list[int], list[int]] = ([], [])
    for number, record in enumerate(records):
        count = seen[record.header.agents] = seen.get(record.header.agents, 0) + 1
        parts[count % HELD_BACK == 0].append(number)
    return parts


def fit_parameters(model: Dbn, game: core.Game, played: Sequence[Positions], rng: core.Rng, said: Said) -> Parameters:
    """The parameters for games like *played*."""
    strategies = tuple(sorted({name for each in played for name in each.strategies}))
    every = np.concatenate([each.scores for each in played])
    names, _ = scores_of(game, model)
    features = tuple(Discretisation.from_values(name, every[:, column], STATES) for column, name in enumerate(names))
    blank = Parameters(
        game=spec_of(game).name,
        strategies=strategies,
        lag=model.lag or 2,
        latent_scope=model.latent_scope or "game",
        colours=model.colours or "one",
        learning=model.learning or "em",
        smoothing=0.1 if model.smoothing is None else model.smoothing,
        features=features,
        players=(),
    )
    players = tuple(_learn_perspective(blank, model, player, played, rng, said) for player in range(2))
    return msgspec.structs.replace(blank, players=players)


def _learn_perspective(
    plan: Parameters, model: Dbn, player: int, played: Sequence[Positions], rng: core.Rng, said: Said
) -> Perspective:
    """Learn the slice of one player."""
    supervised = plan.learning == "supervised"
    rows, starts = rows_of(
        played,
        player,
        plan.strategies,
        plan.features,
        lag=plan.lag,
        scope=plan.latent_scope,
        colours=plan.colours,
        supervised=supervised,
    )
    latent = len(plan.strategies) if supervised else model.latent_states or len(plan.strategies)
    states = tuple(each.size for each in plan.features)
    layout = SliceLayout(states, len(plan.strategies), latent, 2 if plan.colours == "each" else 1)
    if supervised:
        found = perspective(count_slice(layout, rows, plan.smoothing), plan.strategies)
        said(f"player {player}: {len(rows.own)} rows")
        return found
    settings = EMSettings(smoothing=plan.smoothing, restarts=model.restarts)
    draws = rng.integers(1, 1 << 63, size=4).astype(np.uint64)

    def report_iterations(restart: int, iterations: int, likelihood: float) -> None:
        said(f"player {player}: {iterations} iterations, log-likelihood {likelihood:.1f}")

    best = learn_slice(layout, rows, settings, draws, report_iterations)
    truths = [game.strategies[player] for game in played]
    return perspective(best.model, label_states(best, rows, starts, truths, plan.strategies))


def label_states(
    found: LearnedSlice, rows: Rows, starts: Ints, truths: Sequence[str], strategies: Sequence[str]
) -> tuple[str, ...]:
    """A name for each latent state: the assignment that fits the training games best.

    A state without a name left gets the commonest strategy of its games.
    """
    posteriors = game_posteriors(found.model, rows, starts)
    shares = np.zeros((posteriors.shape[1], len(strategies)))
    for posterior, truth in zip(posteriors, truths, strict=True):
        shares[:, strategies.index(truth)] += posterior
    chosen = best_assignment(shares)
    return tuple(strategies[place if place >= 0 else int(shares[row].argmax())] for row, place in enumerate(chosen))
