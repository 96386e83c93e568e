"""Makes the solved games importable, and two of them fixtures."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

from taught_games import BEAR, TURN, taught

from kibitz_solve.programs import Lesson


@pytest.fixture
def hero() -> Lesson:
    """1D1H1B on a small board, as the hero sees it."""
    return taught(BEAR, 0)


@pytest.fixture
def orc() -> Lesson:
    """Right Turn, as the orc sees it."""
    return taught(TURN, 0)
