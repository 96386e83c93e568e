"""`kibitz demo`: a short tour that needs no input."""

import tempfile
import time
from pathlib import Path

from rich.rule import Rule

from kibitz.cli.console import console, dim
from kibitz.cli.options import Command
from kibitz.members import missing_member

TOUR = (
    (
        "The prisoner's dilemma. A kibitzer watches, works out who plays, and says why:",
        "watch dilemma(rounds=12) pavlov defector --seed 7 --delay {pause}",
    ),
    (
        "Hidden cards, three players. The kibitzer sees no card and weighs every deal that fits:",
        "watch kuhn rock maniac solid --seed 9 --delay {pause} --record {folder}/poker.krec",
    ),
    (
        "The same match again from player 0's seat: a watcher who knows one of the cards.",
        "replay {folder}/poker.krec --model strategy_filter@0 --delay {pause}",
    ),
    (
        "Pawns, searched by alpha-beta. Which of four strategies does each side follow?",
        "watch pawns s4 s2 --seed 3 --delay {pause}",
    ),
    (
        "Both move at once. What is every square worth to the orc, and where does it run?",
        "solve right-turn(radius=6)",
    ),
    (
        "Who is best? A tournament with seats exchanged on the same seeds, every mean with its interval:",
        "tournament dilemma(rounds=50) --repeats 20 --executor inline --db {folder}/demo.db",
    ),
)
"""What is said, and the command that shows it; those of packages that are not installed are left out."""


class DemoCommand(Command, frozen=True):
    """See what kibitz does in under two minutes: matches, live beliefs, a replay.

    Example: kibitz demo
    """

    def execute(self) -> None:
        from kibitz.cli.main import app

        pause = 0.3 if console.is_terminal else 0.0
        missing = []
        with tempfile.TemporaryDirectory() as folder:
            for words, line in TOUR:
                arguments = line.format(pause=pause, folder=Path(folder)).split()
                member = missing_member(arguments[0]) or missing_member(arguments[1].partition("(")[0])
                if member:
                    missing.append(member)
                    continue
                say(words)
                app(args=arguments, prog_name="kibitz", standalone_mode=False)
        say("Now you: kibitz games · kibitz play dilemma · kibitz play kuhn --against bluffer --against rock")
        for member in dict.fromkeys(missing):
            console.print(dim(f"Left out, as it is not installed: pip install 'kibitz[{member}]'"))


def say(words: str) -> None:
    """Announce what comes next, with time to read it."""
    console.print()
    console.print(Rule(style="dim"))
    console.print(words, style="bold")
    if console.is_terminal:
        time.sleep(1.5)
