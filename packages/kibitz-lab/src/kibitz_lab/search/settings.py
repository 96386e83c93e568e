"""The settings of a search, and its result."""

from typing import Annotated, Literal

import msgspec

WIN = 1e7
WIN_SOONER = 1e5
"""A win is worth WIN, plus WIN_SOONER for every ply that is left of the search: sooner is better."""

Depth = Annotated[int, msgspec.Meta(ge=1, le=200)]
"""The largest depth: deeper than any search gets, and small enough for its buffers."""
WinValue = Literal["mate", "features"]
Noise = Literal["root", "leaf", "none"]


class Settings(msgspec.Struct, frozen=True):
    """How to search. You can switch off every part, to see what it is worth."""

    depth: int = 4
    prune: bool = True
    """Alpha-beta; without it plain minimax."""
    sort: bool = True
    """Visit children in the order of their own value."""
    table: bool = True
    """Use a transposition table, for the same remaining depth."""
    history: bool = True
    """Visit moves that cut before at the same ply first."""
    win_value: WinValue = "mate"
    noise_seed: int | None = None
    """Every leaf gets a hash of (state, seed) in ]-.5, .5[ on top, which breaks ties; None adds nothing."""
    margin: float = 0.0
    """Root moves this close to the best get exact values too."""
    nodes: int = 1 << 62
    """The search gives up after this many children visited."""


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
    """Whether the search finished."""


class ModelSearchResult(SearchResult, frozen=True):
    """What a search with a model found. `nodes` counts everything, the model's own searches included."""

    model_nodes: int = 0
    """Those of the nodes visited by the model's searches, since the last move too."""
    predicted: int = 0
    """Nodes of the tree at which the model was asked."""
    named: int = 0
    """Children of those that were considered likely, in an asymmetric tree."""
    fallback: str = ""
    """Why the model was not used, if it failed."""
