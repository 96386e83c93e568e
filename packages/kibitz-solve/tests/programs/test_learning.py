"""Four learners, two games, and what their programs are worth."""

import pytest
from taught_games import BEAR, LARGER, TURN, taught, written

from kibitz.core.errors import BadProgram, UnknownName
from kibitz_solve.programs import LEARNERS, Lesson, certify_program, learn_program, lesson_of, pseudo_code
from kibitz_solve.programs.learning import LearnerName

FORMULA = """\
if |x| < |y|: 1
if u ≤ v: 0
if |x| ≤ |y|: 1
if u ≤ v + 1: 0
otherwise 1"""


@pytest.mark.long
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_hero_learned_on_a_small_board_loses_nothing_on_a_large_one(learner: LearnerName) -> None:
    hero = written(BEAR, 0, learner)
    assert hero.size.answers == 3
    large = certify_program(hero, taught(LARGER))
    assert large.exact
    assert large.violations == []
    assert large.states == 3_925


@pytest.mark.slow
@pytest.mark.parametrize(("player", "what", "answers"), [(0, "actions", 3), (0, "value", 5), (1, "actions", 3)])
def test_programs_from_h3_m3_are_exact_on_h10_m30(player: int, what: str, answers: int) -> None:
    program = learn_program(taught(BEAR, player), "c45", what=what)  # type: ignore[arg-type]
    assert program.size.answers == answers
    found = certify_program(program, lesson_of("bear-brawl(hero_hp=10, bear_hp=10, radius=30)", player))
    assert (found.states, found.violations, found.exact) == (366_100, [], True)


def test_what_a_state_is_worth_is_the_formula_of_keffer(hero: Lesson) -> None:
    worth = learn_program(hero, "c45", what="value")
    assert pseudo_code(worth) == FORMULA
    assert certify_program(worth, taught(LARGER)).violations == []


def test_bare_variables_do_not_carry_over(hero: Lesson) -> None:
    """With raw features alone the value of a larger board is missed, as it should be."""
    worth = learn_program(hero, "c45", what="value", depth=0)
    assert certify_program(worth, hero).violations == []
    missed = certify_program(worth, taught(LARGER))
    assert 0.5 < missed.fidelity < 0.95
    assert missed.violations[0].why.startswith("worth ")


@pytest.mark.long
@pytest.mark.parametrize("learner", LEARNERS)
def test_right_turn_has_a_program_with_its_certified_value(learner: LearnerName) -> None:
    orc = written(TURN, 0, learner)
    assert orc.size.answers <= 6
    for game in (TURN, "right-turn(radius=12)"):
        found = certify_program(orc, taught(game))
        assert found.violations == []
        assert found.matter == 33
        assert 0.0005 < found.shortfall < 0.0021
        assert found.start is not None
        assert 0.4994 < found.start[0] <= 0.5 <= found.start[1] < 0.500001


@pytest.mark.long
def test_a_smaller_cost_brings_a_program_nearer_to_the_best() -> None:
    found = []
    for eta in (1e-4, 1e-8):
        lesson = lesson_of(TURN, eta=eta, tolerance=eta)
        found.append(certify_program(learn_program(lesson, "foidl"), lesson).shortfall)
    assert found[1] < 0.001 < found[0] < 0.05


def test_a_player_to_whom_nothing_matters_gets_one_answer() -> None:
    lesson = taught("guan", 1)
    assert learn_program(lesson).size.answers == 1


def test_bad_names_and_foreign_programs_are_refused(hero: Lesson, orc: Lesson) -> None:
    with pytest.raises(UnknownName, match="c45"):
        learn_program(hero, "c46")  # type: ignore[arg-type]
    program = written(BEAR, 0, "c45")
    with pytest.raises(BadProgram, match="written for bear-brawl, not for right-turn"):
        certify_program(program, orc)
    with pytest.raises(BadProgram, match="plays player 0"):
        certify_program(program, taught(BEAR, 1))
    with pytest.raises(BadProgram, match="needs 'u'"):
        certify_program(program, taught("bear-brawl(hero_hp=1, bear_hp=1, radius=2, dimensions=2)"))
