"""What is worth looking at in each phase: few actions of the thousands that are legal."""

from collections.abc import Iterator, Sequence

from kibitz import core
from kibitz.games.trails.agents.senders import Deceives, Feeding, Keeps, Reliable, Reneges, nothing
from kibitz.games.trails.lookahead.line import Line, Mind
from kibitz.games.trails.lookahead.offers import front, pair_of
from kibitz.games.trails.offers import PASS, Offers
from kibitz.games.trails.situation import Situation
from kibitz.games.trails.state import ACCEPT, REJECT

TRANSFERS = (Reneges(), Deceives(), Keeps(), Feeding(), Reliable())
"""Nothing; the largest part that leaves him dependent; all; the chip he cannot move without; as reliable as he was."""

MOST_RISKED = 20
"""Points of its BestUse that it gives for anybody's word at most: a stranger may well break it."""


def candidates(line: Line, player: int, plans: Sequence[Mind]) -> list[int]:
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
            found = [*planned(line, plans), *offers(line, player, legal)]
            return [action for action in dict.fromkeys(found) if action != PASS] + [PASS] * (PASS in legal)
    return list(legal)


def planned(line: Line, plans: Sequence[Mind]) -> Iterator[int]:
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
            if situation.own.best_use - situation.use_after(sent, nothing(situation)) <= MOST_RISKED:
                yield legal.action(sent)
