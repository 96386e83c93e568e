"""What a strong agent would do in a player's place."""

from kibitz import core
from kibitz.core.clocks import Clock
from kibitz.core.registry import house_agents, make_agent, spec_of
from kibitz.core.seeds import stream
from kibitz.server.tables import Table


def adviser(game: core.Game) -> str:
    """The agent that is asked for advice: the first that comes with the game."""
    return next(iter(house_agents(spec_of(game).name)), "random")


def hint(table: Table, player: int) -> str:
    """What the adviser would choose for *player*, who is to choose, after all that he has seen; in words."""
    agent = make_agent(adviser(table.game), spec_of(table.game).name)
    agent.begin(table.game, player, stream(table.seed, "hint", player, len(table.events)))
    for event in table.events:
        agent.observe(event.transition(player, ("hint", player)))
    view = table.positions[-1].state.view(player)
    return view.action_to_string(player, agent.act(view, Clock()))
