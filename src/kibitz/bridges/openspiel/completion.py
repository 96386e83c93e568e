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
PAIRS = 60
"""Pairs of hidden events that are exchanged by chance before anything else is changed."""
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
                idle = 0 if self.exchange() or self.change() else idle + 1
            if len(self.actions) == self.length:
                return self.states[-1]
            patience += patience // 2
        game = self.view.game
        raise Unsupported(game, game, f"no state was found in {MOST_TRIES:,} tries that fits this view")

    def begin(self) -> None:
        """Play from the first event on until none fits."""
        states, actions = [self.view.game.spiel.new_initial_state()], list[int]()
        self.keep(states, actions, self.play_on(states, actions, [], -1))

    def keep(self, states: list[Any], actions: list[int], misses: list[Look]) -> None:
        """Go on from here; *misses* are the observations after what may come next, none of which fits."""
        self.states, self.actions, self.misses = states, actions, misses
        self.distance: int | None = None
        self.exchanged = False

    def exchange(self) -> bool:
        """Exchange a hidden event for what did not fit: a card that was dealt, for one that must be dealt or played."""
        if self.exchanged:
            return False
        self.exchanged, reached = True, len(self.actions)
        for changes in self.exchanges(reached):
            self.tries += 1 + (reached - min(changes)) // 8  # most of its events need not be observed
            if self.tries > MOST_TRIES:
                return False
            if self.fits_then(reached, changes):
                preferred = [changes.get(number, action) for number, action in enumerate(self.actions)]
                first = min(changes)
                states, actions = self.states[: first + 1], self.actions[:first]
                misses = self.play_on(states, actions, [*preferred, changes.get(reached)], -1)
                if len(actions) > reached:
                    self.keep(states, actions, misses)
                    return True
        return False

    def exchanges(self, reached: int) -> Iterator[dict[int, int]]:
        """Ways to change hidden events so that the next one may fit, in random order."""
        hidden = [number for number in self.hidden if number < reached]
        self.shuffle(hidden)
        wanted = self.seen_action(reached)
        if wanted is None:
            left = choices_of(self.states[-1])
            yield from ({number: self.draw_number(left), reached: self.actions[number]} for number in hidden if left)
            return
        related = [number for number in hidden if wanted - self.actions[number] in self.offsets]
        for number in related:
            yield from ({number: self.actions[other], other: self.actions[number]} for other in hidden)
        for _ in range(PAIRS if hidden else 0):
            number, other = self.draw_number(hidden), self.draw_number(hidden)
            yield {number: self.actions[other], other: self.actions[number]}

    def fits_then(self, reached: int, changes: dict[int, int]) -> bool:
        """Whether the next event fits after these changes; what was observed before it is not looked at."""
        spiel = self.states[min(changes)].clone()
        for number in range(min(changes), reached):
            action = changes.get(number, self.actions[number])
            if action not in spiel.legal_actions():
                return False
            spiel.apply_action(action)
        wanted, seen = self.view.looks[reached + 1], self.seen_action(reached)
        action = changes[reached] if seen is None else seen
        if int(spiel.current_player()) != wanted[0] or action not in spiel.legal_actions():
            return False
        return step_look(self.view.game, spiel, self.view.viewer, action) == wanted

    def shuffle(self, numbers: list[int]) -> None:
        """Put them into random order."""
        keys = {number: self.rng.random() for number in numbers}
        numbers.sort(key=keys.__getitem__)

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
        misses = self.play_on(states, actions, preferred, self.actions[first])
        longer = len(actions) - reached
        if longer:
            closer, worse = 0, -longer
        else:
            if self.distance is None:
                self.distance = self.least_distance(self.misses)
            distance = self.least_distance(misses)
            closer = self.distance - distance
            worse = -closer
        if worse <= 0 or self.rng.random() < WORSE**worse:
            if longer > 0 and other is not None:
                self.learn_offsets(reached, number, other)
            self.keep(states, actions, misses)
            self.distance = None if longer else distance
        return longer > 0 or closer > 0

    def least_distance(self, misses: list[Look]) -> int:
        """How far the nearest observation that was possible is from the one that was made."""
        wanted = self.view.looks[len(self.actions) + 1]
        return min((look_distance(each, wanted) for each in misses[:COMPARED]), default=FAR)

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
            offset = self.draw_number(self.offsets)
            related = [number for number in hidden if self.actions[number] == wanted - offset]
            if related:
                return self.draw_number(related), self.draw_number(hidden)
        if kind < 0.4:
            place = len(hidden) - 1
            while place > 0 and self.rng.random() > RECENT:
                place -= 1
            return hidden[place], None
        if kind < 0.8:
            return self.draw_number(hidden), None
        return self.draw_number(hidden), self.draw_number(hidden)

    def draw_number(self, numbers: Sequence[int]) -> int:
        """One of the numbers."""
        return numbers[int(self.rng.random() * len(numbers))]

    def play_on(
        self, states: list[Any], actions: list[int], preferred: Sequence[int | None], barred: int
    ) -> list[Look]:
        """Play events that fit, the preferred ones first, until none does; the first event may not be *barred*.

        Returns the observations after what may come next, none of which fits.
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
                return misses
            states.append(child)
            actions.append(action)
            barred = -1
        return []

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
