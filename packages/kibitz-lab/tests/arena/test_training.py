from collections.abc import Sequence
from math import log
from typing import Any

import pytest

from kibitz import core
from kibitz.core.errors import BadDefinition, BadRecord, UnknownName
from kibitz.core.match.play import play
from kibitz.core.records import Record
from kibitz.core.registry import make_game, make_model
from kibitz_lab.arena import training as arena_training
from kibitz_lab.arena.scoring import model_scores
from kibitz_lab.arena.sources import SourceRecord, open_record
from kibitz_lab.arena.training import fingerprint, in_blocks, measure_gains, opened_all, training
from kibitz_lab.models.training import Told, TrainedModel

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


def matches(count: int, agents: Sequence[str] = ("defector", "cooperator")) -> list[SourceRecord]:
    return [SourceRecord(play(GAME, agents, seed=seed), f"match {seed}") for seed in range(count)]


def quiet(done: int, total: int, words: str) -> None:
    """Nobody is told."""


def test_losses_by_hand() -> None:
    gains = measure_gains(
        Stubborn(), Stubborn(0.75), matches(3, ("defector", "defector")), make_game(GAME), make_game(GAME), quiet
    )
    assert list(gains) == ["action", "all"]
    for each in gains.values():
        assert each.before.mean == pytest.approx(log(4))
        assert each.after.mean == pytest.approx(log(4 / 3))
        assert each.gained.mean == pytest.approx(log(3))
        assert (each.gained.matches, each.gained.blocks) == (24, 3)


@pytest.mark.long
def test_what_is_gained_is_what_scoring_finds() -> None:
    records = [
        SourceRecord(play(GAME, ["random", "grim"], seed=seed, opening=1), f"{seed}", seed // 2) for seed in range(12)
    ]
    models = ["strategy_filter", "strategy_filter(noise=0.3)"]
    gains = measure_gains(*map(make_model, models), records, make_game(GAME), make_game(GAME), quiet)
    scores = model_scores(records, models)
    for question in ("strategy", "action"):
        first, second = (scores[question][model] for model in models)
        assert gains[question].before.mean == pytest.approx(first.figures.log_loss.mean)
        assert gains[question].after.mean == pytest.approx(second.figures.log_loss.mean)
        assert gains[question].gained.mean == pytest.approx(-second.difference["log_loss"].mean)
        assert gains[question].gained.low == pytest.approx(-second.difference["log_loss"].high, abs=1e-3)
    assert gains["action"].before.matches == 12 * 2 * 3  # the opening move was nobody's choice
    assert gains["all"].gained.mean == pytest.approx(gains["action"].gained.mean + gains["strategy"].gained.mean)


def test_a_trainer_sees_two_thirds_of_the_seeds_and_is_measured_on_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def to_half(model: Any, records: Sequence[Record], rng: core.Rng, told: Told) -> TrainedModel:
        seen.extend(record.header.seed for record in records)
        return TrainedModel(Stubborn(0.5), {"defection": (0.4, 0.6)}, {"why": "both halves"})

    monkeypatch.setattr(arena_training, "trainer_of", lambda model: to_half)
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
    first, again = (fingerprint(map(open_record, matches(3))) for _ in range(2))
    assert first == again
    assert first != fingerprint(map(open_record, matches(4)))
    assert [len(block) for block in in_blocks(opened_all(matches(2) + matches(3), make_game(GAME)))] == [2, 2, 1]


def test_what_cannot_be_trained_is_said() -> None:
    game = make_game(GAME)
    with pytest.raises(UnknownName, match="no trainer named 'Stubborn'"):
        training(Stubborn(), game, matches(12))
    with pytest.raises(BadDefinition, match="3 records on 3 different seeds are too few"):
        training(make_model("strategy_filter"), game, matches(3))
    with pytest.raises(BadRecord, match=r"match 0: it is a record of dilemma\(rounds=4\), not of dilemma\(rounds=5\)"):
        training(make_model("strategy_filter"), make_game("dilemma(rounds=5)"), matches(12))
