"""How sure beliefs about cards may be: the signs, what is multiplied, and how the weights are found."""

import math

import msgspec
import numpy as np
import pytest

import kibitz
from kibitz.core.records.replay import replaying
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz_risk.models.choice import Choice
from kibitz_risk.models.decisions import KINDS
from kibitz_risk.models.evidence import CERTAINTY, MOST, certainty_of, certainty_signs

SIGN = {name: place for place, name in enumerate(CERTAINTY)}


def speaks(*cards: int, strength: float = 3.0) -> np.ndarray:
    """The log likelihoods of players whose orders of all kinds speak for these of three cards, -1 for none."""
    found = np.zeros((len(cards), len(KINDS), 3))
    for player, card in enumerate(cards):
        if card >= 0:
            found[player, :, card] = strength
    return found


def signs(by_kind: np.ndarray, decisions: int = 40) -> dict[str, float]:
    """The signs by name, where no card is worth nothing."""
    found = certainty_signs(by_kind, np.zeros(len(by_kind)), decisions)
    return dict(zip(CERTAINTY, found.tolist(), strict=True))


def test_signs_of_nothing_are_none() -> None:
    found = certainty_signs(speaks(-1, -1), np.zeros(2), 0)
    assert found == pytest.approx([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0])


def test_signs_by_hand() -> None:
    found = signs(speaks(0, 1))
    whatever = math.log((math.exp(12.0) + 2.0) / 3.0)
    assert found["following"] == pytest.approx(2 * whatever / 60)
    assert found["decisions"] == pytest.approx(math.log(41))
    assert found["contrast"] == pytest.approx(math.log1p(12.0 * math.sqrt(2) / 3))
    spoken = 2 * len(KINDS) * 9.0 * 2 / 3
    assert found["agreement"] == pytest.approx(math.tanh(3 * spoken / (spoken + 5.0)))
    assert found["distinct cards"] == pytest.approx(math.log(9 / 6) / 2, abs=1e-4)  # all deals but those excluded


def test_certainty_stays_in_its_bounds() -> None:
    weights = np.zeros(len(CERTAINTY))
    assert certainty_of(np.ones((2, len(CERTAINTY))), weights) == pytest.approx([1.0, 1.0])
    weights[0] = 100.0
    assert certainty_of(np.ones(len(CERTAINTY)), weights) == pytest.approx(math.exp(MOST))
    assert certainty_of(np.ones(len(CERTAINTY)), -weights) == pytest.approx(math.exp(-MOST))


def test_scores_are_multiplied_and_what_is_ruled_out_is_not() -> None:
    record = kibitz.play("risk(players=3)", ["mission"] * 3, seed=2, max_plies=200)
    model, plain = Choice(), Choice()
    shipped = model.begun_with()
    plain.preset = msgspec.structs.replace(shipped, certainty=[0.0] * len(CERTAINTY))
    model.preset = msgspec.structs.replace(shipped, certainty=[0.5, *[0.0] * (len(CERTAINTY) - 1)])
    for each in (model, plain):
        each.begin(make_game("risk(players=3)"), None, stream(0, "test"))
    for moment in replaying(record):
        if moment.event is not None:
            for each in (model, plain):
                each.observe(moment.event.transition(None))
    sharper = math.exp(MOST * math.tanh(0.5 / MOST))
    assert sharper > 1.5
    assert model.scores() == pytest.approx(sharper * plain.scores())
    scores, plain_scores = model.scores(), plain.scores()
    for each in (model, plain):
        each.ruled_out[0, 0] = True
    assert model.scores() - scores == pytest.approx(plain.scores() - plain_scores)
