"""The parts of a game whose intervals are still wide, each as a game of its own."""

from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.solve.recursive.game.game import RecursiveGame, Structure
from kibitz.solve.recursive.proofs.bounds import Bounds
from kibitz.solve.recursive.values.chains import entries_of_rows

Ints = NDArray[np.int64]


class OpenPart(msgspec.Struct, frozen=True):
    """A game of some states of another; the nodes that play leads to from there are its ends, with their bounds."""

    game: RecursiveGame
    nodes: Ints
    """The node in the whole game of every node of the part."""

    def improve(self, bounds: Bounds, found: Bounds) -> None:
        """Take over the bounds found for the part."""
        whole, live = bounds.game, self.nodes[: self.game.live]
        for player in (0, 1):
            proved, tails = bounds.of(player).copy(), bounds.tails[player].copy()
            proved[live], tails[live] = found.of(player)[: self.game.live], found.tails[player][: self.game.live]
            mixes = bounds.mixes[player].copy()
            mixes[_shares_of(whole, player, self.nodes[: self.game.choices])] = found.mixes[player]
            bounds.improve(player, proved, mixes, tails)


def open_parts(game: RecursiveGame, bounds: Bounds, width: float) -> Iterator[OpenPart]:
    """The parts that are connected by wide intervals, the smallest first."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    structure = game.structure
    wide = bounds.widths() > width
    states = np.flatnonzero(wide[: game.choices])
    moves = game.choices + np.flatnonzero(wide[game.choices :])
    source, entry = entries_of_rows(structure.first, states)
    mover, outcome = entries_of_rows(structure.chance_first, moves - game.choices)
    before = np.concatenate([states[source], moves[mover]])
    after = np.concatenate([structure.successors[entry], structure.chance_successors[outcome]])
    inner = after < game.live
    inner[inner] = wide[after[inner]]
    links = csr_array((np.ones(inner.sum(), bool), (before[inner], after[inner])), shape=(game.live, game.live))
    labels = connected_components(links, directed=False)[1]
    found = np.concatenate([states, moves])
    order = np.argsort(labels[found], kind="stable")
    parts = np.split(found[order], np.flatnonzero(np.diff(labels[found][order])) + 1)
    for part in sorted(parts, key=len):
        if len(part):
            yield _open_part(game, bounds, np.sort(part))


def _open_part(game: RecursiveGame, bounds: Bounds, live: Ints) -> OpenPart:
    """The game of the live nodes given."""
    structure = game.structure
    states, moves = live[live < game.choices], live[live >= game.choices] - game.choices
    source, entry = entries_of_rows(structure.first, states)
    mover, outcome = entries_of_rows(structure.chance_first, moves)
    after = np.concatenate([structure.successors[entry], structure.chance_successors[outcome]]).astype(np.int64)
    ends = np.setdiff1d(after, live)
    nodes = np.concatenate([live, ends])
    place = np.full(game.nodes, -1, np.int32)
    place[nodes] = np.arange(len(nodes))
    part = Structure(
        first=np.concatenate([[0], np.cumsum(np.bincount(source, minlength=len(states)))]).astype(np.int32),
        columns=structure.columns[states],
        successors=place[structure.successors[entry]],
        chance_first=np.concatenate([[0], np.cumsum(np.bincount(mover, minlength=len(moves)))]).astype(np.int32),
        chance_successors=place[structure.chance_successors[outcome]],
        chance_odds=structure.chance_odds[outcome],
        stage=structure.stage[entry] if len(structure.stage) else structure.stage,
    )
    return OpenPart(RecursiveGame(part, bounds.low[ends], bounds.high[ends], game.states), nodes)


def _shares_of(game: RecursiveGame, player: int, states: Ints) -> Ints:
    """The indices of the states' shares in a player's strategy."""
    return entries_of_rows(game.mix_starts(player).astype(np.int32), states)[1]
