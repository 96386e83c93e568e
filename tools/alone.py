"""`make alone`: the package `kibitz` from its wheel in an empty environment: it plays, and its own tests pass."""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEAVY = ("numba", "scipy", "sqlalchemy")
"""What it must not install."""
MOST = 40_000_000
"""Bytes to download."""


def main() -> None:
    """Build, install, play, test."""
    with tempfile.TemporaryDirectory() as folder:
        wheels, python = Path(folder, "wheels"), Path(folder, "env", "bin", "python")
        package = ROOT / "packages" / "kibitz"
        call(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", folder, package)
        (wheel,) = Path(folder).glob("kibitz-*.whl")
        call(sys.executable, "-m", "venv", python.parents[1])
        call(python, "-m", "pip", "download", "--quiet", "--dest", wheels, wheel)
        size = sum(path.stat().st_size for path in wheels.iterdir())
        assert size <= MOST, f"{size:,} bytes are downloaded, {MOST:,} are allowed"
        call(python, "-m", "pip", "install", "--quiet", "--no-index", "--find-links", wheels, wheel)
        call(python, "-c", f"from importlib.util import find_spec; assert not any(map(find_spec, {HEAVY}))")
        call(python, "-m", "kibitz.cli", "demo")
        call(python, "-m", "pip", "install", "--quiet", "pytest", "pytest-xdist", "hypothesis")
        print(f"{size:,} bytes are downloaded; its tests:", flush=True)
        tests = [python, "-m", "pytest", "-q", "-n", "2", "-m", "not slow and not alone", "packages/kibitz/tests"]
        sys.exit(subprocess.run(tests, cwd=ROOT, check=False).returncode)


def call(*command: object) -> None:
    """Run a program; its output is shown if it fails."""
    words = list(map(str, command))
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
