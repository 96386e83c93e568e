"""The differential check: does this tree answer as the last commit before the reduction did?

    python -m tools.differential                      # everything, 60 seeds
    python -m tools.differential games perft -n 10    # two parts, with 10 seeds a game

Commit f8d35a5f is unpacked and installed once, in an environment of its own below $XDG_CACHE_HOME/kibitz-differential.
Both sides run `probe.py` under the same settings; answers of the old one are kept there by probe and seeds. All
differences are listed; the exit status is 1 if `intended.toml` does not name each of them, with the commit that makes
it and the reason. `logs` and `recognition` need KIBITZ_CORPUS, the folder of recorded games.
"""

import argparse
import io
import json
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from pathlib import Path

from tools.differential.compare import Answers, differences, intended, table
from tools.differential.probe import PARTS

COMMIT = "f8d35a5f"
HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "kibitz-differential")
SETTINGS = {
    **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"),
    "PYTHONHASHSEED": "0",
    "COLUMNS": "200",
}
NEED_CORPUS = ("logs", "recognition")
SEEDLESS = ("perft", "logs", "battles", "values")


def main() -> int:
    """Run the parts on both sides and compare."""
    parser = argparse.ArgumentParser(prog="python -m tools.differential", description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=f"parts: {', '.join(PARTS)} (default: all)")
    parser.add_argument("--seeds", "-n", type=int, default=60, help="seeds a game; slow games and agents play fewer")
    parser.add_argument("--jobs", "-j", type=int, default=1, help="processes at a time")
    parser.add_argument("--out", type=Path, help="write the old side's answers to this file, and compare nothing")
    options = parser.parse_args()
    parts = options.parts or [each for each in PARTS if each not in NEED_CORPUS or os.environ.get("KIBITZ_CORPUS")]
    if unknown := [each for each in parts if each not in PARTS]:
        parser.error(f"there is no part {', '.join(unknown)}; parts are {', '.join(PARTS)}")
    old = old_environment()
    with ThreadPoolExecutor(options.jobs) as pool:
        before = [pool.submit(old_answers, old, part, options.seeds) for part in parts]
        if options.out:
            found = {part: each.result() for part, each in zip(parts, before, strict=True)}
            options.out.write_text(json.dumps(found, indent=0))
            return 0
        after = [pool.submit(answers, Path(sys.executable), part, options.seeds, "new") for part in parts]
        sides = {part: (a.result(), b.result()) for part, a, b in zip(parts, before, after, strict=True)}
    found = [each for part, (a, b) in sides.items() for each in differences(part, a, b)]
    expected = intended(HERE / "intended.toml")
    print(table(found, expected, {part: len(a) for part, (a, _) in sides.items()}))
    return int(any(expected.reason(each.name) is None for each in found))


def old_environment() -> Path:
    """The interpreter of an environment with the old commit, made if need be."""
    folder = CACHE / COMMIT
    python = folder / ".venv" / "bin" / "python"
    if not (folder / "ready").exists():
        print(f"installing {COMMIT} in {folder}", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        packed = subprocess.run(["git", "archive", COMMIT], cwd=HERE.parents[1], capture_output=True, check=True)
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            archive.extractall(folder, filter="data")
        subprocess.run([sys.executable, "-m", "venv", folder / ".venv"], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "-e", f"{folder}[bridges]"], check=True)
        (folder / "ready").touch()
    return python


def old_answers(python: Path, part: str, seeds: int) -> Answers:
    """The answers of the old side; those of an earlier run with the same probe if there are any."""
    seeds = 0 if part in SEEDLESS else seeds
    asked = f"{(HERE / 'probe.py').read_text()} {part} {seeds} {platform.node()} {os.environ.get('FULL_SETS')}"
    kept = CACHE / f"{part}-{seeds}-{blake2b(asked.encode(), digest_size=8).hexdigest()}.json"
    if not kept.exists():
        found = answers(python, part, seeds, "old")
        kept.with_suffix(".new").write_text(json.dumps(found))
        kept.with_suffix(".new").replace(kept)
    return Answers(json.loads(kept.read_text()))


def answers(python: Path, part: str, seeds: int, side: str) -> Answers:
    """Run the probe of one part in an empty folder; its progress goes to standard error."""
    found: Answers = {}
    with tempfile.TemporaryDirectory(prefix="differential-") as folder:
        command = [python, HERE / "probe.py", part, str(seeds)]
        environment = {**os.environ, **SETTINGS, "KIBITZ_DB": str(Path(folder, "kibitz.db"))}
        with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                name, value = json.loads(line)
                found[name] = value
                print(f"\r{part}, {side}: {len(found)} answers", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        if process.returncode:
            raise SystemExit(f"{part}: the {side} side ended with status {process.returncode}")
    return found


sys.exit(main())
