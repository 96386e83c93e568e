"""Bounds for studies: the most that can be earned from a known negotiator, and what fixed agents earn from them."""

from kibitz import core
from kibitz.core.match.play import play
from kibitz.core.registry import spec_of
from kibitz.core.seeds import stream
from kibitz.games.trails.agents.negotiator import Negotiator
from kibitz.games.trails.history import History
from kibitz.games.trails.lookahead.line import Line, SimulatedNegotiator, together
from kibitz.games.trails.lookahead.playouts import EvenDraws
from kibitz.games.trails.offers import PASS
from kibitz.games.trails.rules import Trails

MOST_POSITIONS = 200_000
"""Positions of the largest game that is solved."""


def exact_response(game: Trails, player: int, opponent: Negotiator) -> float:
    """The most *player* can earn from a known opponent: an exact search of every legal action in every position.

    Positions that differ in nothing the opponent depends on are one. Only small boards have few enough of them.
    """
    if game.players != 2 or game.hidden:
        raise core.Unsupported("an exact response", game, "it takes two players who see all chips")
    mind = SimulatedNegotiator(opponent, game, 1 - player, stream(0, "response"))
    values: dict[core.Key, float] = {}

    def value(line: Line) -> float:
        """What a position is worth, worked out once."""
        if line.state.is_terminal():
            return line.state.returns()[player]
        mind.agent.history = line.history
        key = line.state.key(), mind.agent.state_key(line.state)
        if key not in values:
            if len(values) >= MOST_POSITIONS:
                raise core.Unsupported("an exact response", game, f"there are more than {MOST_POSITIONS:,} positions")
            values[key] = best(line)
        return values[key]

    def best(line: Line) -> float:
        """The best mean over what the opponent may do."""
        state = line.state
        current = state.current_player()
        theirs = {PASS: 1.0} if current == player else shares(mind.policy(line))
        mine = state.legal_actions(player) if current in (player, core.SIMULTANEOUS) else (PASS,)
        return max(
            sum(
                share * value(line.compute_after(together(state, player, own, other)))
                for other, share in theirs.items()
            )
            for own in mine
        )

    return value(Line.from_state(game.new_initial_state(), History()))


def shares(policy: core.Distribution) -> dict[int, float]:
    """Every action that may be taken, with its probability."""
    if policy.rest:
        return {action: policy.probability(action) for action in policy.legal}
    return {action: share for action, share in policy.named.items() if share > 0.0}


def known_response(game: Trails, player: int, opponent: Negotiator, nodes: int, games: int) -> float:
    """What look-ahead that knows the opponent earns from them on average: nearly a best response, never above it."""
    knowing = f"trails.kibitzer(types=({spec_of(opponent)},), unknown=0.0, nodes={nodes})"
    seats = [knowing, str(spec_of(opponent))][:: 1 if player == 0 else -1]
    found = 0.0
    for number in range(games if opponent.traits.stochastic else 1):
        ending = play(game, seats, seed=number).ending
        assert ending is not None
        found += ending.returns[player]
    return found / (games if opponent.traits.stochastic else 1)


def fixed_response(game: Trails, player: int, agent: Negotiator, opponent: Negotiator, games: int) -> float:
    """What *agent* earns on average from an opponent."""
    drawing = agent.traits.stochastic or opponent.traits.stochastic
    own, other = (
        SimulatedNegotiator(mind, game, seat, stream(0, "fixed"))
        for mind, seat in ((agent, player), (opponent, 1 - player))
    )
    scores = []
    for number in range(games if drawing else 1):
        line, lots = Line.from_state(game.new_initial_state(), History()), EvenDraws(number / games)
        while not line.state.is_terminal():
            actions = [draw(mind, line, lots) for mind in (own, other)]
            line = line.compute_after(together(line.state, player, *actions))
        scores.append(line.state.returns()[player])
    return sum(scores) / len(scores)


def draw(mind: SimulatedNegotiator, line: Line, lots: EvenDraws) -> int:
    """What a negotiator does on a line; nothing where it is not their turn."""
    current = line.state.current_player()
    if current not in (mind.player, core.SIMULTANEOUS):
        return PASS
    return mind.policy(line).sample(lots)  # type: ignore[arg-type]


def earned_from(game: Trails, agent: core.Agent, player: int, opponent: Negotiator) -> float:
    """What an opponent who makes no random choices earns from any *agent*, who is *player*."""
    agent.begin(game, player, stream(0, "agent"))
    mind = SimulatedNegotiator(opponent, game, 1 - player, stream(0, "opponent"))
    line, ply = Line.from_state(game.new_initial_state(), History()), 0
    while not line.state.is_terminal():
        before, current = line.state, line.state.current_player()
        own = agent.act(before.view(player), core.Clock()) if current in (player, core.SIMULTANEOUS) else PASS
        theirs = PASS if current == player else mind.policy(line).top(1)[0][0]
        actions = together(before, player, own, theirs)
        line, ply = line.after(actions), ply + 1
        agent.observe(core.Transition(ply, current, actions, before, line.state))
    return line.state.returns()[1 - player]
