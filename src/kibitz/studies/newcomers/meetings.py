"""Single games of any agent with a generated negotiator, and the forecasts of a model that watches them."""

from collections.abc import Iterator
from typing import NamedTuple

from kibitz import core
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz.games.trails.agents.negotiator import Negotiator
from kibitz.games.trails.history import History
from kibitz.games.trails.lookahead.line import Line, SimulatedNegotiator, together
from kibitz.games.trails.models.types import Types
from kibitz.games.trails.offers import PASS
from kibitz.games.trails.rules import Trails
from kibitz.games.trails.state import ACCEPT, ANSWER


class PlayedGame(NamedTuple):
    """A game: what the agent and its opponent earned."""

    own: float
    other: float


class Forecast(NamedTuple):
    """How likely a model took an offer to be accepted, and whether it was."""

    share: float
    accepted: bool
    plain: float
    """The same before it was tempered."""
    strange: float
    """How much a stranger counted in it."""


def trails_on(board: str) -> Trails:
    """The game on a board."""
    game = make_game(f"trails(board={board!r})")
    assert isinstance(game, Trails)
    return game


def meet(board: str, agent: core.Agent, seat: int, opponent: Negotiator, seed: int) -> PlayedGame:
    """One game of *agent*, in *seat*, with *opponent*."""
    *_, last = played_lines(board, agent, seat, opponent, seed)
    returns = last.state.returns()
    return PlayedGame(returns[seat], returns[1 - seat])


def played_lines(board: str, agent: core.Agent, seat: int, opponent: Negotiator, seed: int) -> Iterator[Line]:
    """The same game event by event: all positions with what led to them, up to the end."""
    game, rng = trails_on(board), stream(seed, "meeting")
    agent.begin(game, seat, stream(seed, "agent"))
    mind = SimulatedNegotiator(opponent, game, 1 - seat, rng)
    line, ply = Line.from_state(game.new_initial_state(), History()), 0
    yield line
    while not line.state.is_terminal():
        before, current = line.state, line.state.current_player()
        own = PASS
        if current in (seat, core.SIMULTANEOUS):
            own = agent.act(before.view(seat), core.Clock())
        actions = together(before, seat, own, draw(mind, line, rng))
        line, ply = line.compute_after(actions), ply + 1
        agent.observe(core.Transition(ply, current, actions, before, line.state))
        yield line


def forecasts(board: str, partner: str, seat: int, opponent: Negotiator, seed: int) -> Iterator[Forecast]:
    """What `trails.types` expects of every answer of *opponent* to *partner*, who is in *seat*."""
    game, rng, agent, model = trails_on(board), stream(seed, "forecasts"), make_agent(partner), Types()
    assert isinstance(agent, Negotiator)
    minds = [SimulatedNegotiator(each, game, at, rng) for each, at in ((agent, seat), (opponent, 1 - seat))]
    model.begin(game, seat, rng)
    line, ply = Line.from_state(game.new_initial_state(), History()), 0
    while not line.state.is_terminal():
        before = line.state
        actions = together(before, seat, *(draw(mind, line, rng) for mind in minds))
        if before.phase == ANSWER and before.partner != seat:
            share, plain = (each(before, 1 - seat).probability(ACCEPT) for each in (model.predict, model.plain_answer))
            yield Forecast(share, actions[0] == ACCEPT, plain, model.cautious_shares(1 - seat)[-1])
        line, ply = line.compute_after(actions), ply + 1
        model.observe(core.Transition(ply, before.current_player(), actions, before, line.state))


def draw(mind: SimulatedNegotiator, line: Line, rng: core.Rng) -> int:
    """What a negotiator does on a line; nothing where it is not their turn."""
    current = line.state.current_player()
    return mind.policy(line).sample(rng) if current in (mind.player, core.SIMULTANEOUS) else PASS
