"""Scores for beliefs about missions, the same for every model: right or not, how sure, and how soon for good."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from kibitz.arena.scoring.calibration import Calibration
from kibitz.arena.scoring.calibration import calibration as reliability
from kibitz.arena.scoring.metrics import Mark, belief_marks
from kibitz.arena.scoring.resampling import Resampling
from kibitz.arena.statistics import Estimate
from kibitz.games.risk.models.training_games import FRACTIONS
from kibitz.studies.measures import Column
from kibitz.studies.risk.games import Beliefs
from kibitz.studies.risk.thesis import POINTS
from kibitz.studies.study import Row

Floats = NDArray[np.float64]
LEAST = 1e-6
"""The least probability in a log loss, so that one mistake does not outweigh everything."""
FRACTION = (0.0, 1.0)
END, OVER = "before the last event", "when the game is over"


def mark_game(beliefs: Beliefs, missions: Sequence[int], winner: int | None) -> Row:
    """The scores of a game: beliefs against the true cards."""
    players = []
    for player, card in enumerate(missions):
        rows = beliefs.by_turns[:, player]
        marks = marks_of_card(rows, card)
        players.append(
            {
                "won": player == winner,
                "hits": marks["first"],
                "end_hits": marks_of_card(beliefs.at_ending[:, player], card)["first"],
                "shares": marks["probability"],
                "best": marks["confidence"],
            }
        )
    return {"players": players}


def marks_of_card(rows: Floats, card: int) -> dict[str, list[float]]:
    """The marks of beliefs about a player who holds a card, by name, as `kibitz score-models` gives them."""
    labels = [str(number) for number in range(rows.shape[1])]
    marks = belief_marks(rows, labels, [[str(card)]] * len(rows), labels, top=1)
    return dict(zip(Mark._fields, marks.T.tolist(), strict=True))


def place(fraction: float) -> int:
    """The index of a fraction of the game in all lists."""
    return FRACTIONS.index(fraction)


def player_rows(games: Iterable[Row], **levels: str) -> Iterator[Row]:
    """A row for every player of every game, with the levels and the entries of the columns below."""
    for number, game in enumerate(games):
        for seat, player in enumerate(game["players"]):
            hits = player["hits"]
            end = hits[place(1.0)]
            yield {
                **levels,
                **player,
                "game": number,
                "pair": f"{number} {seat}",
                **{f"at {point:.0%}": hits[place(point)] for point in POINTS},
                END: player["end_hits"][0],
                OVER: player["end_hits"][1],
                "winners" if player["won"] else "losers": end,
                **{f"log loss at {point:.0%}": log_loss(player, point) for point in (0.5, 1.0)},
                "on top for good after": convergence(player),
            }


def log_loss(player: Row, fraction: float) -> float:
    """The log loss of the true card, in nats."""
    return -float(np.log(max(LEAST, player["shares"][place(fraction)])))


def convergence(player: Row) -> float:
    """The part of the game after which the true card stays on top; 1 if it never does."""
    wrong = [number for number, hit in enumerate(player["hits"]) if hit < 1.0]
    last = wrong[-1] if wrong else -1
    return 1.0 if last == len(FRACTIONS) - 1 else FRACTIONS[last + 1]


def calibration(rows: Sequence[Row]) -> Calibration:
    """The calibration: whether answers are right as often as they are sure, over all moments of all players."""
    right, sure = (np.array([row[name] for row in rows]).ravel() for name in ("hits", "best"))
    games = np.repeat([row["game"] for row in rows], len(FRACTIONS))
    return reliability(right, sure, games, Resampling(int(games.max()) + 1))


def calibration_error(rows: Sequence[Row]) -> Estimate | None:
    """The calibration error."""
    return calibration(rows).error


def calibration_floor(rows: Sequence[Row]) -> float | None:
    """The calibration error that chance alone would give a calibrated model on as many games."""
    return calibration(rows).floor


def hit_columns(*names: str) -> tuple[Column, ...]:
    """Columns with the fraction of players whose card is named; the players of a game are a block."""
    return tuple(Column(name=name, block="game", bounds=FRACTION) for name in names)


NAMED = tuple(f"at {point:.0%}" for point in POINTS)
SURE = (
    Column(name="log loss at 50%", block="game"),
    Column(name="log loss at 100%", block="game"),
    Column(name="calibration error", of=calibration_error),
    Column(name="if calibrated", of=calibration_floor),
    Column(name="on top for good after", block="game", bounds=FRACTION),
)
ABOUT_SURE = (
    "Log losses are those of the true card, in nats. The calibration error is over all moments; *if calibrated* is the "
    "error that chance alone would give a calibrated model on as many games. The last column is the part of the game "
    "after which the true card stays on top."
)
