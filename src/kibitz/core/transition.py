"""Transition: one event as an observer sees it; agents and models get one for every event."""

from collections.abc import Sequence

import msgspec

from kibitz.core.game import CHANCE, SIMULTANEOUS, State

Observer = int | tuple[str, int] | None
"""Who sees an event: an agent by its seat, a model by its number."""


class Position(msgspec.Struct, eq=False, gc=False):
    """A state of the match, which never changes, and each observer's view of it, made when it is first looked at."""

    state: State
    hidden: bool
    views: dict[Observer, State] = {}

    def view(self, seat: int | None, observer: Observer) -> State:
        """The view from *seat*, one for each observer, so that none can change another's."""
        found = self.views.get(observer)
        if found is None:
            found = self.views[observer] = self.state.view(seat)
        return found

    def __reduce__(self) -> tuple[type["Position"], tuple[State, bool]]:
        """Views are not pickled; they stay with their observers."""
        return Position, (self.state, self.hidden)

    def after(self, actions: Sequence[int], mover: int | None = None) -> "Position":
        """The position that *actions* of *mover*, or of the current player, lead to."""
        state = self.state.clone()
        if (state.current_player() if mover is None else mover) == SIMULTANEOUS:  # as `State.step` does
            state.apply_actions(actions)
        else:
            state.apply_action(actions[0])
        return Position(state, self.hidden)


class Transition(msgspec.Struct, frozen=True, gc=False):
    """One event as its observer may see it. `after` is the next event's `before`: clone a view before stepping it.

    `player` is who acted, or CHANCE, or SIMULTANEOUS; `actions` holds one action, or one per player if all moved at
    once. An action that the observer may not see is None. `chosen` says of each of them whether its player chose it;
    empty: all did. Given and drawn opening moves, and the default action of a player who failed or has forfeited, were
    not chosen: they change the position and say nothing about the player.

    The loop passes positions, and `before` and `after` are *observer*'s views of them from *seat*, made when somebody
    looks at them; elsewhere views are passed.

    >>> from kibitz import Agent, play
    >>> class Listener(Agent):
    ...     def act(self, view, clock): return 0
    ...     def observe(self, transition): print(transition.ply, transition.actions, transition.chose(1))
    >>> _ = play("dilemma(rounds=1)", [Listener(), "dilemma.defector"], seed=1)
    0 (0, 1) True
    """

    ply: int
    player: int
    actions: tuple[int | None, ...]
    earlier: State | Position
    later: State | Position
    chosen: tuple[bool, ...] = ()
    seat: int | None = None
    observer: Observer = None

    @property
    def before(self) -> State:
        """The view before the event."""
        found = self.earlier
        return found.view(self.seat, self.observer) if isinstance(found, Position) else found

    @property
    def after(self) -> State:
        """The view after the event."""
        found = self.later
        return found.view(self.seat, self.observer) if isinstance(found, Position) else found

    def __reduce__(self) -> tuple[type["Transition"], tuple[object, ...]]:
        """Views are pickled and copied, never the positions behind them, which show everything."""
        return Transition, (self.ply, self.player, self.actions, self.before, self.after, self.chosen)

    @property
    def movers(self) -> tuple[int, ...]:
        """The players who acted; none for chance."""
        if self.player == SIMULTANEOUS:
            return tuple(range(len(self.actions)))
        return () if self.player == CHANCE else (self.player,)

    def action_of(self, player: int) -> int | None:
        """The action of *player* (or CHANCE); None if they did not act or it is hidden."""
        if self.player == SIMULTANEOUS:
            return self.actions[player]
        return self.actions[0] if player == self.player else None

    def chose(self, player: int) -> bool:
        """Whether *player* acted in this event, by their own choice."""
        if player not in self.movers:
            return False
        return not self.chosen or self.chosen[player if self.player == SIMULTANEOUS else 0]
