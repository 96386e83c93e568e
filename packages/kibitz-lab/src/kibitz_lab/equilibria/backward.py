"""Backward induction for games that end: the value of every state, computed once per key.

The mover takes what is best for them, chance is averaged, and players whose *replies* are given follow these. That is
optimal play against optimal players, or against known ones.
"""

from collections.abc import Callable, Mapping

from kibitz import core
from kibitz.core.errors import KibitzError

Values = tuple[float, ...]
"""What each player expects."""
Reply = Callable[[core.State], core.Distribution]
TIED = 1e-9
"""Values that differ by less are equal."""
MOST_STATES, MOST_PLIES = 1_000_000, 300


class TooLarge(KibitzError, ValueError):
    """A game with too many states, or too long lines, for backward induction."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(f"too large for backward induction: {why}")


class BackwardInduction:
    """Values and best actions; a state for which *ends* holds is worth the returns so far."""

    def __init__(
        self,
        replies: Mapping[int, Reply] | None = None,
        ends: Callable[[core.State], bool] | None = None,
        most: int = MOST_STATES,
    ) -> None:
        self.replies, self.ends, self.most = replies or {}, ends, most
        self.known: dict[core.Key, Values] = {}

    def value(self, state: core.State, depth: int = 0) -> Values:
        """Each player's expected return, with what they have earned so far."""
        mover = state.current_player()
        if mover == core.TERMINAL or (self.ends is not None and self.ends(state)):
            return tuple(state.returns())
        key = state.key()
        found = self.known.get(key)
        if found is None:
            if len(self.known) >= self.most:
                raise TooLarge(f"more than {self.most:,} states")
            if depth > MOST_PLIES:
                raise TooLarge(f"lines of more than {MOST_PLIES} moves")
            found = self.known[key] = self.worked_out(state, mover, depth)
        return found

    def worked_out(self, state: core.State, mover: int, depth: int) -> Values:
        """The value of a state from those of its children."""
        if mover == core.SIMULTANEOUS:
            raise TooLarge("players move simultaneously, which needs mixed strategies")
        if mover == core.CHANCE:
            return mean_values(
                [(chance, self.value(state.child(a), depth + 1)) for a, chance in state.chance_outcomes()]
            )
        children = {action: self.value(state.child(action), depth + 1) for action in state.legal_actions(mover)}
        if mover in self.replies:
            reply = self.replies[mover](state)
            return mean_values([(reply.probability(action), value) for action, value in children.items()])
        return max(children.values(), key=lambda value: value[mover])

    def values(self, state: core.State) -> dict[int, float]:
        """The value of each legal action for the mover."""
        mover = state.current_player()
        return {action: self.value(state.child(action))[mover] for action in state.legal_actions(mover)}

    def best(self, state: core.State) -> core.Distribution:
        """The best actions, all equally likely."""
        values = self.values(state)
        top = max(values.values())
        tied = [action for action, value in values.items() if value >= top - TIED]
        return core.Distribution({action: 1.0 / len(tied) for action in tied}, state.legal_actions())


def mean_values(parts: list[tuple[float, Values]]) -> Values:
    """The mean of values, weighted by their probabilities."""
    return tuple(map(sum, zip(*(tuple(chance * each for each in value) for chance, value in parts), strict=True)))
