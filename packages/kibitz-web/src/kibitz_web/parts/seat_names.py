"""What pages call players: `You`, their side (`White`), or their agent; results and records in a line."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from kibitz.core.errors import KibitzError
from kibitz.core.game import Game
from kibitz.core.kit.about import described_game, label_name
from kibitz.core.pictures.match_pictures import Deed
from kibitz.core.records import Record
from kibitz.core.registry import entries, make_game
from kibitz.core.wording import join_words
from kibitz_web.server.access.auth import PERSON
from kibitz_web.server.live.archive import names_of

NUMBERED = re.compile(r"(?:player |P)\d+")
"""A seat without a name of its own."""
OPEN = "open seat"
SHORTEST = 3
"""Letters of a notation that tells people something by itself."""


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
    return capital_words(agent_words(game, who)) if who.partition("(")[0] in entries("agent") or who == PERSON else who


def agent_words(game: Game, who: str) -> str:
    """The same in the middle of a line, `tit for tat`."""
    return label_name(game, who).replace("_", " ") if who.partition("(")[0] in entries("agent") else who


def capital_words(words: str) -> str:
    """Words with a capital letter at first."""
    return words[:1].upper() + words[1:]


def result_words(names: Sequence[str], returns: Sequence[float]) -> str:
    """Who won, and what everyone earned.

    >>> result_words(["You", "S4"], (-1.0, 1.0)), result_words(["Ann", "Ben"], (0.5, 0.5))
    ('you lost: S4 won (You −1, S4 +1)', 'a draw (Ann +0.5, Ben +0.5)')
    """
    earned = ", ".join(f"{name} {value:+g}" for name, value in zip(names, returns, strict=True)).replace("-", "−")
    best = [name for name, value in zip(names, returns, strict=True) if value == max(returns)]
    if len(best) == len(returns):
        return f"a draw ({earned})"
    return f"{'you lost: ' if 'You' in names and 'You' not in best else ''}{join_words(best)} won ({earned})"


def action_meanings(game: Game) -> dict[str, str]:
    """What each notation of a game means, as far as the game says."""
    return {form.form: form.meaning for form in described_game(game).actions}


def is_cryptic(notation: str) -> bool:
    """Whether a notation is but a letter or two, which tell people nothing."""
    return len(notation) < SHORTEST and not notation.isdecimal()


def listed_deeds(
    deeds: Sequence[Deed], names: Sequence[str], meanings: Mapping[str, str]
) -> list[tuple[int, str, str]]:
    """What players did, for the list of moves: player, name and words; chance has no name.

    A letter is told by its meaning, and a side that the notation names is not named twice.

    >>> deeds = [Deed(0, "cops", "cop 0 > 1"), Deed(1, "robber", "robber 8"), Deed(0, "cops", "W")]
    >>> [words for _, _, words in listed_deeds(deeds, ["You", "Robber"], {"W": "wait"})]
    ['cop 0 > 1', '8', 'wait']
    """
    found = []
    for deed in deeds:
        words = meanings.get(deed.words, deed.words) if is_cryptic(deed.words) else deed.words
        found.append((deed.player, names[deed.player] if deed.player >= 0 else "", words.removeprefix(f"{deed.who} ")))
    return found


def record_words(record: Record) -> str:
    """Who played, the number of moves, and when: `A person against s4, 31 moves, 17 November 2026, 03:20`."""
    names = " against ".join(player_names(record.header.game, names_of(record)))
    return ", ".join(filter(None, (names, f"{len(record.entries)} moves", date_words(record.header.started))))


def player_names(game: str, names: tuple[str, ...]) -> list[str]:
    """The players of a record by their names, agents without the name of the game."""
    try:
        made = make_game(game)
    except KibitzError:  # it needs a package that is not installed here
        return list(names)
    return [label_name(made, name) for name in names]


def date_words(started: str) -> str:
    """The date and time of a record; empty if it does not say.

    >>> date_words("2026-11-17T03:20:11+00:00")
    '17 November 2026, 03:20'
    """
    try:
        return f"{datetime.fromisoformat(started):%-d %B %Y, %H:%M}"
    except ValueError:
        return ""
