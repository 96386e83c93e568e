"""The candidate actions of look-ahead in each phase: a few of the thousands that are legal."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import ceil, floor

from kibitz import core
from kibitz.games.trails.agents.parametric import Terms
from kibitz.games.trails.agents.senders import Deceives, Feeding, Keeps, Reliable, Reneges, nothing
from kibitz.games.trails.chips import Chips
from kibitz.games.trails.lookahead.line import Line, SimulatedNegotiator
from kibitz.games.trails.lookahead.offers import bargains, front, pair_of
from kibitz.games.trails.offers import PASS, Offers
from kibitz.games.trails.situation import Situation
from kibitz.games.trails.state import ACCEPT, REJECT, STAY

RISKED = 20
"""How far the BestUse may fall below its maximum so far in return for promises: a stranger may break them all."""
GAINS = (1, 20, 40, 100)
"""Levels of the least points that the other player should gain by an offer."""
TRANSFERS = (Reneges(), Deceives(), Keeps(), Feeding(), Reliable())
"""Nothing; the largest part that leaves them dependent; all; a chip they cannot move without; as much as they kept."""


def candidates(
    line: Line,
    player: int,
    plans: Sequence[SimulatedNegotiator],
    possible: Sequence[Terms] = (),
) -> list[int]:
    """The actions of *player* to search, those that give nothing away first: the first wins ties.

    *possible* are terms that the other may insist on: each makes the best offers that meet them worth a look.
    """
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
            found += acceptable_offers(line, player, legal, possible)
            own = Situation(line.state, player, line.history)
            made = [action for action in dict.fromkeys(found) if action != PASS]
            return [each for each in made if is_sound(own, *legal.sides(each))] + [PASS]
    return list(steps(line, player, legal))


def actions_of_plans(line: Line, plans: Sequence[SimulatedNegotiator]) -> Iterator[int]:
    """What each plan would do."""
    for plan in plans:
        yield plan.policy(line).top(1)[0][0]


def offers(line: Line, player: int, legal: Offers) -> Iterator[int]:
    """The best offers for each level of the other player's gain."""
    for offer in front(*pair_of(Situation(line.state, player, line.history)), GAINS):
        if (action := legal.of(*offer)) in legal:
            yield action


def acceptable_offers(line: Line, player: int, legal: Offers, possible: Sequence[Terms]) -> Iterator[int]:
    """The best offers that the other accepts by some possible terms: to be paid, and not to be."""
    own = Situation(line.state, player, line.history)
    other = Situation(line.state, own.other.player, line.history)
    bargain = bargains(*pair_of(own)) if possible else None
    limits = {(ceil(each.least_gain(other)), floor(each.most_chips(other))) for each in possible}
    for (least, most), kept in product(sorted(limits), (False, True)):
        offer = bargain.best(kept, least, most=most) if bargain is not None else None
        if offer is not None and (action := legal.of(*offer)) in legal:
            yield action


def is_sound(situation: Situation, given: Chips, asked: Chips) -> bool:
    """Whether the player could keep an offer, or needs no more deals once the other has kept it.

    A promise that is broken while one still depends on the other costs all further deals with many players.
    """
    if situation.own.independent or situation.sides_after(nothing(situation), asked)[0].independent:
        return True
    return situation.use_after(given, asked) >= least_use(situation)


def transfers(line: Line, player: int) -> Iterator[int]:
    """The five transfers to search, except those that risk too much or that free the other."""
    legal = line.state.legal_actions(player)
    assert isinstance(legal, core.ProductActions)
    situation = Situation(line.state, player, line.history)
    for sender in TRANSFERS:
        for sent in sender.sends(situation):
            if situation.frees_other(sent):  # who needs nothing more gives nothing more
                continue
            if situation.use_after(sent, nothing(situation)) >= least_use(situation):
                yield legal.action(sent)


def steps(line: Line, player: int, legal: Sequence[int]) -> Iterator[int]:
    """The steps, except those that lose too much; who depends on the other moves only to keep the game going."""
    situation = Situation(line.state, player, line.history)
    own, must = situation.own, situation.must_move(player)
    found = {
        step: situation.side_after_step(step).best_use for step in legal if step != STAY and (own.independent or must)
    }
    free = [step for step, use in found.items() if must and not own.independent and use >= own.best_use]
    yield from free  # while nothing is lost, there is hope
    yield STAY
    yield from (step for step, use in found.items() if step not in free and use >= least_use(situation))


def least_use(situation: Situation) -> int:
    """The least BestUse to accept; where it has fallen lower already, what it is now."""
    own, board = situation.own, situation.board
    past = [board.best_use(each.positions[own.player], each.chips[own.player]) for each in situation.history.exchanges]
    return min(own.best_use, max([own.best_use, *past]) - RISKED)
