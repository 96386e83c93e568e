"""Versioned sets of strangers, as files that never change once they are published: the benchmark of models."""

from functools import cache
from hashlib import blake2b
from importlib.resources import files

import msgspec

from kibitz.core.errors import UnknownName
from kibitz.core.game import Game
from kibitz.core.registry import make_model, spec_of
from kibitz_lab.testing.strangers.generator import GeneratedStranger, generated_strangers, library_of

SETS = ("strangers-1",)
MOST_KNOWN = 8
"""Most strategies of a library that play in a set as known players and as opponents."""


class StrangerSet(msgspec.Struct, frozen=True):
    """Strangers of several games, with the known strategies that play beside and against them."""

    name: str
    seed: int
    known: dict[str, list[str]]
    """The specs of the known players, by game."""
    strangers: list[GeneratedStranger]

    def strangers_of(self, game: str) -> list[GeneratedStranger]:
        """The strangers of one game, in the order of the file."""
        return [each for each in self.strangers if each.game == game]


@cache
def find_set(name: str = SETS[-1]) -> StrangerSet:
    """The published set *name*."""
    if name not in SETS:
        raise UnknownName("set of strangers", name, SETS)
    data = files("kibitz_lab.testing.strangers").joinpath(f"{name}.json").read_bytes()
    return msgspec.json.decode(data, type=StrangerSet)


def set_digest(found: StrangerSet) -> str:
    """The digest of everything that a set says; published with its name."""
    return blake2b(msgspec.json.encode(found, order="sorted"), digest_size=16).hexdigest()


def players_of(game: Game, name: str = SETS[-1]) -> tuple[list[str], list[GeneratedStranger]]:
    """The known players and the strangers of *game*: those of the set *name*, or generated ones for other games."""
    found, title = find_set(name), spec_of(game).name
    if title in found.known:
        return found.known[title], found.strangers_of(title)
    return known_players(game), generated_strangers(game, found.seed)


def known_players(game: Game) -> list[str]:
    """The specs of the strategies that play as known players, evenly chosen if there are many.

    The game's default model knows all of them.
    """
    usual = getattr(make_model(game.usual_model), "usual", None)
    library = [str(spec_of(strategy)) for strategy in library_of(game)]
    supposed = {str(spec_of(strategy)) for strategy in usual(game)} if callable(usual) else set(library)
    known = [each for each in library if each in supposed]
    step = max(1.0, len(known) / MOST_KNOWN)
    return [known[int(place * step)] for place in range(min(len(known), MOST_KNOWN))]
