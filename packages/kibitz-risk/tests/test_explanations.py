"""Khan's recogniser: explanations, weightings, the worked examples, and the numbers of his own files."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ring import spec
from thesis_files import read_csv

import kibitz
from kibitz.core.records.replay import replaying
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz_risk import phases
from kibitz_risk.domination_logs import follow, read_log
from kibitz_risk.game import Risk, State
from kibitz_risk.models.explanations import WEIGHTINGS, Explanations, Pending, Weighting, dynamic_weight, explanations
from kibitz_risk.thesis_csv import csv_text, player_reports

SIX = "risk(players=6, missions=continents, cards=fixed, board='dom-luca82')"


def names(game: str) -> list[str]:
    made = make_game(game)
    assert isinstance(made, Risk)
    return [each.name for each in explanations(made)]


def test_six_cards_have_twelve_explanations_with_the_names_of_the_files() -> None:
    found = names(SIX)
    assert len(found) == 12
    assert {"Occupy-Asia-South-America", "Occupy-North-America-Africa", "Occupy-Europe-Australia-Asia"} < set(found)
    assert sum(each.startswith("Occupy-Europe-South-America-") for each in found) == 4


def test_every_kind_of_mission_is_an_explanation() -> None:
    found = names("risk(players=3)")
    assert len(found) == 12 + 2 + 3
    assert {"Occupy-24-territories", "Occupy-18-territories-with-2-armies", "Destroy-player-2"} < set(found)


def watching(**options: object) -> Explanations:
    model = Explanations(**options)  # type: ignore[arg-type]
    model.begin(make_game(SIX), None, stream(0, "test"))
    return model


def test_worked_example_of_an_attack() -> None:
    """3.2.3.1: taking a territory of North America raises what is about it, and lowers Asia + South America."""
    model = watching()
    about = np.array([0 in each.continents for each in model.all])
    factors = [WEIGHTINGS["base"](0.02, Pending(20, 6 if fits else 4)) for fits in about]
    prior = model.probabilities[0].copy()
    weights = np.array([f.consistent if fits else f.inconsistent for f, fits in zip(factors, about, strict=True)])
    model.multiply(0, weights, "attack on Alberta")
    after = dict(zip(names(SIX), model.probabilities[0] - prior, strict=True))
    assert after["Occupy-North-America-Australia"] > 0.0
    assert after["Occupy-North-America-Africa"] > 0.0
    assert after["Occupy-Asia-South-America"] < 0.0
    assert [(each.what, each.ply) for each in model.explain(0).reasons] == [("attack on Alberta", 0)]


@pytest.mark.parametrize(("factor", "kept"), [(1.01, True), (0.99, False)])
def test_worked_example_of_a_defence(factor: float, kept: bool) -> None:
    """3.2.3.2: a defence multiplies what it is about by 1.01 or .99, and hardly changes the third."""
    model = watching(lost=0.99, defended=1.01)
    about = np.array([0 in each.continents for each in model.all])
    model.multiply(0, np.where(about, factor, 1.0), "defence of Alberta")
    told = model.explanation_probabilities(0)
    one, other, third = (
        told[f"Occupy-{each}"] for each in ("North-America-Australia", "North-America-Africa", "Asia-South-America")
    )
    assert one == other
    assert one / third == pytest.approx(factor)
    assert (one > 1 / 12 > third) == kept


def test_dynamic_weight_is_that_of_the_program() -> None:
    assert dynamic_weight(1 / 13, 9 / 10) == pytest.approx(0.0831, abs=5e-5)
    assert dynamic_weight(12 / 13, 4 / 10) == pytest.approx(0.00308, abs=5e-6)


@pytest.mark.parametrize("weighting", ["base", "uniform", "tiered", "dynamic", "split"])
@given(total=st.integers(1, 300), data=st.data())
def test_what_is_a_likelihood_adds_up_to_one(weighting: Weighting, total: int, data: st.DataObject) -> None:
    consistent = data.draw(st.integers(0, total))
    weight = data.draw(st.floats(0.0, 1.0))
    found = WEIGHTINGS[weighting](weight, Pending(total, consistent, data.draw(st.floats(0.0, 1.0))))
    assert min(found) >= 0.0
    assert consistent * found.consistent + (total - consistent) * found.inconsistent == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("weighting", "pending", "expected"),
    [
        ("flat", Pending(10, 4), (1.0, 0.98)),
        ("proportional", Pending(10, 5), (0.95, 0.85)),
        ("proportional-printed", Pending(10, 5), (0.85, 0.95)),
        ("base", Pending(20, 5), (0.045 + 0.02, 0.045)),
        ("split", Pending(10, 4), (0.005, 0.98 / 6)),
        ("tiered", Pending(20, 2), (0.01 + 0.4, 0.01)),
    ],
)
def test_weightings_by_hand(weighting: Weighting, pending: Pending, expected: tuple[float, float]) -> None:
    assert WEIGHTINGS[weighting](0.02, pending) == pytest.approx(expected)


def test_weights_are_bounded_where_there_are_many_territories() -> None:
    found = WEIGHTINGS["base"](0.02, Pending(90, 80))
    assert found.inconsistent > 0.0


@pytest.mark.long
def test_the_watcher_in_a_seat_knows_his_card_and_that_no_other_has_it() -> None:
    for model in ("risk.explanations@0", "risk.explanations(joint=True)@0"):
        record = kibitz.play(SIX, ["mission"] * 6, models=[model], seed=3, max_plies=150)
        truths = next(entry.truths for entry in reversed(record.entries) if entry.truths)
        (beliefs,) = record.entries[-1].beliefs.values()
        assert beliefs[0][truths[0]["goal"]] == pytest.approx(1.0)
        assert all(belief[truths[0]["goal"]] == pytest.approx(0.0, abs=1e-9) for belief in beliefs[1:])


@pytest.mark.long
def test_our_own_games_become_files_of_the_thesis(tmp_path: Path) -> None:
    record = kibitz.play(SIX, ["constrained"] * 6, seed=5)
    told = player_reports(record)
    path = tmp_path / "own.csv"
    path.write_text(csv_text(told))
    assert read_csv(path) == told
    assert sum(each.won for each in told) == 1
    assert {len(each.explanations) for each in told} == {12}
    assert all(sum(row[-1] for row in each.explanations.values()) == pytest.approx(1.0) for each in told)


@pytest.mark.parametrize("fortify", ["adjacent", "connected", "unlimited"])
def test_other_maps_have_explanations_of_their_own(fortify: str) -> None:
    """Orders are foretold as well, by whatever rule armies march."""
    game = spec(players=2, mode="mission", fortify=fortify)
    model = Explanations()
    model.begin(make_game(game), None, stream(0, "test"))
    marches = 0
    for moment in replaying(kibitz.play(game, ["random"] * 2, seed=1, max_plies=300)):
        if moment.event is not None:
            model.observe(moment.event.transition(None))
        view = moment.state.view(None)
        assert isinstance(view, State)
        if view.phase == phases.FORTIFY:
            assert model.predict(view, view.mover).total() == pytest.approx(1.0)
            marches += 1
    assert marches > 3


# The files of the thesis.

AGREE = {"ai-w4": 0.93, "ai-w100": 0.95}


def compared(corpus: Path, part: str, files: int | None) -> list[tuple[bool, bool]]:
    """Of every player: whether the last column is that of the file, and whether the best explanation is."""
    found = []
    for path in sorted((corpus / "risk" / part).glob("*.csv.gz"))[:files]:
        record = follow(read_log(path.with_name(path.name.replace(".csv", ".log")))[-1]).record()
        for ours, told in zip(player_reports(record), read_csv(path), strict=True):
            pairs = [(ours.explanations[name][-1], values[-1]) for name, values in told.explanations.items()]
            best = [max(column) - 1e-9 for column in zip(*pairs, strict=True)]
            same = any(one >= best[0] and other >= best[1] for one, other in pairs)
            found.append((max(abs(one - other) for one, other in pairs) < 1e-6, same))
    return found


@pytest.mark.long
@pytest.mark.parametrize("part", ["constrained", "free"])
def test_corpus_probabilities_are_those_of_the_thesis(corpus: Path, part: str) -> None:
    found = compared(corpus, part, None)
    assert len(found) == {"constrained": 36, "free": 28}[part]
    assert all(close and same for close, same in found)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["ai-w4", "ai-w100"])
def test_corpus_probabilities_of_ai_games_are_those_of_the_thesis(corpus: Path, part: str) -> None:
    found = compared(corpus, part, None)
    assert sum(close for close, _ in found) / len(found) >= AGREE[part]
    assert all(same for _, same in found)
