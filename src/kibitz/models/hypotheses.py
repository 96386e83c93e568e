"""The strategies that a player may be supposed to follow."""

from kibitz import core
from kibitz.core.registry import entries, house_agents, make_agent, spec_of
from kibitz.core.registry.specs import constructor_parameters


def looking(strategy: core.Strategy, depth: int | None) -> core.Strategy:
    """The same strategy with search depth *depth*, if it searches and a depth is given."""
    if depth is None or "depth" not in constructor_parameters(type(strategy)):
        return strategy
    return type(strategy)(**{**strategy.parameters(), "depth": depth})


def known_strategies(game: core.Game) -> tuple[core.Strategy, ...]:
    """The strategies that come with *game*, can play it and may be hypotheses, each with its default parameters."""
    name = spec_of(game).name
    agents = [make_agent(agent) for agent in (house_agents(name) if name in entries("game") else ())]
    strategies = (agent for agent in agents if isinstance(agent, core.Strategy) and agent.supposed)
    return tuple(agent for agent in strategies if agent.manages(game))
