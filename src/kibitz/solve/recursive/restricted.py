"""Answers to a foretold opponent whose risk is known: restricted Nash responses, mixed with a safe strategy.

In the *restricted* game player 1 does as foretold with some probability in every state, and as he likes otherwise;
player 0's equilibrium there answers the forecast and stays on guard (Johanson, Zinkevich and Bowling 2007). What any
strategy can lose at most is worked out by its best answer in the game itself, so nothing depends on the forecast.
All of it is from player 0's side; for player 1 turn the game about with `mirrored`.
"""

import msgspec
import numpy as np

from kibitz.solve.recursive.chains import held_values, mixes_at
from kibitz.solve.recursive.iteration import discounted_values
from kibitz.solve.recursive.model import Floats, RecursiveGame, Structure
from kibitz.solve.recursive.responses import best_response
from kibitz.solve.recursive.two_sided import without_dust

SHARES = (1.0, 0.75, 0.5, 0.25)
"""How often the opponent is held to the forecast, in the restricted games that are tried."""
HALVINGS = 6
"""So often the weight of an answer that risks too much is halved in."""
ETA = 1e-6
"""Restricted games are solved at a discount of 1 less this, so that circles are left."""


class Response(msgspec.Struct, frozen=True):
    """A strategy of player 0 without memory, with what it earns from every node on."""

    shares: Floats
    """Of every action, state by state."""
    sure: Floats
    """What is proved against every opponent."""
    expected: Floats
    """Against the forecast."""


def restricted_game(game: RecursiveGame, forecast: Floats, share: float) -> RecursiveGame:
    """The game in which player 1 follows *forecast* with probability *share*, drawn anew in every state.

    Every row gets a chance move that draws its column by the forecast, and every pair one that goes there or on.
    """
    old = game.structure
    pair_source = np.repeat(np.arange(game.choices), np.diff(old.first))
    offset = np.arange(len(old.successors)) - old.first[pair_source]
    width = old.columns.astype(np.int64)[pair_source]
    row = game.mix_starts(0)[pair_source] + offset // width
    odds = forecast[game.mix_starts(1)[pair_source] + offset % width]
    rows, pairs = int(game.mix_starts(0)[-1]), len(old.successors)

    def shifted_nodes(nodes: np.ndarray) -> np.ndarray:
        return np.where(nodes >= game.live, nodes + rows + pairs, nodes)

    after = shifted_nodes(old.successors)
    row_lengths = np.bincount(row, minlength=rows)
    starts = np.cumsum(np.concatenate([old.chance_first[-1:], row_lengths, np.full(pairs, 2)]))
    stage = old.stage
    if len(stage):
        stage = (1.0 - share) * stage + share * np.bincount(row, stage * odds, minlength=rows)[row]
    structure = Structure(
        first=old.first,
        columns=old.columns,
        successors=(game.live + rows + np.arange(pairs)).astype(np.int32),
        chance_first=np.concatenate([old.chance_first[:-1], starts]).astype(np.int32),
        chance_successors=np.concatenate(
            [shifted_nodes(old.chance_successors), after, np.column_stack([after, game.live + row]).ravel()]
        ).astype(np.int32),
        chance_odds=np.concatenate([old.chance_odds, odds, np.tile([1.0 - share, share], pairs)]),
        stage=stage,
    )
    return msgspec.structs.replace(game, structure=structure)


def restricted_response(game: RecursiveGame, forecast: Floats, share: float) -> Floats:
    """Player 0's equilibrium of the restricted game."""
    restricted = restricted_game(game, forecast, share)
    values = discounted_values(restricted, 1.0 - ETA)
    mixes = mixes_at(restricted, values, np.zeros(restricted.nodes, np.uint8))[0]
    return without_dust(mixes, game.mix_starts(0))


def response_of(game: RecursiveGame, shares: Floats, forecast: Floats) -> Response:
    """What a strategy is sure of, and what it earns against the forecast."""
    return Response(shares, best_response(game, shares, 0).guaranteed, held_values(game, shares, forecast))


def safe_response(game: RecursiveGame, safe: Floats, forecast: Floats, node: int, least: float) -> Response:
    """The best answer to *forecast* from *node* on that is sure of *least* there, among those tried.

    Tried are the strategy *safe*, which is sure of that, and its mixtures with restricted Nash responses, each with as
    much weight as its risk allows.
    """
    best = response_of(game, safe, forecast)
    for share in SHARES:
        bold = response_of(game, restricted_response(game, forecast, share), forecast)
        if bold.expected[node] <= best.expected[node]:
            continue
        found = bold if bold.sure[node] >= least else _mixed_response(game, safe, bold.shares, forecast, node, least)
        if found.expected[node] > best.expected[node]:
            best = found
    return best


def _mixed_response(
    game: RecursiveGame, safe: Floats, bold: Floats, forecast: Floats, node: int, least: float
) -> Response:
    """As much of *bold* as leaves *least* for sure, the rest *safe*, the same mixture in every state."""
    weight, step, mixed = 0.0, 0.5, safe
    for _ in range(HALVINGS):
        tried = (1.0 - weight - step) * safe + (weight + step) * bold
        if best_response(game, tried, 0).guaranteed[node] >= least:
            weight, mixed = weight + step, tried
        step /= 2.0
    return response_of(game, mixed, forecast)
