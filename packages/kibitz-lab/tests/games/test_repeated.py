"""Repeated games: stages by name and in text, and matches of a thousand rounds."""

import pytest

from kibitz.core.errors import BadSpec
from kibitz.core.match.play import play
from kibitz.core.registry import make_game
from kibitz.games.dilemma.repeated import STAGES
from kibitz.testing import check_game
from kibitz_lab.aware.repeated_planner import stage_of


@pytest.mark.parametrize(
    "options", ["stage='rps', rounds=3", "stage='1 2 -3; 0 0,4 1', rounds=2, noise=0.3", "stage=chicken, rounds=4"]
)
def test_stages_keep_the_game_contract(options: str) -> None:
    check_game(f"repeated({options})", walks=3)


@pytest.mark.parametrize("stage", STAGES)
def test_stages_in_text_pay_what_their_names_pay(stage: str) -> None:
    game = make_game(f"repeated(stage={stage})")
    text = "; ".join(" ".join(f"{one:g},{other:g}" for one, other in row) for row in game.table)  # type: ignore[attr-defined]
    written = make_game(f"repeated(stage='{text}')")
    assert written.table == game.table
    assert written.zero_sum == game.zero_sum


def test_each_player_has_actions_of_their_own() -> None:
    moves = [["a", "b"], ["c", "a"]]
    record = play("repeated(stage='1 2 3; 4,1 5,1 6,1', rounds=2)", [f"scripted(moves={each})" for each in moves])
    assert record.ending.returns == [3.0 + 4.0, -3.0 + 1.0]  # type: ignore[union-attr]


def test_the_dilemma_is_a_repeated_stage() -> None:
    scripts = ["scripted(moves=[cooperate, defect, defect])", "scripted(moves=[cooperate, cooperate, defect])"]
    scores = [play(f"{game}rounds=3)", scripts).ending for game in ("dilemma(", "repeated(stage=dilemma, ")]
    assert scores[0].returns == scores[1].returns == [9.0, 4.0]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("stage", "why"),
    [
        ("stag-hnt", "did you mean 'stag-hunt'"),
        ("1 2; 3", "rows have 1 and 2 cells"),
        ("1 x2; 3 4", "the cell 'x2'"),
        ("1,2,3 4; 5 6", "the cell '1,2,3'"),
        ("", "no stage ''"),
    ],
)
def test_stages_that_cannot_be_read_say_why(stage: str, why: str) -> None:
    with pytest.raises(BadSpec, match=why):
        make_game(f"repeated(stage='{stage}')")


def test_only_points_make_rock_paper_scissors_a_repeated_stage() -> None:
    for spec, left in (
        ("rps(goal=points, rounds=1000)", 1000),
        ("rps(wins=2)", None),
        ("rps(goal=tie, rounds=3)", None),
    ):
        game = make_game(spec)
        stage = stage_of(game, game.new_initial_state())
        assert (None if stage is None else stage.left) == left
