"""`kibitz train axis-value`: learns what positions of the whole game of Axis & Allies are worth, from its own games."""

from pathlib import Path

import msgspec

from kibitz.cli.console import Screen, plain_table
from kibitz.core.files import check_writable, write_file
from kibitz.games.axis.commander.learning import TERMS, learn_value
from kibitz.games.axis.commander.values import HAND


def train_value(games: int, seed: int, out: Path | None, *, json: bool) -> None:
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
        learned = learn_value(games, seed, kept, report)
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
    for name, weight in learned.weights.items():
        table.add_row(name, f"{weight:.2f}", f"{HAND.get(name, 0.0):.2f}")
    screen.print(table)
    for name, term in learned.terms.items():
        levels = ", ".join(f"{gain:+.2f} ± {error:.2f}" for gain, error in zip(term.gains, term.errors, strict=True))
        screen.print(f"{name}: level {term.level} of {len(term.gains)}; what each adds, in logits: {levels}")
    screen.print(f"{learned.games} games of quick commanders who drew levels of {', '.join(TERMS)}.")
    if out is not None:
        screen.print(f"Written to {out}; play with it: axis.commander(value='{out}')")
