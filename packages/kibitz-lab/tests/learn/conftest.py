"""Data that several tests of learners share."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kibitz_lab.learn.examples import Examples

sys.path.append(str(Path(__file__).parent))
WEATHER = """
sunny hot high false no
sunny hot high true no
overcast hot high false yes
rain mild high false yes
rain cool normal false yes
rain cool normal true no
overcast cool normal true yes
sunny mild high false no
sunny cool normal false yes
rain mild normal false yes
sunny mild normal true yes
overcast mild high true yes
overcast hot normal false yes
rain mild high true no
"""


@pytest.fixture
def weather() -> list[list[str]]:
    """The fourteen days of Quinlan (1986): outlook, temperature, humidity, windy, play."""
    return [line.split() for line in WEATHER.split("\n") if line]


@pytest.fixture
def bears() -> Callable[[int, int], Examples]:
    """Hero and bear on a line (Keffer 2013, eq. 3.17): hit points up to *most*, places up to *far* from the powder."""

    def made(most: int, far: int) -> Examples:
        hits, places = np.arange(1, most + 1), np.arange(-far, far + 1)
        u, v, x, y = (column.ravel() for column in np.meshgrid(hits, hits, places, places, indexing="ij"))
        going_on = (x != 0) | (y == 0)
        u, v, x, y = u[going_on], v[going_on], x[going_on], y[going_on]
        near, far_off = abs(x) < abs(y), abs(x) > abs(y)
        won = near | (~far_off & (u > v)) | (far_off & (u > v + 1))
        return Examples.of({"u": u, "v": v, "x": x, "y": y}, np.where(won, "win", "lose"))

    return made
