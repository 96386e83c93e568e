"""Programs are shortened at a certified loss."""

import pytest

from kibitz.core.errors import BadProgram
from kibitz_solve.programs import (
    certify_program,
    learn_program,
    lesson_of,
    shorten_program,
)
from kibitz_solve.programs.shortening import Regrowth, Shortener


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


def test_only_trees_are_shortened() -> None:
    lesson = lesson_of("guan")
    with pytest.raises(BadProgram, match="only trees"):
        shorten_program(learn_program(lesson, "foidl"), lesson, loss=0.1)


@pytest.mark.long
def test_trees_that_are_grown_again_lose_less_than_those_cut() -> None:
    lesson = lesson_of("goofspiel(cards=3)")
    written = learn_program(lesson)
    shortener = Shortener(written, lesson)
    cut = next(step for step in shortener.steps() if step.answers <= 6)
    assert Regrowth(shortener).fit(6) < 0.8 * cut.loss
    assert shortener.answers <= 6
    assert shortener.loss() == pytest.approx(shortener.judge()[0])
