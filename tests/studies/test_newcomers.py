"""The study of newcomers: who is generated, what is scored, and a small run of every part."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec
import numpy as np
import pytest
from finished_studies import finished

from kibitz.core.registry import make_agent
from kibitz.games.trails.agents.acceptors import Nothing
from kibitz.games.trails.agents.movers import Patient
from kibitz.games.trails.agents.negotiator import Design, Negotiator
from kibitz.games.trails.agents.proposers import Silent, Trade
from kibitz.games.trails.agents.senders import Keeps, KeepsWhileDependent, Returns
from kibitz.games.trails.lookahead.plans import Composition
from kibitz.games.trails.models.types import tempered_answer
from kibitz.studies.blocks import Conclusion, Table
from kibitz.studies.newcomers import (
    STUDY,
    attacks,
    fitting,
    forecasts,
    likeness,
    meetings,
    patience,
    strength,
    tempering,
)
from kibitz.studies.newcomers.family import KINDS, SLOW, TRUSTING, Stepwise, Wary, newcomer, random_board
from kibitz.studies.newcomers.forecasts import calibration_error, log_loss
from kibitz.studies.newcomers.meetings import meet, trails_on
from kibitz.studies.newcomers.strength import FIELD
from kibitz.studies.report import make_report
from kibitz.studies.results import Results

EARNED = {strength.KIBITZER: [-5.0, 99.0], "rob": [5.0, 145.0]}
SMALL = "trails.kibitzer(types=(trails.honest,), nodes=20, rounds=1)"


def test_a_newcomer_is_the_same_every_time_and_no_two_are_alike() -> None:
    designs = [newcomer(number, FIELD).design for number in range(30)]
    assert designs == [newcomer(number, FIELD).design for number in range(30)]
    assert len(set(map(repr, designs))) == 30
    slow = [design.acceptor for number, design in enumerate(designs) if KINDS[number % len(KINDS)] == SLOW]
    wary = [design.acceptor for number, design in enumerate(designs) if KINDS[number % len(KINDS)] == TRUSTING]
    assert len(slow) == len(wary) == 5
    assert all(isinstance(each, Stepwise) for each in slow)
    assert all(isinstance(each, Wary) for each in wary)


def test_random_boards_can_be_played() -> None:
    boards = [random_board(number, FIELD) for number in range(30)]
    assert len(set(boards)) == 30
    for board in boards:
        missing = [trails_on(board).layout.missing(start, held) for start, held in starts_of(board)]
        assert any(missing)


def starts_of(board: str) -> list[tuple[int, tuple[int, ...]]]:
    layout = trails_on(board).layout
    return list(zip(layout.starts, layout.chips, strict=True))


def test_a_slow_conceder_gives_in_when_its_time_has_come() -> None:
    slow = Composition(Design(Silent(), Stepwise(1000, 20, 8), Keeps(), Patient()))
    assert meet("dd", make_agent("trails.rob"), 0, slow, seed=0).own <= 5.0
    assert meet("dd", make_agent("trails.wait_and_trade"), 0, slow, seed=0).own >= 100.0


def test_nothing_is_earned_from_one_who_needs_nothing_and_keeps_promises_only_while_dependent() -> None:
    conceder = newcomer(0, FIELD).design
    assert isinstance(conceder.sender, KeepsWhileDependent)
    worth = [trails_on("di").layout.best_use(*start) for start in starts_of("di")]
    found = strength.most_by_plans({"board": "di", "opponent": 0, "plans": strength.FIXED})
    assert found["most"] == [worth[0], 200.0] == [5.0, 200.0]
    assert found["best"][1] == "trails.rob"


def test_only_seats_in_which_a_plan_reaches_the_target_are_counted() -> None:
    rows = {
        "newcomers": [{"board": "di", "opponent": 0, "own": own, "agent": agent} for agent, own in EARNED.items()],
        "conceders": [{"board": "di", "opponent": 0, "most": [5.0, 145.0], "best": ["trails.rob"] * 2}],
    }
    table, _, conclusion = strength.conceder_blocks(cast("Results", SimpleNamespace(rows=rows.__getitem__)))
    assert isinstance(table, Table)
    assert table.rows == [(0, "di", 0, 5.0, "trails.rob", -5.0), (0, "di", 1, 145.0, "trails.rob", 99.0)]
    assert isinstance(conclusion, Conclusion)
    assert "in 1 of 2 seats" in conclusion.text
    assert conclusion.text.endswith("does in 0 of these.")


def test_only_the_first_offer_that_a_conceder_accepts_counts() -> None:
    offers = [patience.RejectedOffer(*each) for each in ((5, 60, True, 155), (6, 30, True, 90), (7, 60, False, 145))]
    assert patience.reaches(offers, until=5, least=50, pays=False)
    assert not patience.reaches(offers, until=6, least=20, pays=True)  # it brings only 90
    assert patience.reaches(offers, until=6, least=50, pays=True)
    assert not patience.reaches(offers, until=6, least=50, pays=False)  # one who needs nothing does not pay
    assert not patience.reaches(offers, until=8, least=1, pays=True)


@pytest.mark.parametrize(("until", "least", "pays"), [(6, 37, True), (9, 49, True), (9, 55, True), (6, 37, False)])
def test_rejected_offers_tell_what_is_earned_from_one_who_gives_in(until: int, least: int, pays: bool) -> None:
    sender = Keeps() if pays else KeepsWhileDependent()
    slow = Composition(Design(Silent(), Stepwise(1000, least, until), sender, Patient()))
    earned = meet("di", make_agent("trails.wait_and_rob"), 0, slow, seed=0).own
    offers = patience.rejected_offers("di", "trails.wait_and_rob", 0)
    assert patience.reaches(offers, until, least, pays) == (earned >= strength.TARGET)
    assert (earned >= strength.TARGET) == (pays and least < 50)


def test_one_who_gives_up_waits_for_none_of_those_that_a_plan_waits_for() -> None:
    case = {"board": "di", "seat": 0, "plans": ("trails.wait_and_rob", "trails.rob")}
    waiting, stopping = (patience.share_waited_for({**case, "spec": spec}) for spec in case["plans"])
    assert waiting == {"possible": 101, "reached": 101}
    assert stopping == {"possible": 101, "reached": 0}


@pytest.mark.long
@pytest.mark.parametrize(("board", "seat"), [("id", 1), ("layers(rows=4, cols=5, missing=[2, 1], spare=6)", 0)])
def test_the_agent_waits_for_a_slow_conceder_on_whom_it_depends(board: str, seat: int) -> None:
    slow = Composition(Design(Silent(), Stepwise(1000, 30, 7), Keeps(), Patient()))
    assert meet(board, make_agent("trails.kibitzer"), seat, slow, seed=0).own >= 100.0


def test_one_plan_promises_all_and_stops_where_another_goes_on_at_a_loss() -> None:
    stops, goes_on = (patience.rejected_offers("di", f"trails.{name}", 0) for name in ("promise_all", "wait_and_rob"))
    assert stops == goes_on[: len(stops)]
    assert 0 < len(stops) < len(goes_on)


@pytest.mark.long
def test_the_agent_waits_at_a_small_loss_for_those_who_accept_nothing_at_first() -> None:
    board = "layers(rows=4, cols=5, missing=[0, 1], spare=7, seed=6)"
    offers = patience.rejected_offers(board, "trails.kibitzer", 1)
    stopped = patience.rejected_offers(board, "trails.promise_all", 1)
    assert offers[-1].round >= 9 > stopped[-1].round
    assert all(patience.reaches(offers, until, least=10, pays=True) for until in range(6, 10))


@pytest.mark.long
def test_the_agent_earns_the_trust_of_one_on_whom_it_depends() -> None:
    wary = Composition(Design(Trade(most=1), Wary(risk=8.0, trust=1.8), Returns(), Patient()))
    assert meet("di", make_agent("trails.kibitzer"), 0, wary, seed=0).own >= 100.0


@pytest.mark.long
@pytest.mark.parametrize("seat", [0, 1])
def test_one_who_sends_nothing_before_it_has_received_takes_little(seat: int) -> None:
    wary = Wary(risk=10.0, trust=1.5)
    exploiter = Composition(Design(Trade(most=1), wary, Returns(proof=True), Patient()))
    assert meet("dd", make_agent("trails.kibitzer"), seat, exploiter, seed=0).other <= 60.0


@pytest.mark.parametrize("known", ["trails.generous", "trails.one_by_one_tit_for_tat"])
def test_one_who_offers_like_a_known_negotiator_is_not_expected_to_answer_like_them(known: str) -> None:
    agent = make_agent(known)
    assert isinstance(agent, Negotiator)
    refuses = Composition(msgspec.structs.replace(agent.design, acceptor=Nothing()))
    told = [each.share for each in meetings.forecasts("dd", "trails.deception", 0, refuses, seed=0)]
    assert told[0] > 0.5
    assert max(told[3:]) < 0.12


def test_a_temper_is_found_again_and_is_the_one_that_the_model_applies() -> None:
    rng, true = np.random.default_rng(3), np.array([1.4, -1.8])
    plain, strange = rng.uniform(0.02, 0.98, 20_000), rng.random(20_000)
    told = tempering.temper_forecasts(plain, strange, true)
    found = tempering.fitted_temper(plain, strange, (rng.random(20_000) < told).astype(float))
    assert found == pytest.approx(true, abs=0.2)
    one_by_one = [tempered_answer(*pair, temper=(1.4, -1.8)) for pair in zip(plain[:50], strange[:50], strict=True)]
    assert told[:50] == pytest.approx(one_by_one)


def test_a_perfect_forecast_loses_nothing_and_a_confident_wrong_one_much() -> None:
    accepted = np.array([1.0, 0.0, 1.0, 0.0])
    assert log_loss(accepted, accepted).max() < 0.001
    assert calibration_error(accepted, accepted) == 0.0
    assert calibration_error(np.full(4, 0.5), accepted) == 0.0
    assert calibration_error(1.0 - accepted, accepted) == 1.0


def test_the_share_of_strangers_like_somebody_known_is_found() -> None:
    own, odd = [[1.0, 1.0, 1e-9]], [[0.0, 1e-9, 1.0]]
    rows = [{"kind": likeness.KNOWN, "moments": own}]
    for kind in (likeness.LEFT_OUT, likeness.GENERATED):
        rows += [{"kind": kind, "moments": [[0.0, 1.0, 1e-9]] if number == 0 else odd} for number in range(10)]
    assert min(likeness.TRIED, key=lambda alike: likeness.mean_loss(rows, alike)) == 0.1


def test_players_who_are_nearly_known_are_no_strangers() -> None:
    near, far = ({"kind": likeness.GENERATED, "player": name, "opening": 0, "moments": [1]} for name in "ab")
    rows = [{**near, "apart": [0.5, 0.02]}, {**far, "apart": [0.5, 0.4]}, {**far, "opening": 2, "apart": [0.0]}]
    assert [row["player"] for row in likeness.without_near(rows)] == ["b", "b"]


@pytest.mark.long
@pytest.mark.parametrize(
    "module",
    [pytest.param(fitting, marks=pytest.mark.slow), tempering, likeness, forecasts, strength, patience, attacks],
)
def test_every_part_runs_and_reports(module: object, tmp_path: Path) -> None:
    small = {
        "fitting_nodes": 10,
        "newcomer_agent": SMALL,
        "newcomers": 2,
        "random_boards": 1,
        "patience_boards": 0,
        "forecast_known": ("trails.honest", "trails.mute"),
    }
    named = {**getattr(module, "QUICK", {}), **({"newcomer_agent": SMALL} if module in (attacks, patience) else {})}
    with finished(STUDY, module, tmp_path, **{name: small.get(name, value) for name, value in named.items()}) as run:
        (chapter,) = make_report(run).chapters
        assert any(isinstance(block, Table) for block in chapter.blocks)
