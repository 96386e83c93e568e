"""`kibitz tree`: shows the tree that a searching agent grows before it moves."""

from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.console import console
from kibitz.cli.options import GameArgument, SeedOption, chosen_seed
from kibitz.core.agent import Agent
from kibitz.core.drawing import svg
from kibitz.core.errors import BadSpec
from kibitz.core.files import write_file
from kibitz.core.game import Game, State
from kibitz.core.registry import make_agent, make_game, spec_of
from kibitz.core.seeds import stream
from kibitz.core.transition import Transition


def tree(
    game: GameArgument,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="alphabeta, asymmetric or an agent based on one.")],
    moves: Annotated[
        str,
        typer.Option("--moves", metavar="MOVES", help="The moves so far, separated by spaces or commas."),
    ] = "",
    depth: Annotated[int, typer.Option("--depth", metavar="N", min=1, max=6, help="Number of plies to show.")] = 2,
    widest: Annotated[int, typer.Option("--widest", metavar="N", min=1, help="Maximum children per node.")] = 6,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Draw the tree as an SVG file instead.")
    ] = None,
    seed: SeedOption = None,
) -> None:
    """Show the tree of a search: limits, shares of the opponent's likely moves, and values.

    Examples:

      kibitz tree pawns alphabeta

      kibitz tree pawns 'asymmetric(model=dbn)' --moves 'base-c2 base-f7' --depth 3 --out tree.svg
    """
    from kibitz.agents.search.alphabeta import AlphaBeta
    from kibitz.agents.search.picture import branch_of, draw_tree, searched_tree, tree_text

    rules = make_game(game)
    player = make_agent(agent, spec_of(rules).name)
    if not isinstance(player, AlphaBeta):
        raise BadSpec(agent, "it grows no tree to show; alphabeta and asymmetric do")
    state = replay_moves(rules, player, moves, chosen_seed(seed or "0"))
    shown = branch_of(searched_tree(player, state, depth), state, depth, widest)
    if out is None:
        console.print(tree_text(shown), markup=False, soft_wrap=True)
        return
    write_file(out, svg(draw_tree(shown, rules, player.player)))
    console.print(f"drawn into {out}", style="dim", markup=False)


def replay_moves(game: Game, agent: Agent, moves: str, seed: int) -> State:
    """The state after the moves; the agent, whose seat is to move, has seen them all as moves nobody chose."""
    states, actions = [game.new_initial_state()], []
    for words in (part.strip() for part in (moves.split(",") if "," in moves else moves.split())):
        state = states[-1]
        if state.current_player() < 0:
            raise BadSpec(words, "no single player moves here, so no further moves can follow")
        actions.append(state.string_to_action(state.current_player(), words))
        states.append(state.child(actions[-1]))
    if states[-1].is_terminal():
        raise BadSpec(moves, "the game is over there; give fewer moves")
    if states[-1].current_player() < 0:
        raise BadSpec(repr(game), "no single player moves there, so there is no tree to draw")
    agent.begin(game, states[-1].current_player(), stream(seed, "tree"))
    for ply, action in enumerate(actions):
        before, after = states[ply], states[ply + 1]
        agent.observe(Transition(ply, before.current_player(), (action,), before, after, chosen=(False,)))
    return states[-1]
