"""`kibitz demo`: a short tour that needs no input."""

import tempfile
import time
from pathlib import Path

from rich.rule import Rule

from kibitz.cli import listing, odds, replay, solve, tournament, watch
from kibitz.cli.console import console


def demo() -> None:
    """See what kibitz does in under two minutes: matches, live beliefs, a replay.

    Example: kibitz demo
    """
    pause = 0.6 if console.is_terminal else 0.0
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, "poker.krec")
        _say("A kibitzer watches a game, works out what each player is up to, and says so. The games:")
        listing.games()
        _say("Simultaneous moves. Who is this? The prisoner's dilemma, and exact Bayes over seven strategies:")
        watch.watch("dilemma(rounds=12)", ["pavlov", "defector"], seed="7", delay=pause / 2)
        _say("Pawns, searched by compiled alpha-beta. Which of four strategies is each side following?")
        watch.watch("pawns", ["s4", "s2"], seed="3", delay=pause / 4)
        _say("Hidden cards, three players. The kibitzer sees no card, and weighs every deal that fits:")
        watch.watch("kuhn", ["rock", "maniac", "solid"], seed="9", delay=pause, record=kept)
        _say("The same match again from player 0's seat: a watcher who knows one of the cards.")
        replay.replay(kept, model=["strategy_filter@0"], delay=pause)
        _say("Offers: 24 ways to divide the pool, each one action; favourites are hidden:")
        watch.watch("offers", ["greedy", "fair"], seed="3", delay=pause)
        _say("Both move at once. What is every square worth to the orc, and where does it run?")
        solve.solve("right-turn(radius=6)")
        _say("A battle, worked out and not rolled:")
        odds.odds("axis", "2 inf 2 art 1 tank vs 3 inf 1 art", bars=True, most=4)
        _say("Who is best? A tournament with seats exchanged on the same seeds, every mean with its interval:")
        tournament.tournament("dilemma(rounds=50)", repeats=20, executor="inline", db=str(Path(folder, "demo.db")))
    _say("Now you: kibitz play pawns · kibitz play dilemma · kibitz play kuhn --against bluffer --against rock")


def _say(words: str) -> None:
    console.print()
    console.print(Rule(style="dim"))
    console.print(words, style="bold")
    if console.is_terminal:
        time.sleep(1.5)
