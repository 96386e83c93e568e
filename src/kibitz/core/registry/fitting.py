"""Which agents and models fit a game; needed where somebody chooses one of them, or gave a name that is none."""

from kibitz.core.errors import KibitzError
from kibitz.core.game import Game
from kibitz.core.match.watchers import Watchers
from kibitz.core.registry.registry import Kind, candidates, entries, house_names, make_agent, make_game, spec_of


def fitting_names(kind: Kind, game: Game) -> list[str]:
    """The agents or models that can take part in *game*: its own first, then those that come with no game."""
    name = spec_of(game).name
    known = candidates(kind, name) if name in entries("game") else [each for each in entries(kind) if "." not in each]
    return [each for each in known if fits(kind, each, game)]


def fits(kind: Kind, name: str, game: Game) -> bool:
    """Whether an agent says that it manages *game*, or a model can begin to watch it; both as they are by default.

    An agent may have to think for long before it can begin, so it is not asked to.
    """
    try:
        if kind == "agent":
            return make_agent(name).manages(game)
        Watchers(game, [name], seed=0)
    except KibitzError:
        return False
    return True


def names_to_tell(kind: Kind, game: str) -> list[str]:
    """Some that fit *game*, for somebody who named none of them: its own agents, if it has any, need no test."""
    own = house_names(kind, game)
    return own if own and kind == "agent" else fitting_names(kind, make_game(game))
