"""The parts of negotiators: what they offer, accept, send and where they go, and what they remember."""

import pytest
from hypothesis import given
from trail_positions import numbers, play, seen, situation, start

from kibitz.core.seeds import stream
from kibitz_trails import offer_scoring
from kibitz_trails.agents import negotiator, proposers, senders
from kibitz_trails.agents.negotiator import Sender
from kibitz_trails.board import Chips, common
from kibitz_trails.offers import Offer
from kibitz_trails.situation import Exchange, Situation, chip_share, kept_share, recent, reliability, transfer_class

DEAL = "offer 3 yellow for 3 gray"
STAY = "stay | stay"
NOTHING = "send nothing | send nothing"
YELLOW, GRAY, NONE = (0, 0, 0, 3, 0), (0, 0, 0, 0, 3), (0, 0, 0, 0, 0)


def exchange(promised: tuple[Chips, Chips] | None, sent: tuple[Chips, Chips]) -> Exchange:
    state = start()
    chips = tuple(each or () for each in state.chips)
    return Exchange(0, (0, 1), promised, sent, state.positions, chips)


@pytest.mark.parametrize(("count", "share"), [(0, 0.0), (1, 0.1), (2, 0.2), (3, 1.0), (4, 155 / 150)])
def test_reliability_of_a_promise_of_three_gray_chips(count: int, share: float) -> None:
    assert reliability(start().board, exchange((YELLOW, GRAY), (NONE, (0, 0, 0, 0, count))), 1) == pytest.approx(share)


@pytest.mark.parametrize(("count", "share"), [(1, 20 / 150), (2, 35 / 150), (3, 1.0)])
def test_reliability_is_not_the_same_in_both_seats(count: int, share: float) -> None:
    assert reliability(start().board, exchange((YELLOW, GRAY), ((0, 0, 0, count, 0), NONE)), 0) == pytest.approx(share)


def test_without_a_promise_a_gift_is_reliable_and_nothing_is_the_default() -> None:
    board = start().board
    assert reliability(board, exchange(None, (NONE, NONE)), 0, default=0.3) == 0.3
    assert reliability(board, exchange(None, (YELLOW, NONE)), 0, default=0.3) == 1.0
    assert chip_share(exchange(None, (NONE, NONE)), 0) == 1.0
    assert [transfer_class(share) for share in (0.0, 0.4, 1.0, 1.2)] == ["none", "some", "all", "all"]


def test_a_round_without_a_deal_counts_as_the_default() -> None:
    state = start("trails(dormancy_limit=9)")
    history = seen(state, DEAL, "accept", "send 3 yellow | send 1 gray", STAY, "pass", "pass", NOTHING, STAY)
    assert recent(state.board, history, 1, 0, 1.0) == pytest.approx((1.0, 0.1))


def test_history_tells_proposals_and_exchanges_apart() -> None:
    history = seen(start(), DEAL, "reject", "offer 1 gray for 1 yellow", "accept", "send nothing | send 1 gray", STAY)
    assert [(each.proposer, each.accepted) for each in history.proposals] == [(0, False), (1, True)]
    deal = next(history.deals(0, 1))
    assert (deal.has_cheated(0), deal.has_cheated(1)) == (True, False)
    assert (deal.promise_of(0), deal.sent_by(1)) == ((0, 0, 0, 1, 0), (0, 0, 0, 0, 1))
    assert not list(history.between(0, 2))


# Proposers.


def test_a_trade_asks_for_what_is_missing_and_gives_what_the_other_lacks() -> None:
    assert proposers.Trade().offers(situation(0)) == {Offer(YELLOW, GRAY): 1.0}
    assert proposers.Trade(most=1, ratio=2.0).offers(situation(0)) == {Offer((0, 0, 0, 2, 0), (0, 0, 0, 0, 1)): 1.0}
    useless = proposers.Trade(useful=False).offers(situation(0))
    assert all(not offer.given[3] for offer in useless)
    assert proposers.Trade().offers(situation(1, spec="trails(board=di)")) == {}


def test_concessions_grow_with_the_offers_made() -> None:
    slow, fast = proposers.Conceding(ratio=0.34, shape=4.0), proposers.Conceding(ratio=0.34, shape=0.3)
    given = []
    moves: list[str] = []
    for _ in range(4):
        here = situation(0, *moves, spec="trails(dormancy_limit=20)")
        given.append([sum(next(iter(each.offers(here))).given) for each in (slow, fast)])
        moves += ["offer 1 red for 3 gray", "reject", "pass", NOTHING, STAY, "pass", "pass", NOTHING, STAY]
    assert [each[0] for each in given] == [2, 2, 2, 3]
    assert given[0][1] == 2
    assert given[1][1] > 3


def test_one_offer_take_it_or_leave_it() -> None:
    moves = DEAL, "reject", "pass", NOTHING, STAY, "pass"
    assert proposers.Once().offers(situation(0))
    assert proposers.Once().offers(situation(0, *moves)) == {}


def test_bargainers_find_the_best_for_both() -> None:
    for by_product in (True, False):
        offer = next(iter(proposers.Bargain(by_product).offers(situation(0))))
        here = situation(0)
        assert (here.gain(*offer), here.other_gain(*offer)) == (135, 135)


def test_a_hoarder_goes_on_when_it_needs_nothing() -> None:
    here = situation(1, "pass", spec="trails(board=di)")
    offer = next(iter(proposers.Hoarding().offers(here)))
    assert offer.given == (0, 0, 0, 0, 1)
    assert sum(offer.asked) == 2


@pytest.mark.parametrize("sides", [((5,) * 8, (5,) * 8), ((127, 0), (127, 3))])
def test_bargainers_look_at_a_bounded_number_of_offers(sides: tuple[Chips, Chips]) -> None:
    given, asked = offer_scoring.limit_chips(*sides)
    total = 1
    for held in (*given, *asked):
        total *= held + 1
    assert 1 < total <= offer_scoring.MOST_OFFERS


# Acceptors.


def test_acceptors() -> None:
    fair, poor = situation(1, DEAL), situation(1, "offer nothing for 3 gray")
    three = proposers.Gaining(), proposers.Anything(), proposers.Nothing()
    assert [each.accepts(fair) for each in three] == [1, 1, 0]
    assert [each.accepts(poor) for each in three] == [0, 1, 0]
    assert proposers.Dear(ratio=2.0).accepts(fair) == 0.0
    assert proposers.Gaining(least=135).accepts(fair) == 1.0
    assert proposers.Gaining(least=136).accepts(fair) == 0.0
    cheated = situation(
        0, DEAL, "accept", "send 3 yellow | send nothing", STAY, "offer 3 gray for nothing", spec="trails(board=dd)"
    )
    assert proposers.Gaining().accepts(cheated) == 1.0
    assert proposers.GrudgingAcceptor().accepts(cheated) == 0.0


# Senders.


def agreed(player: int, *before: str, spec: str = "trails") -> Situation:
    return situation(player, *before, DEAL, "accept", spec=spec)


def sent(sender: Sender, here: Situation) -> Chips:
    """What a sender that does not draw sends."""
    ((chips, share),) = sender.sends(here).items()
    assert share == pytest.approx(1.0)
    return chips


def test_keeping_and_reneging() -> None:
    assert sent(senders.Keeps(), agreed(0)) == YELLOW
    assert sent(senders.Keeps(), agreed(1)) == GRAY
    assert sent(senders.Reneges(), agreed(0)) == NONE
    assert sent(senders.Share(0.5), agreed(0)) == (0, 0, 0, 2, 0)
    assert senders.Coin(0.25).sends(agreed(0)) == {YELLOW: 0.25, NONE: 0.75}
    assert sent(senders.Keeps(), situation(0, "pass", "pass")) == NONE


def test_promises_of_the_independent() -> None:
    assert sent(senders.KeepsWhileDependent(), agreed(0)) == YELLOW
    assert sent(senders.KeepsWhileDependent(last=True), agreed(0)) == NONE
    assert sent(senders.KeepsWhileDependent(), agreed(1, spec="trails(board=di)")) == NONE


PAST = "offer 3 red for 3 red", "accept"


@pytest.mark.parametrize(
    ("paid", "kept"),
    [("send 3 red | send 3 red", 3), ("send 3 red | send 1 red", 1), ("send nothing | send nothing", 0)],
)
def test_tit_for_tat_keeps_what_was_kept(paid: str, kept: int) -> None:
    here = agreed(0, *PAST, paid, STAY, "pass")
    assert sent(senders.Returns(), here) == (0, 0, 0, kept, 0)
    forgiving = senders.Forgiving(0.2).sends(here)
    assert forgiving[YELLOW] == pytest.approx(1.0 if kept == 3 else 0.2)
    grudge = YELLOW if kept == 3 else NONE
    assert sent(senders.Grudge(), here) == grudge


def test_proof_comes_first() -> None:
    assert sent(senders.Returns(proof=True), agreed(0)) == NONE


@given(numbers)
def test_the_reliable_sender_comes_nearest_to_its_target(number: int) -> None:
    rng = stream(number, "trails reliable")
    promised = " ".join(f"{rng.integers(1, 4)} {colour}" for colour in ("red", "yellow"))
    paid, offer = f"send 2 red | send {rng.integers(1, 4)} red", f"offer {promised} for 3 gray"
    here = situation(0, *PAST, paid, STAY, "pass", offer, "accept")
    sender = senders.Reliable(w=float(rng.random()))
    target, whole, other = sender.target(here), senders.promise(here), here.other

    def missed(part: Chips) -> float:
        return abs(target - kept_share(here.board, other.place, other.chips, whole, part))

    assert missed(sent(sender, here)) == pytest.approx(min(map(missed, senders.all_parts(whole))))


@given(numbers)
def test_deception_never_frees_the_other(number: int) -> None:
    rng = stream(number, "trails deception")
    held = [tuple(int(rng.integers(0, min(most, 4) + 1)) for most in start().board.in_play) for _ in range(2)]
    places = tuple(int(place) for place in rng.integers(3, 35, 2))
    state = start().copy_with(chips=tuple(held), positions=places)
    given_chips = tuple(int(rng.integers(0, count + 1)) for count in held[0])
    if not any(given_chips):
        return
    play(state, state.action_to_string(0, state.offers().of(given_chips, NONE)), "accept")
    here = Situation(state, 0, seen(start()))
    for removal in ("pairs", "largest_td_subset"):
        deceiver = senders.Deceives(removal=removal)  # type: ignore[arg-type]
        choices = deceiver.sends(here)
        assert sum(choices.values()) == pytest.approx(1.0)
        for chips in choices:
            assert common(chips, given_chips) == chips
            assert not here.frees_other(chips)
        if here.other.independent or not here.frees_other(given_chips):
            assert choices == {given_chips: 1.0}
    largest = max(sum(part) for part in senders.all_parts(given_chips) if not here.frees_other(part))
    assert sum(sent(senders.Deceives(), here)) == largest


def test_deception_removes_two_chips_at_a_time() -> None:
    assert senders.Deceives(removal="pairs").sends(agreed(0)) == {(0, 0, 0, 1, 0): 1.0}
    assert sent(senders.Deceives(), agreed(0)) == (0, 0, 0, 2, 0)
    drawn = dict(senders.draw_probabilities((2, 1), 2))
    assert drawn == pytest.approx({(2, 0): 1 / 3, (1, 1): 2 / 3})
    assert sent(senders.Deceives(), situation(1, DEAL, "accept")) == (0, 0, 0, 0, 2)


# Movers.


def test_the_dependent_wait_as_long_as_they_can() -> None:
    waiting = situation(0, "pass", "pass", NOTHING)
    assert negotiator.Patient().moves(waiting) == {0: 1.0}
    late = situation(0, "pass", "pass", NOTHING, dormant=(2, 0))
    step = next(iter(negotiator.Patient().moves(late)))
    assert step != 0
    assert late.board.distances[late.side_after_step(step).place] == 7
    assert negotiator.Racer().moves(waiting) != {0: 1.0}


def test_the_independent_go_on_without_losing_anything() -> None:
    here = situation(1, "pass", "pass", NOTHING, spec="trails(board=di)")
    step = next(iter(negotiator.Patient().moves(here)))
    assert step != 0
    assert here.side_after_step(step).best_use == here.own.best_use == 140


def test_the_stop_rule_ends_the_game_rather_than_walk_at_a_loss() -> None:
    held = (5, 0, 0, 0, 0), (5, 5, 0, 0, 6)
    stuck = situation(0, "pass", "pass", NOTHING, dormant=(2, 0), positions=(25, 34), chips=held)
    assert negotiator.Patient().moves(stuck) == {4: 1.0}
    assert negotiator.Patient(stop_rule=True).moves(stuck) == {0: 1.0}
    assert negotiator.Sleeper().moves(situation(1, "pass", "pass", NOTHING, spec="trails(board=di)")) == {0: 1.0}
