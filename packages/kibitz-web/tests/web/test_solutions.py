"""What perfect players would do, on the board and on the map."""

import pytest

from kibitz.core.drawing import Label
from kibitz.core.errors import KibitzError, Refused
from kibitz.core.match.play import play
from kibitz.core.records.replay import replaying
from kibitz.core.registry import make_game
from kibitz_web.analysis.solutions import can_be_solved, solved_pictures


def test_the_mixture_stands_on_the_board() -> None:
    game = make_game("rps")
    (words, board), *maps = solved_pictures(game, game.new_initial_state()).items()
    shares = [shape.text for shape in board.shapes if isinstance(shape, Label) and shape.id.endswith("-share")]
    assert shares == ["33%"] * 6
    assert words == "In equilibrium player 0 earns 0.5"
    assert maps == []


SMALL_PAWNS = "pawns(size=4, base_size=1, pawns=1)"


@pytest.mark.long
@pytest.mark.parametrize("spec", ["guan", "macwiggins", "right-turn", "cops", "pennies", SMALL_PAWNS])
def test_what_is_offered_can_be_shown(spec: str) -> None:
    game = make_game(spec)
    assert can_be_solved(repr(game))
    assert solved_pictures(game, game.new_initial_state())


@pytest.mark.parametrize("spec", ["kuhn", "dilemma", "risk", "pawns", "breakthrough", "right-turn(radius=80)"])
def test_what_cannot_be_solved_is_not_offered(spec: str) -> None:
    assert not can_be_solved(repr(make_game(spec)))


def test_what_cannot_be_solved_says_why() -> None:
    game = make_game("breakthrough")
    with pytest.raises(KibitzError, match="more than 20,000 states, at least about"):
        solved_pictures(game, game.new_initial_state())
    over = [moment.state for moment in replaying(play("rps", ["random", "random"]))][-1]
    with pytest.raises(Refused, match="no player moves"):
        solved_pictures(make_game("rps"), over)
