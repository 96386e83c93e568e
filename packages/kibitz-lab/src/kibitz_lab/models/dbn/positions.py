"""The training data of `dbn`: the scores of every position of recorded games."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from kibitz import core
from kibitz.core.errors import Unsupported
from kibitz.core.records import Record
from kibitz.core.records.replay import replaying
from kibitz.core.registry import kit_of, make_game
from kibitz_lab.learn.discretisation import Discretisation, discretise_scores
from kibitz_lab.learn.slices import MISSING, Floats, Ints, Rows, row_starts

ScoresOf = Callable[[core.State], Floats]


class Positions(NamedTuple):
    """A game as numbers: the scores before the first move and after each, who moved, and each player's strategy."""

    scores: Floats
    movers: tuple[int, ...]
    strategies: tuple[str, ...]
    unchosen: tuple[int, ...] = ()
    """The numbers of the moves that nobody chose, from 0; they are no rows."""


def scores_of(game: core.Game, who: object = "dbn") -> tuple[tuple[str, ...], ScoresOf]:
    """The names of a game's features and the function that computes them."""
    features = kit_of(game).features
    if features is None or not features.names:
        raise Unsupported(who, game, "the game offers no features of its positions")
    return features.names, lambda state: np.array(features.scores(state), np.float64)


def positions_of(record: Record, game: core.Game | None = None) -> Positions:
    """The positions of a record; *game* is needed for one that is not registered."""
    scores: list[Floats] = []
    movers: list[int] = []
    unchosen: list[int] = []
    rules = make_game(record.header.game) if game is None else game
    find = scores_of(rules)[1]
    for moment in replaying(record, game=rules):
        scores.append(find(moment.state))
        if moment.event is not None:
            if moment.event.chosen and not any(moment.event.chosen):
                unchosen.append(len(movers))
            movers.append(moment.event.player)
    return Positions(np.array(scores), tuple(movers), strategies_of(record), tuple(unchosen))


def strategies_of(record: Record) -> tuple[str, ...]:
    """Each player's strategy, by the record's truths."""
    truths = record.header.truths or [{} for _ in record.header.agents]
    pairs = zip(truths, record.header.agents, strict=True)
    return tuple(str(truth.get("strategy", agent)) for truth, agent in pairs)


def rows_of(
    played: Sequence[Positions],
    player: int,
    strategies: Sequence[str],
    features: Sequence[Discretisation],
    *,
    lag: int = 2,
    scope: str = "row",
    colours: str = "one",
    supervised: bool = False,
) -> tuple[Rows, Ints]:
    """One row per chosen move of all games, with *player*'s strategy latent, and where each game begins and ends.

    Positions before the first one count as equal to it, and those before one that nobody chose as equal to that.
    """
    before, after, own, layer, latent, lengths = [], [], [], [], [], [0]
    for game in played:
        states = discretise_scores(game.scores, features)
        earlier, later = chosen_rows(game, lag)
        moves = len(later)
        before.append(states[earlier])
        after.append(states[later])
        own.append(np.full(moves, strategies.index(game.strategies[1 - player])))
        layer.append((np.array(game.movers)[later - 1] == player) & (colours == "each"))
        latent.append(np.full(moves, strategies.index(game.strategies[player]) if supervised else MISSING))
        lengths.append(moves)
    starts = np.cumsum(np.array(lengths, np.int64))
    parts = [np.concatenate(part).astype(np.int64) for part in (before, after, own, layer, latent)]
    groups = starts if scope == "game" else row_starts(int(starts[-1]))
    return Rows(parts[0], parts[1], parts[2], parts[3], parts[4], groups), starts


def chosen_rows(game: Positions, lag: int) -> tuple[Ints, Ints]:
    """For every chosen move, the number of the position that is its past, and of the one that it led to."""
    moves = np.arange(len(game.movers), dtype=np.int64)
    unchosen = np.array(game.unchosen, np.int64)
    start = np.zeros_like(moves)
    start[unchosen] = unchosen + 1
    earlier = np.maximum(moves + 1 - lag, np.maximum.accumulate(start))
    chosen = np.setdiff1d(moves, unchosen)
    return earlier[chosen], chosen + 1
