"""What the games are worth: values published, in closed form or from exact arithmetic, met by the solver."""

from fractions import Fraction
from math import comb

import pytest

from kibitz import core
from kibitz.core.registry import make_game
from kibitz_solve import Solution, build_game, expected_rounds, iterate, solve, speed_operator, survival_operator
from kibitz_solve.games.rules import Position, Recursive, State

PUBLISHED = 1e-6
"""How near to values that others published."""


def opening(spec: str) -> core.State:
    return make_game(spec).new_initial_state()


def value(spec: str, **options: float) -> float:
    """The value at the start, proved to be within 1e-6 of what is returned."""
    solution = solve(spec, **options)  # type: ignore[arg-type]
    low, high = solution.interval(opening(spec))
    assert high - low <= PUBLISHED
    return (low + high) / 2


def at(spec: str, solution: Solution, position: Position) -> tuple[float, float]:
    game = make_game(spec)
    assert isinstance(game, Recursive)
    return solution.interval(State(game, position))


@pytest.mark.parametrize("payoffs", ["survival", "signed"])
def test_the_guan_sisters_are_worth_one(payoffs: str) -> None:
    low, high = solve(f"guan(payoffs={payoffs})", width=1e-5).interval(opening("guan"))
    assert 1.0 - 1e-5 <= low <= high == pytest.approx(1.0)


DISCOUNTED: dict[float, dict[Position, tuple[float, float]]] = {  # 1 - beta or delta: survival (3.13), speed (4.9)
    1e-3: {
        (-5, 1): (0.9266124489, 0.9242749899),
        (-5, 2): (0.4852932069, 0.4824599656),
        (-4, -1): (0.4862652511, 0.4844599656),
        (-4, 0): (0.4872265575, 0.4864318574),
        (-4, 1): (0.9538545764, 0.9527758455),
        (-4, 2): (0.4862525916, 0.4844318574),
        (-3, -3): (0.4857789859, 0.4834599656),
        (-3, -2): (0.486739331, 0.4854318574),
        (-3, -1): (0.9284684574, 0.9262749899),
        (-3, 0): (0.998001, 0.998),
        (-3, 1): (0.9548093858, 0.9537758455),
        (-3, 2): (0.9275399889, 0.9252749899),
        (-3, 3): (0.4857789859, 0.4834599656),
        (-2, -5): (0.4852932069, 0.4824599656),
        (-2, -4): (0.4862525916, 0.4844318574),
        (-2, -3): (0.9275399889, 0.9252749899),
        (-2, -2): (0.9548093858, 0.9537758455),
        (-2, -1): (0.9557651509, 0.9547758455),
        (-2, 0): (0.999, 0.999),
        (-2, 1): (0.998001, 0.998),
        (-2, 2): (0.9548093858, 0.9537758455),
        (-2, 3): (0.486739331, 0.4854318574),
        (-1, -5): (0.9266124489, 0.9242749899),
        (-1, -4): (0.9538545764, 0.9527758455),
        (-1, -3): (0.9548093858, 0.9537758455),
        (-1, -2): (0.998001, 0.998),
        (-1, 2): (0.9538545764, 0.9527758455),
        (-1, 3): (0.9266124489, 0.9242749899),
        (-1, 4): (0.485766339, 0.4834318574),
        (0, -3): (0.998001, 0.998),
        (0, -2): (0.999, 0.999),
        (0, 2): (0.4862525916, 0.4844318574),
        (0, 3): (0.4852932069, 0.4824599656),
    },
    1e-6: {  # a cell of every value
        (-5, 1): (0.9977105686, 0.9977083925),
        (-5, 2): (0.4996428243, 0.4996400719),
        (-4, -1): (0.4996438236, 0.4996420719),
        (-4, 0): (0.4996448226, 0.4996440712),
        (-4, 1): (0.9985842888, 0.9985832863),
        (-4, 2): (0.4996438233, 0.4996420712),
        (-3, -3): (0.499643324, 0.4996410719),
        (-3, -2): (0.4996443229, 0.4996430712),
        (-3, -1): (0.997712564, 0.9977103925),
        (-3, 0): (0.999998, 0.999998),
        (-3, 1): (0.9985852874, 0.9985842863),
        (-3, 2): (0.9977115663, 0.9977093925),
        (-2, -1): (0.998586286, 0.9985852863),
        (-2, 0): (0.999999, 0.999999),
        (-1, 4): (0.4996433236, 0.4996410712),
    },
}


@pytest.mark.long
@pytest.mark.parametrize("eta", DISCOUNTED)
def test_right_turn_discounted_and_hurried(eta: float) -> None:
    model = build_game("right-turn(radius=30)")
    survived = iterate(model, survival_operator(1 - eta), method="newton").values
    hurried = iterate(model, speed_operator(eta), tolerance=1e-15).values
    for cell, expected in DISCOUNTED[eta].items():
        node = model.states.node(cell)
        assert (survived[node], hurried[node]) == pytest.approx(expected, abs=2e-10)


@pytest.mark.long
@pytest.mark.parametrize(
    ("points", "radius", "going_on", "won"),
    [(5, 10, 10_525, 6_110), (5, 20, 41_025, None), (3, 30, 32_949, 17_823), (10, 20, 164_100, 108_445)],
)
def test_1d1h1b_is_won_where_the_formula_says(points: int, radius: int, going_on: int, won: int | None) -> None:
    """Equation (3.17), of states that go on; and the rounds it takes."""
    solution = solve(f"bear-brawl(hero_hp={points}, bear_hp={points}, radius={radius})")
    rounds = expected_rounds(solution.game) if radius == 10 else None
    assert len(solution) == going_on
    winnable = 0
    for node, (u, v, x, y) in enumerate(solution):  # type: ignore[misc]
        wins = abs(x) < abs(y) or (abs(x) == abs(y) and u > v) or (abs(x) > abs(y) and u > v + 1)
        winnable += wins
        assert (solution.low[node], solution.high[node]) == (float(wins), float(wins))
        if rounds is not None and wins:
            assert rounds.expected[node] == pytest.approx(abs(x) if abs(x) < abs(y) else abs(x) + v)
    assert won is None or winnable == won


@pytest.mark.long
def test_play_without_end_decides_what_lost_states_of_1d1h1b_are_worth() -> None:
    """With +1 and -1 and 0 for play without end a hero who cannot win walks away; at -1 she has lost."""
    free = solve("bear-brawl(hero_hp=5, bear_hp=5, radius=10, payoffs=signed)")
    assert free.width <= PUBLISHED
    values = [free.value(state) for state in free]
    assert [sum(abs(each - worth) < PUBLISHED for each in values) for worth in (0.0, 1.0)] == [4_415, 6_110]
    spec = "bear-brawl(hero_hp=3, bear_hp=3, radius=6, payoffs=signed, endless=-1.0)"
    solution = solve(spec)
    assert at(spec, solution, (1, 3, 4, 2)) == (-1.0, -1.0)
    assert at(spec, solution, (3, 1, 4, 2)) == (1.0, 1.0)


@pytest.mark.parametrize("discount", [0.01, 0.5, 1.0])
def test_the_big_match_is_worth_a_half(discount: float) -> None:
    assert value(f"big-match(discount={discount})") == pytest.approx(0.5, abs=PUBLISHED)


@pytest.mark.parametrize(
    ("cards", "order", "expected"),
    [
        (2, "random", Fraction(7, 3)),
        (2, "descending", Fraction(7, 3)),
        (3, "random", Fraction(161291, 43560)),
        (3, "descending", Fraction(1337, 363)),
        (4, "random", 5.125285017453),
        (4, "descending", Fraction(14654079915142952, 2839596360523725)),
        (5, "descending", 6.656921048975),
    ],
)
def test_goofspiel_with_better_cards(cards: int, order: str, expected: Fraction | float) -> None:
    found = value(f"goofspiel(cards={cards}, order={order}, head_start=1)")
    assert found == pytest.approx(float(expected), abs=1e-11)


@pytest.mark.slow
def test_goofspiel_with_five_cards_in_random_order() -> None:
    assert value("goofspiel(cards=5, order=random, head_start=1)") == pytest.approx(6.583984250921, abs=1e-11)


@pytest.mark.parametrize("order", ["random", "descending"])
def test_goofspiel_with_equal_cards_is_fair(order: str) -> None:
    for cards in (1, 2, 3):
        assert value(f"goofspiel(cards={cards}, order={order})") == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(("coins", "size"), [(5, 1), (7, 2), (8, 3), (10, 3)])
def test_oshi_zumo_is_won_by_a_coin_or_a_step(coins: int, size: int) -> None:
    assert value(f"oshi-zumo(coins=[{coins}, {coins}], size={size})") == pytest.approx(0.0, abs=1e-12)
    assert value(f"oshi-zumo(coins=[{coins + 1}, {coins}], size={size})") == pytest.approx(1.0)
    assert value(f"oshi-zumo(coins=[{coins}, {coins}], size={size}, place=1)") == pytest.approx(1.0)


def test_inspection_has_a_closed_form() -> None:
    for periods in range(1, 9):
        for inspections in range(1, periods + 1):
            expected = -comb(periods - 1, inspections) / sum(comb(periods, i) for i in range(inspections + 1))
            found = value(f"inspection(periods={periods}, inspections={inspections})")
            assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("rps(goal=ever)", 1.0),
        ("rps(goal=ever, rounds=2)", 5 / 9),
        ("rps(goal=tie, rounds=1)", 1 / 3),
        ("rps", 1 / 2),
        ("rps(goal=points, rounds=2)", 0.0),
        ("rps(wins=3)", 1 / 2),
        ("rps(wins=2, payoffs=signed)", 0.0),
    ],
)
def test_rock_paper_scissors(spec: str, expected: float) -> None:
    """The first five are the queries of PRISM-games' test suite on repeated rock-paper-scissors."""
    assert value(spec) == pytest.approx(expected, abs=PUBLISHED)


@pytest.mark.long
def test_soccer_is_fair_and_the_ball_is_worth_a_fifth() -> None:
    """Every round is the last with probability 0.1, so that values are within ten times the tolerance."""
    model = build_game("soccer")
    values = iterate(model, survival_operator(1.0), tolerance=1e-9).values
    west, east = (values[model.states.node((1, 2, 3, 1, ball))] for ball in (0, 1))
    assert (west, east) == pytest.approx((0.196636, -0.196636), abs=PUBLISHED)
    assert values[model.states.node(opening("soccer"))] == pytest.approx(0.0, abs=PUBLISHED)


def test_a_duel_is_fair_unless_somebody_has_more_shells() -> None:
    assert value("duel(shells=[2, 2])") == pytest.approx(0.0, abs=PUBLISHED)
    more, fewer = value("duel(shells=[2, 1])"), value("duel(shells=[1, 2])")
    assert more > 0.05
    assert fewer == pytest.approx(-more, abs=PUBLISHED)


SQUAD_CAR = {  # the rows of the board, each with the columns from which the car catches its man
    5: (-1, 0),
    4: (-3, 0),
    3: (-5, 1),
    2: (-7, 1),
    0: (-5, -2),
    -1: (-5, -2),
    -2: (-4, 1),
    -3: (-4, 1),
    -4: (-3, 0),
    -5: (-3, 0),
    -6: (-2, -1),
    -7: (-2, -1),
}


def test_the_hamstrung_squad_car_catches_its_man_from_61_cells() -> None:
    """The car to move; the table of the docs."""
    solution = solve("chauffeur(turns=right, radius=30)")
    expected = {(x, y) for y, (first, last) in SQUAD_CAR.items() for x in range(first, last + 1)}
    expected |= {(x, 1) for x in (-7, -6, -5, -4, -3, -2, 2)}
    caught = {name[:2] for name in solution if name[2] == 0 and solution.interval(name) == (1.0, 1.0)}  # type: ignore[index]
    assert caught == expected
    assert len(caught) == 61
    assert {solution.interval(name) for name in solution} == {(0.0, 0.0), (1.0, 1.0)}


def test_a_chauffeur_who_turns_both_ways_catches_from_everywhere_but_the_edge() -> None:
    solution = solve("chauffeur(radius=20)")
    for x, y, mover in solution:  # type: ignore[misc]
        if mover == 0 and max(abs(x), abs(y)) < 20:
            assert solution.interval((x, y, 0)) == (1.0, 1.0)
