"""The parts of a game whose intervals are still wide, each as a game of its own."""

from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.solve.recursive.game.game import RecursiveGame
from kibitz.solve.recursive.game.restriction import restrict_states
from kibitz.solve.recursive.proofs.bounds import Bounds, adds_more
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
            bound, rests, here = bounds.of(player), bounds.rests[player], nodes[: game.live]
            proved = found.of(player)[: game.live]
            better = sign * proved > sign * bound[here]
            for node, rest in found.rests[player].items():
                old = rests.get(int(nodes[node]), ())
                better[node] |= proved[node] == bound[nodes[node]] and adds_more(rest, old)
            bound[here[better]] = proved[better]
            improved = np.flatnonzero(better)
            for node in improved.tolist() if rests or found.rests[player] else ():
                rests.pop(int(nodes[node]), None)
                rests.update({int(nodes[node]): found.rests[player][node]} if node in found.rests[player] else {})
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
            yield OpenPart(*restrict_states(game, np.sort(part), bounds.low, bounds.high))


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
        yield OpenPart(*restrict_states(game, np.sort(live), bounds.low, bounds.high))
