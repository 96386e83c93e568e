"""A saved solution as it is in its file: the tables of a game, bounds of every node, and both players' strategies."""

import zlib
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadPolicy, reason

FORMAT = "kibitz solution 1"
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
REST_NODES, RESTS = ("low_rest_nodes", "high_rest_nodes"), ("low_rest", "high_rest")
"""Amounts to add to the bounds of some nodes, further digits; a node may have several."""
ODDS = 1e-9
"""How far the odds of a chance move may be from adding up to 1."""


class SavedSolution(msgspec.Struct, frozen=True):
    """The arrays of a file, checked for shape but not for truth. Nodes are choices, then chance moves, then ends.

    Values are those of player 0 less *infinite_play*, so that play without end is worth 0; if *must_end*, it is worth
    infinitely much to player 0.
    """

    game: str
    infinite_play: float
    discount: float
    must_end: bool
    states: tuple[str, ...]
    first: Ints
    columns: Ints
    successors: Ints
    chance_first: Ints
    chance_successors: Ints
    chance_odds: Floats
    stage: Floats
    end_low: Floats
    end_high: Floats
    low: Floats
    high: Floats
    low_rest_nodes: Ints
    low_rest: Floats
    high_rest_nodes: Ints
    high_rest: Floats
    row_shares: Floats
    column_shares: Floats
    row_ranks: Ints
    row_layers: Ints
    column_ranks: Ints
    column_layers: Ints

    @property
    def choices(self) -> int:
        """How many states have a choice."""
        return len(self.columns)

    @property
    def live(self) -> int:
        """How many nodes are not ends."""
        return self.choices + len(self.chance_first) - 1

    @property
    def nodes(self) -> int:
        return self.live + len(self.end_low)

    @property
    def rows(self) -> Ints:
        """How many rows each state has."""
        return np.diff(self.first) // np.maximum(self.columns, 1)


INTEGERS, NUMBERS = (
    [name for name, kind in SavedSolution.__annotations__.items() if kind == wanted] for wanted in (Ints, Floats)
)


def read_solution(path: Path | str) -> SavedSolution:
    """Read a saved solution; raises BadPolicy if it is none or its arrays do not fit together."""
    try:
        with np.load(BytesIO(Path(path).read_bytes()), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except OSError as error:
        raise BadPolicy(path, reason(error)) from None
    except (BadZipFile, EOFError, ValueError, zlib.error, KeyError):
        raise BadPolicy(path, "it is not a saved solution, or damaged; `kibitz solve --proof` writes one") from None
    try:
        saved = _solution(arrays)
    except (KeyError, TypeError, ValueError) as error:
        raise BadPolicy(path, f"it is not a saved solution: {error}") from None
    complaint = _complaint(saved)
    if complaint is not None:
        raise BadPolicy(path, f"its arrays do not fit together: {complaint}")
    return saved


def _solution(arrays: dict[str, NDArray[np.generic]]) -> SavedSolution:
    if str(arrays["format"]) != FORMAT:
        raise ValueError(f"its format is {str(arrays['format'])!r}, not {FORMAT!r}")
    fields: dict[str, Any] = {name: _whole_numbers(name, arrays[name]) for name in INTEGERS}
    fields |= {name: np.asarray(arrays[name], np.float64) for name in NUMBERS}
    return SavedSolution(
        game=str(arrays["game"]),
        infinite_play=float(arrays["infinite_play"].item()),
        discount=float(arrays["discount"].item()),
        must_end=bool(arrays["must_end"].item()),
        states=tuple(str(name) for name in arrays["states"]),
        **fields,
    )


def _whole_numbers(name: str, array: NDArray[Any]) -> Ints:
    if len(array) and array.dtype.kind not in "iu":
        raise ValueError(f"{name} holds what are not whole numbers")
    return array.astype(np.int64)


def _complaint(saved: SavedSolution) -> str | None:
    """What does not fit; None if all does."""
    for name in (*INTEGERS, *NUMBERS):
        if getattr(saved, name).ndim != 1:
            return f"{name} must have one dimension"
    for name in ("first", "chance_first"):
        starts = getattr(saved, name)
        if not len(starts) or starts[0] != 0 or (np.diff(starts) < 1).any():
            return f"{name} does not count up from 0"
    if len(saved.first) != saved.choices + 1 or saved.first[-1] != len(saved.successors):
        return "first does not count the successors"
    if (saved.columns < 1).any() or (np.diff(saved.first) % saved.columns).any():
        return "a matrix is not rectangular"
    if saved.chance_first[-1] != len(saved.chance_successors) or len(saved.chance_odds) != len(saved.chance_successors):
        return "chance_first does not count the outcomes"
    for name in ("successors", "chance_successors"):
        nodes = getattr(saved, name)
        if len(nodes) and not (nodes.min() >= 0 and nodes.max() < saved.nodes):
            return f"{name} names nodes that do not exist"
    sizes = {"states": saved.choices, "low": saved.nodes, "high": saved.nodes, "end_high": len(saved.end_low)}
    sizes |= {name: len(getattr(saved, nodes)) for name, nodes in zip(RESTS, REST_NODES, strict=True)}
    sizes |= {"row_shares": int(saved.rows.sum()), "column_shares": int(saved.columns.sum())}
    optional = {"stage": len(saved.successors), "row_ranks": saved.nodes, "column_ranks": saved.nodes}
    optional |= {"row_layers": sizes["row_shares"], "column_layers": sizes["column_shares"]}
    for name, size in (sizes | optional).items():
        if len(getattr(saved, name)) != size and (name in sizes or len(getattr(saved, name))):
            return f"{name} has {len(getattr(saved, name))} entries, not {size}"
    for name in ("chance_odds", "stage", "end_low", "end_high", "row_shares", "column_shares", *RESTS):
        if not np.isfinite(getattr(saved, name)).all():
            return f"{name} holds what is not a number"
    if (saved.low_rest < 0.0).any() or (saved.high_rest > 0.0).any():
        return "a rest takes back what its bound says"
    for name in REST_NODES:
        nodes = getattr(saved, name)
        if len(nodes) and not (nodes.min() >= 0 and nodes.max() < saved.live):
            return f"{name} names ends, or nodes that do not exist"
    if len(set(saved.states)) < saved.choices:
        return "two states have one name"
    return _complaint_on_chance(saved) or _complaint_on_numbers(saved)


def _complaint_on_chance(saved: SavedSolution) -> str | None:
    """What is wrong with the chance moves; None if nothing is."""
    if not len(saved.chance_odds):
        return None
    sums = np.add.reduceat(saved.chance_odds, saved.chance_first[:-1])
    if (saved.chance_odds < 0.0).any() or (np.abs(sums - 1.0) > ODDS).any():
        return "the odds of a chance move are no probabilities"
    move = np.repeat(np.arange(len(sums)), np.diff(saved.chance_first))
    after = saved.chance_successors - saved.choices
    linked = (after >= 0) & (after < len(sums))
    before, after = move[linked], after[linked]
    left = np.ones(len(sums), bool)
    while True:  # moves that lead to no move that is left are dropped, until none is left or all lie on circles
        kept = np.zeros(len(sums), bool)
        kept[before[left[before] & left[after]]] = True
        if not kept.any():
            return None
        if (kept == left).all():
            return "chance moves lead to one another in circles"
        left = kept


def _complaint_on_numbers(saved: SavedSolution) -> str | None:
    """What is wrong with bounds, the discount or infinite play; None if nothing is."""
    if (saved.end_low > saved.end_high).any():
        return "the most that an end pays is below the least"
    if np.isnan(saved.low).any() or np.isnan(saved.high).any():
        return "a bound is not a number"
    if not 0.0 < saved.discount <= 1.0 or not np.isfinite(saved.infinite_play):
        return "the discount or the value of infinite play has no meaning"
    return None
