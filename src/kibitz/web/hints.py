"""What a strong agent would do in a player's place."""

from collections.abc import Sequence

from kibitz import core
from kibitz.core.clocks import Clock
from kibitz.core.registry import house_agents, make_agent, spec_of
from kibitz.core.seeds import stream
from kibitz.server.tables import Table


async def advice(table: Table, player: int) -> str:
    """A hint for *player*, who is to choose now."""
    seen = [event.transition(player, ("hint", player)) for event in table.events]
    view = table.positions[-1].state.view(player)
    return await table.minds.compute(hint, table.game, table.options.seed, player, seen, view)


def adviser(game: core.Game) -> str:
    """The agent that is asked for advice: the first that comes with the game."""
    return next(iter(house_agents(spec_of(game).name)), "random")


def hint(game: core.Game, seed: int, player: int, seen: Sequence[core.Transition], view: core.State) -> str:
    """What the adviser would choose for *player*, who is to choose on *view* after what he has *seen*; in words."""
    agent = make_agent(adviser(game), spec_of(game).name)
    agent.begin(game, player, stream(seed, "hint", player, len(seen)))
    for transition in seen:
        agent.observe(transition)
    return view.action_to_string(player, agent.act(view, Clock()))
