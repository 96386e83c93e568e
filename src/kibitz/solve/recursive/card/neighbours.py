"""Random games on a ring of states, the same from NumPy and from CuPy: tables for measuring sweeps."""

from typing import Any

from kibitz.solve.recursive.card.tables import Tables

CHUNK = 1 << 24
"""The entries made at a time."""


def neighbour_tables(
    xp: Any, states: int, actions: int = 3, ends: float = 0.1, reach: int = 10, seed: int = 1
) -> Tables:
    """A game whose entries are a win or a loss, each with probability *ends*, or a state at most *reach* away.

    *xp* is NumPy or CuPy.
    """
    size = states * actions * actions
    successors = xp.empty(size, "int32")
    for start in range(0, size, CHUNK):
        place = xp.arange(start, min(start + CHUNK, size), dtype="uint64")
        drawn = _hash(xp, place + xp.uint64(seed * 0x9E3779B97F4A7C15 % 2**64))
        share = (drawn >> xp.uint64(32)).astype("float64") / 2.0**32
        away = ((drawn & xp.uint64(0xFFFFFFFF)) % xp.uint64(2 * reach + 1)).astype("int64") - reach
        state = (place // xp.uint64(actions * actions)).astype("int64")
        after = xp.where(share < ends, states, xp.where(share < 2.0 * ends, states + 1, (state + away) % states))
        successors[start : start + len(place)] = after
    return Tables(
        first=xp.arange(states + 1, dtype="int32") * xp.int32(actions * actions),
        columns=xp.full(states, actions, "uint16"),
        successors=successors,
        chance_first=xp.zeros(1, "int32"),
        chance_successors=xp.zeros(0, "int32"),
        chance_odds=xp.zeros(0, "float64"),
        stage=xp.zeros(0, "float64"),
        low=xp.asarray([1.0, -1.0]),
        high=xp.asarray([1.0, -1.0]),
    )


def _hash(xp: Any, numbers: Any) -> Any:
    """Well mixed 64-bit numbers from a counter (the finaliser of Steele, Lea and Flood's SplitMix)."""
    numbers = (numbers ^ (numbers >> xp.uint64(30))) * xp.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> xp.uint64(27))) * xp.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> xp.uint64(31))
