"""Solved games that several tests learn from, each solved once."""

from functools import cache

from kibitz_solve.programs import WrittenProgram, learn_program, lesson_of
from kibitz_solve.programs.learning import LearnerName

BEAR = "bear-brawl(hero_hp=3, bear_hp=3, radius=3)"
LARGER = "bear-brawl(hero_hp=5, bear_hp=5, radius=6)"
TURN = "right-turn(radius=6)"

taught = cache(lesson_of)


@cache
def written(game: str, player: int, learner: LearnerName) -> WrittenProgram:
    return learn_program(taught(game, player), learner)
