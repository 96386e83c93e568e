"""Trains the parameters of `dbn` from records, and measures how well they foretell games they have not seen."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from kibitz import core
from kibitz.core.errors import BadRecord
from kibitz.core.records import Record
from kibitz.core.registry import make_game, spec_of
from kibitz.learn.assignment import best_assignment
from kibitz.learn.discretisation import Discretisation
from kibitz.learn.slice_learning import LearnedSlice, Settings, counted, game_posteriors, learned
from kibitz.learn.slices import Ints, Layout, Rows
from kibitz.models.dbn.model import Dbn
from kibitz.models.dbn.parameters import Parameters, Perspective, perspective
from kibitz.models.dbn.positions import Positions, positions_of, rows_of, scores_of
from kibitz.models.dbn.validation import best_sharpness, foretold

Told = Callable[[str], None]
STATES = 16
"""Features with more values become intervals, about so many."""
SHARPENED = 60
"""So many of the games learned from say how sharp predictions may be."""
HELD_OUT = 4
"""Every fourth game of a pairing is not learned from, but foretold."""


class Trained(NamedTuple):
    """What training gives: parameters, and figures of how well they foretell held-out games."""

    parameters: Parameters
    figures: dict[str, float]


def train(model: Dbn, records: Iterable[Record], rng: core.Rng, told: Told = lambda words: None) -> Trained:
    """Train as *model* says on three of every four games of each pairing, and foretell the fourth."""
    learning, held_out = split(list(records))
    if not learning:
        raise BadRecord("records", "none to learn from; play some first")
    game = make_game(learning[0].header.game)
    strangers = {record.header.game for record in [*learning, *held_out]} - {learning[0].header.game}
    if strangers:
        raise BadRecord("records", f"all must be of one game, not {learning[0].header.game} and {min(strangers)}")
    told(f"reading {len(learning)} games")
    played = [positions_of(record, game) for record in learning]
    parameters = fitted(model, game, played, rng, told)
    some = learning[:: max(1, len(learning) // SHARPENED)]
    sharpness = model.sharpness or best_sharpness(parameters, some, model.slices)
    parameters = msgspec.structs.replace(parameters, sharpness=sharpness)
    told(f"foretelling {len(held_out)} games")
    figures = foretold(parameters, held_out, slices=model.slices) if held_out else {}
    return Trained(parameters, figures)


def split(records: Sequence[Record]) -> tuple[list[Record], list[Record]]:
    """Records to learn from and records to foretell, the same share of each pairing."""
    seen: dict[tuple[str, ...], int] = {}
    parts: tuple[list[Record], list[Record]] = ([], [])
    for record in records:
        count = seen[record.header.agents] = seen.get(record.header.agents, 0) + 1
        parts[count % HELD_OUT == 0].append(record)
    return parts


def fitted(model: Dbn, game: core.Game, played: Sequence[Positions], rng: core.Rng, told: Told) -> Parameters:
    """The parameters for games like *played*."""
    strategies = tuple(sorted({name for each in played for name in each.strategies}))
    every = np.concatenate([each.scores for each in played])
    names, _ = scores_of(game, model)
    features = tuple(Discretisation.fitted(name, every[:, column], STATES) for column, name in enumerate(names))
    blank = Parameters(
        game=spec_of(game).name,
        strategies=strategies,
        lag=model.lag or 2,
        latent_scope=model.latent_scope or "row",
        colours=model.colours or "one",
        learning=model.learning or "em",
        smoothing=0.1 if model.smoothing is None else model.smoothing,
        features=features,
        players=(),
    )
    players = tuple(_learned(blank, model, player, played, rng, told) for player in range(2))
    return msgspec.structs.replace(blank, players=players)


def _learned(
    plan: Parameters, model: Dbn, player: int, played: Sequence[Positions], rng: core.Rng, told: Told
) -> Perspective:
    """What is learned about one player."""
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
    layout = Layout(states, len(plan.strategies), latent, 2 if plan.colours == "each" else 1)
    told(f"player {player}: {len(rows.own)} rows, {layout.cells} table entries")
    if supervised:
        return perspective(counted(layout, rows, plan.smoothing), plan.strategies)
    settings = Settings(smoothing=plan.smoothing, restarts=model.restarts)
    draws = rng.integers(1, 1 << 63, size=4).astype(np.uint64)

    def heard(restart: int, iterations: int, likelihood: float) -> None:
        told(f"player {player}: start {restart + 1}: {iterations} iterations, log-likelihood {likelihood:.1f}")

    found = learned(layout, rows, settings, draws, heard)
    truths = [game.strategies[player] for game in played]
    return perspective(found.model, matched(found, rows, starts, truths, plan.strategies))


def matched(
    found: LearnedSlice, rows: Rows, starts: Ints, truths: Sequence[str], strategies: Sequence[str]
) -> tuple[str, ...]:
    """A name for each latent state: the assignment that fits the training games best.

    A state for which no name is left takes the commonest of its games.
    """
    posteriors = game_posteriors(found.model, rows, starts)
    shares = np.zeros((posteriors.shape[1], len(strategies)))
    for posterior, truth in zip(posteriors, truths, strict=True):
        shares[:, strategies.index(truth)] += posterior
    chosen = best_assignment(shares)
    return tuple(strategies[place if place >= 0 else int(shares[row].argmax())] for row, place in enumerate(chosen))
