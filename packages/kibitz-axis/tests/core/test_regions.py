"""Cells grown around points: every place of a map has one, on the sheet and apart from the others."""

from itertools import combinations
from math import dist

import pytest

from kibitz.core.drawing import Polygon
from kibitz.core.pictures import regions as cells
from kibitz.core.registry import kit_of, make_game


@pytest.mark.long
@pytest.mark.parametrize("spec", ["risk", "axis(scenario=revised)", "axis(scenario=s1)"])
def test_every_place_of_a_map_has_an_outline_on_the_sheet(spec: str) -> None:
    game = make_game(spec)
    drawn = kit_of(game).drawing(game.new_initial_state())
    outlines = [shape.points for shape in drawn.shapes if isinstance(shape, Polygon)]
    assert len(outlines) >= 3
    for points in outlines:
        assert len(points) > 5
        assert all(-0.5 <= x <= drawn.width + 0.5 and -0.5 <= y <= drawn.height + 0.5 for x, y in points)
    assert min(dist(_middle(one), _middle(other)) for one, other in combinations(outlines, 2)) > 0.5


def _middle(points: tuple[cells.Point, ...]) -> cells.Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
