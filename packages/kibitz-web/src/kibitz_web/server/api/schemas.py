"""Bodies of REST requests (structs), and the public fields of responses, read from what routes return."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from fastapi import Request
from msgspec import Meta
from pydantic import BaseModel, Field

from kibitz.core.errors import KibitzError
from kibitz.core.match import Conditions
from kibitz.core.match.options import Opening
from kibitz.core.specs import convert_value
from kibitz_lab.store.accounts import NAME

Text = Annotated[str, Meta(max_length=4000)]
Name = Annotated[str, Meta(pattern=f"^{NAME.pattern}$")]
Body = TypeVar("Body", bound=msgspec.Struct)


class NewMatch(Conditions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A match to open: its game, its seats, and its conditions."""

    game: Text
    seats: Annotated[list[Text | None], Meta(min_length=1, max_length=16)]
    """Specs of agents, or null for an open seat."""
    opening: Opening = 0
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] | None = None
    """Only for matches without open seats: a player who knows the seed knows the dice."""


class NewTournament(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tournament to play: the text of a definition file."""

    definition: Annotated[str, Meta(max_length=200_000)]
    name: Annotated[str, Meta(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""


class NewToken(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A token to make."""

    name: Name
    role: Literal["player", "operator"] = "player"


def body_reader(kind: type[Body]) -> Callable[[Request], Awaitable[Body]]:
    """A dependency that reads the body of a request."""

    async def read(request: Request) -> Body:
        try:
            given = msgspec.json.decode(await request.body())
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise KibitzError(f"body: {error}") from None
        return convert_value(given, kind, lambda found: KibitzError(str(found)), "body")

    return read


def body_schema(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """What OpenAPI says of a route with such a body."""
    _, parts = msgspec.json.schema_components([kind])
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": parts[kind.__name__]}}}}


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


class ViewInfo(BaseModel):
    """The position as a spectator sees it."""

    ply: int
    text: str
    key: Any = None
    fields: Any = None
    """The same as the key, by name; `games` of `/api/messages.json` has its type."""
    to_move: int


class RecordInfo(BaseModel):
    number: int = Field(validation_alias="index")
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
