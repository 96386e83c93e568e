"""kibitz games as Gymnasium environments: one seat is yours, agents sit in the others.

>>> from kibitz_lab.bridges.gymnasium import env
>>> pawns = env("pawns", opponent="s4")

Importing this module also registers `kibitz-v0`:
`gymnasium.make("kibitz_lab.bridges.gymnasium:kibitz-v0", game="pawns")`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.core.agent import Agent, Clock
from kibitz.core.errors import BadSpec, MissingPackage, Refused, Unsupported
from kibitz.core.game import Game, Rng, State, Transition
from kibitz.core.match import NO_REPLY, Match, MatchOptions, Reply
from kibitz.core.match.play import Seats
from kibitz.core.registry import make_agent, make_game, spec_of
from kibitz_lab.bridges.arrays import ActionNumbers, ViewArrays, render_position

try:
    import gymnasium
except ImportError:
    raise MissingPackage("gymnasium", "bridges") from None

RENDER_MODES = ("human", "ansi")
BEGINNINGS = 100
"""So many matches may end before the seat is asked for the first time."""


def env(game: str | Game, **options: Any) -> "SeatEnv":
    """An environment for one seat of *game*; the options are the parameters of `SeatEnv`."""
    return SeatEnv(game, **options)


class Learner(Agent):
    """Who sits in the seat: the program that steps the environment."""

    def begin(self, game: Game, player: int, rng: Rng) -> None:
        super().begin(game, player, rng)
        self.seen: dict[int, int] = {}
        """The last action of each player that it has seen."""

    def act(self, view: State, clock: Clock) -> int:
        raise Unsupported(self, self.game, "it is asked through `step`")

    def observe(self, transition: Transition) -> None:
        for player in transition.movers:
            action = transition.action_of(player)
            if action is not None:
                self.seen[player] = action


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
        self.asked: tuple[int, ...] = ()
        """The players who are to choose now, the seat among them; empty when no episode runs."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        super().reset(seed=seed)
        for _ in range(BEGINNINGS):
            self.begin_match()
            if self.asked:
                return self.observation(), self.info()
        raise Refused(f"seat {self.seat} of {self.game} was not asked in {BEGINNINGS} matches")

    def begin_match(self) -> None:
        """Seat the opponents, and let them play until the seat is to choose."""
        number = int(self.np_random.integers(2**63))
        self.player = int(self.np_random.integers(self.game.players)) if self.seat is None else self.seat
        self.learner = Learner()
        agents: list[Agent] = [*self.opponents]
        agents.insert(self.player, self.learner)
        self.seats = Seats(self.game, agents)
        self.match = Match(self.game, MatchOptions(seed=number), [self.seats])
        self.steps, self.asked, self.earned = self.match.steps(), (), 0.0
        self.go_on()

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        if not self.asked:
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
        return self.observation(), float(reward), ended, not self.asked and not ended, found

    def go_on(self, mine: Reply = NO_REPLY) -> None:
        """Answer for everybody, *mine* for the seat, until it is asked again or the match is over."""
        while True:
            replies = [self.reply(player, mine) for player in self.asked] or None
            self.asked = ()
            try:
                step = self.steps.send(replies)
            except StopIteration:
                return
            if isinstance(step, tuple):
                self.asked = tuple(request.player for request in step)
                if self.player in self.asked:
                    return

    def reply(self, player: int, mine: Reply) -> Reply:
        """The answer of the seat, or of an opponent."""
        return mine if player == self.player else self.seats.replies(self.match, (player,))[0]

    def returns(self) -> list[float]:
        """What each player has earned, or earns if the match was cut off."""
        state = self.match.position.state
        over = not self.asked and not state.is_terminal()
        return self.game.infinite_play(state) if over else state.returns()

    def observation(self) -> NDArray[Any]:
        """What the seat sees."""
        return self.views.array(self.match.position.state.view(self.player), self.player, self.learner.seen)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now; learning programs with masks call it by this name."""
        return self.mask().astype(bool)

    def mask(self) -> NDArray[np.int8]:
        """The same as zeros and ones."""
        legal = () if not self.asked else self.match.position.state.legal_actions(self.player)
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
    gymnasium.register(id="kibitz-v0", entry_point="kibitz_lab.bridges.gymnasium:SeatEnv", disable_env_checker=True)
