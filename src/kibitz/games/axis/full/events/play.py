"""Plays events: between turns every trigger of the moment is looked at, and happens if its conditions are met."""

from kibitz.games.axis.full.events.book import ALWAYS, Events, Trigger
from kibitz.games.axis.full.events.conditions import judge_of
from kibitz.games.axis.full.events.effects import VERBS
from kibitz.games.axis.full.events.moments import events_of, triggers_of_moment, with_events
from kibitz.games.axis.full.situation import EVENTS, OVER, RESEARCH, Situation

DEEPEST = 5
"""How far triggers that pull others are followed."""


def start_events(situation: Situation) -> Situation:
    """The moment before the first turn."""
    book = situation.world.book
    if book is None:
        return situation
    situation = situation.replace(phase=EVENTS, events=Events(0, tuple(trigger.uses for trigger in book.triggers)))
    return _at_place(situation, len(triggers_of_moment(situation)[0]))


def _at_place(situation: Situation, place: int) -> Situation:
    return with_events(situation, events_of(situation)[1]._replace(place=place))


def settle_events(situation: Situation) -> Situation:
    """Everything that happens before dice are needed, or before the next turn begins."""
    situation = start_events(situation) if situation.events is None else situation
    ended, begun = triggers_of_moment(situation)
    due, place = (*ended, *begun), events_of(situation)[1].place
    while situation.phase == EVENTS and place < len(due):
        if chance_of(situation, due[place]) is not None:
            return _at_place(situation, place)
        if _happens(situation, due[place]):
            situation = _happen(_at_place(situation, place), due[place], 0)
        place += 1
        if place == len(ended):  # from here on it is about the next turn
            situation = _at_place(situation, place)
    phase = RESEARCH if situation.phase == EVENTS else situation.phase
    return situation.replace(phase=phase, events=events_of(situation)[1]._replace(place=0, rolled=()))


def event_chance(situation: Situation) -> tuple[int, int, int] | None:
    """The dice that are rolled now: for which condition or trigger, and how many of how many results let it pass."""
    events = situation.events
    if events is None:
        return None
    due = [number for part in triggers_of_moment(situation) for number in part]
    return chance_of(situation, due[events.place]) if events.place < len(due) else None


def chance_of(situation: Situation, number: int) -> tuple[int, int, int] | None:
    """The dice that a trigger needs now, as `event_chance` tells them."""
    book, events = events_of(situation)
    trigger = book.triggers[number]
    if not events.uses[number]:
        return None
    judge = judge_of(situation)
    condition = judge.dice_of(trigger.parts, set())
    if condition is not None:
        return (condition, *book.conditions[condition].chance)
    own = len(book.conditions) + number
    unsure = 0 < trigger.chance[0] < trigger.chance[1] and own not in judge.rolled
    return (own, *trigger.chance) if unsure and judge.holds(trigger) else None


def roll_event(situation: Situation, result: int) -> Situation:
    """The dice have said whether a condition or a trigger passes."""
    found, (_, events) = event_chance(situation), events_of(situation)
    assert found is not None
    rolled = tuple(sorted({**dict(events.rolled), found[0]: bool(result)}.items()))
    return with_events(situation, events._replace(rolled=rolled))


def _happens(situation: Situation, number: int, uses: bool = True, conditions: bool = True, dice: bool = True) -> bool:
    """Whether a trigger happens: it is not used up, its conditions are met, and its dice say so."""
    book, events = events_of(situation)
    trigger, judge = book.triggers[number], judge_of(situation)
    if uses and not events.uses[number]:
        return False
    if conditions and not judge.holds(trigger):
        return False
    lucky = trigger.chance[0] >= trigger.chance[1] or judge.rolled.get(len(book.conditions) + number, False)
    return lucky or not dice


def _happen(situation: Situation, number: int, depth: int, use: bool = True) -> Situation:
    """The effects of a trigger, and then those of the triggers that it pulls."""
    book, events = events_of(situation)
    trigger, times = book.triggers[number], judge_of(situation).multiple(book.triggers[number])
    if use and events.uses[number] != ALWAYS:
        left = (*events.uses[:number], events.uses[number] - 1, *events.uses[number + 1 :])
        situation = with_events(situation, events._replace(uses=left))
    for effect in trigger.effects:
        if effect.verb != "pull" and situation.phase != OVER:
            situation = VERBS[effect.verb](situation, effect, times)
    return _pull(situation, trigger, depth)


def _pull(situation: Situation, trigger: Trigger, depth: int) -> Situation:
    """A trigger makes others happen, some without asking for their uses, conditions or dice."""
    for effect in trigger.effects:
        if effect.verb != "pull" or depth >= DEEPEST or situation.phase == OVER:
            continue
        use, uses, conditions, dice = effect.flags
        for _ in range(effect.number):
            if situation.phase != OVER and _happens(situation, effect.area, uses, conditions, dice):
                situation = _happen(situation, effect.area, depth + 1, use)
    return situation
