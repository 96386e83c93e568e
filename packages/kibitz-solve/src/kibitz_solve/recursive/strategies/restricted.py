"""Responses of known risk to a predicted opponent: restricted Nash responses, mixed with a safe strategy.

In the *restricted* game player 1 follows the forecast with some probability in every state, and chooses freely
otherwise; player 0's equilibrium there exploits the forecast and stays on guard (Johanson, Zinkevich and Bowling 2007).
The most that a strategy can lose comes from its best response in the game itself, so it does not depend on the
forecast. All of this is from player 0's side; for player 1, exchange the players with `mirrored`.
"""

import msgspec
import numpy as np

from kibitz_solve.recursive.building.recursive_game import Floats, RecursiveGame, Structure
from kibitz_solve.recursive.building.restriction import action_indices
from kibitz_solve.recursive.proofs.responses import best_response
from kibitz_solve.recursive.values.chains import mixes_at, policy_values, without_dust
from kibitz_solve.recursive.values.iteration import discounted_values

SHARES = (1.0, 0.75, 0.5, 0.25)
"""The probabilities of following the forecast, in the restricted games to try."""
HALVINGS = 6
"""Bisection steps for the weight of a response that risks too much."""
ETA = 1e-6
"""Restricted games are solved with a discount of 1 less this, so that play leaves cycles."""


class Response(msgspec.Struct, frozen=True):
    """A memoryless strategy of player 0, with its payoffs from every node."""

    shares: Floats
    """The share of every action, state by state."""
    sure: Floats
    """The proved payoff against every opponent."""
    expected: Floats
    """The payoff against the forecast."""


def restricted_game(game: RecursiveGame, forecast: Floats, share: float) -> RecursiveGame:
    """The game in which player 1 follows *forecast* with probability *share*, drawn again in every state.

    Every row gets a chance move that draws its column by the forecast, and every pair one that goes there or on.
    """
    old = game.structure
    row, column = action_indices(game)
    odds = forecast[column]
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
    """What a strategy guarantees, and what it earns against the forecast."""
    return Response(shares, best_response(game, shares, 0).guaranteed, policy_values(game, shares, forecast))


def safe_response(game: RecursiveGame, safe: Floats, forecast: Floats, node: int, least: float) -> Response:
    """The best response to *forecast* from *node* on that guarantees *least* there, among those tried.

    It tries the strategy *safe*, which guarantees that, and its mixtures with restricted Nash responses, each with as
    much weight as its risk allows.
    """
    best = response_of(game, safe, forecast)
    for share in SHARES:
        bold = response_of(game, restricted_response(game, forecast, share), forecast)
        if bold.expected[node] <= best.expected[node]:
            continue
        if bold.sure[node] < least:
            bold = _mixed_response(game, safe, bold.shares, forecast, node, least)
        if bold.expected[node] > best.expected[node]:
            best = bold
    return best


def _mixed_response(
    game: RecursiveGame, safe: Floats, bold: Floats, forecast: Floats, node: int, least: float
) -> Response:
    """As much of *bold* as still guarantees *least*, the rest *safe*, in the same mixture in every state."""
    weight, step, mixed = 0.0, 0.5, safe
    for _ in range(HALVINGS):
        tried = (1.0 - weight - step) * safe + (weight + step) * bold
        if best_response(game, tried, 0).guaranteed[node] >= least:
            weight, mixed = weight + step, tried
        step /= 2.0
    return response_of(game, mixed, forecast)
