"""What is worth looking at in each phase: few actions of the thousands that are legal."""

from collections.abc import Iterator, Sequence

from kibitz import core
from kibitz.games.trails.agents.senders import Deceives, Feeding, Keeps, Reliable, Reneges, nothing
from kibitz.games.trails.lookahead.line import Line, SimulatedNegotiator
from kibitz.games.trails.lookahead.offers import front, pair_of
from kibitz.games.trails.offers import PASS, Offers
from kibitz.games.trails.situation import Situation
from kibitz.games.trails.state import ACCEPT, REJECT, STAY

TRANSFERS = (Reneges(), Deceives(), Keeps(), Feeding(), Reliable())
"""Nothing; the largest part that leaves him dependent; all; the chip he cannot move without; as reliable as he was."""

MOST_RISKED = 20
"""So far its BestUse may fall below the most it was, for hopes and words: a stranger may well break all of them."""


def candidates(line: Line, player: int, plans: Sequence[SimulatedNegotiator]) -> list[int]:
    """The actions of *player* that are looked at, those that give nothing away first: what is tried first wins ties."""
    state = line.state
    legal = state.legal_actions(player)
    match state.phase:
        case "answer":
            return [ACCEPT, REJECT]
        case "exchange":
            return list(dict.fromkeys(transfers(line, player)))
        case "offer":
            assert isinstance(legal, Offers)
            found = [*actions_of_plans(line, plans), *offers(line, player, legal)]
            return [action for action in dict.fromkeys(found) if action != PASS] + [PASS] * (PASS in legal)
    return list(steps(line, player, legal))


def actions_of_plans(line: Line, plans: Sequence[SimulatedNegotiator]) -> Iterator[int]:
    """What each plan would do."""
    for plan in plans:
        yield plan.policy(line).top(1)[0][0]


def offers(line: Line, player: int, legal: Offers) -> Iterator[int]:
    """The best offers for each level of what the other one gains."""
    for offer in front(*pair_of(Situation(line.state, player, line.history))):
        if (action := legal.of(*offer)) in legal:
            yield action


def transfers(line: Line, player: int) -> Iterator[int]:
    """The five transfers that are looked at, but for those that risk too much."""
    legal = line.state.legal_actions(player)
    assert isinstance(legal, core.ProductActions)
    situation = Situation(line.state, player, line.history)
    for sender in TRANSFERS:
        for sent in sender.sends(situation):
            if situation.use_after(sent, nothing(situation)) >= least_use(situation):
                yield legal.action(sent)


def steps(line: Line, player: int, legal: Sequence[int]) -> Iterator[int]:
    """The steps but for those that lose too much."""
    situation = Situation(line.state, player, line.history)
    for step in legal:
        if step == STAY or situation.side_after_step(step).best_use >= least_use(situation):
            yield step


def least_use(situation: Situation) -> int:
    """What one's BestUse may fall to; where it has fallen deeper, as far as it is."""
    own, board = situation.own, situation.board
    past = [board.best_use(each.positions[own.player], each.chips[own.player]) for each in situation.history.exchanges]
    return min(own.best_use, max([own.best_use, *past]) - MOST_RISKED)
