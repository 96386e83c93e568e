"""A long solve's state on disk, so that one that was stopped goes on where it was."""

import time
from hashlib import blake2b
from io import BytesIO
from pathlib import Path

import msgspec
import numpy as np

from kibitz.core.errors import BadPolicy
from kibitz.core.files import check_writable, write_file
from kibitz.solve.recursive.model import Floats, RecursiveGame
from kibitz.solve.recursive.policies import read_arrays

SECONDS = 60.0
"""So often a solve that takes long is kept."""


class Stage(msgspec.Struct, frozen=True):
    """How far a solve is: proved bounds, the values to go on from, and how many discounts are done."""

    low: Floats
    high: Floats
    estimate: Floats
    rung: int


class Checkpoint:
    """A file that belongs to one game."""

    def __init__(self, path: Path | str, game: RecursiveGame) -> None:
        self.path = Path(path)
        check_writable(self.path)
        arrays = (*game.structure.arrays, game.low, game.high)
        self.saved = time.monotonic()
        self.digest = blake2b(b"".join(blake2b(array.tobytes()).digest() for array in arrays)).hexdigest()

    def save(self, stage: Stage) -> None:
        """Write the stage, whole or not at all."""
        buffer = BytesIO()
        np.savez(buffer, digest=self.digest, low=stage.low, high=stage.high, estimate=stage.estimate, rung=stage.rung)
        write_file(self.path, buffer.getvalue())
        self.saved = time.monotonic()

    def due(self) -> bool:
        """Whether it is time to write again."""
        return time.monotonic() - self.saved >= SECONDS

    def load(self) -> Stage | None:
        """The stage that was reached, or None where there is none yet; a file of another game is refused."""
        if not self.path.exists():
            return None
        try:
            kept = read_arrays(self.path.read_bytes())
            digest, stage = str(kept["digest"]), Stage(kept["low"], kept["high"], kept["estimate"], int(kept["rung"]))
        except (KeyError, OSError, ValueError):
            raise BadPolicy(self.path, "it is no checkpoint, or damaged; delete it to begin anew") from None
        if digest != self.digest:
            raise BadPolicy(self.path, "it is the checkpoint of another game; name another file or delete it")
        return stage
