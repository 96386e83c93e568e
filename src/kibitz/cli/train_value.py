"""`kibitz train axis-value`: learns what positions of the whole game of Axis & Allies are worth, from its own games."""

from pathlib import Path

import msgspec

from kibitz.cli.console import Screen, plain_table
from kibitz.core.files import check_writable, write_file
from kibitz.games.axis.commander.learning import HELD_OUT, PLAYERS, learn_value
from kibitz.games.axis.commander.values import HAND, Target


def train_value(games: int, seed: int, target: Target, out: Path | None, *, json: bool) -> None:
    """Play games, fit the weights, print them beside those set by hand, and write them to a file.

    With a file to write to, games are kept beside it: the same command goes on after Ctrl-C.
    """
    if out is not None:
        check_writable(out)
    kept = out and out.with_name(f"{out.name}.games")
    screen = Screen(highlight=False, stderr=json)

    def report(played: int, seconds: float) -> None:
        if played % 10 == 0 or played == games:
            screen.print(f"{played} of {games} games, about {seconds * (games - played):.0f} CPU s left")

    try:
        learned = learn_value(games, seed, target, kept, report)
    except KeyboardInterrupt:
        if kept is not None and kept.exists():
            screen.print(f"The games so far are in {kept}; the same command goes on with them.")
        raise
    if out is not None:
        write_file(out, msgspec.json.format(msgspec.json.encode(learned), indent=2) + b"\n")
    if json:
        print(msgspec.json.encode(learned).decode())
        return
    table = plain_table()
    for column in ("feature", "learned", "by hand"):
        table.add_column(column)
    for name, by_hand in HAND.items():
        table.add_row(name, f"{learned.weights[name]:.2f}", f"{by_hand:.2f}")
    screen.print(table)
    measure = "squared error of the lead two rounds later" if target == "lead" else "loss in nats of the result"
    screen.print(
        f"{learned.games} games of {', '.join(PLAYERS)}; {measure} on the {HELD_OUT:.0%} held out: "
        f"{learned.error:.3f}, {learned.by_hand:.3f} with weights by hand, {learned.plain:.3f} without any."
    )
    if out is not None:
        screen.print(f"Written to {out}; play with it: axis.commander(value='{out}')")
