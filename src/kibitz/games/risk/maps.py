"""Maps by name or file: the presets, and Domination's `.map` files."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from msgspec.structs import replace

from kibitz.core.errors import UnknownName
from kibitz.games.risk.board import Board
from kibitz.games.risk.domination.map_file import read_map

CLASSIC = Path(__file__).parent / "data" / "classic.map"
PRESETS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "classic83": (),
    "dom-luca82": (("East Africa", "Middle East"),),
    "dom-risk81": (("Iceland", "Scandinavia"), ("Scandinavia", "Great Britain")),
}
"""The maps that come with the game: the borders each leaves out of the classic one."""


def load(name: str) -> Board:
    """The board of a preset, or of a `.map` file."""
    path = CLASSIC if name in PRESETS else Path(name)
    if path.suffix != ".map":
        raise UnknownName("map", name, tuple(PRESETS), "(or a file of Domination, .map)")
    board = _read(path, path.stat().st_mtime_ns if path.is_file() else 0)
    return _without(board, PRESETS.get(name, ()))


@lru_cache(maxsize=16)
def _read(path: Path, changed: int) -> Board:
    """The board of a file, read again when the file has *changed*."""
    return read_map(path)


@lru_cache(maxsize=16)
def _without(board: Board, borders: tuple[tuple[str, str], ...]) -> Board:
    """A board less some borders, both ways."""
    names = [territory.name for territory in board.territories]
    left_out = {(names.index(a), names.index(b)) for one, other in borders for a, b in ((one, other), (other, one))}
    territories = tuple(
        replace(each, neighbours=tuple(to for to in each.neighbours if (place, to) not in left_out))
        for place, each in enumerate(board.territories)
    )
    return replace(board, territories=territories) if borders else board
