"""Makes the games written by hand importable."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
