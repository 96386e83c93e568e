"""Hints: the action that a strong agent would choose for a player."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from kibitz import core
from kibitz.core.agent import Clock
from kibitz.core.registry import house_agents, make_agent, spec_of
from kibitz.core.seeds import stream
from kibitz.core.wording import percent
from kibitz_solve.agents.solved_games import Equilibrium
from kibitz_web.choices import Choices
from kibitz_web.server.live.matches import LiveMatch

RunWork = Callable[..., Awaitable[Any]]
MOST, LEAST = 5, 1e-7
"""Most actions of a mixture that are named, and the smallest share of one."""
DELAYING = "thwart"
"""The agent that is asked in lost positions, where a perfect player is indifferent."""


async def advice(match: LiveMatch, player: int, choices: Choices, run: RunWork | None = None) -> str:
    """A hint for *player*, whose turn it is; *run* lets another than the owner of the match pay for it."""
    seen = [event.transition(player, ("hint", player)) for event in match.events]
    view = match.positions[-1].state.view(player)
    asked = adviser(match.game, solvable=await choices.can_solve(match.game))
    given = (match.game, asked, match.options.seed, player, seen, view)
    run = run or partial(match.compute.run_cpu, payer=match.owner)
    found: str = await run(hint, *given, match=match.work)
    return found


def adviser(game: core.Game, *, solvable: bool) -> str:
    """The agent to ask: a perfect one, the game's first own agent, or one that searches."""
    return "equilibrium" if solvable else next(iter(house_agents(spec_of(game).name)), "mcts")


def hint(game: core.Game, asked: str, seed: int, player: int, seen: Sequence[core.Transition], view: core.State) -> str:
    """The action that the agent *asked* would choose for *player* on *view*, after the transitions *seen*."""
    agent = seated_adviser(game, asked, seed, player, seen)
    if isinstance(agent, Equilibrium) and is_lost(agent, view):
        agent = seated_adviser(game, DELAYING, seed, player, seen)
    if isinstance(agent, core.Strategy):
        return mixture_words(view, player, agent.policy(view))
    return view.action_to_string(player, agent.act(view, Clock()))


def seated_adviser(game: core.Game, asked: str, seed: int, player: int, seen: Sequence[core.Transition]) -> core.Agent:
    """The agent *asked* in the seat of *player*, after the transitions *seen*."""
    agent = make_agent(asked, spec_of(game).name)
    agent.begin(game, player, stream(seed, "hint", player, len(seen)))
    for transition in seen:
        agent.observe(transition)
    return agent


def is_lost(agent: Equilibrium, view: core.State) -> bool:
    """Whether the opponent can force the lowest return: then all actions of the agent are equally good."""
    low, high = agent.solution.interval(view)
    game = agent.solution.game
    if agent.player == 0:
        return high <= float(game.low.min()) + game.infinite_play + LEAST
    return low >= float(game.high.max()) + game.infinite_play - LEAST


def mixture_words(view: core.State, player: int, policy: core.Distribution) -> str:
    """`F 50%, R 50%`; the action alone if there is only one."""
    shares = [(action, share) for action, share in policy.top(MOST) if share >= LEAST]
    named = [f"{view.action_to_string(player, action)} {share_words(share)}" for action, share in shares]
    others = 1.0 - sum(share for _, share in shares)
    if len(named) == 1 and others < LEAST:
        return view.action_to_string(player, shares[0][0])
    return ", ".join(named if others < LEAST * MOST else [*named, f"others {share_words(others)}"])


def share_words(share: float) -> str:
    """`33%`, `under 1%`."""
    return percent(share) if share >= 0.01 else "under 1%"
