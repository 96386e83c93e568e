"""The rules of the recursive games, position by position, and what cannot be set up."""

import pytest

from kibitz.core.errors import BadSpec, Unsupported
from kibitz.core.match.play import play
from kibitz.core.registry import make_game
from kibitz.testing import check_game, perft
from kibitz_solve.games.rules import Outcomes, Position, Recursive, State


def game(spec: str) -> Recursive:
    made = make_game(spec)
    assert isinstance(made, Recursive)
    return made


def chosen(spec: str, position: Position, *words: str) -> tuple[int, ...]:
    state = State(game(spec), position)
    movers = state.game.movers(state)
    return tuple(state.string_to_action(player, word) for player, word in zip(movers, words, strict=True))


def after(spec: str, position: Position, *words: str) -> Position:
    """The one position that these choices lead to."""
    ((found, probability),) = outcomes(spec, position, *words)
    assert probability == 1.0
    return found


def outcomes(spec: str, position: Position, *words: str) -> Outcomes:
    return game(spec).outcomes(position, chosen(spec, position, *words))


def worth(spec: str, *positions: Position) -> list[float | None]:
    return [game(spec).payoff(position) for position in positions]


def test_the_macwiggins_brothers_hit_or_miss() -> None:
    """Equation (3.2)."""
    ends = [after("macwiggins", (0,), punch, dodge) for punch in ("PL", "PR") for dodge in ("DL", "DR")]
    assert worth("macwiggins", *ends) == [1.0, -1.0, -1.0, 1.0]


def test_the_guan_sisters_wait_run_and_fire() -> None:
    """Equations (3.8) and (3.9); with 0 for what is lost it is a game of survival."""
    session = (0,)
    assert after("guan", session, "W", "W") == session
    won = {after("guan", session, "W", "F"), after("guan", session, "R", "W")}
    lost = after("guan", session, "R", "F")
    assert worth("guan", session, *won, lost) == [None, 1.0, 0.0]
    assert worth("guan(payoffs=signed)", session, *won, lost) == [None, 1.0, -1.0]


@pytest.mark.parametrize(
    ("position", "words", "expected"),
    [
        ((-2, -1), "F N", (-2, 0)),
        ((-2, -1), "F S", (-2, 2)),
        ((-2, -1), "R N", (2, 0)),
        ((-2, -1), "R S", (0, 0)),
        ((-4, 0), "F E", (-5, 2)),
        ((-4, 0), "F W", (-3, 2)),
        ((-4, 0), "R E", (0, -3)),
        ((3, 5), "R W", (-5, 6)),
    ],
)
def test_right_turn_moves_by_algorithm_1(position: Position, words: str, expected: Position) -> None:
    assert after("right-turn", position, *words.split()) == expected


def test_right_turn_ends_within_reach_and_outside() -> None:
    assert worth("right-turn(radius=5)", (1, 1), (-1, 0), (2, 0), (-5, 5), (-6, 0)) == [1.0, 1.0, None, None, 0.0]


def test_the_chauffeur_and_the_pedestrian_take_turns() -> None:
    assert after("chauffeur", (-4, 0, 0), "F") == (-4, 2, 1)
    assert after("chauffeur", (-4, 0, 0), "R") == (0, -2, 1)
    assert after("chauffeur", (4, 1, 0), "L") == (1, -2, 1)
    assert after("chauffeur", (-4, 2, 1), "W") == (-3, 2, 0)
    squad_car = State(game("chauffeur(turns=right)"), (-4, 0, 0))
    assert [squad_car.action_to_string(0, action) for action in squad_car.legal_actions()] == ["F", "R"]
    assert squad_car.legal_actions(1) == ()


@pytest.mark.parametrize(
    ("position", "words", "expected"),
    [
        ((3, 2, -5, 4), "R L", (3, 2, -4, 3)),
        ((3, 2, 1, 1), "A A", (2, 1, 1, 1)),
        ((3, 2, 1, 2), "R A", (2, 2, 2, 2)),  # walks into an attack
        ((3, 2, 1, 1), "L A", (3, 2, 0, 1)),  # jumps out of the way of one
        ((3, 2, 1, 2), "A L", (3, 1, 1, 1)),
        ((1, 1, 2, 2), "A A", (0, 0, 2, 2)),  # both die
        ((3, 2, -5, 5), "L R", (3, 2, -5, 5)),  # the wall
        ((3, 2, 3, 4), "R L", (3, 2, 4, 3)),  # they pass each other
    ],
)
def test_1d1h1b_moves_by_algorithm_2(position: Position, words: str, expected: Position) -> None:
    assert after("bear-brawl", position, *words.split()) == expected


def test_1d1h1b_ends_by_2_2_to_2_4() -> None:
    hero_wins, bear_wins = [(1, 2, 0, 1), (1, 0, 5, 0)], [(0, 2, 0, 1), (0, 0, 3, 3)]
    assert worth("bear-brawl", *hero_wins, *bear_wins) == [1.0, 1.0, 0.0, 0.0]
    assert worth("bear-brawl(payoffs=signed)", *bear_wins) == [-1.0, -1.0]
    assert worth("bear-brawl", (2, 2, 0, 0), (1, 1, 1, 0)) == [None, None], "guarded powder is not taken"


def test_the_edge_of_the_forest() -> None:
    assert after("bear-brawl(edge=unbounded)", (3, 2, -5, 5), "L", "R") == (3, 2, -6, 6)
    walled = game("bear-brawl(edge=illegal)")
    assert [list(walled.options((3, 2, -5, 5), player)) for player in (0, 1)] == [[1, 2], [0, 2]]


def test_bands_of_heroes_and_bears_on_a_plane() -> None:
    """Both heroes strike, the other bear walks into it, the first strikes both heroes; a dead hero rests."""
    spec = "bear-brawl(dimensions=2, heroes=2, bears=2)"
    assert after(spec, (1, 3, 2, 2, 1, 1, 1, 1, 1, 1, 2, 1), "A A", "A L") == (0, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1)
    dead = (0, 3, 2, 2, 1, 1, 1, 2, 3, 3, 2, 1)
    assert after(spec, dead, "- D", "A U") == (0, 3, 2, 2, 1, 1, 1, 1, 3, 3, 2, 2)
    assert len(game(spec).options(dead, 0)) == 5


def test_any_powder_will_do_and_only_living_bears_guard_it() -> None:
    spec = "bear-brawl(powder=[[-2], [3]], bears=2)"
    on_both = (3, 2, 2, 3, 3, -2)
    assert worth(spec, on_both, (3, 0, 2, 3, 3, -2), (3, 2, 2, -2, 3, 3)) == [None, 1.0, 1.0]


def test_purgatory_leads_up_back_or_down() -> None:
    assert [after("purgatory", (2,), *words) for words in ("tt", "hh", "ht", "th")] == [(3,), (3,), (1,), (0,)]
    assert worth("purgatory(levels=2)", (0,), (1,), (2,), (3,)) == [0.0, None, None, 1.0]


def test_the_big_match_pays_the_round_it_ends_with() -> None:
    on, nothing, everything = (-1,), (0,), (1,)
    assert outcomes("big-match", on, "stop", "left") == [(everything, 1.0)]
    assert outcomes("big-match", on, "stop", "right") == [(nothing, 1.0)]
    assert outcomes("big-match", on, "continue", "left") == [(on, 0.9), (nothing, 0.1)]
    assert outcomes("big-match", on, "continue", "right") == [(on, 0.9), (everything, 0.1)]


def test_an_inspector_without_inspections_waits() -> None:
    assert after("inspection", (3, 1, 0), "inspect", "legal") == (2, 0, 0)
    assert after("inspection", (2, 0, 0), "wait", "violate") == (1, 0, -1)
    assert worth("inspection", (2, 0, 1), (2, 0, -1), (0, 1, 0), (2, 1, 0)) == [1.0, -1.0, 0.0, None]
    assert len(game("inspection").options((2, 0, 0), 0)) == 1


def test_goofspiel_gives_the_prize_to_the_higher_card() -> None:
    first = 0b1110, 0b1110, 0b0110, 3, 0
    assert sorted(outcomes("goofspiel(cards=3)", first, "3", "1")) == [
        ((0b0110, 0b1100, 0b0010, 2, 3), 0.5),
        ((0b0110, 0b1100, 0b0100, 1, 3), 0.5),
    ]
    assert after("goofspiel(cards=3, order=descending)", first, "1", "2") == (0b1100, 0b1010, 0b0010, 2, -3)
    assert after("goofspiel(cards=3, order=descending)", first, "2", "2")[4] == 0, "equal cards lose the prize"
    assert worth("goofspiel(points=winner)", (0, 0, 0, 0, 7), (0, 0, 0, 0, 0)) == [1.0, 0.0]
    assert game("goofspiel(cards=3, head_start=1)").openings()[0][0][:2] == (0b11100, 0b1110)


def test_wrestlers_pay_what_they_bid() -> None:
    assert after("oshi-zumo", (10, 10, 0), "3", "2") == (7, 8, 1)
    assert after("oshi-zumo", (10, 10, 0), "2", "2") == (8, 8, 0)
    assert list(game("oshi-zumo").options((0, 3, 0), 0)) == [0]
    assert list(game("oshi-zumo").options((0, 3, 0), 1)) == [1, 2, 3]
    assert worth("oshi-zumo", (5, 5, 4), (5, 5, -4), (0, 0, 1), (0, 0, 0), (0, 1, 3)) == [1.0, -1.0, 1.0, 0.0, None]


def test_a_tank_fires_after_both_have_moved() -> None:
    """At distance 1 of 4 a shell hits three times in four."""
    assert outcomes("duel(reach=4)", (2, 2, 1, 1, 1), "advance", "fire") == [
        ((1, 2, 0, 0, 1), 0.75),
        ((1, 2, 0, 1, 1), 0.25),
    ]
    assert outcomes("duel", (0, 1, 1, 1, 1), "fire", "fire") == [((0, 0, 0, 0, 0), 1.0)]
    assert worth("duel", (1, 2, 2, 1, 0), (1, 2, 2, 0, 1), (0, 0, 0, 0, 0), (3, 0, 0, 1, 1)) == [1.0, -1.0, 0.0, 0.0]
    assert list(game("duel").options((2, 0, 1, 1, 1), 0)) == [0, 1]


def test_who_walks_into_the_other_hands_him_the_ball() -> None:
    spec = "soccer(draw=0.0)"
    assert outcomes(spec, (1, 2, 2, 2, 0), "E", "stand") == [((1, 2, 2, 2, 1), 1.0)]
    assert outcomes(spec, (1, 1, 3, 1, 0), "E", "W") == [((1, 1, 2, 1, 1), 0.5), ((2, 1, 3, 1, 0), 0.5)]
    assert outcomes(spec, (4, 1, 0, 0, 0), "E", "N") == [((1,), 1.0)]
    assert outcomes(spec, (4, 0, 0, 3, 0), "E", "N") == [((4, 0, 0, 3, 0), 1.0)], "past the posts"
    assert outcomes(spec, (1, 2, 0, 1, 1), "N", "W") == [((-1,), 1.0)]
    assert outcomes("soccer", (1, 2, 3, 1, 0), "stand", "stand") == [((0,), 0.1), ((1, 2, 3, 1, 0), 0.9)]


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("matrix(payoffs=[[1, 2], [3]])", "a list of numbers per name"),
        ("right-turn(radius=5, start=[6, 0])", "outside the board"),
        ("bear-brawl(start=[3, 2, 1])", "4 numbers"),
        ("bear-brawl(start=[9, 2, 1, 1])", "hit points outside 0 to 3"),
        ("bear-brawl(start=[3, 2, 9, 1])", "from -5 to 5"),
        ("bear-brawl(powder=[[0, 0]])", "1 coordinates"),
        ("rps(goal=points)", "needs a number of rounds"),
        ("oshi-zumo(size=2, place=3)", "off the board"),
        ("big-match(discount=0)", "above 0"),
        ("goofspiel(order=ascending)", "order=ascending"),
    ],
)
def test_what_makes_no_sense_is_refused(spec: str, why: str) -> None:
    with pytest.raises(BadSpec, match=why):
        make_game(spec).new_initial_state()


VARIANTS = [
    "matrix(payoffs=[[0]], rows=['a'], columns=['b'])",
    "guan(payoffs=signed, endless=-1.0)",
    "chauffeur(turns=right)",
    "bear-brawl(dimensions=2, heroes=2, bears=2, edge=illegal, radius=2)",
    "bear-brawl(edge=unbounded, payoffs=signed, endless=-1.0)",
    "rps(wins=3, payoffs=signed)",
    "rps(goal=points, rounds=4)",
    "goofspiel(order=descending, head_start=1, points=winner)",
    "oshi-zumo(least=0)",
    "soccer(draw=0.0, ball=east)",
]


@pytest.mark.long
@pytest.mark.parametrize("spec", VARIANTS)
def test_every_option_keeps_the_contract(spec: str) -> None:
    check_game(spec, walks=3, plies=40)


def test_perft_is_unchanged() -> None:
    assert perft("right-turn", 3) == [1, 8, 56, 352]
    assert perft("bear-brawl", 3) == [1, 9, 81, 729]


def test_play_without_end_is_worth_what_the_game_says() -> None:
    for spec, expected in (("guan(endless=-0.5)", -0.5), ("bear-brawl(payoffs=signed)", 0.0)):
        waiting = ["patient(haste=0.0)"] * 2 if spec.startswith("guan") else ["scripted(moves=['A'])"] * 2
        ending = play(spec, waiting, max_plies=20).ending
        assert ending is not None
        assert (ending.reason, ending.returns[0]) == ("max_plies", expected)


def test_the_policies_know_one_hero_and_one_bear_on_a_line_only() -> None:
    for spec in ("dimensions=2", "heroes=2", "powder=[[1]]"):
        with pytest.raises(Unsupported, match="one hero against one bear"):
            play(f"bear-brawl({spec})", ["keffer", "random"])
    assert play("bear-brawl(edge=illegal)", ["keffer", "keffer"]).ending is not None


def test_the_matcher_bids_what_the_prize_is_worth() -> None:
    record = play("goofspiel(cards=5, order=descending)", ["matcher", "matcher"])
    assert [entry.actions for entry in record.entries] == [(card, card) for card in "54321"]
