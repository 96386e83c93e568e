"""Whole games at random: nothing appears that was not bought, and money only goes where the rules say."""

import random
from contextlib import nullcontext

import pytest
from whole_game import (
    WORLD,
    Scene,
    advance,
    apply_order,
    apply_roll,
    area,
    clear,
    current_orders,
    income,
    order_words,
    roll,
    start,
)

from kibitz.core.errors import BadSpec, IllegalAction, NotUnderstood
from kibitz.core.kernels import jit_enabled, machine_code
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz.testing import check_game
from kibitz_axis.full.economy import DIE
from kibitz_axis.full.notation import read_orders
from kibitz_axis.full.orders import BUY, INVEST, number_of, order_of_number
from kibitz_axis.full.position import OVER, SUBMERGED, first_position
from kibitz_axis.full.rules_options import read_rules
from kibitz_axis.full.stacks import add_units
from kibitz_axis.full.tables import WorldRules
from kibitz_axis.full.transports import cargo_count
from kibitz_axis.full.units import FACTORY, PRICES

SPEC = "axis(scenario=revised, rules=full)"
LHTR = "axis(scenario=revised, rules=full, switches={'lhtr': true, 'low_luck': true})"


def read(situation, line):
    """The orders that a line means."""
    return read_orders(situation.tables, situation.position, line, current_orders(situation))


def opening(rounds):
    """The start of a game."""
    tables = WorldRules(WORLD, read_rules({"rounds": rounds}))
    return advance(Scene(tables, first_position(WORLD, tables.rules)))


def forces(situation):
    """All units there are: on the board, aboard, and bought."""
    on_board = sum(stack.count * (1 + cargo_count(stack)) for stack in situation.stacks)
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
    cost = count * PRICES[order.kind] if order.verb == BUY else count * DIE if order.verb == INVEST else 0
    new = count if order.verb == BUY and order.kind != FACTORY else 0
    return apply_order(situation, order, count), cost, new


@pytest.mark.long
@pytest.mark.parametrize(
    ("seed", "rounds"), [(1, 1), *[pytest.param(n, 20, marks=pytest.mark.slow) for n in range(2, 12)]]
)
def test_units_are_bought_and_money_is_earned(seed, rounds):
    rng = random.Random(seed)
    situation = opening(rounds)
    while situation.phase != OVER:
        after, cost, new = random_step(situation, rng)
        assert forces(after) <= forces(situation) + new
        assert all(money >= 0 for money in after.money)
        turns = (after.round - situation.round) * len(WORLD.powers) + after.mover - situation.mover
        change = sum(after.money) - sum(situation.money)
        if turns == 0:
            assert -cost <= change <= 0
        elif turns == 1:
            assert -cost <= change - income(after, situation.mover) <= 0
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
    legal, parts = current_orders(situation), (situation.tables, situation.position)
    for order in legal:
        for count in {1, order.most} if order.most else {0}:
            assert read_orders(*parts, order_words(situation, order, count), legal) == [(order, count)]
            assert order_of_number(number_of(order, count)) == (order._replace(most=0), count)


def test_a_blitz_is_told_from_a_way_among_friends():
    situation = clear(start("Germans"), "Karelia")
    (blitz,) = read(situation, "1 tank Eastern Europe > Karelia > Belorussia")
    (direct,) = read(situation, "1 tank Eastern Europe > Belorussia")
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
        assert read(start("British"), line)[0][0].to in (area("SZ9"), area("SZ11"))


def test_agents_of_the_land_scenarios_say_that_they_cannot_play():
    game = make_game(SPEC)
    with pytest.raises(ValueError, match="land scenarios only"):
        make_agent("axis.greedy").begin(game, 0, stream(0, "test"))


def test_a_stack_too_many_raises_an_error_plain_and_compiled():
    position = first_position(WORLD, read_rules({}))
    stack = position.stacks[0].copy()
    while len(position.stacks) < position.room:
        position.stacks.append(stack)
    stack.marks = SUBMERGED
    with pytest.raises(OverflowError, match="no room for another row"):
        add_units(position, stack, 1)
    if jit_enabled():
        with pytest.raises(OverflowError, match="no room for another row"):
            machine_code(add_units)(position.pack(), stack.pack(), 1)
