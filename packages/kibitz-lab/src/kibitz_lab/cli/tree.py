"""`kibitz tree`: shows the tree that a searching agent grows before it moves."""

from typing import Annotated

from msgspec import Meta

from kibitz.cli.console import console, dim, show
from kibitz.cli.options import Argument, Command, GameArgument, Out, Positive, Seed, chosen_seed
from kibitz.core.agent import Agent
from kibitz.core.drawing import svg
from kibitz.core.errors import BadSpec
from kibitz.core.files import write_file
from kibitz.core.game import Game, State, Transition
from kibitz.core.registry import make_agent, make_game, spec_of
from kibitz.core.seeds import stream
from kibitz_lab.search.alphabeta import AlphaBeta
from kibitz_lab.search.picture import branch_of, draw_tree, searched_tree, tree_text


class TreeCommand(Command, frozen=True):
    """Show the tree of a search: limits, shares of the opponent's likely moves, and values.

    Examples:
      kibitz tree pawns alphabeta
      kibitz tree pawns 'asymmetric(model=dbn)' --moves 'base-c2 base-f7' --depth 3 --out tree.svg
    """

    game: GameArgument
    agent: Argument[Annotated[str, "AGENT"]]
    """alphabeta, asymmetric or an agent based on one."""
    moves: Annotated[str, "MOVES"] = ""
    """The moves so far, separated by spaces or commas."""
    depth: Annotated[int, Meta(ge=1, le=6)] = 2
    """Number of plies to show."""
    widest: Positive = 6
    """Maximum children per node."""
    out: Out = None
    """Draw the tree as an SVG file instead."""
    seed: Seed = None

    def execute(self) -> None:
        game = make_game(self.game)
        agent = make_agent(self.agent, spec_of(game).name)
        if not isinstance(agent, AlphaBeta):
            raise BadSpec(self.agent, "it grows no tree to show; alphabeta and asymmetric do")
        state = replay_moves(game, agent, self.moves, chosen_seed(self.seed or "0"))
        shown = branch_of(searched_tree(agent, state, self.depth), state, self.depth, self.widest)
        if self.out is None:
            console.print(tree_text(shown), markup=False, soft_wrap=True)
            return
        write_file(self.out, svg(draw_tree(shown, game, agent.player)))
        show(None, [dim(f"drawn into {self.out}")])


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
