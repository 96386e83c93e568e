"""What can be tapped on the boards of the recursive games."""

from kibitz.core.drawing import Click
from kibitz.core.registry import make_game
from kibitz.games.recursive.rules import State
from kibitz.games.recursive.soccer import Soccer
from kibitz.games.recursive.view import draw


def tapped(state: State) -> dict[tuple[int, str], str]:
    """The title of the shape that stands for each choice of each player."""
    drawn = draw(state)
    titles = {shape.id: shape.title for shape in drawn.shapes}
    clicks = [(each, each.player) for each in drawn.inputs if isinstance(each, Click)]
    return {
        (player, state.game.action_name(player, click.action)): titles[click.shape]
        for click, player in clicks
        if player is not None
    }


def test_squares_are_named_as_the_position_counts() -> None:
    game = make_game("soccer")
    assert isinstance(game, Soccer)
    titles = tapped(State(game, (1, 2, 4, 1, 1)))
    assert titles[0, "stand"] == "square (1, 2)"
    assert titles[0, "N"] == "square (1, 3)"
    assert titles[1, "W"] == "square (3, 1)"
    assert titles[1, "E"] == "square (5, 1), goal"
