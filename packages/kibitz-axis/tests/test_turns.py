"""Turns: moves, blitz, captures, retreats, aircraft that land, scripts, stepping back, and the land board."""

from pathlib import Path

import pytest

from kibitz import core
from kibitz.core.registry import kit_of, make_game
from kibitz.core.seeds import stream
from kibitz.testing import check_game
from kibitz.testing.walks import random_step
from kibitz_axis.land.rules import State

GAMES = [
    "axis(scenario='s2')",
    "axis(scenario='s3')",
    "axis(blitz=True, turns=3)",
    "axis(scenario='s3', scripted=False, noncombat=True, retreat=2, low_luck=True, losses='pairs')",
]
HEAD = """turns = 2
[rules]
{rules}
[powers]
red = {{ side = "reds" }}
rose = {{ side = "reds" }}
blue = {{ side = "blues" }}
[areas]
"""


def made(tmp_path: Path, areas: str, rules: str = "") -> State:
    """A board of three powers with some areas and rules."""
    path = tmp_path / "board.toml"
    path.write_text(HEAD.format(rules=rules) + areas)
    state = make_game(f"axis(scenario='{path}')").new_initial_state()
    assert isinstance(state, State)
    return state


def played(state: State, *moves: str) -> State:
    """The state after moves in words; a battle takes the ending whose words begin so."""
    for words in moves:
        player = state.current_player()
        if player == core.CHANCE:
            texts = {state.action_to_string(player, action): action for action, _ in state.chance_outcomes()}
            state.apply_action(next(action for text, action in texts.items() if words in text))
        else:
            state.apply_action(state.string_to_action(player, words))
    return state


def legal(state: State) -> list[str]:
    return [state.action_to_string(state.current_player(), action) for action in state.legal_actions()]


def standing(state: State, area: str) -> str:
    """Whose an area is, and what stands there."""
    return next(line for line in str(state).splitlines() if line.startswith(f"{area} "))


@pytest.mark.parametrize("game", GAMES)
def test_scenarios_and_switches_keep_the_contract(game: str) -> None:
    check_game(game, walks=4)


@pytest.mark.long
def test_the_land_board_keeps_the_contract() -> None:
    check_game("axis(scenario='revised')", walks=1, plies=45)


def test_the_land_board_has_what_the_facts_say() -> None:
    board = make_game("axis(scenario='revised')").new_initial_state().board
    assert (len(board.areas), sum(len(area.neighbours) for area in board.areas)) == (143, 2 * 349)
    assert (len(board.land), sum(area.closed for area in board.areas)) == (63, 16)
    assert sum(area.city for area in board.areas) == 12
    income = {power.name: 0 for power in board.powers}
    for area in board.areas:
        if area.owner is not None:
            income[board.powers[area.owner].name] += area.value
    assert income == {"Russians": 24, "Germans": 40, "British": 30, "Japanese": 30, "Americans": 42}
    worth = dict.fromkeys(income, 0)
    for place, army in enumerate(board.forces):
        worth[board.powers[place % 5].name] += sum(
            count * unit.price for count, unit in zip(army, board.units, strict=False)
        )
    factories = [board.powers[area.owner].name for area in board.areas if area.factory and area.owner is not None]
    at_sea = {"Russians": 8, "Germans": 76, "British": 138, "Japanese": 146, "Americans": 106}
    whole = {name: worth[name] + 15 * factories.count(name) + at_sea[name] for name in worth}
    assert list(whole.values()) == [168, 337, 269, 283, 252]


def test_an_order_is_asked_of_every_unit_and_twins_are_the_same() -> None:
    one = played(make_game("axis").new_initial_state(), "infantry South > North")
    other = make_game("axis").new_initial_state()
    units = kit_of("axis").units
    assert units.units(other) == ["infantry South", "infantry South"]
    assert [units.asked(other), units.asked(one)] == [0, 1]
    assert units.options(one, 1) == tuple(one.legal_actions())
    played(other, "infantry South stays", "infantry South > North")
    played(one, "infantry South stays")
    assert one.key() == other.key()


def test_options_do_not_depend_on_orders_given_before(tmp_path: Path) -> None:
    areas = """
    A = { owner = "red", units = "2t", next = ["B"] }
    B = { owner = "blue", next = ["C"] }
    C = { owner = "blue", units = "1i" }
    """
    state = made(tmp_path, areas, "blitz = true\nsteps = 0")
    before = legal(state)
    assert before == ["tank A stays", "tank A > B", "tank A > B > A", "tank A > B > C"]
    assert legal(played(state, "tank A > B > A")) == before
    played(state, "tank A > B > C")
    assert state.current_player() == core.CHANCE
    assert standing(state, "B").startswith("B (red)")


def test_factories_and_guns_stop_a_blitz(tmp_path: Path) -> None:
    for stop in ("factory = true", 'units = "aa"'):
        areas = f"""
        A = {{ owner = "red", units = "1t", next = ["B"] }}
        B = {{ owner = "blue", {stop}, next = ["C"] }}
        C = {{ owner = "blue", units = "1i" }}
        """
        assert legal(made(tmp_path, areas, "blitz = true\nsteps = 0")) == ["tank A stays", "tank A > B"]
        loose = made(tmp_path, areas, "blitz = true\nsteps = 0\nfactory_blocks = false")
        assert "tank A > B > C" in legal(loose)


def test_a_gun_is_captured_and_counts_once(tmp_path: Path) -> None:
    areas = 'A = { owner = "red", units = "1i", next = ["B"] }\nB = { owner = "blue", value = 2, units = "aa" }'
    state = played(made(tmp_path, areas), "infantry A > B")
    assert standing(state, "B") == "B (red): red 1 infantry 1 aa gun"
    assert state.returns() == [7.0, 7.0, -7.0]


def test_an_ally_gets_his_area_back(tmp_path: Path) -> None:
    areas = """
    A = { owner = "red", units = "1i", next = ["B"] }
    B = { owner = "rose", next = ["C"] }
    C = { owner = "blue", units = "1i" }
    """
    state = played(made(tmp_path, areas), "infantry A stays", "infantry C > B")
    assert standing(state, "B").startswith("B (blue)")
    played(state, "infantry A > B")
    assert state.current_player() == core.CHANCE
    played(state, "attackers 1 infantry")
    assert standing(state, "B") == "B (rose): red 1 infantry"


def test_two_powers_defend_together_and_the_first_loses_first(tmp_path: Path) -> None:
    areas = """
    A = { owner = "red", units = { red = "1i", rose = "1i" }, next = ["B"] }
    B = { owner = "blue", units = "1t" }
    """
    state = made(tmp_path, areas)
    played(state, "infantry A stays", "infantry A stays", "tank B > A")
    assert len(state.chance_outcomes()) == 4
    played(state, "defenders 1 infantry")
    assert standing(state, "A") == "A (red): rose 1 infantry"


def test_an_attacker_withdraws_to_where_he_came_from(tmp_path: Path) -> None:
    areas = 'A = { owner = "red", units = "3i", next = ["B"] }\nB = { owner = "blue", units = "3i" }'
    state = made(tmp_path, areas, "retreat = 2")
    played(state, *["infantry A > B"] * 3, "attackers 2 infantry, defenders 3 infantry")
    assert standing(state, "A") == "A (red): red 2 infantry"


def test_aircraft_attack_across_the_sea_and_land_with_friends(tmp_path: Path) -> None:
    areas = """
    A = { owner = "red", units = "1f", next = ["Sea"] }
    Sea = { sea = true, next = ["B", "Far"] }
    B = { owner = "blue", units = "1i" }
    Far = { sea = true, next = ["C"] }
    C = { owner = "blue", units = "1i" }
    """
    state = made(tmp_path, areas, "noncombat = true\nsteps = 0")
    assert legal(state) == ["fighter A stays", "fighter A > B"]  # C is too far to come home from
    played(state, "fighter A > B", "attackers 1 fighter, defenders nothing")
    assert (state.phase, legal(state)) == ("noncombat", ["fighter B > A"])
    played(state, "fighter B > A")
    assert standing(state, "A") == "A (red): red 1 fighter"
    assert standing(state, "B").startswith("B (blue)")  # nobody is there to take it


def test_units_that_attacked_do_not_move_again(tmp_path: Path) -> None:
    areas = """
    A = { owner = "red", units = "2i", next = ["B", "D"] }
    B = { owner = "blue" }
    D = { owner = "red" }
    """
    state = made(tmp_path, areas, "noncombat = true")
    assert legal(state) == ["infantry A stays", "infantry A > B"]
    played(state, "infantry A > B", "infantry A stays")
    assert legal(state) == ["infantry A stays", "infantry A > B", "infantry A > D"]
    assert len(state.posts) == 1


def test_a_script_leaves_one_order_and_can_be_switched_off() -> None:
    state = make_game("axis(scenario='s3')").new_initial_state()
    played(state, *["infantry G stays"] * 2, *["artillery G stays"] * 2, "tank G stays")
    gone = []
    while state.current_player() == 1 and state.turn == 0:
        assert len(state.legal_actions()) == 1
        gone.append(legal(state)[0])
        state.apply_action(state.legal_actions()[0])
    assert sorted(order.split()[0] for order in gone if ">" in order) == ["artillery", *["infantry"] * 3, "tank"]
    free = make_game("axis(scenario='s3', scripted=False)").new_initial_state()
    played(free, *["infantry G stays"] * 2, *["artillery G stays"] * 2, "tank G stays")
    assert len(free.legal_actions()) == 3


def test_losses_come_out_of_those_who_would_leave() -> None:
    state = make_game("axis(scenario='s3')").new_initial_state()
    played(state, *["infantry G > M"] * 2, *["artillery G > M"] * 2, "tank G > M")
    played(state, "attackers nothing, defenders 4 infantry 2 artillery 1 tank")
    while state.current_player() == 1 and state.turn == 0:
        state.apply_action(state.legal_actions()[0])
    assert standing(state, "M") == "M (opponent): opponent 3 infantry 1 artillery"


def test_a_game_in_which_nobody_can_move_any_more_ends(tmp_path: Path) -> None:
    areas = """
    A = { owner = "red", units = "1i", next = ["B"] }
    B = { owner = "blue", units = "1i" }
    """
    state = played(made(tmp_path, areas), "infantry A > B")
    assert not state.is_terminal()
    assert played(state, "B: attackers nothing, defenders nothing").is_terminal()
    assert state.returns() == [0.0, 0.0, 0.0]


def test_enough_cities_end_the_game(tmp_path: Path) -> None:
    areas = """
    A = { owner = "red", city = true, units = "1i", next = ["B"] }
    B = { owner = "blue", city = true, next = ["C"] }
    C = { owner = "blue", units = "1i" }
    """
    state = made(tmp_path, areas, "victory = 2")
    assert not played(state, "infantry A > B").is_terminal()
    assert played(state, "infantry C stays").is_terminal()


def test_those_who_fight_are_not_lost_yet() -> None:
    state = played(make_game("axis").new_initial_state(), "infantry South > West", "infantry South > West")
    assert state.current_player() == core.CHANCE
    assert state.returns() == [0.0, 0.0]


def test_units_never_appear_and_gain_is_what_was_lost() -> None:
    game, rng = make_game("axis(scenario='revised', turns=2)"), stream(6, "gain")
    state = game.new_initial_state()
    most = sum(map(sum, state.forces))
    while not state.is_terminal():
        random_step(game, state, rng)
        waiting = sum(sum(fight.attackers) for fight in state.fights) + len(state.flights)
        now = sum(map(sum, state.forces)) + waiting
        assert now <= most
        assert all(count >= 0 for army in state.forces for count in army)
        most = now
