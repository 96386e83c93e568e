"""The picture of a search tree shows what the search did."""

from pathlib import Path

import pytest

from kibitz.cli.main import exit_code
from kibitz.core.registry import make_agent, make_game, make_model
from kibitz.core.seeds import stream
from kibitz_lab.cli.tree import replay_moves
from kibitz_lab.search.alphabeta import AlphaBeta
from kibitz_lab.search.picture import searched_tree

MOVES = "base-c2 base-f7 c2-d2 f7-e7"


def begun(spec: str) -> AlphaBeta:
    agent = make_agent(spec)
    agent.begin(make_game("pawns"), 0, stream(1, "x"))
    assert isinstance(agent, AlphaBeta)
    return agent


@pytest.mark.parametrize("spec", ["alphabeta", "pawns.s2(depth=3)", "asymmetric"])
def test_every_tree_shows_the_values_of_the_root_moves(spec: str) -> None:
    agent, game = begun(spec), make_game("pawns")
    state = game.new_initial_state()
    seen = searched_tree(agent, state, 2)
    agent.policy(state)
    assert agent.found is not None
    assert seen.value == agent.found.value
    assert max(child.value for child in seen.children if child.value is not None) == agent.found.value


def test_the_command_prints_or_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(["tree", "pawns", "asymmetric(depth=2)", "--moves", MOVES, "--widest", "3"]) == 0
    assert "share" in capsys.readouterr().out
    assert exit_code(["tree", "pawns", "s1(depth=2)", "--moves", MOVES.replace(" ", ", "), "--depth", "1"]) == 0
    assert "limit 2" in capsys.readouterr().out
    path = tmp_path / "tree.svg"
    assert exit_code(["tree", "breakthrough", "asymmetric(depth=2)", "--depth", "1", "--out", str(path)]) == 0
    assert path.read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(
    "arguments",
    [
        ["pawns", "random"],
        ["pawns", "mcts"],
        ["pawns", "alphabeta", "--moves", "e4"],
        ["kuhn", "alphabeta"],
        ["dilemma", "alphabeta"],
        ["pawns", "alphabeta(depth=2)", "--out", "/nowhere/tree.svg"],
        ["pawns", "asymmetric(rule='luck')"],
        ["pawns(draw_plies=1)", "alphabeta", "--moves", "base-c2"],
        ["pawns(draw_plies=1)", "alphabeta", "--moves", "base-c2 base-f7"],
        ["pawns", "alphabeta", "--depth", "0"],
    ],
    ids=" ".join,
)
def test_what_cannot_be_shown_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(["tree", *arguments]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_typed_moves_say_nothing_about_who_made_them() -> None:
    agent = make_agent("asymmetric(depth=2, model=dbn)", "pawns")
    replay_moves(make_game("pawns"), agent, MOVES, 0)
    start = make_model("dbn")
    start.begin(make_game("pawns"), None, stream(0, "x"))
    for player in range(2):
        assert agent.opponent.model.belief(player) == start.belief(player)  # type: ignore[attr-defined]
