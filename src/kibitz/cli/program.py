"""`kibitz program`: learns a readable program from a solved game and certifies it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from kibitz.cli.console import console
from kibitz.cli.options import GameArgument, JsonOption
from kibitz.cli.solve import progress
from kibitz.core.errors import BadSpec
from kibitz.core.files import check_writable
from kibitz.core.registry import make_game, spec_of

if TYPE_CHECKING:
    from kibitz.agents.programs import Certificate, Lesson, WrittenProgram

SHOWN = 8
"""Number of violations shown; JSON holds them all."""


def program(
    game: GameArgument,
    learner: Annotated[
        Literal["c45", "oblique", "progol", "foidl"],
        typer.Option("--learner", "-l", help="A tree, a tree of weighted sums, rules, or a list with exceptions."),
    ] = "c45",
    player: Annotated[int, typer.Option("--player", "-p", min=0, max=1, help="The player it plays for: 0 or 1.")] = 0,
    what: Annotated[
        Literal["actions", "value"],
        typer.Option("--what", help="What it answers: how to play, or what a state is worth to player 0."),
    ] = "actions",
    depth: Annotated[
        int,
        typer.Option(
            "--depth", metavar="N", min=0, max=3, help="Depth of features: 0 variables, 1 also |a| and a-b, …"
        ),
    ] = 2,
    eta: Annotated[
        float, typer.Option("--eta", metavar="η", help="Cost of a round: smaller is closer to optimal, and slower.")
    ] = 1e-6,
    tolerance: Annotated[
        float, typer.Option("--tolerance", metavar="T", help="Value that simpler probabilities may cost.")
    ] = 1e-3,
    leaves: Annotated[
        int | None, typer.Option("--leaves", metavar="N", min=1, help="Shorten it to at most N answers.")
    ] = None,
    loss: Annotated[
        float | None,
        typer.Option("--loss", metavar="ε", min=0.0, help="Shorten it as long as it loses at most ε from the start."),
    ] = None,
    certify: Annotated[
        list[str] | None,
        typer.Option("--certify", "-c", metavar="GAME", help="Also certify it there: a larger board. Repeat for more."),
    ] = None,
    read: Annotated[
        Path | None, typer.Option("--read", metavar="FILE", help="Certify this program instead of learning one.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write it as Python source (.py).")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Maximum number of states.")] = 500_000,
    json: JsonOption = False,
) -> None:
    """Turn a solved game into a readable program, and prove what that program is worth.

    kibitz checks the program in every state and certifies it: it solves the game against the program, which bounds
    what the program can lose. With --certify it does the same on other boards than the one it learned on. A shorter
    program (--leaves, --loss) costs something, and that is certified, too.

    Examples:

      kibitz program right-turn --learner foidl --out orc.py

      kibitz program 'bear-brawl(bear_hp=3, radius=3)' --certify 'bear-brawl(hero_hp=6, bear_hp=6, radius=9)'

      kibitz program soccer --loss 0.01

      kibitz program right-turn --read orc.py --certify 'right-turn(radius=30)' --json

      kibitz watch right-turn 'program(file="orc.py")' thwart
    """
    from kibitz.agents.programs import (
        certify_program,
        learn_program,
        lesson_of,
        read_program,
        shorten_program,
        write_program,
    )

    check_output(out)
    check_shortening(leaves, loss, learner, what, read)
    written = None if read is None else read_program(read)
    check_games(game, certify or [], written)
    seat = player if written is None else written.player
    with progress(json) as told:

        def make_lesson(where: str) -> "Lesson":
            return lesson_of(where, seat, eta=eta, tolerance=tolerance, limit=limit, told=told)

        lesson = make_lesson(game)
        written = written or learn_program(lesson, learner, what=what, depth=depth)
        if leaves is not None or loss is not None:
            written = shorten_program(written, lesson, answers=leaves, loss=loss)
        found = [
            certify_program(written, lesson),
            *(certify_program(written, make_lesson(other)) for other in certify or ()),
        ]
    notes = notes_of(written, found)
    if out is not None:
        write_program(out, written, notes)
    if json:
        print_json(written, found)
    else:
        show(written, found, out)


def check_games(game: str, others: list[str], written: "WrittenProgram | None") -> None:
    """Check before a long solve that the games exist and are boards of one game."""
    name = spec_of(make_game(game)).name
    for other in others:
        if spec_of(make_game(other)).name != name:
            raise BadSpec(other, f"a program for {name} can only be certified on other boards of {name}")
    if written is not None:
        written.check_game(make_game(game))


def check_shortening(leaves: int | None, loss: float | None, learner: str, what: str, read: Path | None) -> None:
    """Check before a long solve that the program can be shortened."""
    if leaves is not None and loss is not None:
        raise BadSpec("--leaves", "give --leaves or --loss, not both")
    if leaves is None and loss is None:
        return
    if (learner not in ("c45", "oblique") and read is None) or what != "actions":
        raise BadSpec("--leaves", "only trees that play are shortened: --learner c45 or oblique")


def check_output(out: Path | None) -> None:
    """Check before a long solve that the output can be written."""
    from kibitz.agents.programs.files import check_suffix

    if out is not None:
        check_suffix(out)
        check_writable(out)


def notes_of(written: "WrittenProgram", found: "list[Certificate]") -> list[str]:
    """Where a program comes from, and its certificates."""
    size = written.size
    words = f"{size.answers} answers and {size.tests} tests, by {written.program.learner}."
    return [words, *(line for certificate in found for line in certificate.lines())]


def print_json(written: "WrittenProgram", found: "list[Certificate]") -> None:
    """Print everything as JSON."""
    import msgspec

    from kibitz.agents.programs import pseudo_code, python_source

    report: dict[str, Any] = {
        "game": written.game,
        "player": written.player,
        "what": written.what,
        "learner": written.program.learner,
        "size": written.size._asdict(),
        "pseudo_code": pseudo_code(written).splitlines(),
        "python": python_source(written, notes_of(written, found)),
        "certificates": [
            {**msgspec.structs.asdict(each), "fidelity": each.fidelity, "exact": each.exact} for each in found
        ],
    }
    typer.echo(msgspec.json.encode(report))


def show(written: "WrittenProgram", found: "list[Certificate]", out: Path | None) -> None:
    """Print the program as pseudo-code, then its certificates."""
    from kibitz.agents.programs import pseudo_code

    console.print(f"{pseudo_code(written)}\n", markup=False, soft_wrap=True)
    for line in notes_of(written, found):
        console.print(line, markup=False, soft_wrap=True)
    for certificate in found:
        for wrong in certificate.violations[:SHOWN]:
            console.print(f"  wrong at {wrong.state}: {wrong.said}; {wrong.why}", markup=False, soft_wrap=True)
        if len(certificate.violations) > SHOWN:
            console.print(f"  and {len(certificate.violations) - SHOWN:,} more", style="dim")
    if out is not None:
        use = f"; play it with 'program(file=\"{out}\")'" if written.what == "actions" else ""
        console.print(f"written to {out}{use}", style="dim", markup=False, soft_wrap=True)
