"""Which agents and models fit a game; needed to offer a choice of them, or to correct an unknown name."""

from kibitz.core.errors import KibitzError
from kibitz.core.game import Game
from kibitz.core.match.watchers import Watchers
from kibitz.core.registry.factory import make_agent, make_game
from kibitz.core.registry.registry import (
    Kind,
    bridged_entries,
    candidates,
    entries,
    house_names,
    spec_of,
)


def fitting_names(kind: Kind, game: Game) -> list[str]:
    """The agents or models that can take part in *game*: its own, general ones, those of bridges."""
    name = spec_of(game).name
    known = candidates(kind, name) if name in entries("game") else [each for each in entries(kind) if "." not in each]
    if name in bridged_entries("game"):
        known += bridged_entries(kind)
    return [each for each in known if fits(kind, each, game)]


def fits(kind: Kind, name: str, game: Game) -> bool:
    """Whether an agent `manages` *game*, or a model can begin to watch it, with default parameters.

    The agent's `begin` is not called, because it may take long.
    """
    try:
        if kind == "agent":
            return make_agent(name).manages(game)
        Watchers(game, [name], seed=0)
    except KibitzError:
        return False
    return True


def names_to_tell(kind: Kind, game: str) -> list[str]:
    """Names that fit *game*, for an error message: the game's own agents, if it has any, need no test."""
    own = house_names(kind, game)
    return own if own and kind == "agent" else fitting_names(kind, make_game(game))
