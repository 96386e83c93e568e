"""The REST interface: games, matches, records, tournaments and tokens."""

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from kibitz.core.errors import Refused
from kibitz.core.game import Game
from kibitz.core.kit.about import about_game
from kibitz.core.records import Record
from kibitz.core.registry import entries, find, house_agents, kit_of, make_game, spec_of
from kibitz.remote import messages
from kibitz_lab.store import MatchResult, Run
from kibitz_lab.store.accounts import Account
from kibitz_web.server.access.auth import Principal
from kibitz_web.server.access.cookies import session_secret
from kibitz_web.server.access.policy import AllowedSpec, allowed_spec
from kibitz_web.server.api import schemas
from kibitz_web.server.live.finished import MatchSummary, summary_of
from kibitz_web.server.live.lobby import Lobby
from kibitz_web.server.live.matches import LiveMatch
from kibitz_web.server.live.seats import Viewer, make_update
from kibitz_web.server.live.setup import allowed_setup
from kibitz_web.server.service import Service

TROUBLES: dict[int | str, dict[str, Any]] = {
    status: {"model": schemas.Problem, "description": why}
    for status, why in {
        400: "Unknown Host header.",
        401: "The token is missing or unknown.",
        403: "The caller may not do this.",
        404: "It does not exist.",
        409: "It is not possible now.",
        413: "The request is too long.",
        422: "The request is invalid.",
        429: "Too many requests.",
    }.items()
}
router = APIRouter(prefix="/api", responses=TROUBLES)
bearer = HTTPBearer(auto_error=False, description="A token, made with: kibitz token NAME")
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]


def service_of(request: Request) -> Service:
    """The service that answers this request."""
    found = request.app.state.service
    assert isinstance(found, Service)
    return found


ServiceGiven = Annotated[Service, Depends(service_of)]


async def caller(
    request: Request,
    service: ServiceGiven,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)],
) -> Principal:
    """The principal who calls: by their token, or in a browser by their session."""
    session = session_secret(request.scope)
    if credentials is None and session:
        found = await service.auth.visitor(session)
    else:
        found = await service.auth.principal(credentials.credentials if credentials else "")
    service.auth.count_request(found)
    return found


Caller = Annotated[Principal, Depends(caller)]


async def operator(given: Caller) -> Principal:
    """The caller, if they are an operator."""
    given.check_operator()
    return given


Operator = Annotated[Principal, Depends(operator)]


@router.get("/me")
async def me(given: Caller, service: ServiceGiven) -> schemas.CallerInfo:
    """Your name and role on the server."""
    return schemas.CallerInfo(name=given.name, role=given.role, guarded=service.auth.guarded)


# Games


@router.get("/games")
async def games(given: Caller, service: ServiceGiven) -> list[schemas.GameInfo]:
    """All games that can be played here."""
    return await service.lobby.compute.run_for(given.id, lambda: [game_info(name) for name in entries("game")])


@router.get("/games/{name}")
async def game(name: Annotated[str, Path(max_length=400)], given: Caller, service: ServiceGiven) -> schemas.GameDetails:
    """What a game is: its rules and notation in words, and its board; also of a spec such as `kuhn(players=2)`."""
    return await service.lobby.compute.run_for(given.id, lambda: game_details(allowed_spec(name)))


@router.get("/games/{name}/agents")
async def agents(name: Annotated[str, Path(max_length=80)], given: Caller, service: ServiceGiven) -> list[str]:
    """The agents that play a game: its own, those that play any, and the operator's."""
    own = house_agents(find(name, "game").name)
    general = [each for each in entries("agent") if "." not in each and each not in ("process", "human")]
    return [*own, *general, *service.lobby.agents]


def game_info(name: str) -> schemas.GameInfo:
    """A game by its registered name, with its default parameters."""
    return schemas.GameInfo(**public_facts(name, make_game(name)))


def game_details(spec: AllowedSpec) -> schemas.GameDetails:
    """All about the game that a spec names, with its parameters."""
    game = make_game(spec)
    game.new_initial_state()  # some parameters are checked here only
    about, fields = msgspec.to_builtins(about_game(game)), kit_of(game).fields
    board = None if fields is None else msgspec.to_builtins(fields.board(game))
    return schemas.GameDetails(**public_facts(spec_of(game).name, game), spec=repr(game), about=about, board=board)


def public_facts(name: str, game: Game) -> dict[str, Any]:
    """What the API says first of a game."""
    facts = {"players": game.players, "hidden": game.hidden, "zero_sum": game.zero_sum}
    return {"name": name, "summary": find(name, "game").summary(), **facts}


# Matches


@router.get("/matches")
async def matches(
    given: Caller, service: ServiceGiven, status: Annotated[str | None, Query(max_length=20)] = None
) -> list[MatchSummary]:
    """The lobby: matches that are waiting, running or recently finished."""
    return [match for match in service.lobby.finished.all() if status is None or match.status == status]


@router.post(
    "/matches",
    status_code=201,
    openapi_extra=schemas.body_schema(schemas.NewMatch),
)
async def open_match(
    wanted: Annotated[schemas.NewMatch, Depends(schemas.body_reader(schemas.NewMatch))],
    given: Caller,
    service: ServiceGiven,
) -> MatchSummary:
    """Open a match. It starts when all seats are taken; bots join at `/api/play`, spectators at `/api/watch`."""
    setup = await service.lobby.compute.run_for(
        given.id,
        allowed_setup,
        wanted.game,
        wanted.seats,
        agents=service.lobby.agents,
        public=tuple(seat for seat, spec in enumerate(wanted.seats) if spec is None),
        opening=wanted.opening,
        seed=wanted.seed,
        **wanted.conditions(),
    )
    return summary_of(await service.lobby.open(setup, given))


@router.get("/matches/{number}")
async def match(number: Number, given: Caller, service: ServiceGiven) -> MatchSummary:
    """One match."""
    return service.lobby.finished.find(number) or summary_of(service.lobby.find(number))


@router.get("/matches/{number}/view")
async def view(number: Number, given: Caller, service: ServiceGiven) -> schemas.ViewInfo:
    """The position as a spectator sees it; players see their own view on their sockets."""
    match = service.lobby.find(number)
    if not match.positions:
        raise Refused("the match has not begun")
    return await service.lobby.compute.run_for(given.id, view_info, match, Viewer(match, given))


@router.delete("/matches/{number}")
async def stop_match(number: Number, given: Caller, service: ServiceGiven) -> MatchSummary:
    """Stop a match, or withdraw a waiting one; only its owner, hosts and operators may."""
    match = service.lobby.find(number)
    await service.stop_match(match, given)
    return summary_of(match)


def view_info(match: LiveMatch, viewer: Viewer) -> schemas.ViewInfo:
    """The position of a match as the API shows it."""
    seen = make_update(match, viewer, len(match.events))
    shown = messages.shown_view(seen.view, match.game)
    return schemas.ViewInfo(
        ply=seen.ply,
        text=shown.text,
        key=msgspec.to_builtins(shown.key),
        fields=msgspec.to_builtins(shown.fields),
        to_move=seen.view.current_player(),
    )


# Records


@router.get("/records", response_model=list[schemas.RecordInfo])
async def records(
    given: Caller,
    service: ServiceGiven,
    after: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> list[MatchResult]:
    """The finished matches."""
    lobby = service.lobby
    return await lobby.compute.run_for(given.id, lobby.store.results, lobby.archive.run.run, after + 1, limit)


@router.get("/records/{number}")
async def record(number: Number, given: Caller, service: ServiceGiven) -> Response:
    """The full record of a finished match, with all hidden information."""

    def encode() -> bytes:
        return msgspec.json.encode({"lines": list(stored_record(service.lobby, number).lines())})

    return Response(await service.lobby.compute.run_for(given.id, encode), media_type="application/json")


@router.get("/records/{number}/file", response_class=Response)
async def record_file(number: Number, given: Caller, service: ServiceGiven) -> Response:
    """A record as the file that `kibitz replay` reads."""
    data = await service.lobby.compute.run_for(given.id, lambda: stored_record(service.lobby, number).to_bytes())
    headers = {"content-disposition": f'attachment; filename="match-{number}.krec"'}
    return Response(data, media_type="application/octet-stream", headers=headers)


def stored_record(lobby: Lobby, number: int) -> Record:
    """The record of a finished match."""
    return lobby.store.record(lobby.archive.run.run, number)


# Tournaments


@router.get("/tournaments", response_model=list[schemas.RunInfo])
async def tournaments(given: Caller, service: ServiceGiven) -> list[Run]:
    """All tournaments."""
    return await service.lobby.compute.run_for(given.id, service.tournaments.runs)


@router.post(
    "/tournaments",
    status_code=201,
    response_model=schemas.RunInfo,
    openapi_extra=schemas.body_schema(schemas.NewTournament),
)
async def start_tournament(
    wanted: Annotated[schemas.NewTournament, Depends(schemas.body_reader(schemas.NewTournament))],
    given: Operator,
    service: ServiceGiven,
) -> Run:
    """Play a tournament from its definition; the same definition resumes it."""
    return await service.tournaments.start(wanted.definition, wanted.name)


@router.get("/tournaments/{number}")
async def standings(number: Number, given: Caller, service: ServiceGiven) -> dict[str, Any]:
    """The current standings of a tournament."""
    return await service.lobby.compute.run_for(given.id, service.tournaments.standings, number)


@router.delete("/tournaments/{number}")
async def stop_tournament(number: Number, given: Operator, service: ServiceGiven) -> dict[str, Any]:
    """Stop a tournament; its finished matches stay stored."""
    await service.tournaments.stop(number)
    return await service.lobby.compute.run_for(given.id, service.tournaments.standings, number)


# Tokens


@router.get("/tokens", response_model=list[schemas.TokenInfo])
async def tokens(given: Operator, service: ServiceGiven) -> list[Account]:
    """All tokens: their owners and roles."""
    return await service.lobby.compute.run_io(service.auth.accounts.all)


@router.post("/tokens", status_code=201, openapi_extra=schemas.body_schema(schemas.NewToken))
async def make_token(
    wanted: Annotated[schemas.NewToken, Depends(schemas.body_reader(schemas.NewToken))],
    given: Operator,
    service: ServiceGiven,
) -> schemas.MadeToken:
    """Make a token. The answer shows it once; from the first token on, the server requires tokens."""
    token = await service.lobby.writer.write(service.auth.accounts.make_token, wanted.name, wanted.role)
    service.auth.guarded = True
    return schemas.MadeToken(name=wanted.name, role=wanted.role, made="", token=token)


@router.delete("/tokens/{name}", status_code=204)
async def revoke_token(name: Annotated[str, Path(max_length=80)], given: Operator, service: ServiceGiven) -> None:
    """Revoke a token."""
    await service.revoke(name)


# Messages


@router.get("/messages.json")
async def message_schema(service: ServiceGiven) -> dict[str, Any]:
    """The JSON Schema of the messages between bots and the server, and of the boards and views of each game."""
    return await service.lobby.compute.run_io(messages.schema)
