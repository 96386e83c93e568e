"""Remote agents: how many requests a program of its own answers in a second."""

import shlex
import sys
from pathlib import Path

import kibitz
from kibitz.testing.benchmark import Bench

BOTS = Path(__file__).parents[1] / "examples" / "bots"
PYTHON = shlex.join([sys.executable, "-I", str(BOTS / "random.py")])
SHELL = shlex.join(["sh", str(BOTS / "random.sh")])


ROUNDS = 5000


def measure(bench: Bench) -> None:
    for name, command in (("python", PYTHON), ("shell", SHELL)):
        rates = [answers_per_second(command, seed) for seed in range(bench.runs)]
        bench.figure(f"{name}_bot", rates, "answers/s", least=1000.0)


def answers_per_second(command: str, seed: int) -> float:
    """From the seconds that the match's clock counts for the program, which was started before."""
    record = kibitz.play(f"dilemma(rounds={ROUNDS})", [f"cmd:{command}", "random"], seed=seed)
    return ROUNDS / sum(entry.seconds[0] for entry in record.entries)
