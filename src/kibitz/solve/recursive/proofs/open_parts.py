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
        game, nodes = self.game, self.nodes
        for player, sign in ((0, 1.0), (1, -1.0)):
            bound, tails = bounds.of(player), bounds.tails[player]
            proved, more = found.of(player)[: game.live], found.tails[player][: game.live]
            here = nodes[: game.live]
            better = sign * proved > sign * bound[here]
            better |= (proved == bound[here]) & (np.abs(more) > np.abs(tails[here]))
            changed = better & (more != tails[here])  # most tails stay 0, and take no memory as long as none is written
            bound[here[better]], tails[here[changed]] = proved[better], more[changed]
            improved = np.flatnonzero(better)
            for node in improved if bounds.rests[player] or found.rests[player] else ():
                rest = found.rests[player].get(int(node), ())
                bounds.rests[player].pop(int(nodes[node]), None)
                bounds.rests[player].update({int(nodes[node]): rest} if rest else {})
            states = improved[improved < game.choices]
            full = np.zeros(game.mix_starts(player)[-1])
            found.mixes[player].write(full, game.mix_starts(player))
            has_mix = found.mixes[player].marks[states]
            bounds.mixes[player].forget(nodes[states[~has_mix]])
            states = states[has_mix]
            bounds.mixes[player].store(nodes[states], full, game.mix_starts(player), states)


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
    found = np.concatenate([states, moves])
    links = csr_array(
        (np.ones(inner.sum(), bool), (np.searchsorted(found, before[inner]), np.searchsorted(found, after[inner]))),
        shape=(len(found), len(found)),
    )
    labels = connected_components(links, directed=False)[1]
    order = np.argsort(labels, kind="stable")
    parts = np.split(found[order], np.flatnonzero(np.diff(labels[order])) + 1)
    for part in sorted(parts, key=len):
        if len(part):
            yield _open_part(game, bounds, np.sort(part))


def chunks(game: RecursiveGame, bounds: Bounds, width: float, size: int, offset: int) -> Iterator[OpenPart]:
    """Parts of about so many states with wide intervals, in the order of their numbers: neighbours are often near."""
    wide = np.flatnonzero(bounds.widths()[: game.choices] > width)
    structure = game.structure
    for start in range(-offset, len(wide), size):
        live = wide[max(start, 0) : start + size].astype(np.int64)
        if not len(live):
            continue
        after = structure.successors[entries_of_rows(structure.first, live)[1]]
        while True:  # the chance moves that play may meet
            moves = np.setdiff1d(after[(after >= game.choices) & (after < game.live)], live).astype(np.int64)
            if not len(moves):
                break
            live = np.concatenate([live, moves])
            after = structure.chance_successors[entries_of_rows(structure.chance_first, moves - game.choices)[1]]
        yield _open_part(game, bounds, np.sort(live))


def _open_part(game: RecursiveGame, bounds: Bounds, live: Ints) -> OpenPart:
    """The game of the live nodes given."""
    structure = game.structure
    states, moves = live[live < game.choices], live[live >= game.choices] - game.choices
    source, entry = entries_of_rows(structure.first, states)
    mover, outcome = entries_of_rows(structure.chance_first, moves)
    after = np.concatenate([structure.successors[entry], structure.chance_successors[outcome]]).astype(np.int64)
    ends = np.setdiff1d(after, live)
    nodes = np.concatenate([live, ends])
    order = np.argsort(nodes)

    def place_of(found: NDArray[np.int32]) -> NDArray[np.int32]:
        return order[np.searchsorted(nodes, found, sorter=order)].astype(np.int32)

    part = Structure(
        first=np.concatenate([[0], np.cumsum(np.bincount(source, minlength=len(states)))]).astype(np.int32),
        columns=structure.columns[states],
        successors=place_of(structure.successors[entry]),
        chance_first=np.concatenate([[0], np.cumsum(np.bincount(mover, minlength=len(moves)))]).astype(np.int32),
        chance_successors=place_of(structure.chance_successors[outcome]),
        chance_odds=structure.chance_odds[outcome],
        stage=structure.stage[entry] if len(structure.stage) else structure.stage,
    )
    return OpenPart(RecursiveGame(part, bounds.low[ends], bounds.high[ends], game.states), nodes)
