from collections.abc import Sequence
from math import log
from typing import Any

import pytest

from kibitz import core
from kibitz.arena import training as arena_training
from kibitz.arena.sources import Kept, opened
from kibitz.arena.training import answered, fingerprint, in_blocks, training
from kibitz.core.errors import BadDefinition, BadRecord, UnknownName
from kibitz.core.play import play
from kibitz.core.records import Record
from kibitz.core.registry import make_game, make_model
from kibitz.core.training import Told, Trained

GAME = "dilemma(rounds=4)"


class Stubborn(core.Model):
    """Expects everyone to defect with the same probability."""

    answers = ("action",)

    def __init__(self, defection: core.Probability = 0.25) -> None:
        self.defection = defection

    def observe(self, transition: core.Transition) -> None:
        """It learns nothing."""

    def predict(self, view: core.State, player: int) -> core.Distribution:
        return core.Distribution({0: 1.0 - self.defection, 1: self.defection}, view.legal_actions(player))


def matches(count: int, agents: Sequence[str] = ("defector", "cooperator")) -> list[Kept]:
    return [Kept(play(GAME, agents, seed=seed), f"match {seed}") for seed in range(count)]


def test_losses_by_hand() -> None:
    found = answered(Stubborn(), opened(matches(1)[0]), make_game(GAME))
    assert len(found) == 8
    for defector, cooperator in zip(found[::2], found[1::2], strict=True):
        assert defector["action"] == pytest.approx(-log(0.25))
        assert cooperator["all"] == cooperator["action"] == pytest.approx(-log(0.75))


def test_a_trainer_sees_two_thirds_of_the_seeds_and_is_measured_on_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def to_half(model: Any, records: Sequence[Record], rng: core.Rng, told: Told) -> Trained:
        seen.extend(record.header.seed for record in records)
        return Trained(Stubborn(0.5), {"defection": (0.4, 0.6)}, {"why": "both halves"})

    monkeypatch.setattr(arena_training, "trainer", lambda name: to_half)
    records = matches(15) + matches(15, ("cooperator", "defector"))
    found = training(Stubborn(), make_game(GAME), records, seed=3)
    assert (found.records, found.blocks, found.held_out) == (30, 15, 10)
    assert len(seen) == 20
    assert len(set(seen)) == 10
    gain = found.gains["action"]
    assert gain.before.mean == pytest.approx((log(4) + log(4 / 3)) / 2)
    assert gain.after.mean == pytest.approx(log(2))
    assert gain.gained.mean == pytest.approx(gain.before.mean - gain.after.mean)
    assert (found.parameters, found.before) == ({"defection": 0.5}, {"defection": 0.25})
    assert found.figures == {"why": "both halves"}
    other = training(Stubborn(), make_game(GAME), records, seed=4)
    assert set(seen[:20]) != set(seen[20:])
    assert other.fingerprint == found.fingerprint


def test_fingerprints_know_matches_and_not_clocks() -> None:
    first, again = (fingerprint(map(opened, matches(3))) for _ in range(2))
    assert first == again
    assert first != fingerprint(map(opened, matches(4)))
    assert [len(block) for block in in_blocks(map(opened, matches(2) + matches(3)))] == [2, 2, 1]


def test_what_cannot_be_trained_is_said() -> None:
    game = make_game(GAME)
    with pytest.raises(UnknownName, match="no model named 'Stubborn'"):
        training(Stubborn(), game, matches(12))
    with pytest.raises(BadDefinition, match="11 records on 11 different seeds are too few"):
        training(make_model("strategy_filter"), game, matches(11))
    with pytest.raises(BadRecord, match=r"match 0: it is a record of dilemma\(rounds=4\), not of dilemma\(rounds=5\)"):
        training(make_model("strategy_filter"), make_game("dilemma(rounds=5)"), matches(12))
