"""Programs from policy tables: four learners on 1D1H1B and Right Turn; size, fidelity and certified value."""

from collections.abc import Iterator
from typing import Any

from kibitz.agents.programs import (
    LEARNERS,
    Lesson,
    WrittenProgram,
    certify_program,
    learn_program,
    lesson_of,
    pseudo_code,
)
from kibitz.studies.blocks import Block, Cell, Conclusion, Listing, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work

FIGHT = "bear-brawl(hero_hp={0}, bear_hp={0}, radius={1})"
DEPTHS = {"variables": 0, "grammar": 2}
"""The terms of conditions: the bare variables, or also |a|, a - b, |a| - |b| and so on."""
TASKS = {
    "hero": "the hero of 1D1H1B",
    "bear": "the bear of 1D1H1B",
    "worth": "what a state of 1D1H1B is worth",
    "orc": "the orc of Right Turn",
    "monkey": "the monkey of Right Turn",
}


SETTINGS: Settings = {
    "program_tasks": tuple(TASKS),
    "program_boards": ((3, 3), (5, 12), (10, 30)),
    "program_radii": (10, 30),
}
"""Hit points and radius of 1D1H1B, and the radius of Right Turn: programs learn on the first, and are tried on all."""
QUICK: Settings = {"program_boards": ((3, 3), (5, 6)), "program_radii": (6, 12)}


def parts(settings: Settings, seed: int) -> list[Part]:
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
    return [Work(name="programs", work=compare_learners, cases=wanted, weight=25.0)]


def compare_learners(case: Case) -> Row:
    """Every learner's program for the first board, and its results on all boards."""
    lessons = [lesson_of(board, case["player"]) for board in case["boards"]]
    tried: dict[str, list[Row]] = {}
    found = []
    for learner in LEARNERS:
        for features, depth in DEPTHS.items():
            program = learn_program(lessons[0], learner, what=case["what"], depth=depth)
            code = pseudo_code(program)
            if code not in tried:  # many learners find the same program
                tried[code] = [trial(program, lesson) for lesson in lessons]
            size = {"answers": program.size.answers, "tests": program.size.tests}
            found.append({"learner": learner, "features": features, **size, "code": code, "boards": tried[code]})
    return {"programs": found}


def trial(program: WrittenProgram, lesson: Lesson) -> Row:
    """The results of a program on a board."""
    found = certify_program(program, lesson)
    return {
        "game": found.game,
        "states": found.states,
        "wrong": len(found.violations),
        "shortfall": found.shortfall,
        "exact": found.exact,
        "start": found.start,
        "examples": [f"{each.state}: {each.said}" for each in found.violations[:3]],
    }


def section(results: Results) -> Iterator[Block]:
    """A table for every task, the smallest programs in full, and the conclusions."""
    yield Paragraph(
        "For every solved board the right answers are known, often several in a state. Four learners make programs for "
        "the smallest board: a tree (C4.5), a tree with weighted sums (oblique, after OC1), rules (Progol) and a list "
        "with exceptions first (FOIDL); over the bare variables, or also over absolute values and differences "
        "(grammar). Every program is checked in all states, and certified by the best response to it."
    )
    rows = {row["task"]: row for row in results.rows("programs")}
    for task, title in TASKS.items():
        if task in rows:
            yield from task_blocks(title, rows[task])


def task_blocks(title: str, row: Row) -> Iterator[Block]:
    """The table of a task, its best program, and that program's value."""
    programs, playing = row["programs"], row["what"] == "actions"
    trials = [f"wrong on {board['game']}" for board in programs[0]["boards"]]
    columns = ("learner", "conditions over", "answers", "tests", *trials, *(("loses at most",) if playing else ()))
    yield Table(
        columns,
        [cells(program, playing) for program in programs],
        f"Programs for {title}, learned on `{programs[0]['boards'][0]['game']}`: states in which each is wrong"
        + (", and what it loses at most in any state of the last board, certified." if playing else "."),
    )
    best = min(programs, key=worth_reading)
    yield Listing(best["code"], f"The smallest of the best programs for {title}, by {best['learner']}:")
    yield Conclusion(conclusion(title, best, playing))


def cells(program: Row, playing: bool) -> tuple[Cell, ...]:
    """A program as a row of a table."""
    boards = program["boards"]
    lost = (0.0 if boards[-1]["exact"] else boards[-1]["shortfall"],) if playing else ()
    wrong = [board["wrong"] for board in boards]
    return program["learner"], program["features"], program["answers"], program["tests"], *wrong, *lost


def worth_reading(program: Row) -> tuple[Any, ...]:
    """A sort key: programs that lose least, then are wrong least, then are smallest come first."""
    last = program["boards"][-1]
    return round(last["shortfall"], 6), last["wrong"], program["answers"], program["tests"]


def conclusion(title: str, best: Row, playing: bool) -> str:
    """The value of a task's best program on the last board."""
    last = best["boards"][-1]
    size = f"{best['answers']} answers and {best['tests']} tests"
    right = f"is right in {last['states'] - last['wrong']:,} of {last['states']:,} states of `{last['game']}`"
    lost = "loses nothing there" if last["exact"] else f"loses at most {last['shortfall']:.4g} there"
    certificate = f"; certified, it {lost}" if playing else ""
    return f"For {title}, a program of {size} {right}{certificate}."


SECTIONS = (Section(title="Programs that people can read", parts=("programs",), blocks=section),)
