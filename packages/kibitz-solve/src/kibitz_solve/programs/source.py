"""Programs as text for people: Python source without imports, and pseudo-code."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from kibitz.core.errors import BadProgram, KibitzError
from kibitz.core.files import write_file
from kibitz.core.registry import make_game
from kibitz_lab.learn.examples import variable
from kibitz_lab.learn.programs import Choice, Condition, Leaf, RuleList, Split, Tree
from kibitz_lab.learn.programs.balance import balance_condition
from kibitz_solve.programs.lessons import plain_fraction
from kibitz_solve.programs.written_program import WrittenProgram

SUFFIX = ".py"
INDENT = "    "
WIDEST = 100
FUNCTIONS = {"actions": "act", "value": "worth"}
RESULTS = {"actions": "dict[str, float]", "value": "float"}
DOCSTRINGS = {"actions": "The probability of every action.", "value": "What the state is worth to player 0."}
ABSOLUTE = re.compile(r"abs\(([^()]*)\)")
SIGNS = {"<=": "≤", ">=": "≥", "==": "=", "!=": "≠"}


def check_suffix(path: Path | str) -> None:
    """Raise BadProgram unless a file's name ends as that of a program."""
    if Path(path).suffix != SUFFIX:
        raise BadProgram(path, f"the name of a program's file ends in {SUFFIX}")


def write_program(path: Path | str, written: WrittenProgram, notes: Sequence[str] = ()) -> None:
    """Write a program as Python source; *notes* tell readers where it comes from."""
    check_suffix(path)
    write_file(path, python_source(written, notes))


def python_source(written: WrittenProgram, notes: Sequence[str] = ()) -> str:
    """A module of one function; *notes* are lines that say where it comes from."""
    function = FUNCTIONS[written.what]
    parameters = ", ".join(f"{name}: {kind}" for name, kind in written.kinds.items())
    lines = [
        f'"""{docstring(written, notes)}"""',
        "",
        f"GAME = {json.dumps(written.game, ensure_ascii=False)}",
        f"PLAYER = {written.player}",
        "",
        "",
        f"def {function}({parameters}) -> {RESULTS[written.what]}:",
        f'{INDENT}"""{DOCSTRINGS[written.what]}"""',
        *statements(written.program.body, written, INDENT),
        "",
        "",
        *main_lines(function, written.kinds),
    ]
    return "\n".join(lines) + "\n"


def docstring(written: WrittenProgram, notes: Sequence[str]) -> str:
    """The docstring of the module."""
    plays = f"Plays as {player_name(written)} in {written.game}."
    what = plays if written.what == "actions" else f"Says what the states of {written.game} are worth."
    text = "\n".join([what, "", *notes, ""] if notes else [what])
    return text.replace("\\", "\\\\").replace('"""', "'''")


def player_name(written: WrittenProgram) -> str:
    """The player of a program, by the game's own name if the game is known."""
    try:
        return make_game(written.game).player_name(written.player)
    except KibitzError:
        return f"player {written.player}"


def main_lines(function: str, kinds: Mapping[str, str]) -> list[str]:
    """The lines that make the module a command that takes the variables."""
    if len(set(kinds.values())) == 1:
        (kind,) = set(kinds.values())
        arguments = f"*map({kind}, sys.argv[1:])"
    else:
        arguments = ", ".join(f"{kind}(sys.argv[{index}])" for index, kind in enumerate(kinds.values(), 1))
    return ['if __name__ == "__main__":', f"{INDENT}import sys", "", f"{INDENT}print({function}({arguments}))"]


def statements(body: Tree | RuleList, written: WrittenProgram, indent: str) -> Iterator[str]:
    """The tests and answers as Python."""
    for conditions, inner in steps(body):
        if not conditions:
            assert isinstance(inner, Leaf), "what always holds is an answer"
            yield f"{indent}return {literal(written.answers[str(inner.label)])}"
            return
        yield from test_lines([python_text(each, written) for each in conditions], indent)
        yield from statements(inner, written, indent + INDENT)


def steps(body: Tree | RuleList) -> Iterator[tuple[Sequence[Condition], Tree]]:
    """A program as tests in order, each with the part that applies if it holds, and last the part for other cases."""
    if isinstance(body, RuleList):
        yield from ((rule.conditions, rule.leaf) for rule in body.rules)
        yield (), body.default
    elif isinstance(body, Choice):
        for value, branch in zip(body.values[:-1], body.branches, strict=False):
            yield (Condition(variable(body.variable), "==", value),), branch
        yield from steps(body.branches[-1])
    elif isinstance(body, Split):
        condition, yes, no = body.condition, body.yes, body.no
        if isinstance(no, Leaf) and not isinstance(yes, Leaf):  # the short branch first keeps the other one flat
            condition, yes, no = condition.opposite(), no, yes
        yield (condition,), yes
        yield from steps(no)
    else:
        yield (), body


def test_lines(tests: Sequence[str], indent: str) -> list[str]:
    """`if` with all tests, over several lines if one would be too long."""
    line = f"{indent}if {' and '.join(tests)}:"
    if len(line) <= WIDEST:
        return [line]
    inner = [f"{indent}{INDENT}{'and ' if index else ''}{test}" for index, test in enumerate(tests)]
    return [f"{indent}if (", *inner, f"{indent}):"]


def python_text(condition: Condition, written: WrittenProgram) -> str:
    """A condition as Python."""
    return str(balance_condition(condition, whole=whole(condition, written)))


def whole(condition: Condition, written: WrittenProgram) -> bool:
    """Whether all variables of a condition are whole numbers."""
    return all(written.kinds[name] == "int" for name in condition.feature.variables)


def literal(answer: Mapping[str, float] | float) -> str:
    """An answer as Python."""
    if not isinstance(answer, Mapping):
        return share_literal(answer)
    entries = (f"{json.dumps(action, ensure_ascii=False)}: {share_literal(share)}" for action, share in answer.items())
    return "{" + ", ".join(entries) + "}"


def share_literal(share: float) -> str:
    """A number as Python; a third is written as such."""
    fraction = plain_fraction(share)
    if fraction is None or (float(repr(share)) == share and len(repr(share)) <= 6):
        return repr(share)
    return f"{fraction.numerator} / {fraction.denominator}"


def pseudo_code(written: WrittenProgram) -> str:
    """The program as pseudo-code."""
    return "\n".join(pseudo_lines(written.program.body, written, ""))


def pseudo_lines(body: Tree | RuleList, written: WrittenProgram, indent: str) -> Iterator[str]:
    """The tests and answers as pseudo-code."""
    for index, (conditions, inner) in enumerate(steps(body)):
        if not conditions:
            assert isinstance(inner, Leaf), "what always holds is an answer"
            yield f"{indent}{'otherwise ' if index else ''}{inner.label}"
            return
        tests = " and ".join(signs(python_text(each, written)) for each in conditions)
        if isinstance(inner, Leaf):
            yield f"{indent}if {tests}: {inner.label}"
        else:
            yield f"{indent}if {tests}:"
            yield from pseudo_lines(inner, written, indent + INDENT)


def signs(text: str) -> str:
    """A comparison with the signs of mathematics.

    >>> signs("abs(x) <= abs(y - x) + 1")
    '|x| ≤ |y - x| + 1'
    """
    while ABSOLUTE.search(text):
        text = ABSOLUTE.sub(r"|\1|", text)
    return " ".join(SIGNS.get(word, word) for word in text.split(" "))
