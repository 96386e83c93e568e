"""Boards by name, by file, or made to order: those that come with the game, TOML files, and `layers(…)`."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from kibitz.core.errors import BadSpec, UnknownName
from kibitz.core.registry.schemas import convert_value
from kibitz.core.registry.specs import shared_spec
from kibitz.games.trails.board import Board
from kibitz.games.trails.generator import Layers

FOLDER = Path(__file__).parent / "data"
BOARDS: Mapping[str, Path] = {path.stem: path for path in sorted(FOLDER.glob("*.toml"))}
"""The boards that come with the game, by name."""


def load(board: str) -> Board:
    """The board of that name or file, or a generated one: `layers(rows=9, cols=7, missing=[2, 4], seed=1)`."""
    if board.startswith("layers"):
        return _generate_board(board)
    path = BOARDS.get(board, Path(board))
    if path.suffix != ".toml":
        raise UnknownName("board", board, tuple(BOARDS), "(or a .toml file, or layers(rows=7, cols=5, seed=1))")
    return _read(path, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=16)
def _read(path: Path, changed: int) -> Board:
    """The board of a file, read again when the file has *changed*."""
    from kibitz.games.trails.board_file import read_board

    return read_board(path)


@lru_cache(maxsize=64)
def _generate_board(text: str) -> Board:
    """The board that a spec of the generator makes."""
    spec = shared_spec(text)
    if spec.name != "layers":
        raise UnknownName("generator of boards", spec.name, ("layers",))
    return convert_value(spec.parameters, Layers, lambda found: BadSpec(text, str(found))).board(text)
