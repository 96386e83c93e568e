"""`kibitz program`: learns a readable program from a solved game and certifies it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from kibitz.cli.console import Part, dim, progress
from kibitz.cli.options import GameArgument, JsonCommand, Out, Positive
from kibitz.core.errors import BadSpec
from kibitz.core.registry import make_game, spec_of
from kibitz_solve.programs import (
    Certificate,
    Lesson,
    WrittenProgram,
    certify_program,
    learn_program,
    lesson_of,
    pseudo_code,
    python_source,
    read_program,
    shorten_program,
    write_program,
)
from kibitz_solve.programs.source import check_suffix

SHOWN = 8
"""Number of violations shown; JSON holds them all."""


class ProgramCommand(JsonCommand, frozen=True):
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

    game: GameArgument
    learner: Annotated[Literal["c45", "oblique", "progol", "foidl"], "-l"] = "c45"
    """A tree, a tree of weighted sums, rules, or a list with exceptions."""
    player: Annotated[int, "-p", msgspec.Meta(ge=0, le=1)] = 0
    """The player it plays for: 0 or 1."""
    what: Literal["actions", "value"] = "actions"
    """What it answers: how to play, or what a state is worth to player 0."""
    depth: Annotated[int, msgspec.Meta(ge=0, le=3)] = 2
    """Depth of features: 0 variables, 1 also |a| and a-b, …"""
    eta: Annotated[float, "η"] = 1e-6
    """Cost of a round: smaller is closer to optimal, and slower."""
    tolerance: Annotated[float, "T"] = 1e-3
    """Value that simpler probabilities may cost."""
    leaves: Positive | None = None
    """Shorten it to at most N answers."""
    loss: Annotated[float, "ε", msgspec.Meta(ge=0.0)] | None = None
    """Shorten it as long as it loses at most ε from the start."""
    certify: Annotated[tuple[str, ...], "-c", "GAME"] = ()
    """Also certify it there: a larger board. Repeat for more."""
    read: Path | None = None
    """Certify this program instead of learning one."""
    out: Out = None
    """Write it as Python source (.py)."""
    limit: Positive = 500_000
    """Maximum number of states."""

    def execute(self) -> None:
        written = None if self.read is None else read_program(self.read)
        self.check(written)
        seat = self.player if written is None else written.player
        with progress(self.json) as report:

            def make_lesson(game: str) -> Lesson:
                return lesson_of(game, seat, eta=self.eta, tolerance=self.tolerance, limit=self.limit, report=report)

            lesson = make_lesson(self.game)
            written = written or learn_program(lesson, self.learner, what=self.what, depth=self.depth)
            if self.leaves is not None or self.loss is not None:
                written = shorten_program(written, lesson, answers=self.leaves, loss=self.loss)
            others = (certify_program(written, make_lesson(game)) for game in self.certify)
            found = [certify_program(written, lesson), *others]
        if self.out is not None:
            write_program(self.out, written, notes_of(written, found))
        self.show(program_fields(written, found), program_parts(written, found, self.out))

    def check(self, written: WrittenProgram | None) -> None:
        """Check before a long solve that the output can be written, that the program fits, and that it is shortened."""
        if self.out is not None:
            check_suffix(self.out)
        if self.leaves is not None and self.loss is not None:
            raise BadSpec("--leaves", "give --leaves or --loss, not both")
        shortened = self.leaves is not None or self.loss is not None
        if shortened and ((self.learner not in ("c45", "oblique") and written is None) or self.what != "actions"):
            raise BadSpec("--leaves", "only trees that play are shortened: --learner c45 or oblique")
        name = spec_of(make_game(self.game)).name
        for other in self.certify:
            if spec_of(make_game(other)).name != name:
                raise BadSpec(other, f"a program for {name} can only be certified on other boards of {name}")
        if written is not None:
            written.check_game(make_game(self.game))


def notes_of(written: WrittenProgram, found: list[Certificate]) -> list[str]:
    """Where a program comes from, and its certificates."""
    size = written.size
    words = f"{size.answers} answers and {size.tests} tests, by {written.program.learner}."
    return [words, *(line for certificate in found for line in certificate.lines())]


def program_fields(written: WrittenProgram, found: list[Certificate]) -> dict[str, Any]:
    """Everything for JSON."""
    return {
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


def program_parts(written: WrittenProgram, found: list[Certificate], out: Path | None) -> Iterator[Part]:
    """The program as pseudo-code, then its certificates."""
    yield f"{pseudo_code(written)}\n"
    yield from notes_of(written, found)
    for certificate in found:
        for wrong in certificate.violations[:SHOWN]:
            yield f"  wrong at {wrong.state}: {wrong.said}; {wrong.why}"
        if len(certificate.violations) > SHOWN:
            yield dim(f"  and {len(certificate.violations) - SHOWN:,} more")
    if out is not None:
        use = f"; play it with 'program(file=\"{out}\")'" if written.what == "actions" else ""
        yield dim(f"written to {out}{use}")
