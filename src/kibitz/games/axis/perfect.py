"""Perfect play to the horizon, and the opponent who looks no further than their own turn."""

from kibitz import core
from kibitz.games.axis.rules import State
from kibitz.solve.backward import MOST_STATES, BackwardInduction, Reply


class Myopic:
    """Does what is best at the end of its own turn; equally good orders are equally likely."""

    def __init__(self) -> None:
        self.solvers: dict[tuple[int, int], BackwardInduction] = {}

    def __call__(self, state: core.State) -> core.Distribution:
        assert isinstance(state, State)
        now = state.turn, state.mover
        if now not in self.solvers:
            self.solvers[now] = BackwardInduction(ends=lambda later: turn_of(later) != now)
        return self.solvers[now].best(state)


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
