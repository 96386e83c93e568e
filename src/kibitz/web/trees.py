"""The search tree behind a move, where the agent that made it grows one."""

from collections.abc import Sequence

from nicegui import ui

from kibitz import core
from kibitz.core.drawing import Drawing
from kibitz.core.errors import KibitzError, Refused
from kibitz.core.match import Event
from kibitz.core.registry import make_agent, spec_of
from kibitz.core.seeds import stream
from kibitz.server.minds import Minds
from kibitz.web.board import Board
from kibitz.web.look import button

PLIES, WIDEST = 2, 3
"""So many plies of a tree are drawn, and of each node so many children."""


def tree_behind(game: core.Game, agents: Sequence[str | None], seed: int, events: Sequence[Event]) -> Drawing:
    """What the agent that made the last of *events* searched, drawn; everybody goes by his spec, people by None."""
    from kibitz.agents.search.alphabeta import AlphaBeta
    from kibitz.agents.search.picture import branch_of, draw_tree, searched_tree

    if not events or not 0 <= events[-1].player < len(agents):
        raise Refused("no agent made the last move")
    player = events[-1].player
    spec = agents[player]
    agent = make_agent(spec, spec_of(game).name) if spec is not None else None
    if not isinstance(agent, AlphaBeta):
        raise Refused(f"{spec or 'a person'} grows no tree; alphabeta and agents made of it do")
    agent.begin(game, player, stream(seed, "agent", player))
    for event in events[:-1]:
        agent.observe(event.transition(player, ("tree", player)))
    view = events[-1].before.state.view(player)
    return draw_tree(branch_of(searched_tree(agent, view, PLIES), view, PLIES, WIDEST), game, player)


async def show_tree(
    minds: Minds, game: core.Game, agents: Sequence[str | None], seed: int, events: Sequence[Event]
) -> None:
    """Show the tree behind the last of *events* over the page, or say why there is none."""
    try:
        drawing = await minds.compute(tree_behind, game, agents, seed, list(events))
    except KibitzError as error:
        ui.notify(str(error), type="warning")
        return
    with ui.dialog(value=True).props("maximized") as dialog, ui.card().classes("w-full"):
        ui.label(f"The search behind the last move: {drawing.caption}")
        Board().show(drawing)
        button("Close", dialog.close)
