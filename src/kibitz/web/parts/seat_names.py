"""What pages call the players of a match: `You`, the side they play (`White`), or the agent that plays."""

import re
from collections import Counter
from collections.abc import Sequence

from kibitz.core.abilities.about import label_name
from kibitz.core.drawing.positions import Deed
from kibitz.core.game import Game
from kibitz.core.registry import entries
from kibitz.server.access.auth import PERSON

NUMBERED = re.compile(r"(?:player |P)\d+")
"""A seat without a name of its own."""
OPEN = "open seat"


def seat_names(game: Game, players: Sequence[str], you: int | None = None) -> list[str]:
    """What each of the *players*, named or by their specs, is called; *you* is the visitor's seat.

    >>> from kibitz.core.registry import make_game
    >>> seat_names(make_game("kuhn"), ["a person", "kuhn.solid", "kuhn.solid"], 0)
    ['You', 'Solid 1', 'Solid 2']
    >>> seat_names(make_game("pawns"), ["a person", "pawns.s4"], 1)
    ['Black', 'You']
    """
    names = [side_name(game, player, who) for player, who in enumerate(players)]
    count, seen = Counter(name for player, name in enumerate(names) if player != you), Counter[str]()
    for player, name in enumerate(names):
        if player == you:
            names[player] = "You"
        elif count[name] > 1:
            seen[name] += 1
            names[player] = f"{name} {seen[name]}"
    return names


def side_name(game: Game, player: int, who: str) -> str:
    """The side of a player, or where sides are only numbered the name of who plays it."""
    side = game.player_name(player)
    if not NUMBERED.fullmatch(side) or who in (PERSON, OPEN):
        return capital_words(side)
    return agent_name(game, who)


def agent_name(game: Game, who: str) -> str:
    """An agent without the name of its game, `Tit for tat`; people and programs keep the names they gave themselves."""
    name = who.partition("(")[0]
    return capital_words(label_name(game, who).replace("_", " ")) if name in entries("agent") or who == PERSON else who


def capital_words(words: str) -> str:
    """Words with a capital letter at first."""
    return words[:1].upper() + words[1:]


def listed_deeds(deeds: Sequence[Deed], names: Sequence[str]) -> list[tuple[int, str, str]]:
    """What players did, for the list of moves: player, name and words; chance has no name."""
    return [(deed.player, names[deed.player] if deed.player >= 0 else "", deed.words) for deed in deeds]
