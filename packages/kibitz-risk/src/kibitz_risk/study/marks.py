"""The marks of beliefs about missions, the same for every model: right or not, how sure, and how soon for good."""

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.seeds import stream
from kibitz_lab.arena.scoring.calibration import Calibration
from kibitz_lab.arena.scoring.calibration import calibration as reliability
from kibitz_lab.arena.scoring.metrics import Mark, belief_marks
from kibitz_lab.arena.scoring.resampling import Resampling
from kibitz_lab.studies.measures import Column, fractions
from kibitz_lab.studies.study import Row
from kibitz_risk.game import Risk, turn_ended
from kibitz_risk.models.training_games import FRACTIONS, Step, at_fractions, steps_of_game
from kibitz_risk.study.thesis import POINTS

Floats = NDArray[np.float64]
LEAST = 1e-6
"""The least probability in a log loss, so that one mistake does not outweigh everything."""
END, OVER = "before the last event", "when the game is over"


def player_rows(models: Mapping[str, core.Model], game: Risk, actions: Sequence[int], number: int = 0) -> Iterator[Row]:
    """A row for every model and player of the game with this *number*; the models watch it as spectators."""
    names = [game.map.mission_name(mission) for mission in game.mission_deck]
    ends: dict[str, list[Floats]] = {name: [] for name in models}
    endings: dict[str, list[Floats]] = {name: [] for name in models}
    for ply, (before, _, _, after) in enumerate(watching(models.values(), game, actions)):
        moments = [ends] * turn_ended(before, after) + [endings] * (ply >= len(actions) - 2)
        for name, model in models.items():
            for each in moments:
                beliefs = [model.belief(seat) for seat in range(game.players)]
                each[name].append(np.array([[belief.get(card, 0.0) for card in names] for belief in beliefs]))
    winner = after.mover if after.is_terminal() else None
    for name in models:
        by_turns, ending = np.array(at_fractions(ends[name])), np.array(endings[name])
        for seat, card in enumerate(after.missions):
            marks = player_marks(by_turns[:, seat], ending[:, seat], card, won=seat == winner)
            yield {"model": name, "game": number, **marks}


def watching(models: Collection[core.Model], game: Risk, actions: Sequence[int]) -> Iterator[Step]:
    """The steps of a game, each after some spectator models have seen it."""
    for model in models:
        model.begin(game, None, stream(0, "study"))
    for ply, (before, player, action, after) in enumerate(steps_of_game(game, actions)):
        seen = before.seen_action(None, player, action)
        transition = core.Transition(ply, player, (seen,), before.view(None), after.view(None))
        for model in models:
            model.observe(transition)
        yield before, player, action, after


def player_marks(by_turns: Floats, ending: Floats, card: int, *, won: bool) -> Row:
    """The marks of beliefs about a player who holds a card: the entries of the columns below.

    *by_turns* are the beliefs at FRACTIONS of the turn ends, *ending* those before and after the last event.
    """
    marks, last = marks_of_card(by_turns, card), marks_of_card(ending, card)["first"]
    hits = marks["first"]
    probability = dict(zip(FRACTIONS, marks["probability"], strict=True))
    losses = {f"log loss at {point:.0%}": -float(np.log(max(LEAST, probability[point]))) for point in (0.5, 1.0)}
    return {
        "hits": hits,
        "confidence": marks["confidence"],
        **{f"at {point:.0%}": hits[FRACTIONS.index(point)] for point in POINTS},
        END: last[0],
        OVER: last[1],
        "winners" if won else "losers": hits[-1],
        **losses,
        "on top for good after": convergence(hits),
    }


def marks_of_card(rows: Floats, card: int) -> dict[str, list[float]]:
    """The marks of beliefs about a player who holds a card, by name, as `kibitz score-models` gives them."""
    labels = [str(number) for number in range(rows.shape[1])]
    marks = belief_marks(rows, labels, [[str(card)]] * len(rows), labels, top=1)
    return dict(zip(Mark._fields, marks.T.tolist(), strict=True))


def convergence(hits: Sequence[float]) -> float:
    """The part of the game after which the true card stays on top; 1 if it never does."""
    wrong = [number for number, hit in enumerate(hits) if hit < 1.0]
    last = wrong[-1] if wrong else -1
    return 1.0 if last == len(FRACTIONS) - 1 else FRACTIONS[last + 1]


def calibration(rows: Sequence[Row]) -> Calibration:
    """The calibration: whether answers are right as often as they are sure, over all moments of all players."""
    right, sure = (np.array([row[name] for row in rows]).ravel() for name in ("hits", "confidence"))
    games = np.repeat([row["game"] for row in rows], len(FRACTIONS))
    return reliability(right, sure, games, Resampling(int(games.max()) + 1))


NAMED = tuple(f"at {point:.0%}" for point in POINTS)
SURE = (
    Column(name="log loss at 50%", block="game"),
    Column(name="log loss at 100%", block="game"),
    Column(name="calibration error", of=lambda rows: calibration(rows).error),
    Column(name="if calibrated", of=lambda rows: calibration(rows).floor),
    *fractions("on top for good after", block="game"),
)
ABOUT_SURE = (
    "Log losses are those of the true card, in nats. The calibration error is over all moments; *if calibrated* is the "
    "error that chance alone would give a calibrated model on as many games. The last column is the part of the game "
    "after which the true card stays on top."
)
