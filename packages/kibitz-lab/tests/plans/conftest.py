"""Makes the libraries of one test file importable in another."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
