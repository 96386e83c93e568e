"""The rules: phases, who talks, what is exchanged, what ends the game, and what it is worth."""

import pytest
from hypothesis import given
from trail_positions import numbers, play, start

from kibitz import core
from kibitz.core.match.play import play as played
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz.testing import check_game
from kibitz.testing.walks import random_step
from kibitz_trails.rules import State

CASES = 10_000
NOTHING = "send nothing | send nothing"
DEAL = "offer 3 yellow for 3 gray"
LAYERS = "layers(rows=4, cols=5, missing=[1, 1, 1])"

VARIANTS = [
    "trails(board=di, dormancy_limit=2, max_rounds=4)",
    f"trails(board='{LAYERS}')",
    "trails(board='layers(rows=4, cols=4, missing=[1, 1, 1, 0], spare=3)', visibility=hidden_chips, preparation=True, "
    "max_rounds=2)",
    "trails(visibility=hidden_chips, max_rounds=3)",
]


@pytest.mark.long
@pytest.mark.parametrize("walks", [2, pytest.param(12, marks=pytest.mark.slow)])
@pytest.mark.parametrize("spec", VARIANTS)
def test_variants_keep_the_contract(spec: str, walks: int) -> None:
    check_game(spec, walks=walks, plies=40)


def test_a_round_is_talk_exchange_and_movement() -> None:
    state = start()
    assert (state.phase, state.current_player()) == ("offer", 0)
    play(state, DEAL)
    assert (state.phase, state.current_player()) == ("answer", 1)
    play(state, "reject")
    assert (state.phase, state.current_player()) == ("offer", 1)
    play(state, "offer 2 gray for 2 yellow", "accept")
    assert (state.phase, state.current_player()) == ("exchange", core.SIMULTANEOUS)
    assert (state.promise(0), state.promise(1)) == ((0, 0, 0, 2, 0), (0, 0, 0, 0, 2))
    play(state, "send 1 yellow 1 red | send nothing")
    assert state.chips == ((4, 5, 0, 5, 0), (6, 5, 0, 1, 6))
    assert state.phase == "movement"
    play(state, "up | stay")
    assert (state.phase, state.round, state.current_player()) == ("offer", 1, 1)
    assert state.chips[0] == (3, 5, 0, 5, 0)
    assert (state.positions, state.dormant) == ((25, 34), (0, 1))


def test_second_offers_rejected_and_passes_leave_no_deal() -> None:
    for moves in ((DEAL, "reject", "offer 1 gray for 1 yellow", "reject"), ("pass", "pass"), (DEAL, "reject", "pass")):
        state = play(start(), *moves)
        assert (state.phase, state.offer, state.promise(0)) == ("exchange", None, None)


def test_promises_bind_nobody_and_gifts_are_allowed() -> None:
    state = play(start(), "pass", "pass", "send 2 yellow | send nothing")
    assert state.chips == ((5, 5, 0, 4, 0), (5, 5, 0, 2, 6))


def test_the_game_ends_when_both_can_reach_the_goal() -> None:
    state = play(start(), DEAL, "accept", "send 3 yellow | send 3 gray")
    assert state.is_terminal()
    assert state.returns() == [140.0, 140.0]
    assert state.positions == (2, 2)
    assert [sum(chips) for chips in state.chips if chips] == [8, 8]


def test_three_rounds_without_a_move_end_the_game_at_best_use() -> None:
    state = start()
    for _ in range(3):
        assert not state.is_terminal()
        play(state, "pass", "pass", NOTHING, "stay | stay")
    assert state.is_terminal()
    assert state.returns() == [5.0, 5.0]
    assert state.positions == (31, 33)


def test_whoever_is_on_the_goal_does_not_grow_dormant_and_stays_there() -> None:
    state = start("trails(board=id)")
    way = ["up", "right", "up", "up", "up", "up", "right", "up"]
    other = ["stay", "stay", "up", "stay", "stay", "down", "stay", "stay"]
    for step, meanwhile in zip(way, other, strict=True):
        play(state, "pass", "pass", NOTHING, f"{step} | {meanwhile}")
    assert state.positions[0] == state.board.goal
    assert state.phase == "offer"
    play(state, "pass", "pass", NOTHING)
    assert list(state.legal_actions(0)) == [0]
    play(state, "stay | stay")
    assert state.is_terminal()


def test_who_talks_first() -> None:
    state, found = start("trails(dormancy_limit=9)"), []
    for _ in range(3):
        found.append(state.proposer)
        play(state, "offer 1 red for 1 green", "accept", NOTHING, "stay | stay")
    assert found == [0, 1, 0]


def test_three_players_talk_in_pairs() -> None:
    state = start(f"trails(board='{LAYERS}', dormancy_limit=7)")
    pairs = []
    for _ in range(6):
        pairs.append((state.proposer, state.partner))
        play(state, "pass", "pass")
        others = [player for player in range(3) if player not in (state.proposer, state.partner)]
        assert [len(state.legal_actions(player)) for player in others] == [1]
        state.step([0, 0, 0])
        state.step([0, 0, 0])
    assert sorted(pairs) == [(a, b) for a in range(3) for b in range(3) if a != b]


def test_hidden_chips_are_shown_by_what_is_offered() -> None:
    game = make_game("trails(visibility=hidden_chips)")
    state = game.new_initial_state()
    assert isinstance(state, State)
    state.apply_action(0)
    state.apply_action(1)
    view = state.view(0)
    assert view.chips == ((5, 5, 0, 6, 0), None)
    assert len(view.possible_hands(1)) == 2
    play(state, "pass", "offer 3 yellow for nothing")
    assert state.view(0).possible_hands(1) == [(4, 3, 0, 3, 6)]
    assert state.view(0).assumed_chips(1) == (4, 3, 0, 3, 6)


@pytest.mark.long
def test_chips_are_only_moved_and_burnt_and_every_game_ends() -> None:
    events, number = 0, 0
    while events < CASES:
        events += checked_walk(number)
        number += 1


def checked_walk(number: int) -> int:
    """Walk through a game at random, looking at every event; how many there were."""
    rng, events = stream(number, "trails walk"), 0
    board = ["dd", "di", "id"][number % 3]
    game = make_game(f"trails(board={board})")
    state = game.new_initial_state()
    assert isinstance(state, State)
    most = 3 * sum(map(sum, state.board.chips)) + 3
    while not state.is_terminal():
        before, phase = sum(sum(chips or ()) for chips in state.chips), state.phase
        actions = random_step(game, state, rng)
        after = sum(sum(chips or ()) for chips in state.chips)
        if not state.is_terminal():
            moved = sum(action > 0 for action in actions) if phase == "movement" else 0
            assert before - after == moved
        assert state.round <= most
        assert all(min(chips or (0,)) >= 0 for chips in state.chips)
        events += 1
    assert all(-80.0 <= score <= 220.0 for score in state.returns())
    return events


@given(numbers)
def test_di_and_id_are_mirror_images(number: int) -> None:
    """The same play seen in a mirror, the other player first, earns the same."""
    rng = stream(number, "trails mirror")
    game = make_game("trails(board=di)")
    one, other = start("trails(board=di)"), start("trails(board=id)")
    other.proposer, other.partner, other.round = 1, 0, 1
    swapped = {"left": "right", "right": "left"}
    for _ in range(60):
        if one.is_terminal():
            break
        before = one.clone()
        actions = random_step(game, one, rng)
        words = list(map(before.action_to_string, game.movers(before), actions))
        play(other, " | ".join(swapped.get(word, word) for word in reversed(words)))
    assert other.is_terminal() == one.is_terminal()
    assert other.returns() == one.returns()[::-1]


def test_bad_boards_and_generators_are_refused() -> None:
    for spec in ("trails(board=nowhere)", "trails(board='layers(rows=0)')", "trails(board='layers(missing=[9, 9])')"):
        with pytest.raises(core.KibitzError):
            make_game(spec).new_initial_state()


def test_offers_of_chips_one_lacks_and_transfers_beyond_possession_are_illegal() -> None:
    state = start()
    for words in (
        "offer 1 gray for 1 red",
        "offer 7 yellow for 1 gray",
        "offer 1 red for 1 yellow",
        "offer red for gray",
    ):
        with pytest.raises(core.IllegalAction):
            state.string_to_action(0, words)
    play(state, "pass", "pass")
    for words in ("send 1 gray", "send 6 red", "send -1 red", "send red"):
        with pytest.raises(core.IllegalAction):
            state.string_to_action(0, words)


@pytest.mark.parametrize(
    "words",
    [
        "3y for 2a",
        "three yellow for two grey",
        "Offer 1 yellow, 1 yellow and 1 yellow chip for 2 gray",
        "give 3yel for 2 grays",
        "2 yellow & 1 yellow + zero red for 2 gray",
    ],
)
def test_an_offer_may_be_written_as_people_write(words: str) -> None:
    state = start()
    assert state.action_to_string(0, state.string_to_action(0, words)) == "offer 3 yellow for 2 gray"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("7 yellow for 1 gray", "you hold 6 yellow"),
        ("1 gray for 8 gray and 1 yellow", "you hold no gray, P1 holds no yellow and 6 gray"),
        ("3 blue for 1 gray", "'blue'.*the colours are r red"),
        ("yellow for 1 gray", "say how many yellow"),
        ("3 yellow", "what you give for what you ask"),
        ("99999999999999999999 red for 1 gray", "a number of chips is whole and has at most 4 digits"),
        ("1.5 yellow for 1 gray", "'1.5'.*a number of chips is whole"),
    ],
)
def test_an_offer_that_cannot_be_made_says_why(words: str, why: str) -> None:
    with pytest.raises(core.IllegalAction, match=why) as caught:
        start().string_to_action(0, words)
    assert caught.value.why


class Crashing(core.Agent):
    """Offers nothing sensible: it raises whenever it is asked."""

    def act(self, view: core.State, clock: core.Clock) -> int:
        raise RuntimeError("no idea")


def test_a_crashing_agent_rejects_sends_nothing_and_stays() -> None:
    record = played("trails", [Crashing(), "random"], seed=1, strikes=1000)
    assert record.ending is not None
    assert record.ending.reason == "terminal"
    said = {entry.actions[0] for entry in record.entries if len(entry.actions) == 2 or entry.player == 0}
    assert said <= {"pass", "reject", "send nothing", "stay"}
    assert len(said) > 2
