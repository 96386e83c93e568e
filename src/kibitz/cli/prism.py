"""`kibitz solve model.prism`: certified answers to the properties of a PRISM-games model."""

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import typer

from kibitz.cli.console import console, plain_table
from kibitz.core.errors import BadGame, BadSpec
from kibitz.core.files import check_writable, read_text

if TYPE_CHECKING:
    from kibitz.solve.prism.checking import Answer, Checker
    from kibitz.solve.prism.properties import Questions

SUFFIX = ".prism"


class PrismOptions(msgspec.Struct, frozen=True):
    """The options of `kibitz solve` that a PRISM model takes."""

    prop: str | None
    const: str | None
    width: float
    seconds: float | None
    limit: int | None
    out: Path | None
    proof: Path | None


def solve_prism(path: Path, options: PrismOptions, told: Any, json: bool) -> None:
    """Read a model and its properties, and print or write the answers."""
    from kibitz.solve.exports import checked_export
    from kibitz.solve.prism.checking import Checker, read_constants
    from kibitz.solve.prism.model_reader import read_model
    from kibitz.solve.proof_files import check_proof_name, save_solution

    if options.prop is None:
        raise BadSpec(str(path), "say what to compute: --prop FILE.props, or --prop '<<player>> Pmax=? [ F goal ]'")
    for file in (options.out, options.proof):
        if file is not None:
            check_writable(file)
    if options.out is not None:
        checked_export(options.out)
    if options.proof is not None:
        check_proof_name(options.proof)
    model = read_model(read_text(path, BadGame), str(path))
    questions = read_property(options.prop)
    checker = Checker(
        model,
        questions,
        read_constants(options.const or ""),
        width=options.width,
        seconds=options.seconds,
        limit=options.limit,
        told=told,
    )
    if (options.out or options.proof) and len(questions.questions) > 1:
        raise BadSpec(options.prop, f"--out needs one property of {len(questions.questions)}: --prop FILE:NUMBER")
    answers = []
    for question in questions.questions:
        if question.not_read is not None and len(questions.questions) == 1:
            raise question.not_read
        answers.append(checker.answer(question))
        if not json:
            show_answer(answers[-1])
    notes = []
    if options.out is not None:
        written = write_answer(checker, answers[0], options.out)
        notes.append(f"strategies written to {', '.join(map(str, written))}")
    if options.proof is not None:
        solution = answers[0].settled[0].solution if answers[0].settled else None
        if solution is None:
            raise BadSpec(str(options.proof), "the answer needs no proof: play ends where it begins")
        save_solution(solution, options.proof, must_end=answers[0].settled[0].must_end)
        notes.append(f"proof written to {options.proof}; check it with 'kibitz verify {options.proof}'")
    for note in notes if not json else ():
        console.print(note, style="dim", markup=False)
    if json:
        typer.echo(msgspec.json.encode([answer_fields(answer) for answer in answers]))


def read_property(text: str) -> "Questions":
    """The properties of a file, one of them (`FILE:2`, `FILE:name`), or the text itself."""
    from kibitz.solve.prism.properties import read_questions

    path, _, chosen = text.rpartition(":")
    if Path(text).is_file():
        return read_questions(read_text(Path(text), BadGame), text)
    if path and "<" not in path and Path(path).is_file():
        questions = read_questions(read_text(Path(path), BadGame), path)
        for number, question in enumerate(questions.questions, 1):
            if chosen in (str(number), question.name):
                return msgspec.structs.replace(questions, questions=[question])
        raise BadSpec(text, f"{path} has {len(questions.questions)} properties, none of them {chosen!r}")
    if "<<" not in text:
        raise BadSpec(text, "there is no such file, and it is no property such as <<player>> Pmax=? [ F goal ]")
    return read_questions(text, "--prop")


def write_answer(checker: "Checker", answer: "Answer", path: Path) -> list[Path]:
    """Write the strategies behind an answer."""
    from kibitz.solve.prism.exports import write_strategies

    if len(answer.settled) != 1 or answer.settled[0].solution is None:
        raise BadSpec(answer.question.text, "there is no strategy to write: nothing is chosen")
    return write_strategies(checker.model, answer.settled[0], path)


def show_answer(answer: "Answer") -> None:
    """Print an answer: the question, its interval or verdict, and the strategies at the initial state."""
    name = f'"{answer.question.name}": ' if answer.question.name else ""
    low, high = answer.interval
    console.print(f"{name}{answer.question.text}", markup=False, highlight=False, soft_wrap=True)
    if answer.question.not_read is not None:
        console.print(f"  {answer.question.not_read}", markup=False, highlight=False, soft_wrap=True)
        return
    words = f"[{low:.10g}, {high:.10g}]"
    if answer.is_verdict:
        words = f"{({True: 'holds', False: 'does not hold', None: 'is not decided'})[answer.verdict]}: {words}"
    methods = ", ".join(
        dict.fromkeys(each for part in answer.settled if part.solution for each in part.solution.methods)
    )
    console.print(
        f"  {words}  ({answer.states:,} states; {methods or 'play ends at once'})", markup=False, soft_wrap=True
    )
    for part in answer.settled:
        if part.solution is not None and len(answer.settled) == 1:
            console.print(strategy_table(part))


def strategy_table(part: Any) -> Any:
    """Both sides' mixtures at the first state with a choice."""
    table = plain_table(None)
    solution = part.solution
    states = solution.game.states
    node = states.first_nodes().get(states.arena.model.initial[0], 0)
    for head in ("side", "at", "strategy"):
        table.add_column(head)
    arena = states.arena
    for player in (0, 1) if part.maximises else (1, 0):
        members = arena.row_players if player == 0 else arena.column_players
        names = ", ".join(arena.model.rules.players[each] for each in members) or "nobody"
        shares = zip(solution.action_names(node, player), solution.policy(player).at(node).tolist(), strict=True)
        mix = ", ".join(f"{action} {share:.4g}" for action, share in shares if share)
        table.add_row(names, states.name(node), mix)
    return table


def answer_fields(answer: "Answer") -> dict[str, Any]:
    """An answer for programs."""
    found: dict[str, Any] = {"name": answer.question.name, "property": answer.question.text}
    if answer.question.not_read is not None:
        return {**found, "not_read": str(answer.question.not_read)}
    found |= {
        "low": json_number(answer.interval[0]),
        "high": json_number(answer.interval[1]),
        "states": answer.states,
    }
    if answer.is_verdict:
        found["holds"] = answer.verdict
    return found


def json_number(value: float) -> float | str:
    """A number as JSON has it; `infinity` has no number there."""
    return value if isfinite(value) else "infinity"
