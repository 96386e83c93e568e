"""Programs from policy tables: four learners on 1D1H1B and Right Turn; size, fidelity and certified value."""

from kibitz_lab.studies.measures import Measure, exact_columns
from kibitz_lab.studies.study import Case, Row, Settings, Work
from kibitz_solve.programs import (
    LEARNERS,
    Lesson,
    WrittenProgram,
    certify_program,
    learn_program,
    lesson_of,
    pseudo_code,
)

FIGHT = "bear-brawl(hero_hp={0}, bear_hp={0}, radius={1})"
DEPTHS = {"variables": 0, "grammar": 2}
"""The terms of conditions: the bare variables, or also |a|, a - b, |a| - |b| and so on."""
TASKS = ("hero", "bear", "worth", "orc", "monkey")


SETTINGS: Settings = {
    "program_tasks": TASKS,
    "program_boards": ((3, 3), (5, 12), (10, 30)),
    "program_radii": (10, 30),
}
"""Hit points and radius of 1D1H1B, and the radius of Right Turn: programs learn on the first, and are tried on all."""
QUICK: Settings = {"program_boards": ((3, 3), (5, 6)), "program_radii": (6, 12)}


def parts(settings: Settings, seed: int) -> list[Work]:
    """A case for every task, in which all learners learn from the first board and try their programs on all boards."""
    fights = [FIGHT.format(*board) for board in settings["program_boards"]]
    turns = [f"right-turn(radius={radius})" for radius in settings["program_radii"]]
    cases: list[Case] = [
        {"task": "hero", "player": 0, "what": "actions", "boards": fights},
        {"task": "bear", "player": 1, "what": "actions", "boards": fights},
        {"task": "worth", "player": 0, "what": "value", "boards": fights},
        {"task": "orc", "player": 0, "what": "actions", "boards": turns},
        {"task": "monkey", "player": 1, "what": "actions", "boards": turns},
    ]
    wanted = [case for case in cases if case["task"] in settings["program_tasks"]]
    return [Work(name="programs", work=compare_learners, cases=wanted, version=2, weight=25.0)]


def compare_learners(case: Case) -> list[Row]:
    """Every learner's program for the first board, on every board."""
    lessons = [lesson_of(board, case["player"]) for board in case["boards"]]
    tried: dict[str, list[Row]] = {}
    rows = []
    for learner in LEARNERS:
        for features, depth in DEPTHS.items():
            program = learn_program(lessons[0], learner, what=case["what"], depth=depth)
            code = pseudo_code(program)
            if code not in tried:  # many learners find the same program
                tried[code] = [trial(program, lesson) for lesson in lessons]
            size = {"answers": program.size.answers, "tests": program.size.tests}
            rows += [{"learner": learner, "features": features, **size, **board} for board in tried[code]]
    return rows


def trial(program: WrittenProgram, lesson: Lesson) -> Row:
    """The results of a program on a board."""
    found = certify_program(program, lesson)
    lost = None if program.what == "value" else 0.0 if found.exact else found.shortfall
    return {"game": found.game, "states": found.states, "wrong": len(found.violations), "loses": lost}


MEASURES = (
    Measure(
        name="Programs that people can read",
        part="programs",
        by=("task", "learner", "features", "game"),
        columns=exact_columns("answers", "tests", "states", "wrong", "loses"),
        about=(
            "Four learners make programs for hero, bear and the value of a state of 1D1H1B, and for orc and monkey of "
            "Right Turn, from the first board: over the bare variables, or also over absolute values and differences "
            "(grammar). Answers and tests are their size; `wrong`, the states of each board in which they are wrong; "
            "`loses`, what they lose at most in any state, certified by the best response."
        ),
    ),
)
