"""Bodies of REST requests and responses; the OpenAPI schema is generated from them."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from kibitz.store.accounts import NAME

Text = Annotated[str, Field(min_length=1, max_length=4000)]
Name = Annotated[str, Field(pattern=f"^{NAME.pattern}$")]
Seconds = Annotated[float, Field(gt=0, le=86_400)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]


class RequestBody(BaseModel):
    """A request's body: unknown fields are errors, and types are not converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NewMatch(RequestBody):
    """A match to open: its game and its seats."""

    game: Text
    seats: Annotated[list[Annotated[str, Field(max_length=4000)] | None], Field(min_length=1, max_length=16)]
    """Specs of agents, or null for an open seat."""
    move_time: Seconds | None = None
    game_time: Seconds | None = None
    max_plies: Count | None = None
    strikes: Annotated[int, Field(ge=1, le=100)] = 3
    opening: Annotated[int, Field(ge=0, le=10_000)] = 0
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] | None = None
    """Only for matches without open seats: a player who knows the seed knows the dice."""


class NewTournament(RequestBody):
    """A tournament to play: the text of a definition file."""

    definition: Annotated[str, Field(min_length=1, max_length=200_000)]
    name: Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""


class NewToken(RequestBody):
    """A token to make."""

    name: Name
    role: Literal["player", "operator"] = "player"


class Problem(BaseModel):
    """The reason for an error."""

    error: str


class GameInfo(BaseModel):
    name: str
    summary: str
    players: int
    hidden: bool
    zero_sum: bool


class GameDetails(GameInfo):
    """All about a game with its parameters."""

    spec: str
    about: dict[str, Any] | None = None
    """What the game is, in words: title, goal, rules, players, actions, phases, secret, labels, strategies."""
    board: dict[str, Any] | None = None
    """What never changes in a match, by name; `games` of `/api/messages.json` has its type."""


class SeatInfo(BaseModel):
    player: int
    name: str | None
    """Name or spec of the player; null if the seat is open."""
    guest: bool


class MatchInfo(BaseModel):
    """The public information about a match."""

    number: int
    game: str
    status: str
    seats: list[SeatInfo]
    plies: int
    returns: list[float] | None = None
    failure: str = ""
    preparing: str = ""
    """What the match waits for before it begins or goes on, such as kernels that are compiled; empty otherwise."""


class ViewInfo(BaseModel):
    """The position as a spectator sees it."""

    ply: int
    text: str
    key: Any = None
    fields: Any = None
    """The same as the key, by name; `games` of `/api/messages.json` has its type."""
    to_move: int


class RecordInfo(BaseModel):
    number: int
    game: str
    names: list[str]
    returns: list[float]
    reason: str
    plies: int


class RunInfo(BaseModel):
    run: int
    name: str
    planned: int
    stored: int
    finished: str | None


class TokenInfo(BaseModel):
    name: str
    role: str
    made: str


class MadeToken(TokenInfo):
    token: str
    """Shown only this once."""


class CallerInfo(BaseModel):
    name: str
    role: str
    guarded: bool
    """Whether the server requires tokens."""
