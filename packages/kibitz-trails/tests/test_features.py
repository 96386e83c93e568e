"""The features of offers, as the thesis lists them."""

import msgspec
import pytest
from trail_positions import seen, start

from kibitz_trails.models.predictors import offer_features

RED = "offer 3 red for 3 red", "accept", "send 3 red | send 1 red", "stay | stay"
NAMES = [
    *("prevPlayerReliability", "prevOpponentReliability", "playerCurrentBestUseScore", "playerPromisedBenefit"),
    *("opponentCurrentBestUseScore", "opponentPromisedBenefit", "prevPlayerTransferClass"),
    "prevOpponentTransferClass",
]


def test_features_of_a_first_offer_are_missing_what_was_never_seen() -> None:
    state = start()
    history = seen(state, "offer 3 yellow for 3 gray")
    found = msgspec.to_builtins(offer_features(state.board, history, history.proposals[-1], 0))
    assert list(found) == NAMES
    assert list(found.values()) == [None, None, 5.0, 150.0, 5.0, 150.0, None, None]


def test_features_are_the_same_from_the_other_side() -> None:
    state = start()
    history = seen(state, *RED, "offer 3 gray for 3 yellow")
    own, other = (offer_features(state.board, history, history.proposals[-1], player) for player in (0, 1))
    assert (own.prev_player_reliability, own.prev_opponent_reliability) == (1.0, pytest.approx(1 / 3))
    assert (own.prev_player_transfer_class, own.prev_opponent_transfer_class) == ("all", "some")
    assert own.prev_player_reliability == other.prev_opponent_reliability
    assert own.player_promised_benefit == other.opponent_promised_benefit


def test_what_came_later_does_not_count() -> None:
    state = start()
    history = seen(state, *RED, "offer 3 gray for 3 yellow")
    first = offer_features(state.board, history, history.proposals[0], 0)
    assert first.prev_player_reliability is None
    assert first.prev_opponent_transfer_class is None
