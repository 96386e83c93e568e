"""CFR+ and MCCFR: OpenSpiel, known values, and when they stop."""

from typing import Any

import pytest

from kibitz.core.errors import BadGame
from kibitz_lab.extensive import (
    InformationTable,
    build_table,
    equilibrium,
    expected_returns,
    exploitability,
    solve_cfr,
    solve_mccfr,
    uniform_policy,
)
from kibitz_lab.extensive import regrets as regrets_module


def their_policy(pyspiel: Any, table: InformationTable, profile: Any, peer: str) -> Any:
    """Our strategies as a policy of OpenSpiel."""
    found, waiting = {}, [(0, pyspiel.load_game(peer).new_initial_state())]
    while waiting:
        node, state = waiting.pop()
        if state.is_terminal():
            continue
        if not state.is_chance_node():
            number = int(table.tree.sets[node])
            shares = profile[state.current_player()].at(number).tolist()
            found[state.information_state_string()] = list(zip(state.legal_actions(), shares, strict=True))
        first = int(table.tree.children[node])
        waiting += [(first + place, state.child(a)) for place, a in enumerate(state.legal_actions())]
    return pyspiel.TabularPolicy(found)


@pytest.mark.parametrize(
    ("game", "peer", "iterations"),
    [("kuhn(players=2)", "kuhn_poker", 40), pytest.param("leduc", "leduc_poker", 6, marks=pytest.mark.long)],
)
def test_values_and_exploitability_are_openspiels(game: str, peer: str, iterations: int) -> None:
    """Of our own strategies, judged there, and of CFR+ after the same iterations, run there."""
    pyspiel = pytest.importorskip("pyspiel")
    table, theirs = build_table(game), pyspiel.load_game(peer)
    for found in (
        solve_cfr(table, iterations=iterations).profile,
        solve_mccfr(table, iterations=200).profile,
        (uniform_policy(table, 0), equilibrium(table, 1).policy),
    ):
        told = their_policy(pyspiel, table, found, peer)
        assert exploitability(table, found) == pytest.approx(pyspiel.exploitability(theirs, told), abs=1e-9)
        values = pyspiel.expected_returns(theirs.new_initial_state(), told, -1, True)
        assert expected_returns(table, found) == pytest.approx(values, abs=1e-9)
    solver = pyspiel.CFRPlusSolver(theirs)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    ran = pyspiel.exploitability(theirs, solver.average_policy())
    assert solve_cfr(table, iterations=iterations).exploitability == pytest.approx(ran, abs=1e-6)


def test_kuhn_is_worth_an_eighteenth(kuhn: InformationTable) -> None:
    found = solve_cfr(kuhn, target=1e-5)
    assert found.stopped == "target"
    assert found.returns[0] == pytest.approx(-1 / 18, abs=1e-5)
    assert found.nash_conv <= 2e-5


def test_leduc_is_solved_to_a_thousandth(leduc: InformationTable) -> None:
    """Its value is that of the exact program; OpenSpiel's CFR+ needs as many iterations."""
    found = solve_cfr(leduc, target=1e-3)
    assert 300 < found.iterations < 600
    assert found.returns[0] == pytest.approx(equilibrium(leduc, 0).value, abs=1e-3)


def test_sampling_converges(kuhn: InformationTable) -> None:
    found = solve_mccfr(kuhn, iterations=20_000, seed=1)
    assert found.exploitability < 0.01
    assert found.exploitability == solve_mccfr(kuhn, iterations=20_000, seed=1).exploitability


def test_three_players_are_solved_as_far_as_it_goes() -> None:
    assert solve_cfr(build_table("kuhn"), target=2e-3, seconds=20.0).stopped == "target"


def test_a_solve_stops_in_time(leduc: InformationTable) -> None:
    found = solve_cfr(leduc, seconds=0.2)
    assert (found.stopped, found.seconds < 2.0, found.iterations > 0) == ("seconds", True, True)


def test_an_interrupted_solve_keeps_what_it_found(leduc: InformationTable) -> None:
    def interrupt(progress: regrets_module.Progress) -> None:
        if progress.iterations >= 20:
            raise KeyboardInterrupt

    found = solve_cfr(leduc, iterations=10**9, report=interrupt)
    assert (found.stopped, found.iterations) == ("interrupted", 20)
    assert found.exploitability == solve_cfr(leduc, iterations=20).exploitability


@pytest.mark.parametrize("options", [{"iterations": 0}, {"target": 0.0}, {"seconds": -1.0}, {"target": float("nan")}])
def test_nothing_to_do_is_refused(kuhn: InformationTable, options: dict[str, Any]) -> None:
    with pytest.raises(BadGame, match="give a number above 0"):
        solve_cfr(kuhn, **options)
