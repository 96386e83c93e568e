"""PERB rule by rule, the thesis's versions of it, the tree, and personalities."""

import pytest
from hypothesis import given
from trail_positions import numbers, situation

from kibitz.core.seeds import stream
from kibitz_trails.agents.parametric import Personality
from kibitz_trails.agents.perb import Appraisal, PerbAcceptor, PerbProposer, PerbSender, expected_score, reliability
from kibitz_trails.agents.tree import FrequencyForecast, ModelForecast, TreeProposer, transfers
from kibitz_trails.offers import Offer
from kibitz_trails.situation import Situation, cooperation, kept_promises, level

DEAL = "offer 3 yellow for 3 gray"
STAY = "stay | stay"
NOTHING = "send nothing | send nothing"
YELLOW, GRAY, NONE = (0, 0, 0, 3, 0), (0, 0, 0, 0, 3), (0, 0, 0, 0, 0)
RED = "offer 3 red for 3 red", "accept"
DI = "trails(board=di)"


def after_deal(player: int, paid: str, *moves: str) -> Situation:
    """After a deal of three red chips for three, of which so much was paid."""
    return situation(player, *RED, paid, STAY, "pass", *moves)


# What it thinks of the other.


@pytest.mark.parametrize(("paid", "name"), [("send 3 red | send 3 red", "high"), ("send 3 red | send nothing", "low")])
def test_reliability_in_words(paid: str, name: str) -> None:
    assert level(reliability(after_deal(0, paid))) == name


def test_the_newest_deal_counts_half() -> None:
    here = situation(0, *RED, "send 3 red | send 3 red", STAY, *RED, "send nothing | send nothing", STAY)
    assert kept_promises(here.history, 1, 0) == pytest.approx(0.5)
    assert level(reliability(here)) == "medium"


def test_cooperation_is_of_offers_accepted_and_of_what_own_offers_leave() -> None:
    nobody, greedy = situation(0), situation(0, "pass", "offer nothing for 6 yellow")
    assert cooperation(nobody.board, nobody.history, 1, 0) is None
    assert level(None) == "medium"
    assert cooperation(greedy.board, greedy.history, 1, 0) == 0.0
    fair = situation(0, "pass", "offer 3 gray for 3 yellow")
    assert cooperation(fair.board, fair.history, 1, 0) == pytest.approx(0.5)
    refused = situation(1, "pass", "offer 3 gray for 3 yellow", "reject", NOTHING, STAY)
    assert cooperation(refused.board, refused.history, 0, 1) == 0.0
    assert [level(value) for value in (0.2, 0.5, 0.9)] == ["low", "medium", "high"]


def test_the_expected_score_of_the_dependent_is_between_best_use_and_the_goal() -> None:
    own = situation(0).own
    assert expected_score(own, 0.5) == pytest.approx(0.125 * (100 + 5 * (16 - 8)) + 0.875 * 5)
    assert expected_score(situation(1, spec=DI).own, 0.5) == 140.0


# What it offers.


def test_offers_between_dependents_are_mostly_one_for_one() -> None:
    offers = Appraisal(situation(0)).candidates()
    even = [offer for offer in offers if sum(offer.given) == sum(offer.asked)]
    assert 0.85 <= len(even) / len(offers) < 1.0
    assert {sum(offer.asked) for offer in even} == {1, 2, 3}


@pytest.mark.parametrize(("player", "ratio"), [(0, 0.5), (1, 2.0)])
def test_the_stronger_gets_two_for_one(player: int, ratio: float) -> None:
    here = situation(player, *(["pass"] if player else []), spec=DI)
    offers = Appraisal(here).candidates()
    usual = [offer for offer in offers if sum(offer.asked) == ratio * sum(offer.given)]
    assert len(usual) / len(offers) >= 0.75


def test_it_draws_among_offers_within_epsilon_of_the_best() -> None:
    here = situation(0)
    appraisal = Appraisal(here)
    chosen = PerbProposer().offers(here)
    worths = {offer: appraisal.utility(*offer) for offer in appraisal.candidates()}
    best = max(worths.values())
    assert set(chosen) == {offer for offer, worth in worths.items() if worth >= best - 5.0}
    assert sum(chosen.values()) == pytest.approx(1.0)


# How it answers.


def test_it_gives_no_chip_that_it_needs() -> None:
    assert PerbAcceptor().accepts(situation(1, "offer 6 yellow for 6 gray")) == 0.0


def test_it_accepts_a_counter_offer_that_lets_it_move() -> None:
    held = (0, 0, 0, 6, 0), (5, 5, 0, 0, 6)
    counter = "offer 1 red for 1 yellow"
    stuck = situation(0, "pass", counter, dormant=(2, 0), chips=held)
    assert stuck.own.step_needed() is not None
    assert PerbAcceptor().accepts(stuck) == 1.0
    assert PerbAcceptor().keeps_going(stuck, *stuck.proposed_exchange())
    rested = situation(0, "pass", counter, dormant=(0, 0), chips=held)
    assert not PerbAcceptor().keeps_going(rested, *rested.proposed_exchange())


def test_it_feeds_another_one_only_where_the_offer_is_no_better() -> None:
    held = (0, 0, 0, 6, 0), (4, 3, 0, 3, 6)
    here = situation(1, "pass", chips=held)
    good = here.view.copy_with(phase="answer", proposer=0, partner=1, proposals=2, dormant=(2, 0))
    worth = Situation(good.copy_with(offer=Offer((0, 0, 0, 6, 0), (1, 0, 0, 0, 0))), 1, here.history)
    bad = Situation(good.copy_with(offer=Offer(NONE, (1, 1, 0, 0, 0))), 1, here.history)
    assert PerbAcceptor().keeps_going(worth, *worth.proposed_exchange())
    assert not PerbAcceptor().keeps_going(bad, *bad.proposed_exchange())


@pytest.mark.parametrize(
    ("offer", "share"),
    [("3 gray for 3 red 3 green", 1.0), ("2 gray for 2 red 3 green", 0.0), ("1 yellow for 1 red", 0.0)],
)
def test_two_for_one_is_fair_to_who_needs_nothing(offer: str, share: float) -> None:
    assert PerbAcceptor().accepts(situation(0, "pass", f"offer {offer}", spec=DI)) == share


def test_the_first_agreement_does_not_free_the_other() -> None:
    assert situation(1, DEAL).sides_after(GRAY, YELLOW)[1].independent
    assert PerbAcceptor().accepts(situation(1, DEAL)) == 0.0


def test_it_accepts_what_is_nearly_as_good_as_its_own_offer() -> None:
    dealt = situation(1, *RED, "send 3 red | send 3 red", STAY, "pass", DEAL)
    assert PerbAcceptor().accepts(dealt) == 1.0
    worse = situation(1, *RED, "send 3 red | send 3 red", STAY, "pass", "offer 1 red for 1 green")
    assert PerbAcceptor().accepts(worse) == 0.0


# What it sends.


def test_it_keeps_its_first_promise() -> None:
    assert PerbSender().sends(situation(0, DEAL, "accept")) == {YELLOW: 1.0}


@pytest.mark.parametrize(
    ("paid", "sent"), [("send 3 red | send 3 red", {YELLOW: 1.0}), ("send 3 red | send nothing", {NONE: 1.0})]
)
def test_it_pays_the_reliable_and_not_the_others(paid: str, sent: dict[tuple[int, ...], float]) -> None:
    assert PerbSender().sends(after_deal(0, paid, DEAL, "accept")) == sent


def test_it_pays_those_between_all_or_half() -> None:
    here = situation(
        0, *RED, "send 3 red | send 3 red", STAY, *RED, "send nothing | send nothing", STAY, DEAL, "accept"
    )
    assert PerbSender().sends(here) == pytest.approx({YELLOW: 0.5, (0, 0, 0, 2, 0): 0.5})


def test_the_independent_feed_one_who_cannot_move() -> None:
    held = (0, 0, 0, 6, 0), (4, 3, 0, 3, 6)
    here = situation(1, "pass", "pass", spec=DI, chips=held)
    assert here.other.step_needed() == (1, 0, 0, 0, 0)
    assert PerbSender().sends(here) == {(1, 0, 0, 0, 0): 1.0}
    assert PerbSender().sends(situation(0, "pass", "pass", chips=held)) == {NONE: 1.0}


# Versions, the tree, personalities.


@given(numbers)
def test_sending_nothing_is_best_at_every_decision_of_the_tree(number: int) -> None:
    """More chips are never worth less, and what one sends changes nothing else in the tree."""
    rng = stream(number, "trails tree")
    held = tuple(tuple(int(count) for count in rng.integers(0, 6, 5)) for _ in range(2))
    here = situation(0, chips=held)
    for offer in Appraisal(here).candidates()[:6]:
        values = TreeProposer().sending_values(here, offer)
        assert max(values, key=lambda name: values[name]) == "none"


def test_the_tree_is_the_mean_over_answers_and_transfers() -> None:
    here = situation(0)
    offer = Offer((0, 0, 0, 1, 0), (0, 0, 0, 0, 1))
    forecast = FrequencyForecast()
    shares = forecast.transfers(here, offer)
    received = (shares["none"] * 5 + shares["all"] * 20) / (shares["none"] + shares["all"])
    accepts = forecast.accepts(here, offer)
    assert TreeProposer().offer_value(here, offer) == pytest.approx(accepts * received + (1 - accepts) * 5)
    assert {name: len(sets) for name, sets in transfers((0, 0, 0, 0, 3)).items()} == {"none": 1, "some": 2, "all": 1}


def test_a_model_tells_the_tree_what_to_expect() -> None:
    from kibitz.core.registry import make_game, make_model

    here = situation(0)
    model = make_model("strategy_filter(strategies=[trails.honest], unknown=0.0, noise=0.0)")
    model.begin(make_game("trails"), 0, stream(0, "tree"))
    offer = Offer(YELLOW, GRAY)
    assert ModelForecast(model).accepts(here, offer) == pytest.approx(1.0)
    assert ModelForecast(model).transfers(here, offer) == pytest.approx({"none": 0.0, "some": 0.0, "all": 1.0})


def test_personalities_are_to_each_as_he_is_to_them() -> None:
    kind, cold = Personality("high", "high"), Personality("low", "low", helpful=False)
    here = situation(0, DEAL, "accept")
    assert kind.sends(here) == {YELLOW: 1.0}
    assert cold.sends(here) == {NONE: 1.0}
    assert sum(next(iter(kind.offers(situation(0)))).given) > sum(next(iter(cold.offers(situation(0)))).given)
    many = Personality("high", "high", multiple=True)
    assert many.sends(after_deal(0, "send 3 red | send nothing", DEAL, "accept")) == {NONE: 1.0}
    assert many.sends(after_deal(0, "send 3 red | send 3 red", DEAL, "accept")) == {YELLOW: 1.0}
    free = situation(1, "pass", spec=DI)
    assert kind.offers(free)
    assert not cold.offers(free)
