"""Cells grown around points: neighbours meet or have a lane, others keep apart, nothing is lost."""

from itertools import combinations
from math import dist

import pytest

from kibitz.core.abilities import ability
from kibitz.core.drawing import Polygon
from kibitz.core.drawing import regions as cells
from kibitz.core.registry import make_game


def apart(one: tuple[cells.Point, ...], other: tuple[cells.Point, ...]) -> float:
    """The least distance between points of two outlines."""
    return min(dist(a, b) for a in one for b in other)


LAND = (((2.0, 2.0, 1.5),), ((4.5, 2.0, 1.5),), ((2.0, 4.5, 1.5),), ((10.0, 2.0, 1.5),))
WAYS = ((1, 3), (0,), (), (0,))


def test_neighbours_meet_or_have_a_lane_and_others_keep_apart() -> None:
    grown = cells.grow_cells(LAND, WAYS)
    assert grown.lanes == ((0, 3),)
    assert apart(grown.outlines[0], grown.outlines[1]) < 0.05
    assert apart(grown.outlines[0], grown.outlines[2]) > 0.8 * cells.STRAIT


def test_a_lane_around_the_back_leaves_the_map_on_both_sides() -> None:
    names = [lane.id for lane in cells.lane_shapes([(0, 1), (1, 2)], [(1.0, 1.0), (19.0, 1.0), (10.0, 1.0)], 20.0)]
    assert names == ["lane-0-1-west", "lane-0-1-east", "lane-1-2"]


@pytest.mark.long
@pytest.mark.parametrize("spec", ["risk", "axis(scenario=revised)", "axis(scenario=s1)"])
def test_every_place_of_a_map_has_an_outline_on_the_sheet(spec: str) -> None:
    game = make_game(spec)
    drawn = ability(spec.partition("(")[0], "DRAWING")(game.new_initial_state())
    outlines = [shape.points for shape in drawn.shapes if isinstance(shape, Polygon)]
    assert len(outlines) >= 3
    for points in outlines:
        assert len(points) > 5
        assert all(-0.5 <= x <= drawn.width + 0.5 and -0.5 <= y <= drawn.height + 0.5 for x, y in points)
    assert min(dist(_middle(one), _middle(other)) for one, other in combinations(outlines, 2)) > 0.5


def _middle(points: tuple[cells.Point, ...]) -> cells.Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
