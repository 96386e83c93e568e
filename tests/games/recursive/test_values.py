"""What the games are worth: values published, in closed form or from exact arithmetic, met by the solver."""

from fractions import Fraction
from math import comb, sqrt

import pytest

from kibitz import core
from kibitz.core.registry import make_game
from kibitz.games.recursive.rules import Position, Recursive, State
from kibitz.solve import Solution, build_game, expected_rounds, iterate, solve, speed_operator, survival_operator

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


def test_matrix_games_are_worth_nothing_and_mixed_evenly() -> None:
    for spec, share in (("macwiggins", 1 / 2), ("matrix", 1 / 3)):
        solution = solve(spec)
        assert solution.value(opening(spec)) == pytest.approx(0.0, abs=1e-12)
        for player in (0, 1):
            shares = solution.strategy(opening(spec), player).values()
            assert list(shares) == pytest.approx([share] * len(shares), abs=1e-12)


@pytest.mark.parametrize(
    ("eta", "survival", "run", "signed", "speed"),
    [
        (1e-2, 0.9, 0.09090909090909091, 0.8634902830191508, 0.10512492197250393),
        (1e-4, 0.99, 0.009900990099009901, 0.9859077759881982, 0.01005012499921876),
        (1e-8, 0.9999, 9.999000099990002e-05, 0.9998585836433189, 0.000100005000125),
    ],
)
def test_the_guan_sisters_discounted(eta: float, survival: float, run: float, signed: float, speed: float) -> None:
    found = iterate(build_game("guan"), survival_operator(1 - eta), method="newton").values[0]
    assert found == pytest.approx(survival, abs=1e-9)
    assert (1 - found) / (2 - found) == pytest.approx(run, rel=1e-6)
    both = iterate(build_game("guan(payoffs=signed)"), survival_operator(1 - eta), method="newton").values[0]
    assert both == pytest.approx(signed, abs=1e-9)
    hurried = iterate(build_game("guan"), speed_operator(eta), method="newton").values[0]
    assert 1 - hurried == pytest.approx(speed, rel=1e-6)


@pytest.mark.parametrize("payoffs", ["survival", "signed"])
def test_the_guan_sisters_are_worth_one(payoffs: str) -> None:
    low, high = solve(f"guan(payoffs={payoffs})", width=1e-5).interval(opening("guan"))
    assert 1.0 - 1e-5 <= low <= high == pytest.approx(1.0)


SURE = [(-3, 0), (-2, 0), (-2, 1), (-1, -2), (0, -3), (0, -2)]
LIMIT_SURE = [(-5, 1), (-4, 1), (-3, -1), (-3, 1), (-3, 2), (-2, -3), (-2, -2), (-2, -1), (-2, 2)]
LIMIT_SURE += [(-1, -5), (-1, -4), (-1, -3), (-1, 2), (-1, 3)]
HALF = [(-5, 2), (-4, -1), (-4, 0), (-4, 2), (-3, -3), (-3, -2), (-3, 3), (-2, -5), (-2, -4), (-2, 3)]
HALF += [(-1, 4), (0, 2), (0, 3)]


def test_right_turn_has_its_three_classes_of_cells() -> None:
    spec = "right-turn(radius=30)"
    solution = solve(spec, width=1e-5)
    assert len(solution) == 3712
    worth = dict.fromkeys(SURE + LIMIT_SURE, 1.0) | dict.fromkeys(HALF, 0.5)
    for name in solution:
        low, high = solution.interval(name)
        expected = worth.get(name, 0.0)  # type: ignore[call-overload]
        assert expected - 1e-5 <= low <= high <= expected + 1e-9, name
    for cell in SURE:
        assert at(spec, solution, cell) == (1.0, 1.0)


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
    1e-6: {
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
        (-3, 3): (0.499643324, 0.4996410719),
        (-2, -5): (0.4996428243, 0.4996400719),
        (-2, -4): (0.4996438233, 0.4996420712),
        (-2, -3): (0.9977115663, 0.9977093925),
        (-2, -2): (0.9985852874, 0.9985842863),
        (-2, -1): (0.998586286, 0.9985852863),
        (-2, 0): (0.999999, 0.999999),
        (-2, 1): (0.999998, 0.999998),
        (-2, 2): (0.9985852874, 0.9985842863),
        (-2, 3): (0.4996443229, 0.4996430712),
        (-1, -5): (0.9977105686, 0.9977083925),
        (-1, -4): (0.9985842888, 0.9985832863),
        (-1, -3): (0.9985852874, 0.9985842863),
        (-1, -2): (0.999998, 0.999998),
        (-1, 2): (0.9985842888, 0.9985832863),
        (-1, 3): (0.9977105686, 0.9977083925),
        (-1, 4): (0.4996433236, 0.4996410712),
        (0, -3): (0.999998, 0.999998),
        (0, -2): (0.999999, 0.999999),
        (0, 2): (0.4996438233, 0.4996420712),
        (0, 3): (0.4996428243, 0.4996400719),
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
    [
        (5, 10, 10_525, 6_110),
        (5, 20, 41_025, None),
        (3, 30, 32_949, 17_823),
        (10, 20, 164_100, 108_445),
    ],
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


def test_table_1_is_optimal_for_both_players_in_time_too() -> None:
    """Keffer's Table 1: actions that are among the best, and the rounds they take."""
    game = build_game("bear-brawl(hero_hp=3, bear_hp=3, radius=9)")
    rounds = expected_rounds(game).expected
    rows = {(2, 1, 0, 0): ("A", "A", 1)}
    rows |= {(3, 1, x, 0): ("L", "A", x + 1) for x in range(1, 10)}
    rows |= {(3, 1, x, x - 1): ("L", "L", x + 1) for x in range(2, 10)}
    for position, (hero, bear, wanted) in rows.items():
        node = game.states.node(position)
        matrix = game.matrix(node, rounds)
        names = ("L", "R", "A")
        assert rounds[node] == pytest.approx(wanted)
        assert matrix[names.index(hero)].max() == pytest.approx(wanted - 1)
        assert matrix[:, names.index(bear)].min() == pytest.approx(wanted - 1)


PURGATORY = {
    1e-2: (0.9, 0.669848519616, 0.419612228264, 0.235419138339),
    1e-4: (0.99, 0.899506219098, 0.68285061639, 0.436779200782),
    1e-8: (0.9999, 0.989999500062, 0.899997450845, 0.683768189211),
}


@pytest.mark.parametrize("eta", PURGATORY)
def test_purgatory_discounted(eta: float) -> None:
    for levels, expected in enumerate(PURGATORY[eta], 1):
        model = build_game(f"purgatory(levels={levels})")
        values = iterate(model, survival_operator(1 - eta), method="newton").values
        assert values[model.states.node((1,))] == pytest.approx(expected, abs=1e-8)


def test_purgatory_is_worth_one_however_slowly() -> None:
    for levels in (1, 2):
        low, high = solve(f"purgatory(levels={levels})", width=1e-3, seconds=20.0).interval((1,))
        assert 1.0 - 1e-3 <= low <= high == pytest.approx(1.0)


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


def test_guan_in_closed_form() -> None:
    """Plain value iteration stands at k / (k + 1) after k sweeps."""
    for sweeps in (1, 10, 100):
        found = iterate(
            build_game("guan"), survival_operator(1.0), method="jacobi", sweeps=sweeps, tolerance=0.0
        ).values[0]
        assert found == pytest.approx(sweeps / (sweeps + 1))
    assert iterate(build_game("guan"), survival_operator(0.96), method="newton").values[0] == pytest.approx(
        1 - sqrt(0.04)
    )
