"""Scores for beliefs about missions, the same for every model: right or not, how sure, and how soon for good."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.arena.scoring.calibration import Calibration
from kibitz.arena.scoring.calibration import calibration as reliability
from kibitz.arena.scoring.metrics import FIELD, belief_marks
from kibitz.arena.scoring.resampling import Resampling
from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.arena.statistics.intervals import Bounds
from kibitz.games.risk.models.training_games import FRACTIONS
from kibitz.studies.risk.games import Beliefs
from kibitz.studies.study import Row

Floats = NDArray[np.float64]
LEAST = 1e-6
"""The least share in a log loss, so that one mistake does not outweigh everything."""


def mark_game(told: Beliefs, missions: Sequence[int], winner: int | None, turns: int) -> Row:
    """The scores of a game: beliefs against the true cards."""
    players = []
    for player, card in enumerate(missions):
        rows = told.by_turns[:, player]
        marks = marks_of_card(rows, card)
        players.append(
            {
                "card": int(card),
                "won": player == winner,
                "hits": marks["first"],
                "own_hits": marks_of_card(told.by_orders[:, player], card)["first"],
                "end_hits": marks_of_card(told.at_ending[:, player], card)["first"],
                "shares": marks["probability"],
                "best": marks["confidence"],
                "named": rows.argmax(axis=1).tolist(),
            }
        )
    return {"players": players, "turns": turns}


def marks_of_card(rows: Floats, card: int) -> dict[str, list[float]]:
    """The marks of beliefs about a player who holds a card, by name, as `kibitz score-models` gives them."""
    labels = [str(number) for number in range(rows.shape[1])]
    marks = belief_marks(rows, labels, [str(card)] * len(rows), labels, top=1)
    return {name: marks[:, column].tolist() for name, column in FIELD.items()}


def answers(games: Iterable[Row], **wanted: Any) -> list[tuple[int, Row]]:
    """Every player of every game, with the number of their game; only those that are *wanted*."""
    return [
        (number, player)
        for number, game in enumerate(games)
        for player in game["players"]
        if all(player[name] == value for name, value in wanted.items())
    ]


def place(fraction: float) -> int:
    """The index of a fraction of the game in all lists."""
    return FRACTIONS.index(fraction)


def mean_of(found: Sequence[tuple[int, Row]], values: Iterable[float], bounds: Bounds | None = None) -> Estimate:
    """The mean of one value per player; the players of one game are one block."""
    return mean_interval(list(values), [number for number, _ in found], bounds=bounds)


def accuracy(found: Sequence[tuple[int, Row]], fraction: float) -> Estimate:
    """The share of players whose card is the likeliest; a tied card counts for its part of the tie."""
    return mean_of(found, (player["hits"][place(fraction)] for _, player in found), (0.0, 1.0))


def own_accuracy(found: Sequence[tuple[int, Row]], quarter: int) -> Estimate:
    """The same after a quarter of each player's own orders, or after two, three or all."""
    return mean_of(found, (player["own_hits"][quarter - 1] for _, player in found), (0.0, 1.0))


def end_accuracy(found: Sequence[tuple[int, Row]], *, over: bool) -> Estimate:
    """The same before the last event, or when the game is over."""
    return mean_of(found, (player["end_hits"][int(over)] for _, player in found), (0.0, 1.0))


def log_loss(found: Sequence[tuple[int, Row]], fraction: float) -> Estimate:
    """The log loss of the true card, in nats."""
    return mean_of(found, (-float(np.log(max(LEAST, player["shares"][place(fraction)]))) for _, player in found))


def convergence(player: Row) -> float:
    """The part of the game after which the true card stays on top; 1 if it never does."""
    wrong = [number for number, hit in enumerate(player["hits"]) if hit < 1.0]
    last = wrong[-1] if wrong else -1
    return 1.0 if last == len(FRACTIONS) - 1 else FRACTIONS[last + 1]


def calibration(found: Sequence[tuple[int, Row]]) -> Calibration:
    """The calibration: whether answers are right as often as they are sure, over all moments of all players."""
    right, sure = (np.array([player[name] for _, player in found]).ravel() for name in ("hits", "best"))
    games = np.repeat([number for number, _ in found], len(FRACTIONS))
    return reliability(right, sure, games, Resampling(int(games.max()) + 1))


def confusion(found: Sequence[tuple[int, Row]], fraction: float, cards: int) -> Floats:
    """How often each card (column) was named for a true card (row), as shares of the row."""
    counts = np.zeros((cards, cards))
    for _, player in found:
        counts[player["card"], player["named"][place(fraction)]] += 1.0
    return np.asarray(counts / np.maximum(1.0, counts.sum(axis=1, keepdims=True)), np.float64)
