"""Checkpoints of long solves on disk, so that a stopped solve can resume."""

import time
from hashlib import blake2b
from io import BytesIO
from pathlib import Path

import msgspec
import numpy as np

from kibitz.core.errors import BadPolicy
from kibitz.core.files import check_writable, write_file
from kibitz.solve.recursive.game.game import Floats, RecursiveGame
from kibitz.solve.recursive.game.policies import read_arrays

SECONDS = 60.0
"""How often a long solve writes its checkpoint."""


class Stage(msgspec.Struct, frozen=True):
    """The progress of a solve: proved bounds, the current values, and how many discounts are done."""

    low: Floats
    high: Floats
    estimate: Floats
    rung: int


class Checkpoint:
    """A checkpoint file, which belongs to one game."""

    def __init__(self, path: Path | str, game: RecursiveGame) -> None:
        self.path = Path(path)
        check_writable(self.path)
        arrays = (*game.structure.arrays, game.low, game.high)
        self.saved = time.monotonic()
        self.digest = blake2b(b"".join(blake2b(array.tobytes()).digest() for array in arrays)).hexdigest()

    def save(self, stage: Stage) -> None:
        """Write the stage atomically."""
        buffer = BytesIO()
        np.savez(buffer, digest=self.digest, low=stage.low, high=stage.high, estimate=stage.estimate, rung=stage.rung)
        write_file(self.path, buffer.getvalue())
        self.saved = time.monotonic()

    def due(self) -> bool:
        """Whether it is time to write again."""
        return time.monotonic() - self.saved >= SECONDS

    def load(self) -> Stage | None:
        """The stage reached, or None if there is no file yet; a file of another game is refused."""
        if not self.path.exists():
            return None
        try:
            kept = read_arrays(self.path.read_bytes())
            digest, stage = str(kept["digest"]), Stage(kept["low"], kept["high"], kept["estimate"], int(kept["rung"]))
        except (KeyError, OSError, ValueError):
            raise BadPolicy(self.path, "it is not a checkpoint, or it is damaged; delete it to start again") from None
        if digest != self.digest:
            raise BadPolicy(self.path, "it is the checkpoint of another game; name another file or delete it")
        return stage
