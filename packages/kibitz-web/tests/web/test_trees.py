"""The search behind a move."""

import pytest

from kibitz.core.errors import Refused
from kibitz.core.match.play import playing
from kibitz.core.registry import make_game
from kibitz_web.analysis.solutions import tree_behind

AGENTS = ("alphabeta(depth=2)", "random")


def test_the_tree_behind_a_move_is_drawn_where_there_is_one() -> None:
    game = make_game("breakthrough(rows=3, columns=2)")
    events = [moment.event for moment in playing(game, AGENTS, seed=3) if moment.event is not None]
    (drawn,) = tree_behind(game, AGENTS, 3, events[:1]).values()
    assert {"node-0", "value-0"} <= {shape.id for shape in drawn.shapes}
    for agents, so_far in ((AGENTS, events[:2]), (AGENTS, []), ((None, "random"), events[:1])):
        with pytest.raises(Refused, match=r"tree|no agent"):
            tree_behind(game, agents, 3, so_far)
