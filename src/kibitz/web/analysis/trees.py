"""The search tree behind a move, if its agent searches one."""

from collections.abc import Sequence

from kibitz import core
from kibitz.core.drawing import Drawing
from kibitz.core.errors import Refused
from kibitz.core.match import Event
from kibitz.core.registry import make_agent, spec_of
from kibitz.core.seeds import stream

PLIES, WIDEST = 2, 3
"""Number of plies of a tree that are drawn, and of children per node."""


def tree_behind(
    game: core.Game, agents: Sequence[str | None], seed: int, events: Sequence[Event]
) -> dict[str, Drawing]:
    """A drawing of the search behind the last of *events*; *specs* name the players, None for people."""
    from kibitz.agents.search.alphabeta import AlphaBeta
    from kibitz.agents.search.picture import branch_of, draw_tree, searched_tree

    if not events or not 0 <= events[-1].player < len(agents):
        raise Refused("no agent made the last move")
    player = events[-1].player
    spec = agents[player]
    agent = make_agent(spec, spec_of(game).name) if spec is not None else None
    if not isinstance(agent, AlphaBeta):
        raise Refused(f"{spec or 'a person'} grows no tree; alphabeta and agents based on it do")
    agent.begin(game, player, stream(seed, "agent", player))
    for event in events[:-1]:
        agent.observe(event.transition(player, ("tree", player)))
    view = events[-1].before.state.view(player)
    picture = draw_tree(branch_of(searched_tree(agent, view, PLIES), view, PLIES, WIDEST), game, player)
    return {f"The search behind the last move: {picture.caption}": picture}
