"""Whole games at random: nothing appears that was not bought, and money only goes where the rules say."""

import random
from contextlib import nullcontext

import pytest
from whole_game import WORLD, area, clear, play, start

from kibitz.core.errors import BadSpec, IllegalAction, NotUnderstood
from kibitz.core.kernels import jit_enabled
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz.games.axis.full import economy
from kibitz.games.axis.full.notation import order_number, order_of_number, order_text, read_orders
from kibitz.games.axis.full.orders import BUY, INVEST
from kibitz.games.axis.full.rules_options import read_rules
from kibitz.games.axis.full.situation import NONCOMBAT, OVER, PLACE, PURCHASE, initial_situation
from kibitz.games.axis.full.turn import advance, apply_order, apply_roll, current_orders, roll
from kibitz.games.axis.full.units import FACTORY, PRICES
from kibitz.games.axis.odds import BattleOdds
from kibitz.testing import check_game

needs_compiler = pytest.mark.skipif(not jit_enabled(), reason="plays over kernels")
SPEC = "axis(scenario=revised, rules=full)"
LHTR = "axis(scenario=revised, rules=full, switches={'lhtr': true, 'low_luck': true})"


def forces(situation):
    """All units there are: on the board, aboard, and bought."""
    on_board = sum(number * (1 + len(stack.cargo)) for stack, number in situation.units)
    return on_board + sum(situation.bought[:FACTORY])


def random_step(situation, rng):
    """A random order or roll, and what it costs in money and brings in units."""
    rolled = roll(situation)
    if rolled is not None:
        results, chances = zip(*rolled.odds, strict=True)
        assert sum(chances) == pytest.approx(1.0)
        result = rng.choices(results, chances)[0]
        return apply_roll(situation, result), (result if rolled.what in ("raid", "rocket") else 0), 0
    order = rng.choice(current_orders(situation))
    count = rng.randint(1, order.most) if order.most else 0
    cost = count * PRICES[order.kind] if order.verb == BUY else count * economy.DIE if order.verb == INVEST else 0
    new = count if order.verb == BUY and order.kind != FACTORY else 0
    return apply_order(situation, order, count), cost, new


@pytest.mark.long
@pytest.mark.parametrize(
    ("seed", "rounds"), [(1, 1), *[pytest.param(n, 20, marks=pytest.mark.slow) for n in range(2, 12)]]
)
def test_units_are_bought_and_money_is_earned(seed, rounds):
    rng = random.Random(seed)
    situation = advance(initial_situation(WORLD, read_rules({"rounds": rounds})))
    while situation.phase != OVER:
        after, cost, new = random_step(situation, rng)
        assert forces(after) <= forces(situation) + new
        assert all(money >= 0 for money in after.money)
        turns = (after.round - situation.round) * len(WORLD.powers) + after.mover - situation.mover
        change = sum(after.money) - sum(situation.money)
        if turns == 0:
            assert -cost <= change <= 0
        elif turns == 1:
            assert -cost <= change - economy.income(after, situation.mover) <= 0
        situation = after


@pytest.mark.long
@pytest.mark.parametrize(
    ("spec", "walks", "plies"),
    [(SPEC, 1, 4), *[pytest.param(spec, 3, 120, marks=pytest.mark.slow) for spec in (SPEC, LHTR)]],
)
def test_the_whole_game_keeps_the_game_contract(spec, walks, plies):
    check_game(spec, walks=walks, plies=plies)


def test_a_typed_line_may_order_several_kinds_of_units(monkeypatch):
    state, person = make_game(SPEC).new_initial_state(), make_agent("human")
    person.begin(state.game, 0, stream(1, "person"))
    lines = iter(["done research", "buy 5 inf 1 tank", "done p", "2 inf 1 art Caucasus > Ukraine"])
    monkeypatch.setattr("builtins.input", lambda _: next(lines))
    played = []
    for _ in range(6):
        action = person.act(state.view(0), None)
        played.append(state.action_to_string(0, action))
        state.apply_action(action)
    assert played[1:3] == ["buy 5 infantry", "buy 1 tank"]
    assert played[4:] == ["2 infantry Caucasus > Ukraine S.S.R.", "1 artillery Caucasus > Ukraine S.S.R."]
    assert state.split_notation(0, "nonsense") == ["nonsense"]


@pytest.mark.parametrize("mover", [power.name for power in WORLD.powers])
def test_all_orders_of_the_first_turns_are_read_back(mover):
    situation = start(mover)
    legal = current_orders(situation)
    for order in legal:
        for count in {1, order.most} if order.most else {0}:
            assert read_orders(situation, order_text(situation, order, count), legal) == [(order, count)]
            assert order_of_number(order_number(order, count)) == (order._replace(most=0), count)


def test_a_blitz_is_told_from_a_way_among_friends():
    situation = clear(start("Germans"), "Karelia")
    (blitz,) = read_orders(situation, "1 tank Eastern Europe > Karelia > Belorussia")
    (direct,) = read_orders(situation, "1 tank Eastern Europe > Belorussia")
    assert (blitz[0].via, direct[0].via) == (area("Karelia"), -1)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("axis(scenario=s1, rules=full)", "played on revised"),
        ("axis(scenario=revised, rules=full, switches={'luck': true})", "luck"),
        ("axis(scenario=revised, rules=full, switches={'rounds': 0})", "rounds"),
        ("axis(scenario=revised, rules=full, blitz=true)", "blitz"),
        ("axis(scenario=revised, switches={'low_luck': true})", "rules=full"),
        ("axis(scenario=revised, rules=full, switches={'bids': {'Martians': 3}})", "no power 'Martians' can bid"),
    ],
)
def test_rules_that_do_not_fit_are_refused_in_one_line(spec, words):
    with pytest.raises(BadSpec, match=words) as refused:
        make_game(spec).new_initial_state()
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("buy 99 inf", "'99 infantry'.* none may do that in research"),
        ("buy 3 zeppelin", "zeppelin"),
        ("3 inf Germany > Eastern Europe", "'3 infantry'.* none may do that in research"),
        ("2 inf Germany > Narnia", "'Narnia'.* no area is called so"),
        ("load", "write units and areas"),
        (">", "write units and areas"),
        ("retreat to Russia", "this cannot be ordered in research"),
        ("done", "the phase is now research: write 'done research'"),
        ("done purchase", "the phase is now research: write 'done research'"),
        ("d", "'1 destroyer'.* none may do that in research"),
        ("9" * 500, "write units and areas"),
    ],
)
def test_orders_that_make_no_sense_are_refused_in_one_line(text, why):
    state = make_game(SPEC).new_initial_state()
    with pytest.raises(IllegalAction, match=why) as refused:
        state.string_to_action(state.current_player(), text)
    assert "\n" not in str(refused.value)


def test_done_ends_the_phase_that_it_names(monkeypatch, capsys):
    state, person = make_game(SPEC).new_initial_state(), make_agent("human")
    person.begin(state.game, 0, stream(1, "person"))
    typed = iter(["done research", "buy 3 inf 3 tank", "done", "done purchase", "done c"])  # it costs all there is
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    for _ in range(4):
        state.apply_action(person.act(state.view(0), None))
    assert "the phase is now combat moves: write 'done combat moves'" in capsys.readouterr().out
    assert state.situation.phase == NONCOMBAT


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("1 transport SZ1 > SZ11 > SZ9", "1 Sea Zone > 11 Sea Zone.* not adjacent"),
        ("1 transport SZ1 > SZ2 > SZ11", "2 Sea Zone > 11 Sea Zone.* not adjacent"),
        ("1 transport SZ1 > SZ9 > SZ11", ""),
        ("1 transport SZ1 > SZ8 > SZ9", "none may do that in combat moves"),  # a submarine stops it there
        ("1 transport SZ1 > SZ11", ""),
        ("1 fighter United Kingdom > SZ8 > SZ9", ""),
    ],
)
def test_the_route_that_a_line_names_is_the_one_taken(line, why):
    with pytest.raises(NotUnderstood, match=why) if why else nullcontext():
        assert read_orders(start("British"), line)[0][0].to in (area("SZ9"), area("SZ11"))


@pytest.mark.parametrize("unit", ["inf", "i", "Infantries", "infantry"])
def test_units_may_be_abbreviated_wherever_they_are_typed(unit):
    germans, bought = start("Germans"), tuple(9 * (kind == 0) for kind in range(12))
    scenes = {
        f"1 {unit} Germany > Western Europe": germans,
        f"load 1 {unit} Germany > SZ5": germans,
        f"unload 1 {unit} SZ5 > Norway": play(germans, "load 1 inf Germany > SZ5"),
        f"buy 1 {unit}": germans.replace(phase=PURCHASE),
        f"place 1 {unit} Germany": germans.replace(phase=PLACE, bought=bought),
    }
    assert [read_orders(scene, line)[0][0].kind for line, scene in scenes.items()] == [0] * len(scenes)
    land = make_game("axis(scenario='s3')").new_initial_state()
    assert land.string_to_action(0, f"{unit} G > M") == land.string_to_action(0, "infantry G > M")
    odds = BattleOdds(losses=f"tank {unit}")
    assert odds.odds(f"2 {unit} 1 tank vs 2 {unit}") == BattleOdds(losses="tank infantry").odds("2i1t vs 2i")


def test_agents_of_the_land_scenarios_say_that_they_cannot_play():
    game = make_game(SPEC)
    with pytest.raises(ValueError, match="land scenarios only"):
        make_agent("axis.greedy").begin(game, 0, stream(0, "test"))
