"""Programs are shortened at a certified loss."""

from pathlib import Path

import pytest

from kibitz.agents.programs import (
    certify_program,
    learn_program,
    lesson_of,
    read_program,
    shorten_program,
    write_program,
)
from kibitz.agents.programs.regrowth import Regrowth
from kibitz.agents.programs.shortening import Shortener
from kibitz.core.errors import BadProgram


@pytest.mark.long
def test_a_shorter_program_loses_no_more_than_stated() -> None:
    lesson = lesson_of("goofspiel(cards=3)")
    whole = learn_program(lesson)
    sizes = []
    for loss in (0.0, 0.05, 1.0):
        shorter = shorten_program(whole, lesson, loss=max(loss, 1e-6))
        start = certify_program(shorter, lesson).start
        assert start is not None
        assert start[1] - start[0] <= max(loss, 1e-6) + 1e-9
        sizes.append(shorter.size.answers)
    assert whole.size.answers >= sizes[0] >= sizes[1] > sizes[2]


@pytest.mark.long
def test_the_number_of_answers_is_kept_to() -> None:
    lesson = lesson_of("duel")
    whole = learn_program(lesson)
    for answers in (1, 3):
        shorter = shorten_program(whole, lesson, answers=answers)
        assert shorter.size.answers <= answers
        shares = [share for mix in shorter.answers.values() if isinstance(mix, dict) for share in mix.values()]
        assert all(share > 0.0 for share in shares)


@pytest.mark.long
def test_shorter_programs_are_written_and_read_back(tmp_path: Path) -> None:
    lesson = lesson_of("duel(shells=[1, 1])")
    shorter = shorten_program(learn_program(lesson), lesson, loss=0.05)
    write_program(tmp_path / "duel.py", shorter, [])
    again = read_program(tmp_path / "duel.py")
    assert certify_program(again, lesson).start == certify_program(shorter, lesson).start


def test_only_trees_are_shortened() -> None:
    lesson = lesson_of("guan")
    with pytest.raises(BadProgram, match="only trees"):
        shorten_program(learn_program(lesson, "foidl"), lesson, loss=0.1)


@pytest.mark.slow
def test_soccer_has_a_program_of_thirty_answers_for_a_hundredth() -> None:
    lesson = lesson_of("soccer")
    assert shorten_program(learn_program(lesson), lesson, loss=0.01).size.answers <= 32


@pytest.mark.long
def test_trees_that_are_grown_again_lose_less_than_those_cut() -> None:
    lesson = lesson_of("goofspiel(cards=3)")
    written = learn_program(lesson)
    shortener = Shortener(written, lesson)
    cut = next(step for step in shortener.steps() if step.answers <= 6)
    assert Regrowth(shortener).fit(6) < 0.8 * cut.loss
    assert shortener.answers <= 6
    assert shortener.loss() == pytest.approx(shortener.judge()[0])
