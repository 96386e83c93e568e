"""The graphs of cops and robber: the neighbours of every place, and the distances between places."""

from functools import lru_cache
from typing import Literal, TypeAlias

Shape: TypeAlias = Literal["path", "cycle", "grid", "petersen"]
Ways: TypeAlias = tuple[tuple[int, ...], ...]
"""The neighbours of every place, sorted."""


@lru_cache(maxsize=32)
def ways(shape: Shape, size: int) -> Ways:
    """The graph of a shape: *size* places in a row or a ring, *size* rows of as many, or Petersen's graph."""
    if shape == "petersen":
        edges = [(n, (n + 1) % 5) for n in range(5)] + [(n, n + 5) for n in range(5)]
        return graph_of_edges(10, edges + [(n + 5, (n + 2) % 5 + 5) for n in range(5)])
    if shape == "grid":
        across = [(n, n + 1) for n in range(size * size) if (n + 1) % size]
        return graph_of_edges(size * size, across + [(n, n + size) for n in range(size * (size - 1))])
    row = [(n, n + 1) for n in range(size - 1)]
    return graph_of_edges(size, row if shape == "path" or size < 3 else [*row, (size - 1, 0)])


def graph_of_edges(places: int, edges: list[tuple[int, int]]) -> Ways:
    """A graph by its edges."""
    near: list[set[int]] = [set() for _ in range(places)]
    for one, other in edges:
        near[one].add(other)
        near[other].add(one)
    return tuple(tuple(sorted(each)) for each in near)


@lru_cache(maxsize=32)
def distances(graph: Ways) -> tuple[tuple[int, ...], ...]:
    """The number of steps from every place to every other."""
    return tuple(_distances_from(graph, place) for place in range(len(graph)))


def _distances_from(graph: Ways, origin: int) -> tuple[int, ...]:
    found, edge = {origin: 0}, [origin]
    while edge:
        edge = [to for to in dict.fromkeys(to for place in edge for to in graph[place]) if to not in found]
        found.update(dict.fromkeys(edge, max(found.values()) + 1))
    return tuple(found[place] for place in range(len(graph)))
