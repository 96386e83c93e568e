"""What a search is told to do, and what it finds."""

from typing import Annotated, Literal

import msgspec

WIN = 1e7
WIN_SOONER = 1e5
"""A win is worth WIN, and WIN_SOONER more for every ply that is left of the search: sooner is better."""

Depth = Annotated[int, msgspec.Meta(ge=1, le=200)]
"""How far to look; deeper than any search gets, and small enough for its buffers."""
WinValue = Literal["mate", "features"]
Noise = Literal["root", "leaf", "none"]


class Settings(msgspec.Struct, frozen=True):
    """How to search. Every part can be switched off, to see what it is worth."""

    depth: int = 4
    prune: bool = True
    """Alpha-beta; without it plain minimax."""
    sort: bool = True
    """Children are tried in the order of their own value."""
    table: bool = True
    """Positions are remembered and answered for the same remaining depth."""
    history: bool = True
    """Moves that cut before at the same ply are tried first."""
    win_value: WinValue = "mate"
    noise_seed: int | None = None
    """Every leaf gets a hash of (state, seed) in ]-.5, .5[ on top, which breaks ties; None adds nothing."""
    margin: float = 0.0
    """Root moves this close to the best get exact values too."""
    nodes: int = 1 << 62
    """The search is given up after so many children visited."""


class SearchResult(msgspec.Struct, frozen=True):
    """What a search found. Values are the mover's; those of root moves beyond the margin are upper bounds."""

    action: int
    value: float
    line: tuple[int, ...]
    """The best play of both sides as far as it is known."""
    nodes: int
    depth: int
    values: dict[int, float]
    complete: bool = True
    """Whether the search was not given up."""
