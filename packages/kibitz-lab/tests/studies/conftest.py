"""Makes the small study importable, here and in worker processes."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
