"""The rules, case by case, on a map of six territories."""

import pytest
from ring import OPTIONS, go_on, in_words, played, spec, standing

from kibitz.core.errors import BadSpec, IllegalAction
from kibitz.core.kit.about import label_name
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz.testing import check_game
from kibitz.testing.walks import random_step
from kibitz_risk import phases
from kibitz_risk.cards import set_value
from kibitz_risk.game import Risk, State
from kibitz_risk.options import CARD_RULES, INCREASING
from kibitz_risk.position import UNKNOWN
from kibitz_risk.rules import start_turn

WEST = "first 0; deal Old Town; deal Hill-Top; deal Mill; deal Marsh; deal Ford; deal Quay"
"""Player 0 gets the west, player 1 the east."""
SET_UP = "; ".join(["set Ford; set Hill-Top"] * 5)
BATTLE = (WEST, SET_UP, "place 5 Ford", "attack Ford>Hill-Top")
DUEL = {"players": 2, "mode": "domination", "cards": "fixed"}


@pytest.mark.long
@pytest.mark.parametrize("walks", [2, pytest.param(12, marks=pytest.mark.slow)])
@pytest.mark.parametrize("options", [OPTIONS[0], OPTIONS[3]])
def test_small_games_keep_the_contract(options: dict[str, object], walks: int) -> None:
    check_game(spec(**options), walks=walks, plies=150)


@pytest.mark.parametrize("options", OPTIONS)
def test_armies_and_cards_are_never_lost_or_made(options: dict[str, object]) -> None:
    game, rng = make_game(spec(**options)), stream(5, "risk")
    for _ in range(4):
        state = game.new_initial_state()
        for _ in range(600):
            if state.is_terminal():
                break
            random_step(game, state, rng)
            assert isinstance(state, State)
            assert all(count > 0 for place, count in enumerate(state.armies) if state.owners[place] >= 0) or (
                state.phase == phases.CONQUER and state.armies.count(0) == 1
            )
            held = [card for hand in state.hands for card in hand]
            assert sorted([*held, *state.discards, *state.shown, *state.unseen_cards()]) == list(state.board.cards)
            assert state.position.left_to_draw == len(state.unseen_cards())


def test_armies_at_the_start_by_players_and_map() -> None:
    for players, armies in ((2, 40), (3, 35), (4, 30), (5, 25), (6, 20)):
        assert make_game(f"risk(players={players})").start_armies == armies  # type: ignore[attr-defined]


def test_the_deal_goes_round_and_the_first_player_has_the_first_turn() -> None:
    state = played("first 1; deal Ford; deal Mill; deal Quay; deal Marsh", **DUEL)
    assert state.owners == [-1, 0, 1, -1, 0, 1]
    go_on(state, "deal Old Town; deal Hill-Top")
    assert (state.phase, state.mover, state.game.start_armies) == (phases.SETUP, 1, 8)
    go_on(state, "; ".join(["set Ford; set Mill"] * 5))
    assert (state.phase, state.mover, sum(state.armies)) == (phases.PLACE, 1, 16)


def test_reinforcements_are_a_third_and_continents() -> None:
    state = played(WEST, SET_UP, **DUEL)
    assert state.to_place == 3 + 2
    assert "place 5 Ford" in in_words(state)
    assert not any("Quay" in each for each in in_words(state))


def test_borders_may_lead_one_way_only() -> None:
    state = played(*BATTLE[:-1], **DUEL)
    assert "attack Ford>Hill-Top" in in_words(state)
    go_on(state, "end attack; stay; place 4 Hill-Top")
    assert "attack Hill-Top>Ford" in in_words(state)
    assert "attack Hill-Top>Old Town" not in in_words(state)


def test_a_conquest_moves_at_least_the_dice_and_leaves_one() -> None:
    state = played(*BATTLE, "roll 3; defend 2; defender loses 2; roll 3; defend 2; defender loses 2", **DUEL)
    assert standing(state) == "a1 a1 a11 b2 b1 b1"
    go_on(state, "roll 2; defend 1; defender loses 1; roll 2; defender loses 1")
    assert in_words(state) == [f"move {count}" for count in range(2, 11)]
    go_on(state, "move 4")
    assert standing(state) == "a1 a1 a7 a4 b1 b1"
    assert state.captured


def test_a_move_of_only_one_size_is_made_at_once_and_a_lone_army_retreats() -> None:
    start = (WEST, "; ".join(["set Mill; set Hill-Top"] * 5), "place 5 Old Town; attack Old Town>Quay")
    state = played(*start, "roll 3; defender loses 0; roll 3; defender loses 0; roll 3; defender loses 1", **DUEL)
    assert (state.phase, standing(state)) == (phases.ATTACK, "a1 a6 a1 b6 b1 a3")
    state = played(*start, "; ".join(["roll 1; defender loses 0"] * 5), **DUEL)
    assert (state.phase, state.origin, standing(state)) == (phases.ATTACK, -1, "a1 a6 a1 b6 b1 b1")
    state = played(*start, "retreat", **DUEL)
    assert state.phase == phases.ATTACK


def test_attackers_need_two_armies_and_dice_are_limited() -> None:
    state = played(*BATTLE, **DUEL)
    assert in_words(state) == ["retreat", "roll 1", "roll 2", "roll 3"]
    go_on(state, "roll 3")
    assert state.current_player() == 1
    assert in_words(state) == ["defend 1", "defend 2"]
    state = played(*BATTLE, "roll 3", **{**DUEL, "cards": "italian"})
    assert in_words(state) == ["defend 1", "defend 2", "defend 3"]


def test_marches_by_rule() -> None:
    for fortify, reached in (("adjacent", ["Mill"]), ("connected", ["Mill", "Old Town"])):
        state = played(*BATTLE[:-1], "end attack", **DUEL, fortify=fortify)
        assert sorted({each.split(">")[1][:-2].strip() for each in in_words(state)[1:]}) == sorted(reached)
        go_on(state, "fortify Ford>Mill 3")
        assert (state.mover, standing(state)) == (1, "a1 a4 a8 b6 b1 b1")


def test_unlimited_marches_go_on_but_not_from_where_armies_have_come_to() -> None:
    state = played(*BATTLE[:-1], "end attack; fortify Ford>Mill 3", **DUEL, fortify="unlimited")
    assert state.mover == 0
    assert not any(each.startswith("fortify Mill") for each in in_words(state))
    go_on(state, "fortify Ford>Old Town 7")
    assert in_words(state) == ["stay"]


@pytest.mark.parametrize(
    ("rule", "symbols", "armies"),
    [
        ("fixed", (0, 0, 0), 4), ("fixed", (1, 1, 1), 6), ("fixed", (2, 2, 2), 8), ("fixed", (0, 1, 2), 10),
        ("fixed", (0, 0, 3), 4), ("fixed", (0, 1, 3), 10), ("fixed", (2, 3, 3), 10), ("fixed", (3, 3, 3), 12),
        ("fixed", (0, 0, 1), 0), ("italian", (2, 2, 2), 4), ("italian", (0, 0, 0), 6), ("italian", (1, 1, 1), 8),
        ("italian", (0, 1, 2), 10), ("italian", (1, 1, 3), 12), ("italian", (0, 1, 3), 0), ("italian", (0, 3, 3), 0),
        ("italian", (3, 3, 3), 0),
    ],
)  # fmt: skip
def test_sets_are_worth_what_the_rule_says(rule: str, symbols: tuple[int, int, int], armies: int) -> None:
    assert set_value(CARD_RULES.index(rule), *symbols, 0) == armies


def test_sets_grow_dearer() -> None:
    found = [set_value(INCREASING, 0, 1, 2, traded) for traded in range(9)]
    assert found == [4, 6, 8, 10, 12, 15, 20, 25, 30]


def with_hand(*names: str, **options: object) -> State:
    """Player 0 at the start of his turn with some cards."""
    state = played(WEST, SET_UP, **{**DUEL, **options})
    cards = {name: place for place, name in enumerate(state.board.card_name(card) for card in range(7))}
    state.hands = [tuple(sorted(cards[name] for name in names)), *state.hands[1:]]
    start_turn(state.game.setting, state.position, 0)
    return state


def test_the_first_own_territory_of_a_set_gets_two_armies() -> None:
    state = with_hand("Old Town", "Mill", "Ford")
    assert in_words(state) == ["trade Old Town", "trade Mill", "trade Ford", "no trade"]
    go_on(state, "trade Mill; trade Old Town; trade Ford")
    assert (standing(state), state.to_place) == ("a1 a3 a6 b6 b1 b1", 15)
    assert (state.hands[0], state.discards) == ((), (0, 1, 2))


def test_only_cards_that_make_a_set_can_be_begun_with() -> None:
    state = with_hand("Old Town", "Hill-Top", "Mill", "wild")
    go_on(state, "trade Old Town; trade Hill-Top")
    assert in_words(state) == ["trade wild"]


def test_five_cards_must_be_traded() -> None:
    state = with_hand("Old Town", "Mill", "Ford", "Hill-Top", "wild")
    assert "no trade" not in in_words(state)
    assert in_words(with_hand("Old Town", "Mill", "Hill-Top")) == ["no trade"]
    assert "no trade" in in_words(with_hand("Old Town", "Mill", "Ford", "Hill-Top", "wild", cards="italian"))


LAST_STAND = "place 5 Old Town; attack Old Town>Quay; roll 3; defender loses 1"


def about_to_destroy(hand: tuple[int, ...], other: tuple[int, ...], **options: object) -> State:
    """Player 0 takes the last territory of player 1, who has cards."""
    state = played(WEST, SET_UP, **{**DUEL, "players": 2, **options})
    state.owners = [0, 0, 0, 0, 0, 1]
    state.hands = [hand, other]
    return go_on(state, LAST_STAND)


def test_who_destroys_another_gets_his_cards_and_trades_six() -> None:
    options = {"players": 3, "mode": "domination", "cards": "fixed"}
    opening = "first 0; deal Old Town; deal Quay; deal Hill-Top; deal Mill; deal Marsh; deal Ford"
    state = played(opening, "; ".join(["set Old Town; set Marsh; set Hill-Top"] * 5), **options)
    state.owners = [0, 0, 2, 2, 2, 1]
    state.hands = [(0, 1, 2), (3, 4, 5), ()]
    go_on(state, "no trade" if state.phase == phases.TRADE else "place 3 Old Town")
    go_on(state, "attack Old Town>Quay; roll 3; defender loses 1; move 3")
    assert (state.phase, state.hands) == (phases.SPOILS, [(0, 1, 2, 3, 4, 5), (), ()])
    assert "no trade" not in in_words(state)
    go_on(state, "trade Old Town; trade Mill; trade Ford")
    assert (state.phase, state.to_place, len(state.hands[0])) == (phases.PLACE, 10, 3)
    go_on(state, "place 10 Quay")
    assert state.phase == phases.ATTACK
    go_on(state, "end attack; stay")
    assert state.phase == phases.DRAW
    go_on(state, "card wild")
    assert (state.mover, state.hands[0]) == (2, (3, 4, 5, 6))


def test_who_holds_everything_has_won() -> None:
    state = about_to_destroy((), ())
    go_on(state, "move 3")
    assert (state.current_player(), state.returns()) == (-4, [1.0, -1.0])


def test_an_empty_deck_is_shuffled_again_or_not() -> None:
    for recycle, phase in ((True, phases.DRAW), (False, phases.TRADE)):
        state = about_to_destroy((), (), territories=0, recycle=recycle)
        state.owners = [*state.owners[:4], 1, *state.owners[5:]]
        state.hands, state.discards = [state.hands[0], (0, 1, 2)], (3, 4, 5, 6, 6)
        go_on(state, "move 3; end attack; stay")
        assert state.phase == phase


MISSIONS = "first 0; mission {}; mission {}"


def in_mission(own: int, other: int, **options: object) -> State:
    """Player 0 with the west, a mission and the move."""
    dealt = MISSIONS.format(own, other) + WEST.removeprefix("first 0")
    return played(dealt, SET_UP, **{"players": 2, "mode": "mission", "cards": "fixed", **options})


def test_a_continent_mission_is_won_at_the_next_placement() -> None:
    state = in_mission(0, 1)
    go_on(state, "place 1 Ford")
    assert state.is_terminal()
    later = in_mission(0, 1, victory="turn-end")
    go_on(later, "place 5 Ford; end attack; stay")
    assert later.is_terminal()


def test_territories_count_only_with_armies_enough() -> None:
    state = in_mission(2, 1)
    state.owners = [*state.owners[:3], 0, *state.owners[4:]]
    go_on(state, "place 1 Mill; place 1 Old Town")
    assert state.is_terminal()


@pytest.mark.parametrize(("blow", "over"), [("own", False), ("any", True)])
def test_a_victim_of_another_counts_by_the_rule(blow: str, over: bool) -> None:
    state = in_mission(5, 1, blow=blow)
    state.destroyers[1] = 1
    go_on(state, "place 1 Ford")
    assert state.is_terminal() is over
    mine = in_mission(5, 1, blow=blow)
    mine.destroyers[1] = 0
    assert go_on(mine, "place 1 Ford").is_terminal()


def test_a_mission_against_oneself_asks_for_territories() -> None:
    state = in_mission(4, 1)
    state.owners = [*state.owners[:3], 0, 0, *state.owners[5:]]
    assert go_on(state, "place 1 Ford").is_terminal()


def test_missions_against_absent_players_are_not_dealt() -> None:
    state = played("first 0", players=2, mode="mission")
    assert len(state.chance_outcomes()) == 6
    few = played("first 0", players=2, mode="mission", missions="continents")
    assert len(few.chance_outcomes()) == 2


def test_capitals_are_chosen_in_turn_and_all_must_be_held() -> None:
    start = WEST.replace("first 0", "first 0"), SET_UP, "capital Ford; capital Quay"
    state = played(*start, players=2, mode="capital", cards="fixed")
    assert state.capitals == (2, 5)
    go_on(state, "place 5 Old Town; attack Old Town>Quay; roll 3; defender loses 1; move 3")
    assert state.is_terminal()


def test_hands_and_missions_of_others_are_hidden() -> None:
    state = in_mission(0, 1)
    state.hands = [(0, 1), (2, 6)]
    assert state.view(0).hands == [(0, 1), (-1, -1)]
    assert state.view(0).missions == (0, -1)
    assert state.view(None).hands == [(-1, -1), (-1, -1)]
    assert state.view(None).missions == (-1, -1)
    assert sorted(state.view(1).unseen_cards()) == [0, 1, 3, 4, 5, 6]
    go_on(state, "place 1 Ford")
    assert state.view(1).missions == (0, 1)


def test_what_somebody_may_trade_is_not_known_to_others() -> None:
    state = with_hand("Old Town", "Mill", "Hill-Top")
    assert in_words(state) == ["no trade"]
    assert len(in_words(state.view(1))) > 5


def test_whoever_has_begun_a_set_can_end_it_in_any_completion() -> None:
    state = with_hand("Old Town", "Mill", "Ford")
    for trade in ("trade Old Town", "trade Mill"):
        go_on(state, trade)
        for seed in range(30):
            full = state.view(1).complete(stream(seed, "complete"))
            assert full.legal_actions(), full.hands
            assert full.view(1).key() == state.view(1).key()


def test_nonsense_is_illegal() -> None:
    state = played(*BATTLE[:-1], **DUEL)
    for text in ("attack Ford>Quay", "attack Ford", "place 3 Ford", "roll 3", "end", "attack Nowhere>Ford"):
        with pytest.raises(IllegalAction):
            state.string_to_action(0, text)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"players": 6, "missions": "continents"}, "has 2 missions for 6 players"),
        ({"players": 7}, "players=7"),
        ({"cards": "free"}, "cards="),
    ],
)
def test_games_that_cannot_be_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(BadSpec, match=said):
        make_game(spec(**options)).new_initial_state().apply_action(0)


def test_a_card_against_its_holder_reads_as_what_it_asks() -> None:
    game = make_game("risk(players=3)")
    assert isinstance(game, Risk)
    card = next(each for each in game.mission_deck if each.destroy == 1)
    label = game.map.mission_name(card)
    assert label_name(game, label) == label_name(game, label, 0) == "destroy player 1 or 24 territories"
    assert label_name(game, label, 1) == "24 territories (the card: destroy themselves)"
    state = game.new_initial_state()
    assert isinstance(state, State)
    state.missions = (UNKNOWN, game.mission_deck.index(card), UNKNOWN)
    assert "b is player 1 (mission 24 territories (the card: destroy themselves))" in state.players_line()
