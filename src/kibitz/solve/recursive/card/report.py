"""Measure sweeps and proofs on a card: `python -m kibitz.solve.recursive.card.report [STATES …]`. Needs CuPy alone."""

import json
import sys
from time import perf_counter
from typing import Any

from kibitz.solve.recursive.card.bounds import prove_bounds
from kibitz.solve.recursive.card.neighbours import neighbour_tables
from kibitz.solve.recursive.card.tables import DISCOUNTED, CardOperator, CardTables, NoCard, load_cupy

LIMIT = 30.0
"""Seconds for one proof."""
SWEEPS = 20
"""How many sweeps are timed."""


def measure(cupy: Any, states: int, actions: int = 3) -> dict[str, Any]:
    """The time of a sweep and of a proof for a random game on a ring."""
    game = CardTables(neighbour_tables(cupy, states, actions))
    values, other = (game.start(game.tables.low, 0.0) for _ in range(2))
    for _ in range(10):  # to values at which most states mix
        game.sweep(values, other, CardOperator(DISCOUNTED, 1.0))
        values, other = other, values
    began = perf_counter()
    for _ in range(SWEEPS):
        game.sweep(values, other, CardOperator(DISCOUNTED, 1.0))
        values, other = other, values
    seconds = (perf_counter() - began) / SWEEPS
    began = perf_counter()
    found = prove_bounds(game, width=1e-6, out_of_time=lambda: perf_counter() - began > LIMIT)
    widths = (found.high - found.low)[: game.live]
    return {
        "states": states,
        "actions": actions,
        "sweep seconds": seconds,
        "nanoseconds per state and sweep": 1e9 * seconds / states,
        "proof seconds": perf_counter() - began,
        "proof sweeps": found.sweeps,
        "widest": float(widths.max()),
        "median width": float(cupy.median(widths)),
        "share wider than 1e-4": float((widths > 1e-4).mean()),
    }


def main(arguments: list[str]) -> int:
    try:
        cupy = load_cupy()
    except NoCard as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(json.dumps({"card": name, "CuPy": cupy.__version__}))
    for size in arguments or ["1e6", "1e8"]:
        for actions in (2, 3, 5) if float(size) <= 1e7 else (3,):
            print(json.dumps(measure(cupy, int(float(size)), actions)), flush=True)
            cupy.get_default_memory_pool().free_all_blocks()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
