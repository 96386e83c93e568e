"""Perfect play: every exact value of the three scenarios, and whole lines of the thesis with its own scoring."""

from fractions import Fraction
from pathlib import Path

import pytest

from kibitz.core.registry import make_game
from kibitz_axis.land.perfect import plan_values, solver
from kibitz_axis.land.rules import State
from kibitz_axis.land.scenarios import SCENARIOS

S1 = {  # turns: perfect tank, myopic tank, myopic tank with blitz
    1: (-0.25, -0.25, -0.25),
    2: (-0.25, 0.25, 0.125),
    3: (-0.25, 0.25, 0.25),
    4: (-0.25, 0.375, 0.375),
    6: (-0.25, 0.375, 0.375),
}
S2 = {  # turns: by how many go to P2
    2: (-30.0, -29.175, -18.4277, -5.4789),
    3: (-22.1225, -22.1225, -17.0501, -4.8211),
    4: (-21.7938, -21.7938, -16.6297, -4.1633),
    5: (-21.4652, -21.4652, -16.4700, -4.1633),
}
S3_FIRST = {
    "": 11.6507,
    "i": 3.4870,
    "a": 2.5615,
    "t": 0.7006,
    "ai": -4.4797,
    "ii": -4.9288,
    "it": -5.8037,
    "aa": -5.8551,
    "at": -6.2905,
    "aii": -6.9951,
    "aai": -7.4771,
    "ait": -7.7767,
    "iit": -7.8776,
    "aaii": -8.7066,
    "aat": -8.7955,
    "aiit": -9.3409,
    "aait": -9.8158,
    "aaiit": -10.2126,
}
S3_SECOND = {
    "aaiit": 11.6507,
    "aait": 5.9770,
    "aiit": 5.5415,
    "aaii": 4.1706,
    "ait": 0.3743,
    "": 0.0,
    "aat": -0.5913,
    "aai": -1.5706,
    "aii": -1.9322,
    "iit": -2.0422,
    "i": -2.3718,
    "a": -2.7249,
    "t": -3.0487,
    "ai": -3.2190,
    "at": -3.6879,
    "it": -3.7079,
    "aa": -4.2097,
    "ii": -4.3286,
}
VARIANTS = {"": (-4.8211, -17.05), "P2-O2": (-4.8211, -16.67), "P1-O1": (-4.8211, -16.43), "both": (-4.8211, -16.43)}


def start(spec: str) -> State:
    state = make_game(spec).new_initial_state()
    assert isinstance(state, State)
    return state


def movers(orders: tuple[str, ...]) -> str:
    """The first letters of the units that go somewhere."""
    return "".join(sorted(order[0] for order in orders if ">" in order))


@pytest.mark.long
@pytest.mark.parametrize("turns", S1)
def test_values_of_the_first_scenario(turns: int) -> None:
    perfect, myopic, blitzing = S1[turns]
    state, fast = start(f"axis(turns={turns})"), start(f"axis(turns={turns}, blitz=True)")
    assert solver().value(state)[0] == pytest.approx(perfect, abs=1e-12)
    assert solver().value(fast)[0] == pytest.approx(perfect, abs=1e-12)
    assert solver("myopic").value(state)[0] == pytest.approx(myopic, abs=1e-12)
    assert solver("myopic").value(fast)[0] == pytest.approx(blitzing, abs=1e-12)


FIRST_MOVES = [("perfect", False, -0.25), ("myopic", False, 0.25), ("myopic", True, 0.125)]


@pytest.mark.parametrize(("opponent", "blitz", "split"), FIRST_MOVES)
def test_first_moves_of_the_first_scenario(opponent: str, blitz: bool, split: float) -> None:
    found = plan_values(start(f"axis(blitz={blitz})"), solver(opponent))
    assert found["infantry South > North", "infantry South stays"] == pytest.approx(split, abs=1e-12)
    both = found["infantry South > West", "infantry South > West"]
    assert both == pytest.approx(float(Fraction(-257, 329)), abs=1e-12)
    if not blitz:
        assert found["infantry South > North", "infantry South > North"] == pytest.approx(-0.25, abs=1e-12)
        one = found["infantry South > West", "infantry South stays"]
        assert one == pytest.approx(float(Fraction(-11, 7)), abs=1e-12)


def test_blitz_punishes_a_lone_attacker() -> None:
    found = plan_values(start("axis(blitz=True)"), solver())
    assert found["infantry South > West", "infantry South stays"] == pytest.approx(-1.75, abs=1e-12)
    found = plan_values(start("axis(blitz=True, turns=1)"), solver())
    assert found["infantry South > West", "infantry South > West"] == pytest.approx(-0.7812, abs=1e-4)


@pytest.mark.parametrize("turns", S2)
def test_values_of_the_second_scenario(turns: int) -> None:
    found = plan_values(start(f"axis(scenario='s2', turns={turns})"), solver())
    by_count = {len(movers(orders)): value for orders, value in found.items()}
    assert [by_count[count] for count in range(4)] == pytest.approx(S2[turns], abs=1e-4)


@pytest.mark.parametrize("variant", VARIANTS)
def test_other_maps_of_the_second_scenario_have_the_same_best_play(variant: str, tmp_path: Path) -> None:
    pairs = {"": [], "both": ["P2-O2", "P1-O1"]}.get(variant, [variant])
    edges = "".join(f', ["{pair[:2]}", "{pair[3:]}"]' for pair in pairs)
    text = SCENARIOS["s2"].read_text().replace('["O2", "V"]]', f'["O2", "V"]{edges}]')
    (tmp_path / "s2.toml").write_text(text)
    found = plan_values(start(f"axis(scenario='{tmp_path}/s2.toml')"), solver())
    best, second = sorted(found.values(), reverse=True)[:2]
    assert (best, second) == pytest.approx(VARIANTS[variant], abs=0.005)


@pytest.mark.long
def test_values_of_the_third_scenario() -> None:
    state, solved = start("axis(scenario='s3')"), solver()
    found = plan_values(state, solved)
    assert {movers(orders): value for orders, value in found.items()} == pytest.approx(S3_FIRST, abs=1e-4)
    assert len(found) == 18  # 32 joint moves, twins being the same
    while state.turn == 0:
        staying = state.current_player() == 0
        state.apply_action(state.posts[len(state.orders)].area if staying else state.legal_actions()[0])
    found = plan_values(state, solved)
    assert {movers(orders): value for orders, value in found.items()} == pytest.approx(S3_SECOND, abs=1e-4)


def test_status_is_the_gain_within_the_range_of_the_scenario() -> None:
    assert start("axis(scenario='s3')").game.status(11.65) == pytest.approx(30.65 / 42.0)
    assert start("axis(scenario='s2')").game.status(-39.0) == 0.0
    assert start("axis").game.status(7.0) == 1.0
    assert start("axis(scenario='s3', span=[-19, 42])").game.status(42.0) == 1.0
