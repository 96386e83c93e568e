"""Makes the positions that tests of Colored Trails share importable."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
