"""Lets the tests find `whole_game`, situations of the whole game made and played in words."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
