"""Perfect play to the horizon, and the opponent who looks no further than their own turn."""

from collections.abc import Iterable

from kibitz import core
from kibitz_axis.land.rules import State
from kibitz_lab.equilibria.backward import MOST_STATES, BackwardInduction, Reply


class Myopic:
    """Does what is best when its own turn ends; all ways to order its units that are equally good are equally likely.

    So it does not matter which unit is asked first: of two that could both take an area, one goes alone in two ways of
    three, not in three of four.
    """

    def __init__(self) -> None:
        self.solvers: dict[tuple[int, int], BackwardInduction] = {}
        self.ways: dict[core.Key, int] = {}

    def __call__(self, state: core.State) -> core.Distribution:
        ways = {action: self.best_ways(state.child(action), turn_of(state)) for action in self.best(state)}
        total = sum(ways.values())
        return core.Distribution({action: each / total for action, each in ways.items()}, state.legal_actions())

    def best(self, state: core.State) -> Iterable[int]:
        """The orders that are best for the unit that is asked."""
        now = turn_of(state)
        if now not in self.solvers:
            self.solvers[now] = BackwardInduction(ends=lambda later: turn_of(later) != now)
        return self.solvers[now].best(state).named

    def best_ways(self, state: core.State, now: tuple[int, int]) -> int:
        """In how many ways the units that are still to be asked can be ordered, all of them best."""
        if state.current_player() != now[1] or turn_of(state) != now:
            return 1
        key = state.key()
        if key not in self.ways:
            self.ways[key] = sum(self.best_ways(state.child(action), now) for action in self.best(state))
        return self.ways[key]


def turn_of(state: core.State) -> tuple[int, int]:
    """Whose turn it is, and which."""
    assert isinstance(state, State)
    return state.turn, state.mover


def solver(opponent: str = "perfect", player: int = 0, players: int = 2, most: int = MOST_STATES) -> BackwardInduction:
    """Values for *player* where all others are `perfect` or `myopic`."""
    replies: dict[int, Reply] = {}
    if opponent == "myopic":
        replies = {other: Myopic() for other in range(players) if other != player}
    return BackwardInduction(replies, most=most)


def plan_values(state: State, solved: BackwardInduction) -> dict[tuple[str, ...], float]:
    """The value to the mover of every way to order the units of this phase, by the orders in words, sorted."""
    mover = state.current_player()
    plans: dict[tuple[str, ...], State] = {(): state}
    for _ in state.posts:
        plans = {
            tuple(sorted((*orders, before.action_to_string(mover, action)))): before.child(action)
            for orders, before in plans.items()
            for action in before.legal_actions()
        }
    return {orders: solved.value(after)[mover] for orders, after in plans.items()}
