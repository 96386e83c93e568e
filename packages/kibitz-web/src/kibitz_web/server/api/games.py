"""Games as the REST interface shows them: a line about each, and all about one."""

import msgspec

from kibitz.core.kit.about import about_game
from kibitz.core.registry import entries, find, kit_of, make_game, spec_of
from kibitz_web.server.access.policy import AllowedSpec
from kibitz_web.server.api import schemas


def game_info(name: str) -> schemas.GameInfo:
    """A game by its registered name, with its default parameters."""
    game, summary = make_game(name), entries("game")[name].summary()
    return schemas.GameInfo(
        name=name, summary=summary, players=game.players, hidden=game.hidden, zero_sum=game.zero_sum
    )


def game_details(spec: AllowedSpec) -> schemas.GameDetails:
    """All about the game that a spec names, with its parameters."""
    game = make_game(spec)
    game.new_initial_state()  # some parameters are checked here only
    about, fields = about_game(game), kit_of(game).fields
    name = spec_of(game).name
    return schemas.GameDetails(
        name=name,
        summary=find(name, "game").summary(),
        players=game.players,
        hidden=game.hidden,
        zero_sum=game.zero_sum,
        spec=repr(game),
        about=msgspec.to_builtins(about),
        board=None if fields is None else msgspec.to_builtins(fields.board(game)),
    )
