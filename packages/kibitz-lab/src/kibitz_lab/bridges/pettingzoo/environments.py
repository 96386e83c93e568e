"""`TurnEnv` and `SimultaneousEnv`: kibitz games as PettingZoo environments, made by `env` and `parallel_env`.

Rewards are what a step adds to the returns, so the rewards of an episode add up to what the match would earn. Chance is
drawn by the environment. An illegal action is replaced by the game's default action, and the agent's info says so.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadSpec, MissingPackage, Refused
from kibitz.core.game import CHANCE, Game, Rng
from kibitz.core.match import Event, Match, MatchOptions, Moment, Reply
from kibitz.core.match.events import Requests
from kibitz.core.registry import make_game, spec_of
from kibitz.core.seeds import stream
from kibitz_lab.bridges.arrays import ActionNumbers, ViewArrays, render_position

try:
    import gymnasium
    from pettingzoo import AECEnv, ParallelEnv
except ImportError:
    raise MissingPackage("pettingzoo", "bridges") from None

RENDER_MODES = ("human", "ansi")
Observation = dict[str, NDArray[Any]]
Spaces = dict[str, gymnasium.spaces.Space[Any]]


class MaskedDiscrete(gymnasium.spaces.Discrete):
    """The numbers of actions; draws from those that a mask allows without looking at the mask three times."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        if mask is None or probability is not None:
            return super().sample(mask, probability)
        allowed = mask.view(bool).nonzero()[0]
        return allowed[int(self.np_random.random() * len(allowed))] if len(allowed) else self.start


class EnvOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of an environment; raises BadSpec for an invalid value."""

    render_mode: str | None = None
    """`human` prints, `ansi` returns text."""
    max_cycles: int | None = None
    """The episode is truncated after this many turns; None: at the game's own limit."""
    listed: bool | None = None
    """Whether actions are indices into the list of legal actions; None: if there are too many ids."""
    most: int = 1000
    """Number of indices if actions are listed."""
    size: int = 1024
    """Length of an observation, unless the game has planes."""

    def __post_init__(self) -> None:
        if self.render_mode not in (None, *RENDER_MODES):
            raise BadSpec(f"render_mode={self.render_mode!r}", f"known: {', '.join(RENDER_MODES)}")
        for name in ("max_cycles", "most", "size"):
            value = getattr(self, name)
            if value is not None and not 1 <= value <= 1_000_000:
                raise BadSpec(f"{name}={value}", "must be a whole number from 1 to 1,000,000")


class Episode:
    """One match, whose loop this drives: what its players may do now, and what each has earned since the last step."""

    def __init__(self, game: Game, rng: Rng, max_cycles: int | None = None) -> None:
        self.game, self.max_cycles = game, max_cycles
        self.match = Match(game, MatchOptions(seed=int(rng.integers(2**32))))
        self.steps = self.match.steps()
        self.nothing = [0.0] * game.players
        self.earned = self.nothing
        self.last: list[dict[int, int]] = [{} for _ in range(game.players)]
        """By observer, the last action of each player that they have seen."""
        self.cycles = 0
        self.terminated = self.truncated = False
        self.follow(next(self.steps, None))

    def follow(self, step: Moment | Requests | None) -> None:
        """Go on to the next question to the players, or to the end."""
        while isinstance(step, Moment):
            if step.event is not None and step.event.player != CHANCE:
                self.note(step.event)
            step = next(self.steps, None)
        self.state = self.match.position.state
        self.movers = () if step is None else tuple(request.player for request in step)
        if step is None:
            self.terminated = self.state.is_terminal()
            self.truncated = not self.terminated

    def note(self, event: Event) -> None:
        """Keep what each observer saw of an event."""
        before = event.before.state
        for player, action in zip(event.movers, event.actions, strict=True):
            for observer, last in enumerate(self.last if self.game.hidden else self.last[:1]):
                seen = before.seen_action(observer, player, action) if self.game.hidden else action
                if seen is not None:
                    last[player] = seen

    def play(self, actions: Sequence[int]) -> list[float]:
        """Play one action of each mover; return what each player earned by it."""
        self.cycles += 1
        self.follow(self.steps.send([Reply(action=action) for action in actions]))
        self.truncated |= not self.terminated and self.cycles == self.max_cycles
        earned = self.game.infinite_play(self.state) if self.truncated else self.state.returns()
        if earned == self.earned:
            return self.nothing
        rewards = [now - then for now, then in zip(earned, self.earned, strict=True)]
        self.earned = earned
        return rewards


class EnvironmentParts:
    """What both kinds of environments share: the spaces, observations, chance and pictures of one game."""

    def __init__(self, game: str | Game, options: EnvOptions) -> None:
        self.game, self.options = make_game(game), options
        self.render_mode, self.max_cycles = options.render_mode, options.max_cycles
        self.numbers = ActionNumbers(self.game, options.listed, options.most)
        self.views = ViewArrays(self.game, options.size)
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "name": f"kibitz_{spec_of(self.game).name}_v0",
            "is_parallelizable": True,
            "render_fps": 2,
        }
        self.possible_agents = [f"player_{player}" for player in range(self.game.players)]
        self.agents: list[str] = []
        self.players = {agent: player for player, agent in enumerate(self.possible_agents)}
        low, high = self.views.bounds
        seen = gymnasium.spaces.Box(low, high, self.views.shape, self.views.dtype)
        self.state_space = seen
        self.observation_spaces: Spaces = {}
        self.action_spaces: Spaces = {}
        for agent in self.possible_agents:
            mask = gymnasium.spaces.Box(0, 1, (self.numbers.count,), np.int8)
            box = gymnasium.spaces.Box(low, high, self.views.shape, self.views.dtype)
            self.observation_spaces[agent] = gymnasium.spaces.Dict({"observation": box, "action_mask": mask})
            self.action_spaces[agent] = MaskedDiscrete(self.numbers.count)
        self.rng: Rng | None = None
        self.episode: Episode | None = None

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def new_episode(self, seed: int | None) -> Episode:
        """Begin: with a seed the episode and all that follow are determined by it."""
        if seed is not None:
            self.rng = stream(int(seed), "environment")
        elif self.rng is None:
            self.rng = np.random.default_rng()
        self.agents = list(self.possible_agents)
        self.episode = Episode(self.game, self.rng, self.max_cycles)
        return self.episode

    def running_episode(self) -> Episode:
        """The episode; raises Refused if there was no `reset` yet."""
        if self.episode is None:
            raise Refused("call reset() before anything else")
        return self.episode

    def observation_of(self, player: int, legal: Sequence[int]) -> Observation:
        """What *player* sees, and which of the *legal* actions they may choose."""
        episode = self.running_episode()
        view = episode.state.view(player) if self.game.hidden else episode.state
        array = self.views.array(view, player, episode.last[player if self.game.hidden else 0])
        return {"observation": array, "action_mask": self.numbers.mask(legal)}

    def legal_actions(self, player: int) -> Sequence[int]:
        """The legal actions of *player*, if they are to move."""
        episode = self.running_episode()
        return episode.state.legal_actions(player) if player in episode.movers else ()

    def chosen_action(self, player: int, number: object, legal: Sequence[int]) -> tuple[int, dict[str, Any]]:
        """The action of a number and the agent's info; the default action if it is not legal."""
        action = None if number is None else self.numbers.action(int(number), legal)  # type: ignore[call-overload]
        if action is None:
            return self.running_episode().state.default_action(player), {"illegal": True}
        return action, {}

    def render(self) -> Any:
        """The full position in the render mode."""
        return render_position(self.game, self.running_episode().state, self.render_mode)

    def state(self) -> NDArray[Any]:
        """The full position as an array, hidden parts included."""
        return self.views.array(self.running_episode().state)

    def close(self) -> None:
        """Nothing is open."""


class TurnEnv(EnvironmentParts, AECEnv):
    """A game whose agents act in turn. Players who choose at once do so one after another, and see nothing of it."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.new_episode(seed)
        agents = self.agents
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        self._skip_agent_selection = None
        self.chosen: list[int] = []
        self.rewarded = False
        """Whether the last step earned anything."""
        self.next_turn()

    def next_turn(self) -> None:
        """Find who is to move, and what they may do."""
        episode = self.running_episode()
        if episode.terminated or episode.truncated:
            over = self.terminations if episode.terminated else self.truncations
            over.update(dict.fromkeys(self.agents, True))
            self.movers: tuple[int, ...] = ()
            self.agent_selection = self.agents[0]
            return
        self.movers = episode.movers
        self.select(self.movers[0])

    def select(self, player: int) -> None:
        """Let *player* choose next."""
        self.legal = self.running_episode().state.legal_actions(player)
        self.agent_selection = self.possible_agents[player]

    def observe(self, agent: str) -> Observation:
        waits = not self.movers or agent != self.agent_selection
        return self.observation_of(self.players[agent], () if waits else self.legal)

    def step(self, action: Any) -> None:
        agent, episode = self.agent_selection, self.running_episode()
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        action, self.infos[agent] = self.chosen_action(self.players[agent], action, self.legal)
        self.chosen.append(action)
        if len(self.chosen) < len(self.movers):
            self._clear_rewards()
            self.rewarded = False
            self.select(self.movers[len(self.chosen)])
        else:
            earned = episode.play(self.chosen)
            self.chosen = []
            if earned is not episode.nothing or self.rewarded:
                for name, reward in zip(self.possible_agents, earned, strict=True):
                    self.rewards[name] = reward
                    self._cumulative_rewards[name] += reward
                self.rewarded = earned is not episode.nothing
            self.next_turn()
        if self.render_mode == "human":
            self.render()


class SimultaneousEnv(EnvironmentParts, ParallelEnv):
    """A game whose agents all act at once; who is not to move has a mask without any action."""

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        self.new_episode(seed)
        return self.observations(), {agent: {} for agent in self.agents}

    def observations(self) -> dict[str, Observation]:
        """What every agent sees."""
        return {
            agent: self.observation_of(self.players[agent], self.legal_actions(self.players[agent]))
            for agent in self.agents
        }

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        episode = self.running_episode()
        if not self.agents:
            raise Refused("the episode is over; call reset()")
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        chosen = []
        for player in episode.movers:
            agent = self.possible_agents[player]
            legal = episode.state.legal_actions(player)
            action, infos[agent] = self.chosen_action(player, actions.get(agent), legal)
            chosen.append(action)
        earned = episode.play(chosen)
        found = self.observations()
        rewards = dict(zip(self.possible_agents, earned, strict=True))
        ended, cut = dict.fromkeys(self.agents, episode.terminated), dict.fromkeys(self.agents, episode.truncated)
        if episode.terminated or episode.truncated:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return found, rewards, ended, cut, infos
