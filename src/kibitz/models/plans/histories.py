"""Histories of a recogniser, the likeliest first: which steps of which trees led to the observations.

Equal forests are merged, so histories are paths through a graph. Its nodes are pairs of a forest and a set of waiting
goals. A forward pass finds the likeliest path to each node; a backward best-first search then extends the path with
the highest possible probability, so that paths come out in order and no more are examined than wanted.
"""

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count
from math import inf, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.models.plans.hypotheses import BackPointer
from kibitz.models.plans.recogniser import Recogniser
from kibitz.models.plans.unstarted_goals import Floats


class Tail(NamedTuple):
    """The end of a history, from an arrival on."""

    arrival: BackPointer
    later: "Tail | None"


def histories(recogniser: Recogniser) -> Iterator[tuple[float, list[BackPointer]]]:
    """Every history of the observations, with the logarithm of its probability."""
    net = Net(recogniser)
    final = len(net.arrivals) - 1
    turn = count()  # of equally likely ones the first found comes first
    waiting: list[tuple[float, int, int, int, int, float, Tail | None]] = []

    def wait(layer: int, row: int, kind: int, log_mass: float, tail: Tail | None) -> None:
        reach = log_mass + float(net.best[layer][row, kind])
        if reach > -inf:
            heappush(waiting, (-reach, next(turn), layer, row, kind, log_mass, tail))

    for row, weight in enumerate(recogniser.weights().tolist()):
        if weight > 0.0:
            wait(final, row, 0, 0.0, None)
    while waiting:
        reach, _, layer, row, kind, log_mass, tail = heappop(waiting)
        if layer == 0:
            yield -reach, back_pointers(tail)
            continue
        for arrival in net.arrivals[layer][row]:
            before, own = net.ways(arrival)
            if own[kind] > 0.0:
                wait(arrival.layer, arrival.row, int(before[kind]), log_mass + log(own[kind]), Tail(arrival, tail))


def back_pointers(tail: Tail | None) -> list[BackPointer]:
    """The arrivals of a history, the first first."""
    found = []
    while tail is not None:
        found.append(tail.arrival)
        tail = tail.later
    return found


class Net:
    """All earlier rows, the arrivals of each forest, and the likeliest path to each."""

    def __init__(self, recogniser: Recogniser) -> None:
        self.layers, self.waiting = recogniser.layers, recogniser.waiting
        self.arrivals = [*(layer.rows.arrivals for layer in self.layers), recogniser.rows.arrivals]
        self.best: list[Floats] = [np.zeros((1, len(self.waiting.kinds)))]
        """The logarithm of the probability of the likeliest path to each forest and kind, by layer."""
        for arrivals in self.arrivals[1:]:
            best = [np.max([self.likeliest_ways(each) for each in own], axis=0) for own in arrivals]
            self.best.append(np.array(best).reshape(len(arrivals), len(self.waiting.kinds)))

    def ways(self, arrival: BackPointer) -> tuple[NDArray[np.int64], Floats]:
        """For each kind after an arrival, the number of the kind before, and the weight of the arrival."""
        kinds = np.arange(len(self.waiting.kinds))
        if arrival.edge is None:
            return kinds, np.full(len(kinds), arrival.share)
        before = kinds if arrival.edge.begun is None else self.waiting.before(arrival.edge.begun)
        size = np.append(self.layers[arrival.layer].sizes[arrival.row], inf)[before]
        return before, arrival.share * arrival.edge.weight / size

    def likeliest_ways(self, arrival: BackPointer) -> Floats:
        """The likeliest path through one arrival, for each kind."""
        before, own = self.ways(arrival)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(own) + np.append(self.best[arrival.layer][arrival.row], -inf)[before])
