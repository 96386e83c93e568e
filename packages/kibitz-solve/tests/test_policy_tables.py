from pathlib import Path

import pytest
from games_by_hand import Walk, WalkState, guan, right_turn, walk_table

from kibitz.core.errors import BadPolicy, Unwritable
from kibitz_solve import grown_backward, lower_expectations, read_policies, solve
from kibitz_solve.recursive.building.tabled import from_table

SUFFIXES = (".csv", ".json")


@pytest.mark.long
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_policy_tables_come_back_as_they_were(tmp_path: Path, suffix: str) -> None:
    table = solve(right_turn(5)).table()
    path = tmp_path / f"policies{suffix}"
    table.write(path)
    assert read_policies(path) == table
    row = table.row("(-4, 0)")
    assert row is not None
    assert row.row_shares == pytest.approx([0.5, 0.5], abs=1e-3)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_tables_of_lowered_expectations_keep_levels_hopes_and_distances(tmp_path: Path, suffix: str) -> None:
    table = lower_expectations(solve(right_turn(4), width=1e-3), width=1e-3).table()
    path = tmp_path / f"policies{suffix}"
    table.write(path)
    assert read_policies(path) == table
    assert {row.level for row in table.rows} >= {0, 1, -1}
    hopeless = next(row for row in table.rows if row.level == -1)
    assert (hopeless.hope, hopeless.distance) == (0.0, None)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damaged_tables_are_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"policies{suffix}"
    solve(guan()).table().write(path)
    content = path.read_bytes()
    for damaged in (b"", content[: len(content) // 2], b"state\nS\n"):
        path.write_bytes(damaged)
        with pytest.raises(BadPolicy, match="policies"):
            read_policies(path)


def test_shares_that_are_no_strategy_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "policies.json"
    solve(guan()).table().write(path)
    path.write_text(path.read_text().replace('"row_shares": [', '"row_shares": [7.0,'))
    with pytest.raises(BadPolicy, match="of state S"):
        read_policies(path)


def test_other_names_and_missing_files_are_refused(tmp_path: Path) -> None:
    table = solve(guan()).table()
    with pytest.raises(BadPolicy, match=r"\.csv"):
        table.write(tmp_path / "policies.txt")
    with pytest.raises(Unwritable):
        table.write(tmp_path / "nowhere" / "policies.csv")
    with pytest.raises(BadPolicy, match="no such file"):
        read_policies(tmp_path / "nothing.json")


@pytest.mark.long
def test_backward_generation_grows_from_the_ends() -> None:
    game = Walk(9)
    table = walk_table(game)
    whole = solve(from_table(game, table), objective="survival")
    grown = grown_backward(game, table)
    assert grown.complete
    assert grown.layers == (1,) * 7
    assert grown.closed_states().all()
    for cell in range(1, 8):
        assert grown.solution.value(WalkState(game, cell)) == pytest.approx(
            whole.value(WalkState(game, cell)), abs=1e-6
        )


@pytest.mark.long
def test_a_budget_leaves_open_states_whose_bounds_hold() -> None:
    game = Walk(9)
    table = walk_table(game)
    whole = solve(from_table(game, table), objective="survival")
    grown = grown_backward(game, table, budget=3)
    assert (len(grown.solution), grown.complete) == (3, False)
    assert not grown.closed_states().any()
    for cell in (5, 6, 7):
        low, high = grown.solution.interval(WalkState(game, cell))
        assert low <= whole.value(cell) <= high
    closed, still_open = grown.tables()
    assert (len(closed.rows), len(still_open.rows)) == (0, 3)


@pytest.mark.long
def test_growth_from_a_chosen_end_takes_that_end_alone() -> None:
    game = Walk(9)
    grown = grown_backward(game, walk_table(game), ends=[WalkState(game, 0)], budget=2)
    assert list(grown.solution) == [1, 2]
