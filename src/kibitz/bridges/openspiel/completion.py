"""Finds a full state that fits a view of hidden information, from what the view holds alone.

Games that draw such a state by themselves are asked to. For the others the game is played again, with events drawn at
random that would have been observed in the same way. What was dealt or moved out of sight may show only much later, so
where no event fits, an earlier hidden one is changed or two are exchanged, and as much as possible of the rest is kept
(a search for the least conflict: Minton et al. 1992). Among histories that fit as long, one whose next observation is
spelled more like the real one is better.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from kibitz import core
from kibitz.bridges.openspiel.rules import restore_state
from kibitz.bridges.openspiel.views import HiddenState, Look, View, choices_of, observation, step_look
from kibitz.core.errors import Unsupported

MOST_TRIES = 200_000
"""Events tried before the search is given up."""
PATIENCE = 150
"""Changes without an event more that fits, after which the search starts over; it grows by half each time."""
RECENT = 0.2
"""The chance that the search for an event to change stops at each one, from the last one back."""
WORSE = 0.05
"""The chance that a change is kept after which one event fewer fits; two have the square of it."""
COMPARED = 60
"""So many of the observations that do not fit are compared with the real one."""
FAR = 1_000_000
"""The distance where nothing can be compared."""


def completed_state(view: View, rng: core.Rng) -> HiddenState:
    """A state that the viewer cannot tell from the real one."""
    found = resampled_history(view, rng) if view.sample else None
    full = HiddenState(view.game, found or HistorySearch(view, rng).result())
    full.looks[view.viewer] = view.looks
    return full


def resampled_history(view: View, rng: core.Rng) -> Any:
    """A state that the game draws because it looks the same to the viewer; None if it looks different after all."""
    assert view.viewer is not None
    state = restore_state(view.game, view.sample)
    assert isinstance(state, HiddenState)
    drawn = state.spiel.resample_from_infostate(view.viewer, rng.random)
    alike = len(drawn.history()) + 1 == len(view.looks) and observation(drawn, view.viewer) == view.looks[-1][2:]
    return drawn if alike else None


class HistorySearch:
    """Searches for a history that the viewer would have observed as they did."""

    def __init__(self, view: View, rng: core.Rng) -> None:
        self.view, self.rng = view, rng
        self.length = len(view.looks) - 1
        self.hidden = [number for number in range(self.length) if self.seen_action(number) is None]
        """The events of which the viewer saw nothing, or a part."""
        self.tries = 0
        self.offsets = [0]
        """Differences of a visible action and the hidden event that had to change for it: a card played, and dealt."""

    def result(self) -> Any:
        """A state at the end of such a history; raises Unsupported if none is found."""
        patience = PATIENCE
        while self.tries < MOST_TRIES:
            self.begin()
            idle = 0
            while len(self.actions) < self.length and idle < patience and self.tries < MOST_TRIES:
                idle = 0 if self.change() else idle + 1
            if len(self.actions) == self.length:
                return self.states[-1]
            patience += patience // 2
        game = self.view.game
        raise Unsupported(game, game, f"no state was found in {MOST_TRIES:,} tries that fits this view")

    def begin(self) -> None:
        """Play from the first event on until none fits."""
        self.states, self.actions = [self.view.game.spiel.new_initial_state()], list[int]()
        self.distance = self.play_on(self.states, self.actions, [], -1)

    def change(self) -> bool:
        """Change what may be the reason that no event fits any more; return whether that is better."""
        reached = len(self.actions)
        preferred: list[int | None] = [*self.actions]
        number, other = self.drawn_events(reached)
        if number is None:
            self.tries += 1
            return False
        first = number
        if other is not None:
            first = min(number, other)
            preferred[number], preferred[other] = preferred[other], preferred[number]
        else:
            preferred[number] = None
        states, actions = self.states[: first + 1], self.actions[:first]
        distance = self.play_on(states, actions, preferred, self.actions[first])
        longer, closer = len(actions) - reached, self.distance - distance
        worse = -(longer or closer)
        if worse <= 0 or self.rng.random() < WORSE**worse:
            if longer > 0 and other is not None:
                self.learn_offsets(reached, number, other)
            self.states, self.actions, self.distance = states, actions, distance
        return longer > 0 or (longer == 0 and closer > 0)

    def learn_offsets(self, reached: int, number: int, other: int) -> None:
        """Remember how the visible action that did not fit was related to the two events that were exchanged."""
        wanted = self.seen_action(reached)
        if wanted is not None:
            for each in (number, other):
                offset = wanted - self.actions[each]
                if offset not in self.offsets:
                    self.offsets = [*self.offsets[-7:], offset]

    def drawn_events(self, reached: int) -> tuple[int | None, int | None]:
        """The hidden event to change, and the one to exchange it with, if any."""
        hidden = [number for number in self.hidden if number < reached]
        if not hidden:
            return None, None
        kind = self.rng.random()
        wanted = self.seen_action(reached)
        if wanted is not None and kind < 0.6:
            offset = self.drawn(self.offsets)
            related = [number for number in hidden if self.actions[number] == wanted - offset]
            if related:
                return self.drawn(related), self.drawn(hidden)
        if kind < 0.4:
            place = len(hidden) - 1
            while place > 0 and self.rng.random() > RECENT:
                place -= 1
            return hidden[place], None
        if kind < 0.8:
            return self.drawn(hidden), None
        return self.drawn(hidden), self.drawn(hidden)

    def drawn(self, numbers: Sequence[int]) -> int:
        """One of the numbers."""
        return numbers[int(self.rng.random() * len(numbers))]

    def play_on(self, states: list[Any], actions: list[int], preferred: Sequence[int | None], barred: int) -> int:
        """Play events that fit, the preferred ones first, until none does; the first event may not be *barred*.

        Returns how far the observation after the next event is from the real one.
        """
        while len(actions) < self.length:
            number, wanted, misses = len(actions), self.view.looks[len(actions) + 1], list[Look]()
            wish = preferred[number] if number < len(preferred) else None
            for action in self.options(states[-1], number, wish):
                if action == barred:
                    continue
                self.tries += 1
                child = states[-1].clone()
                look = step_look(self.view.game, child, self.view.viewer, action)
                if look == wanted:
                    break
                misses.append(look)
            else:
                return min((look_distance(each, wanted) for each in misses[:COMPARED]), default=FAR)
            states.append(child)
            actions.append(action)
            barred = -1
        return 0

    def seen_action(self, number: int) -> int | None:
        """The action of an event, if the viewer has seen it."""
        seen = self.view.looks[number + 1][1]
        return seen if isinstance(seen, int) and seen >= 0 else None

    def options(self, spiel: Any, number: int, preferred: int | None) -> Iterator[int]:
        """What may have been chosen: what was seen, or all in random order, the preferred and the likely first."""
        seen = self.seen_action(number)
        if int(spiel.current_player()) != self.view.looks[number + 1][0]:
            return
        legal = choices_of(spiel)
        if seen is not None:
            if seen in legal:
                yield seen
            return
        if preferred in legal:
            assert preferred is not None
            yield preferred
        if int(spiel.current_player()) == core.CHANCE:
            shares = {int(action): share for action, share in spiel.chance_outcomes() if share > 0.0}
            keys = {action: self.rng.random() ** (1.0 / share) for action, share in shares.items()}
        else:
            keys = {action: self.rng.random() for action in legal}
        yield from (action for action in sorted(keys, key=keys.__getitem__, reverse=True) if action != preferred)


def look_distance(one: Look, other: Look) -> int:
    """How differently two observations are spelled, line by line: letters that differ, and letters out of place."""
    distance = sum(a != b for a, b in zip(one[:-1], other[:-1], strict=True))
    lines = zip_longest(str(one[-1]).splitlines(), str(other[-1]).splitlines(), fillvalue="")
    for a, b in lines:
        if a != b:
            left, right = Counter(a), Counter(b)
            left.subtract(right)
            distance += sum(map(abs, left.values())) + sum(x != y for x, y in zip(a, b, strict=False))
    return distance
