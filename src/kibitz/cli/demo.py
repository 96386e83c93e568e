"""`kibitz demo`: a short tour that needs no input."""

import tempfile
import time
from pathlib import Path

from rich.rule import Rule

from kibitz.cli import replay, solve, tournament, watch
from kibitz.cli.console import console


def demo() -> None:
    """See what kibitz does in under two minutes: matches, live beliefs, a replay.

    Example: kibitz demo
    """
    pause = 0.6 if console.is_terminal else 0.0
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, "poker.krec")
        _say("The prisoner's dilemma. A kibitzer watches, works out who plays, and says why:")
        watch.watch("dilemma(rounds=12)", ["pavlov", "defector"], seed="7", delay=pause / 2)
        _say("Hidden cards, three players. The kibitzer sees no card and weighs every deal that fits:")
        watch.watch("kuhn", ["rock", "maniac", "solid"], seed="9", delay=pause, record=kept)
        _say("The same match again from player 0's seat: a watcher who knows one of the cards.")
        replay.replay(kept, model=["strategy_filter@0"], delay=pause)
        _say("Pawns, searched by alpha-beta. Which of four strategies does each side follow?")
        watch.watch("pawns", ["s4", "s2"], seed="3", delay=pause / 4)
        _say("Both move at once. What is every square worth to the orc, and where does it run?")
        solve.solve("right-turn(radius=6)")
        _say("Who is best? A tournament with seats exchanged on the same seeds, every mean with its interval:")
        tournament.tournament("dilemma(rounds=50)", repeats=20, executor="inline", db=str(Path(folder, "demo.db")))
    _say("Now you: kibitz games · kibitz play pawns · kibitz play kuhn --against bluffer --against rock")


def _say(words: str) -> None:
    console.print()
    console.print(Rule(style="dim"))
    console.print(words, style="bold")
    if console.is_terminal:
        time.sleep(1.5)
