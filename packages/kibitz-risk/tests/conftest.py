"""Lets the tests find `ring`, the games on a small map."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
