"""The moments between turns at which triggers are looked at, and which triggers belong to each."""

from kibitz.games.axis.full.events.book import EventBook, Events
from kibitz.games.axis.full.situation import NOBODY, Situation


def events_of(situation: Situation) -> tuple[EventBook, Events]:
    """The events of a board that has some, and how far the game is with them."""
    assert situation.world.book is not None
    assert situation.events is not None
    return situation.world.book, situation.events


def with_events(situation: Situation, events: Events) -> Situation:
    """A situation that is further with its events, and else the same."""
    after = situation.replace(events=events)
    if "by_area" in situation.__dict__:
        after.__dict__["by_area"] = situation.by_area
    return after


def triggers_of_moment(situation: Situation) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The triggers that are looked at between two turns: of the end of the last one (and of the round that it ends),
    and of the beginning of the next one (and of its round)."""
    book, turns = situation.world.book, situation.world.turns
    assert book is not None
    place = turns.index(situation.mover)
    ended, begun = (_of_moment(book, "end", NOBODY), _of_moment(book, "start", NOBODY)) if place == 0 else ((), ())
    return (
        (*_of_moment(book, "end", turns[place - 1]), *ended),
        (*begun, *_of_moment(book, "start", situation.mover)),
    )


def round_of_moment(situation: Situation) -> int:
    """The round that triggers ask about: the end of its last turn belongs to the round before."""
    place = events_of(situation)[1].place
    late = situation.mover == situation.world.turns[0] and place < len(triggers_of_moment(situation)[0])
    return situation.round - late


def _of_moment(book: EventBook, when: str, power: int) -> tuple[int, ...]:
    """The triggers of a moment, found once for a book."""
    if "moments" not in book.__dict__:
        found: dict[tuple[str, int], list[int]] = {}
        for number, trigger in enumerate(book.triggers):
            for moment in trigger.moments:
                found.setdefault(moment, []).append(number)
        book.__dict__["moments"] = {moment: tuple(numbers) for moment, numbers in found.items()}
    told: tuple[int, ...] = book.__dict__["moments"].get((when, power), ())
    return told
