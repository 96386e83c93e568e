"""Python source: what is written runs anywhere, and is read back without being run."""

import subprocess
import sys
from pathlib import Path

import pytest
from mypy import api
from taught_games import BEAR, LARGER, TURN, taught, written

from kibitz import core, make_agent
from kibitz.core.errors import BadProgram
from kibitz.core.seeds import stream
from kibitz_solve.programs import (
    LEARNERS,
    Lesson,
    certify_program,
    learn_program,
    lesson_of,
    python_source,
    read_program,
    write_program,
)
from kibitz_solve.programs.reader import read_source


@pytest.mark.long
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(("game", "player"), [(BEAR, 0), (BEAR, 1), (TURN, 0), (TURN, 1)])
def test_what_is_written_is_read_back(game: str, player: int, learner: str, tmp_path: Path) -> None:
    program = written(game, player, learner)  # type: ignore[arg-type]
    columns = taught(game, player).columns
    said = [program.program.labels[label] for label in program.labels(columns)]
    write_program(tmp_path / "program.py", program, ["notes"])
    again = read_program(tmp_path / "program.py")
    assert [again.program.labels[label] for label in again.labels(columns)] == said
    assert again.answers == program.answers
    assert python_source(again) == python_source(program)


@pytest.mark.long
def test_sources_are_strictly_typed_and_run_under_a_bare_python(tmp_path: Path, hero: Lesson) -> None:
    value = learn_program(hero, "c45", what="value")
    write_program(tmp_path / "value.py", value)
    for learner in LEARNERS:
        write_program(tmp_path / f"hero_{learner}.py", written(BEAR, 0, learner))
        write_program(tmp_path / f"monkey_{learner}.py", written(TURN, 1, learner))
    files = sorted(str(path) for path in tmp_path.glob("*.py"))
    report, complaints, code = api.run(["--strict", "--no-incremental", "--cache-dir=/dev/null", *files])
    assert code == 0, report + complaints
    for name, arguments, expected in (
        ("hero_c45.py", ("3", "1", "-2", "3"), "{'R': 1.0}"),
        ("monkey_foidl.py", ("-4", "0"), "{'N': 0.5, 'S': 0.5}"),
        ("value.py", ("2", "1", "3", "-3"), "1.0"),
    ):
        command = [sys.executable, "-I", "-S", str(tmp_path / name), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        assert done.stdout.strip() == expected


def test_running_says_what_reading_says(orc: Lesson) -> None:
    """The text as Python runs it, and as we read it."""
    for learner in LEARNERS:
        program = written(TURN, 0, learner)
        space: dict[str, object] = {"__name__": "program"}
        exec(python_source(program), space)
        act = space["act"]
        assert callable(act)
        for x, y in zip(*orc.columns.values(), strict=True):
            assert act(x, y) == program.answer({"x": x, "y": y})


def test_a_person_may_write_one() -> None:
    """Nested blocks, else, chains and equal signs; the meaning is Python's."""
    text = """
GAME = "right-turn"
PLAYER = 0
def act(x: int, y: int):
    if -3 <= x < 0 and y == -1:
        if x == -3:
            return {"F": 999 / 1000, "R": 1 / 1000}
        elif 2 * x - abs(y) > 1 - 6:
            return {"R": 0.25, "F": 0.75}
    elif y < 0 and x != 1:
        return {"F": 1}
    return {"R": 1}
"""
    with pytest.raises(BadProgram, match="it has an else, but"):
        read_source(text)
    program = read_source(text.replace("    elif y < 0", "    if y < 0"))
    space: dict[str, object] = {}
    exec(text.replace("    elif y < 0", "    if y < 0"), space)
    act = space["act"]
    assert callable(act)
    for x in range(-6, 7):
        for y in range(-6, 7):
            assert program.answer({"x": x, "y": y}) == act(x, y), (x, y)


ALGORITHM_3 = """
GAME = "bear-brawl"
PLAYER = 0
def act(u: int, v: int, x: int, y: int) -> dict[str, float]:
    if x == 0 and y == 0 and u > v:
        return {"A": 1}
    if 0 < abs(x) and abs(x) < abs(y):
        if x < 0:
            return {"R": 1}
        return {"L": 1}
    if 0 < abs(x) and abs(x) == abs(y) and u > v:
        if x < 0:
            return {"R": 1}
        return {"L": 1}
    if abs(y) < abs(x) and u > v + 1:
        if x < 0:
            return {"R": 1}
        return {"L": 1}
    if x >= y:
        return {"R": 1}
    return {"L": 1}
"""


def test_keffers_hero_as_source_is_the_agent_and_wins_all_it_can() -> None:
    program, lesson = read_source(ALGORITHM_3), taught(LARGER)
    agent = make_agent("bear-brawl.keffer")
    assert isinstance(agent, core.Strategy)
    agent.begin(lesson.game, 0, stream(1, "seat"))
    for node in range(0, len(lesson), 7):
        state = lesson.own.states.state(node)
        (chosen,) = agent.policy(state).named
        said = program.answer({name: values[node] for name, values in lesson.columns.items()})
        assert said == {state.action_to_string(0, chosen): 1.0}
    assert certify_program(program, lesson).exact


@pytest.mark.parametrize(
    ("board", "states", "killed"),
    [
        ("hero_hp=2, bear_hp=2, radius=3", 172, 93),
        pytest.param("hero_hp=5, bear_hp=5, radius=12", 15_025, 5_055, marks=pytest.mark.slow),
    ],
)
def test_keffers_hero_can_be_killed_at_the_wall(board: str, states: int, killed: int) -> None:
    """From 5,055 of the 15,025 states he need not lose, the bear kills him who runs into the wall."""
    found = certify_program(read_source(ALGORITHM_3), taught(f"bear-brawl({board}, payoffs=signed)"))
    assert (found.states, found.short, found.shortfall) == (states, killed, pytest.approx(1.0))
    assert len(found.violations) >= 1


HEAD = 'GAME = "right-turn"\nPLAYER = 0\n'
BODY = 'def act(x: int, y: int) -> dict[str, float]:\n    return {"F": 1.0}\n'


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("import os\n" + HEAD + BODY, 1, "only GAME, PLAYER and one function"),
        (HEAD + BODY + 'print("hello")\n', 5, "only GAME, PLAYER and one function"),
        (HEAD + BODY + 'if __name__ == "__main__":\n    import os\n', 5, "only GAME, PLAYER and one function"),
        (BODY, None, "which GAME"),
        (HEAD.replace("0", "2") + BODY, None, "which PLAYER"),
        (HEAD, None, "no function"),
        (HEAD + BODY.replace("act", "play"), 3, "not act or worth"),
        (HEAD + BODY.replace("x: int", "x"), 3, "one of int, float, str"),
        (HEAD + BODY.replace("y: int", "y: int = 3"), 3, "nothing else"),
        (HEAD + BODY.replace('{"F": 1.0}', "open('/etc/passwd')"), 4, "an answer is written as"),
        (HEAD + BODY.replace("1.0", "0.5"), 4, "add up to 1"),
        (HEAD + BODY.replace("return", "    if x > 0:\n        return"), 5, "not valid Python"),
        (HEAD + BODY.replace("return", "if x > 0:\n        return"), 3, "without an answer"),
        (
            HEAD + BODY.replace("return", "if x > 0 or y > 0:\n        return") + '    return {"R": 1}\n',
            4,
            "joined by 'and'",
        ),
        (
            HEAD + BODY.replace("return", "if x * y > 0:\n        return") + '    return {"R": 1}\n',
            4,
            "'x * y' is not a sum",
        ),
        (HEAD + BODY.replace("return", "if z > 0:\n        return") + '    return {"R": 1}\n', 4, "'z' is not a sum"),
        (HEAD + BODY.replace("return", "if x is y:\n        return") + '    return {"R": 1}\n', 4, "compared by"),
        (HEAD + BODY.replace("return", "x = 3\n    return"), 4, "only 'if' and 'return'"),
        (
            HEAD + BODY.replace("return", f"if x > {'9' * 400}:\n        return") + '    return {"R": 1}\n',
            4,
            "at most 1e+15",
        ),
        (HEAD + BODY.replace("return", "if x > 1e999:\n        return") + '    return {"R": 1}\n', 4, "at most 1e+15"),
        (HEAD + BODY.replace("1.0", f"{'9' * 400} / 2"), 4, "at most 1e+15"),
        ("(" * 5000, None, "it is not "),
        ("\0", None, "it is not "),
    ],
)
def test_whatever_else_stands_in_a_file_is_refused_with_its_line(
    text: str, line: int | None, why: str, tmp_path: Path
) -> None:
    file = tmp_path / "tampered.py"
    file.write_text(text)
    with pytest.raises(BadProgram) as caught:
        read_program(file)
    assert why in str(caught.value)
    assert str(file) in str(caught.value)
    assert line is None or f":{line}:" in str(caught.value)


def test_files_that_are_no_programs_are_refused(tmp_path: Path) -> None:
    (tmp_path / "no.txt").write_text(HEAD + BODY)
    with pytest.raises(BadProgram, match="ends in"):
        read_program(tmp_path / "no.txt")
    with pytest.raises(BadProgram, match="no such file"):
        read_program(tmp_path / "none.py")


class Light(core.State):
    """A traffic light that somebody may cross at, whose colours are words."""

    def __init__(self, colour: str = "red") -> None:
        self.colour = colour

    def current_player(self) -> int:
        return 0 if self.colour in ("red", "amber", "green") else core.TERMINAL

    def legal_actions(self, player: int | None = None) -> list[int]:
        return [0, 1]

    def apply_action(self, action: int) -> None:
        after = {"red": "amber", "amber": "green", "green": "red"}
        self.colour = after[self.colour] if not action else "crossed" if self.colour == "green" else "hit"

    def action_to_string(self, player: int, action: int) -> str:
        return ("wait", "cross")[action]

    def returns(self) -> list[float]:
        won = {"crossed": 1.0, "hit": -1.0}.get(self.colour, 0.0)
        return [won, 0.0 - won]

    def key(self) -> core.Key:
        return ("light", self.colour)


class Crossing(core.Game):
    """Wait for green."""

    def new_initial_state(self) -> Light:
        return Light()


@pytest.mark.parametrize("learner", LEARNERS)
def test_words_are_compared_too(learner: str) -> None:
    lesson = lesson_of(Crossing())
    program = learn_program(lesson, learner)  # type: ignore[arg-type]
    assert certify_program(program, lesson).exact
    again = read_source(python_source(program))
    for colour in ("red", "amber", "green"):
        expected = {"cross": 1.0} if colour == "green" else {"wait": 1.0}
        assert program.answer({"key0": "light", "key1": colour}) == expected
        assert again.answer({"key0": "light", "key1": colour}) == expected
