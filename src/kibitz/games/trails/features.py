"""What predictors look at: the eight features of an offer, from the side of one of the two players (Pozin 2010, 3.2.4).

Features of the last deal are None, a missing value, where there was no deal before.
"""

import msgspec

from kibitz.games.trails.board import Board
from kibitz.games.trails.chips import plus
from kibitz.games.trails.history import Exchange, History, Proposal
from kibitz.games.trails.reliability import TransferClass, reliability, transfer_class


class OfferFeatures(msgspec.Struct, frozen=True, rename="camel"):
    """An offer as *player* sees it; the other one of the two is the opponent. In files they have the thesis's names."""

    prev_player_reliability: float | None
    prev_opponent_reliability: float | None
    player_current_best_use_score: float
    player_promised_benefit: float
    """Points that the opponent's chips would add to the player's BestUse."""
    opponent_current_best_use_score: float
    opponent_promised_benefit: float
    prev_player_transfer_class: TransferClass | None
    prev_opponent_transfer_class: TransferClass | None


def offer_features(board: Board, history: History, proposal: Proposal, player: int) -> OfferFeatures:
    """The features of a proposal; of *history* only what came before it counts."""
    opponent = proposal.partner if player == proposal.proposer else proposal.proposer
    last = last_deal(history, proposal, player, opponent)
    own, other = reliability_in_deal(board, last, player), reliability_in_deal(board, last, opponent)
    return OfferFeatures(
        own,
        other,
        *best_use_and_gain(board, proposal, player, opponent),
        *best_use_and_gain(board, proposal, opponent, player),
        None if own is None else transfer_class(own),
        None if other is None else transfer_class(other),
    )


def last_deal(history: History, proposal: Proposal, player: int, opponent: int) -> Exchange | None:
    """The last deal of the two before a proposal."""
    return next((deal for deal in history.deals(player, opponent) if deal.round < proposal.round), None)


def reliability_in_deal(board: Board, deal: Exchange | None, player: int) -> float | None:
    """How reliable a player was in a deal."""
    return None if deal is None else reliability(board, deal, player)


def best_use_and_gain(board: Board, proposal: Proposal, player: int, other: int) -> tuple[float, float]:
    """A player's BestUse before an offer, and what the other's chips would add to it."""
    place, chips = proposal.positions[player], proposal.chips[player]
    now = board.best_use(place, chips)
    return float(now), float(board.best_use(place, plus(chips, proposal.sends(other))) - now)
