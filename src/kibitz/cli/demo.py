"""`kibitz demo`: a short tour that needs no input."""

import tempfile
import time
from pathlib import Path

from rich.rule import Rule

from kibitz.arena.tournament import Schedule
from kibitz.cli.console import console
from kibitz.cli.options import Command, Compute, Watched
from kibitz.cli.replay import ReplayCommand
from kibitz.cli.solve import SolveCommand
from kibitz.cli.tournament import TournamentCommand
from kibitz.cli.watch import WatchCommand


class DemoCommand(Command, frozen=True):
    """See what kibitz does in under two minutes: matches, live beliefs, a replay.

    Example: kibitz demo
    """

    def execute(self) -> None:
        pause = 0.6 if console.is_terminal else 0.0
        with tempfile.TemporaryDirectory() as folder:
            kept = Path(folder, "poker.krec")
            say("The prisoner's dilemma. A kibitzer watches, works out who plays, and says why:")
            WatchCommand("dilemma(rounds=12)", ("pavlov", "defector"), Watched(seed="7"), delay=pause / 2).execute()
            say("Hidden cards, three players. The kibitzer sees no card and weighs every deal that fits:")
            poker = Watched(seed="9", record=kept)
            WatchCommand("kuhn", ("rock", "maniac", "solid"), poker, delay=pause).execute()
            say("The same match again from player 0's seat: a watcher who knows one of the cards.")
            ReplayCommand(kept, model=("strategy_filter@0",), delay=pause).execute()
            say("Pawns, searched by alpha-beta. Which of four strategies does each side follow?")
            WatchCommand("pawns", ("s4", "s2"), Watched(seed="3"), delay=pause / 4).execute()
            say("Both move at once. What is every square worth to the orc, and where does it run?")
            SolveCommand("right-turn(radius=6)").execute()
            say("Who is best? A tournament with seats exchanged on the same seeds, every mean with its interval:")
            schedule, compute, db = Schedule(repeats=20), Compute("inline"), str(Path(folder, "demo.db"))
            TournamentCommand("dilemma(rounds=50)", schedule=schedule, compute=compute, db=db).execute()
        say("Now you: kibitz games · kibitz play pawns · kibitz play kuhn --against bluffer --against rock")


def say(words: str) -> None:
    """Announce what comes next, with time to read it."""
    console.print()
    console.print(Rule(style="dim"))
    console.print(words, style="bold")
    if console.is_terminal:
        time.sleep(1.5)
