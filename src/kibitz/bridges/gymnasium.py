"""kibitz games as Gymnasium environments: one seat is yours, agents sit in the others.

>>> from kibitz.bridges.gymnasium import env
>>> pawns = env("pawns", opponent="s4")

Importing this module also registers `kibitz-v0`: `gymnasium.make("kibitz.bridges.gymnasium:kibitz-v0", game="pawns")`.
"""

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.bridges.arrays import ActionNumbers, ViewArrays, render_position
from kibitz.core.agent import Agent
from kibitz.core.clocks import Clock
from kibitz.core.errors import BadSpec, MissingPackage, Refused
from kibitz.core.game import Game
from kibitz.core.match import Event, Match, Reply, Request
from kibitz.core.match.options import MatchOptions
from kibitz.core.registry import make_agent, make_game, spec_of
from kibitz.core.seeds import stream

try:
    import gymnasium
except ImportError:
    raise MissingPackage("gymnasium", "bridges") from None

RENDER_MODES = ("human", "ansi")
BEGINNINGS = 100
"""So many matches may end before the seat is asked for the first time."""
Steps = Generator[tuple[Request, ...] | Event, Sequence[Reply] | None, Any]


def env(game: str | Game, **options: Any) -> "SeatEnv":
    """An environment for one seat of *game*; the options are the parameters of `SeatEnv`."""
    return SeatEnv(game, **options)


class SeatEnv(gymnasium.Env[NDArray[Any], Any]):
    """A game from one seat. The reward of a step is what it and the opponents' answers add to the seat's returns.

    *opponent* is the agent in every other seat, or a list of one per seat. *seat* is yours; None draws one for every
    episode. Actions are numbers as in `ActionNumbers`; the info of every step holds `action_mask`, and `action_masks()`
    returns it, too. An illegal action is replaced by the game's default action, and costs *penalty*.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 - Gymnasium reads it like this

    def __init__(
        self,
        game: str | Game,
        opponent: str | Agent | Sequence[str | Agent] = "random",
        seat: int | None = 0,
        render_mode: str | None = None,
        listed: bool | None = None,
        most: int = 1000,
        size: int = 1024,
        penalty: float = 0.0,
    ) -> None:
        self.game, self.seat, self.render_mode, self.penalty = make_game(game), seat, render_mode, penalty
        if render_mode not in (None, *RENDER_MODES):
            raise BadSpec(f"render_mode={render_mode!r}", f"known: {', '.join(RENDER_MODES)}")
        if seat is not None and not 0 <= seat < self.game.players:
            raise BadSpec(f"seat={seat}", f"{self.game} has seats 0 to {self.game.players - 1}")
        self.opponents = opponents_of(self.game, opponent)
        self.numbers, self.views = ActionNumbers(self.game, listed, most), ViewArrays(self.game, size)
        low, high = self.views.bounds
        self.observation_space = gymnasium.spaces.Box(low, high, self.views.shape, self.views.dtype)
        self.action_space = gymnasium.spaces.Discrete(self.numbers.count)
        self.request: Request | None = None
        self.requests: tuple[Request, ...] = ()
        self.steps: Steps | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        super().reset(seed=seed)
        for _ in range(BEGINNINGS):
            self.begin_match()
            if self.request is not None:
                return self.observation(), self.info()
        raise Refused(f"seat {self.seat} of {self.game} was not asked in {BEGINNINGS} matches")

    def begin_match(self) -> None:
        """Seat the opponents, and let them play until the seat is to choose."""
        number = int(self.np_random.integers(2**63))
        self.player = int(self.np_random.integers(self.game.players)) if self.seat is None else self.seat
        self.match = Match(self.game, MatchOptions(seed=number))
        self.seated: dict[int, Agent] = {}
        others = iter(self.opponents)
        for player in range(self.game.players):
            if player != self.player:
                self.seated[player] = next(others)
                self.seated[player].begin(self.game, player, stream(number, "agent", player))
        self.earned, self.last = 0.0, dict[int, int]()
        self.steps, self.request = self.match.steps(), None
        self.go_on(None)

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        if self.request is None or self.steps is None:
            raise Refused("the episode is over, or has not begun; call reset()")
        state = self.match.position.state
        chosen = self.numbers.action(int(action), state.legal_actions(self.player))
        illegal = chosen is None
        self.go_on(Reply(state.default_action(self.player) if chosen is None else chosen))
        earned = self.returns()[self.player]
        reward, self.earned = earned - self.earned - self.penalty * illegal, earned
        ended = self.match.position.state.is_terminal()
        if self.render_mode == "human":
            self.render()
        found = self.info() | ({"illegal": True} if illegal else {})
        return self.observation(), float(reward), ended, self.request is None and not ended, found

    def go_on(self, mine: Reply | None) -> None:
        """Send *mine* and let the others play, until the seat is to choose or the match is over."""
        assert self.steps is not None, "the match has begun"
        replies = None
        if self.request is not None:
            self.request, replies = None, self.replies(self.requests, mine)
        while True:
            try:
                step = self.steps.send(replies)
            except StopIteration:
                self.end_match()
                return
            if isinstance(step, Event):
                self.notify_players(step)
                replies = None
                continue
            self.requests = step
            self.request = next((each for each in step if each.player == self.player), None)
            if self.request is not None:
                return
            replies = self.replies(step, None)

    def replies(self, requests: Sequence[Request], mine: Reply | None) -> list[Reply]:
        """The answers of all who are asked."""
        return [mine if each.player == self.player and mine is not None else self.reply(each) for each in requests]

    def reply(self, request: Request) -> Reply:
        """The answer of an opponent."""
        return Reply(self.seated[request.player].act(request.view, Clock()))

    def notify_players(self, event: Event) -> None:
        """Let every opponent observe an event, and remember what the seat has seen of it."""
        for player, agent in self.seated.items():
            agent.observe(event.transition(player, player))
        seen = event.transition(self.player, self.player)
        for player in seen.movers:
            action = seen.action_of(player)
            if action is not None:
                self.last[player] = action

    def end_match(self) -> None:
        """Tell the opponents the result."""
        for agent in self.seated.values():
            agent.end(self.returns())

    def returns(self) -> list[float]:
        """What each player has earned, or earns if the match was cut off."""
        state = self.match.position.state
        over = self.request is None and not state.is_terminal()
        return self.game.infinite_play(state) if over else state.returns()

    def observation(self) -> NDArray[Any]:
        """What the seat sees."""
        return self.views.array(self.match.position.state.view(self.player), self.player, self.last)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now; learning programs with masks call it by this name."""
        return self.mask().astype(bool)

    def mask(self) -> NDArray[np.int8]:
        """The same as zeros and ones."""
        legal = () if self.request is None else self.match.position.state.legal_actions(self.player)
        return self.numbers.mask(legal)

    def info(self) -> dict[str, Any]:
        """What else there is to know: the mask, and the seat."""
        return {"action_mask": self.mask(), "seat": self.player}

    def render(self) -> Any:
        """The position as the seat sees it, in the render mode."""
        return render_position(self.game, self.match.position.state.view(self.player), self.render_mode)


def opponents_of(game: Game, opponent: str | Agent | Sequence[str | Agent]) -> list[Agent]:
    """The agents of all other seats."""
    name, others = spec_of(game).name, game.players - 1
    if isinstance(opponent, str):
        return [make_agent(opponent, name) for _ in range(others)]
    if isinstance(opponent, Agent):
        return [opponent.clone() for _ in range(others)]
    if len(opponent) != others:
        raise BadSpec(repr(game), f"it has {others} other seats, you named {len(opponent)} opponents")
    return [make_agent(each, name) for each in opponent]


if "kibitz-v0" not in gymnasium.registry:
    gymnasium.register(id="kibitz-v0", entry_point="kibitz.bridges.gymnasium:SeatEnv", disable_env_checker=True)
