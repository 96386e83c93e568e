"""What is right in a solved game."""

import numpy as np
import pytest

from kibitz.core.errors import BadGame, BadSpec
from kibitz.core.seeds import stream
from kibitz_solve import state_name
from kibitz_solve.programs import Lesson, lesson_of
from kibitz_solve.programs.answers import answers_of, matters, right_answers

GAMES = (
    ("right-turn(radius=5)", 0),
    ("right-turn(radius=5)", 1),
    ("bear-brawl(hero_hp=2, bear_hp=2, radius=3)", 0),
    ("bear-brawl(hero_hp=2, bear_hp=2, radius=3, payoffs=signed)", 0),
    ("bear-brawl(hero_hp=2, bear_hp=2, radius=3, payoffs=signed)", 1),
    ("oshi-zumo(coins=(4, 4), size=1)", 1),
    ("inspection", 0),
)


def at(lesson: Lesson, state: str) -> set[str]:
    """The answers that are right in a state."""
    answers = answers_of(lesson)
    nodes, right = right_answers(lesson, answers)
    place = next(each for each, node in enumerate(nodes) if state_name(lesson.own.states.name(node)) == state)
    return {label for label, fits in zip(answers, right[place], strict=True) if fits}


@pytest.mark.long
@pytest.mark.parametrize(("game", "player"), GAMES)
def test_whoever_answers_right_everywhere_keeps_the_potential(game: str, player: int) -> None:
    """Whichever right answers are taken: the theorem in `lessons`, held against the best response."""
    lesson = lesson_of(game, player)
    starts = lesson.own.mix_starts(0)
    answers = answers_of(lesson)
    rng = stream(1, game, player)
    for _ in range(3):
        mixes = np.ones(int(starts[-1]))
        for situation in lesson.situations:
            shares = np.array([[dict(mix).get(a, 0.0) for a in situation.actions] for mix in answers.values()])
            legal = np.isclose(shares.sum(axis=1), 1.0)
            right = np.array([fits & lesson.right(situation, mix) for fits, mix in zip(legal, shares, strict=True)])
            assert right.any(axis=0).all()
            chosen = (right * rng.random(right.shape)).argmax(axis=0)
            mixes[starts[situation.nodes][:, None] + np.arange(len(situation.actions))] = shares[chosen]
        earned = lesson.response_to(mixes).guaranteed
        assert (earned >= lesson.potential - 1e-9)[: len(lesson)].all()


def test_keeping_what_is_won_without_winning_it_is_not_right(hero: Lesson) -> None:
    assert at(hero, "(3, 1, 2, 3)") == {"L"}
    assert at(lesson_of("guan"), "(0,)") == {"W 99.9 %, R 0.1 %"}


def test_where_nothing_can_be_won_everything_is_right(hero: Lesson) -> None:
    assert at(hero, "(1, 3, 3, 1)") == {"L", "R", "A"}
    assert int(matters(hero).sum()) == int((hero.high[: len(hero)] > 0.0).sum()) == 165


def test_mixtures_are_as_simple_as_can_be(orc: Lesson) -> None:
    assert list(answers_of(orc)) == ["F", "R", "F 99.9 %, R 0.1 %", "F 1/2, R 1/2"]
    assert at(orc, "(-4, 0)") == {"F 1/2, R 1/2"}
    assert (orc.solution.low - orc.potential).max() < 0.0023 + orc.tolerance


@pytest.mark.long
def test_without_tolerance_mixtures_are_the_solvers() -> None:
    strict = lesson_of("right-turn(radius=5)", tolerance=0.0)
    assert "F 1/2, R 1/2" not in answers_of(strict)
    assert at(strict, "(-2, 0)") == {"R"}


def test_what_cannot_be_learned_is_said() -> None:
    with pytest.raises(BadGame, match="without secrets"):
        lesson_of("kuhn")
    with pytest.raises(BadGame, match="more than 10 states"):
        lesson_of("right-turn", limit=10)
    with pytest.raises(BadGame, match="no choice"):
        lesson_of("matrix(payoffs=[[1, 2]], rows=['a'], columns=['b', 'c'])")
    for wrong in ({"eta": 0.0}, {"eta": float("nan")}, {"tolerance": -1.0}):
        with pytest.raises(BadSpec, match="must lie between"):
            lesson_of("guan", **wrong)
