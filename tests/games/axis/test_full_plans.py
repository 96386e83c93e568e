"""The plan library of the whole game: orders are told apart by what they do and where, and plans are recognised."""

from whole_game import WORLD, power, start

from kibitz.core.registry import make_game, make_model
from kibitz.core.seeds import stream
from kibitz.core.transition import Transition
from kibitz.games.axis.full.notation import read_orders
from kibitz.games.axis.full.plan_library import order_action, plans, theatre_of

SPEC = "axis(scenario=revised, rules=full)"


def test_every_area_belongs_to_the_nearest_capital_of_the_enemies():
    germans, british = power("Germans"), power("British")
    assert theatre_of(WORLD, WORLD.numbers["Caucasus"], germans) == "Russia"
    assert theatre_of(WORLD, WORLD.numbers["Caucasus"], british) == "Germany"
    assert theatre_of(WORLD, WORLD.numbers["6 Sea Zone"], germans) == "United Kingdom"
    assert theatre_of(WORLD, WORLD.numbers["Manchuria"], british) == "Japan"


def test_orders_are_actions_of_the_library():
    situation = start("Germans")
    library = plans(make_game(SPEC))
    assert library is not None
    for line, action in {
        "1 tank Ukraine > Caucasus": "attack in Russia",
        "1 inf Germany > Eastern Europe": "march to Russia",
        "load 1 inf Germany > SZ5": "sail to United Kingdom",
        "raid 1 bomber Germany > United Kingdom": "raid United Kingdom",
        "done": "wait",
    }.items():
        assert order_action(situation, read_orders(situation, line)[0][0]) == action


def test_attacks_on_russia_are_taken_for_the_kremlin():
    game = make_game(SPEC, fast=False)
    model, state = make_model("plans"), game.new_initial_state()
    model.begin(game, None, stream(0, "test"))
    germans, lines = 1, ["2 inf Ukraine > Caucasus", "1 tank Ukraine > Caucasus", "2 inf Belorussia > West Russia"]
    state.situation = start("Germans")
    first = model.belief(germans)
    for ply, line in enumerate(lines):
        before = state.clone()
        action = state.string_to_action(germans, line)
        state = state.clone()
        state.apply_action(action)
        model.observe(Transition(ply, germans, (action,), before, state))
    after = model.belief(germans)
    assert max(after, key=after.get) == "Kremlin"
    assert after["Kremlin"] > first["Kremlin"] + 0.2


def test_the_land_scenarios_have_no_plans():
    assert plans(make_game("axis(scenario=s1)")) is None
