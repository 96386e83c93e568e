"""Distributions over a negotiator's actions, from shares of answers, of none, some and all, and of proposals."""

from collections.abc import Mapping
from itertools import islice

from kibitz import core
from kibitz.games.trails.chips import all_parts, common
from kibitz.games.trails.models.meta_proposals import MOST_NAMED, MetaProposal, plain_offers
from kibitz.games.trails.models.questions import Question
from kibitz.games.trails.offers import PASS, Offers
from kibitz.games.trails.state import ACCEPT, REJECT, State

SURPRISE = 0.02
"""The probability left for all actions that are not expected at all, gifts for instance."""
NOTHING = 0
"""Sending nothing."""


def answering(accepts: float, view: State, player: int) -> core.Distribution:
    """An answer, by how likely the offer is accepted."""
    return core.Distribution({ACCEPT: accepts, REJECT: 1.0 - accepts}, view.legal_actions(player))


def sending(shares: Mapping[str, float], view: State, player: int) -> core.Distribution:
    """A transfer, by how likely none, some or all of the promise is sent; any part of it is some."""
    legal = view.legal_actions(player)
    assert isinstance(legal, core.ProductActions)
    promise = common(view.promise(player) or (0,) * len(view.board.colours), view.most(player))
    whole = legal.action(promise)
    if whole == NOTHING:
        return add_surprise({NOTHING: 1.0}, legal)
    parts = [legal.action(part) for part in islice(all_parts(promise), MOST_NAMED)]
    some = [part for part in parts if part not in (NOTHING, whole)]
    named = {NOTHING: shares["none"], whole: shares["all"]}
    named |= {part: shares["some"] / len(some) for part in some}
    return add_surprise(named, legal)


def offering(
    proposes: float, metas: Mapping[MetaProposal, float], view: State, question: Question
) -> core.Distribution:
    """An offer, by how likely one is made and which meta-proposal it is; plain offers of each are equally likely."""
    legal = view.legal_actions(question.opponent)
    assert isinstance(legal, Offers)
    own, other = question.side(question.opponent), question.side(question.player)
    named = {PASS: 1.0 - proposes}
    for meta, share in metas.items():
        offers = [legal.of(*offer) for offer in plain_offers(own, other, meta) if legal.allows(*offer)]
        named |= {action: proposes * share / len(offers) for action in offers if action != PASS}
    return add_surprise(named, legal)


def add_surprise(named: dict[int, float], legal: core.ProductActions) -> core.Distribution:
    """Shares of some actions as far as they go, and of all others together at least `SURPRISE`."""
    total = sum(named.values())
    others = len(legal) - len(named)
    if not others:
        return core.Distribution({action: share / total for action, share in named.items()}, legal)
    kept = (1.0 - SURPRISE) / max(total, 1.0)
    found = {action: kept * share for action, share in named.items()}
    return core.Distribution(found, legal, rest=1.0 - sum(found.values()))
