"""Solutions with their proofs in files, for `kibitz verify`: tables, bounds, strategies, layers of limit-sure states.

[The arrays](../../../docs/reference/policy-tables.md) are plain numbers, so that other programs can check them, too.
"""

from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadPolicy
from kibitz.core.files import write_file
from kibitz_solve.recursive.building.policies import state_name
from kibitz_solve.recursive.proofs.bounds import Rests
from kibitz_solve.recursive.proofs.solution import Solution
from kibitz_solve.verification.checks import Side
from kibitz_solve.verification.solution_file import FORMAT, read_solution

SUFFIX = ".npz"
LOOSENINGS = 12
"""How often bounds are loosened, each time by twice as many last digits."""
NONE = np.empty(0, np.int32)
Ints = NDArray[np.integer[Any]]


def check_proof_name(path: Path | str) -> None:
    """Raise BadPolicy if a file name has another suffix than proofs have."""
    if Path(path).suffix != SUFFIX:
        raise BadPolicy(path, f"the name of a proof ends in {SUFFIX}")


def save_solution(solution: Solution, path: Path | str, *, game: str = "", must_end: bool = False) -> None:
    """Write a solution with its proof. *game* is a spec if the tables are those of a registered game as it is.

    *must_end*: play without end is worth infinitely much to player 0.
    """
    check_proof_name(path)
    table = solution.game
    arrays: dict[str, NDArray[Any]] = {
        "format": np.array(FORMAT),
        "game": np.array(game),
        "infinite_play": np.array(table.infinite_play),
        "discount": np.array(solution.discount),
        "must_end": np.array(must_end),
        "states": np.array([state_name(table.states.name(node)) for node in range(table.choices)], dtype=np.str_),
        **msgspec.structs.asdict(table.structure),
        "end_low": table.low,
        "end_high": table.high,
        "low": solution.low,
        "high": solution.high,
        **_rest_arrays("low", solution.rests[0]),
        **_rest_arrays("high", solution.rests[1]),
    }
    for player, (side, layered) in enumerate(zip(("row", "column"), solution.limit_sure, strict=True)):
        arrays[f"{side}_shares"] = solution.policy(player).shares
        arrays[f"{side}_ranks"] = NONE if layered is None else layered.ranks
        arrays[f"{side}_layers"] = NONE if layered is None else layered.layers
    write_file(path, _packed_arrays(arrays))
    _loosen_rounded_bounds(arrays, path)


def _rest_arrays(name: str, rests: Rests) -> dict[str, NDArray[Any]]:
    """Further digits of bounds: one entry for every double."""
    listed = [(node, each) for node, rest in sorted(rests.items()) for each in rest]
    nodes, amounts = np.array([node for node, _ in listed], np.int64), np.array([each for _, each in listed], float)
    return {f"{name}_rest_nodes": nodes, f"{name}_rest": amounts}


def _packed_arrays(arrays: dict[str, NDArray[Any]]) -> bytes:
    buffer = BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def _loosen_rounded_bounds(arrays: dict[str, NDArray[Any]], path: Path | str) -> None:
    """Write the file again with bounds loosened by some last digits if rounding is all that spoils their proof."""
    step = 1.0
    for _ in range(LOOSENINGS):
        saved = read_solution(path)
        changed = False
        for player, (name, away) in enumerate((("low", -1.0), ("high", 1.0))):
            side = Side(saved, player)
            falling = np.flatnonzero(side.falling_nodes(*side.drifts()))
            if len(falling) and not side.exceeded.any():
                bound = arrays[name] = arrays[name].copy()
                bound[falling] += away * step * np.spacing(np.abs(bound[falling]))
                changed = True
        if not changed:
            return
        write_file(path, _packed_arrays(arrays))
        step *= 2.0
