"""The game protocol: subclass Game and State to add a game; the names are OpenSpiel's. A Transition is an event."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import msgspec

from kibitz.core.actions import ProductActions
from kibitz.core.errors import IllegalAction
from kibitz.core.specs import Configurable

if TYPE_CHECKING:
    from numpy.random import Generator

    from kibitz.core.kit.positions import Stage

    Rng: TypeAlias = Generator
else:
    Rng = Any

CHANCE, SIMULTANEOUS, TERMINAL = -1, -2, -4
"""The answers of `current_player` if no single player moves."""

Key: TypeAlias = "int | str | bytes | tuple[Key, ...] | None"
"""Plain values only, so that a key means the same in every process."""

Variables: TypeAlias = dict[str, int | float | str]
"""Parts of a state by name, each an identifier of Python; the same names wherever a player moves."""

LISTED = 10_000
"""Most legal actions that are searched one by one for a notation."""


class State(ABC):
    """A position. A player's `view` of it hides what they may not see.

    >>> from kibitz import make_game
    >>> state = make_game("dilemma(rounds=2)").new_initial_state()
    >>> state.apply_actions([0, 1])
    >>> print(state)
    round 1 of 2, points 0 : 5
    """

    CHANCE, SIMULTANEOUS, TERMINAL = CHANCE, SIMULTANEOUS, TERMINAL
    """The answers of `current_player` if no single player moves."""

    @abstractmethod
    def current_player(self) -> int:
        """The player to move, or CHANCE, SIMULTANEOUS or TERMINAL."""

    @abstractmethod
    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        """The legal actions, sorted; those of *player* if all move at once, and everyone then has at least one.

        A lazy set is fine: `len`, `in`, `[i]`. On a view, all that the mover may have as far as the viewer knows.
        """

    @abstractmethod
    def apply_action(self, action: int) -> None:
        """Play *action*, which is legal, or let chance draw it."""

    @abstractmethod
    def returns(self) -> list[float]:
        """What each player has earned; final once the state is terminal."""

    @abstractmethod
    def key(self) -> Key:
        """Equal exactly if the futures are, and the same in every process; of a view, all that it shows."""

    def apply_actions(self, actions: Sequence[int]) -> None:
        """Play one legal action per player, all at once."""
        raise TypeError(f"{type(self).__name__} has no simultaneous moves")

    def step(self, actions: Sequence[int]) -> None:
        """Play the chosen actions: the mover's, or one per player if all move at once."""
        if self.current_player() == SIMULTANEOUS:
            self.apply_actions(actions)
        else:
            self.apply_action(actions[0])

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        """The actions of chance here, each with its probability; one that chance never draws may have 0."""
        return ()

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.current_player() == TERMINAL

    def clone(self) -> Self:
        """An independent copy. This one copies attributes, which is right as long as they are replaced, not changed."""
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        return copied

    def copy_with(self, **attributes: Any) -> Self:
        """A copy with some attributes replaced."""
        copied = self.clone()
        copied.__dict__.update(attributes)
        return copied

    def child(self, action: int) -> Self:
        """The state after *action*; this one stays."""
        copied = self.clone()
        copied.apply_action(action)
        return copied

    def view(self, player: int | None) -> Self:
        """What *player* may see (None: an outsider), as a state of its own."""
        return self.clone()

    def complete(self, rng: Rng) -> Self:
        """A full state that fits this view, with the unknown parts drawn at random."""
        return self.clone()

    def truth(self, player: int) -> Mapping[str, Any]:
        """The secrets of *player* (goal, type, cards) for the record; never shown during play."""
        return {}

    def seen_action(self, observer: int | None, player: int, action: int) -> int | None:
        """The action of *player* here as *observer* may see it; None if they learn only that something happened.

        Actions that look the same here must look the same on the observer's view afterwards.
        """
        return action

    def default_action(self, player: int) -> int:
        """The action played for a player who fails to choose."""
        return self.legal_actions(player)[0]

    def action_to_string(self, player: int, action: int) -> str:
        """The notation of an action of *player* (or CHANCE) here."""
        return str(action)

    def string_to_action(self, player: int, text: str) -> int:
        """The action that *text* means; raises IllegalAction if there is none."""
        legal = [action for action, _ in self.chance_outcomes()] if player == CHANCE else self.legal_actions(player)
        wanted = " ".join(text.split()).casefold()
        if isinstance(legal, ProductActions) and (composed := legal.from_phrase(wanted)) is not None:
            return composed
        if len(legal) <= LISTED:
            for action in legal:
                if self.action_to_string(player, action).casefold() == wanted:
                    return action
        raise IllegalAction(player, text, [self.action_to_string(player, action) for action in legal[:9]])

    def split_notation(self, player: int, text: str) -> list[str]:
        """The notations of the actions that a typed line means, one after the other; most games take one a line."""
        return [text]

    def stage(self) -> "Stage | None":
        """The round that is played now, if the game repeats a round of two players who choose at once."""
        return None

    def variables(self) -> Variables:
        """What programs about the game may use: by default the numbers and words of the key, in their order."""
        return {f"key{place}": value for place, value in enumerate(flatten_key(self.key()))}

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.clone()

    def __str__(self) -> str:
        return repr(self.key())


class Game(Configurable, ABC):
    """Rules. The constructor's parameters are the rule options; an instance never changes.

    >>> from kibitz import make_game
    >>> game = make_game("kuhn(players=2)")
    >>> game.players, game.hidden, game.utility
    (2, True, (-2.0, 2.0))
    """

    players: int = 2
    """The number of players."""
    utility: tuple[float, float] = (-1.0, 1.0)
    """The least and the most a player can earn."""
    zero_sum: bool = True
    """Whether the returns always add up to 0."""
    hidden: bool = False
    """Whether any player's view differs from the state."""
    infosets_in_views: bool = False
    """Whether a player's information set is what their view shows; otherwise it is all that they have seen so far."""
    max_plies: int = 10_000
    """The number of plies after which a match is cut off."""
    action_bound: int | None = None
    """Every action of a player is below this number; None if the game does not say."""
    worlds: int = 1_000_000
    """Most possible states that models keep: few if much is hidden and states are large. With 1, models keep what they
    see, and the game's strategies say on such a view what anybody can expect of them."""

    usual_model: str = "strategy_filter"
    """The spec of the model that watches by default."""
    packages: Mapping[str, str] = {}
    """The other packages that the rules come from, with their versions, for records."""

    @abstractmethod
    def new_initial_state(self) -> State:
        """The initial position."""

    @classmethod
    def known_values(cls, parameter: str) -> Iterable[str]:
        """The known values of a parameter that is text, such as the names of boards; forms offer them."""
        return ()

    def movers(self, state: State) -> tuple[int, ...]:
        """The players who choose on *state*: one, or all at once; none if chance moves or the game is over."""
        current = state.current_player()
        return tuple(range(self.players)) if current == SIMULTANEOUS else (current,) if current >= 0 else ()

    @property
    def teams(self) -> tuple[tuple[int, ...], ...]:
        """The players who win together, a tuple per team; by default everyone is alone.

        Players of one team earn the same.
        """
        return tuple((player,) for player in range(self.players))

    def team_of(self, player: int) -> int:
        """The number of the team of *player*."""
        return next(number for number, team in enumerate(self.teams) if player in team)

    def infinite_play(self, state: State) -> list[float]:
        """The returns of a match cut off at `max_plies`.

        A game that overrides this also defines the value of endless play for solvers, which otherwise count it as 0.
        """
        return state.returns()

    def player_name(self, player: int) -> str:
        """The name of *player* for people."""
        return f"player {player}"

    def player_label(self, player: int, label: str) -> str:
        """What a label means for *player*, where that is not what it says."""
        return label

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # rules do not change, so copies of agents and states share them


def flatten_key(key: Any) -> Iterator[int | float | str]:
    """The entries of a key, those of tuples in it one by one.

    >>> list(flatten_key((3, ("a", 2.5), None, True)))
    [3, 'a', 2.5, 'None', 1]
    """
    if isinstance(key, tuple):
        for part in key:
            yield from flatten_key(part)
    elif isinstance(key, bool):
        yield int(key)
    else:
        yield key if isinstance(key, (int, float, str)) else str(key)


def digest(state: State) -> str:
    """A short hash of the state's key, the same in every process."""
    return blake2b(repr(state.key()).encode(), digest_size=8).hexdigest()


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
