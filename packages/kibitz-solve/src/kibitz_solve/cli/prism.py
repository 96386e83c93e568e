"""`kibitz solve model.prism`: certified answers to the properties of a PRISM-games model."""

from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec

from kibitz.cli.console import Part, Table, dim, progress, show
from kibitz.core.errors import BadGame, BadSpec
from kibitz.core.files import read_text
from kibitz_solve.cli.solve import SolveCommand
from kibitz_solve.prism.checking import Answer, Checker, read_constants
from kibitz_solve.prism.properties import Questions, read_questions
from kibitz_solve.prism.reading import read_model
from kibitz_solve.proof_files import check_proof_name, save_solution
from kibitz_solve.recursive.building.policies import checked_suffix


def solve_prism(options: SolveCommand) -> None:
    """Read a model and its properties, and print or write the answers."""
    path, out = Path(options.game), options.out
    if options.prop is None:
        raise BadSpec(str(path), "say what to compute: --prop FILE.props, or --prop '<<player>> Pmax=? [ F goal ]'")
    if out is not None:
        checked_suffix(out)
    if options.proof is not None:
        check_proof_name(options.proof)
    model = read_model(read_text(path, BadGame), str(path))
    questions = read_property(options.prop)
    with progress(options.json or options.csv) as report:
        constants = read_constants(options.const or "")
        width = 1e-6 if options.width is None else options.width
        limits: dict[str, Any] = {"width": width, "seconds": options.seconds, "limit": options.limit}
        checker = Checker(model, questions, constants, **limits, report=report)
        if (out or options.proof) and len(questions.questions) > 1:
            raise BadSpec(options.prop, f"--out needs one property of {len(questions.questions)}: --prop FILE:NUMBER")
        answers = []
        for question in questions.questions:
            if question.not_read is not None and len(questions.questions) == 1:
                raise question.not_read
            answers.append(checker.answer(question))
            if not (options.json or options.csv):
                show(None, answer_parts(answers[-1]))
        notes = list(written_files(answers[0], options))
    parts = [part for answer in answers for part in answer_parts(answer)] if options.csv else map(dim, notes)
    options.show([answer_fields(answer) for answer in answers], parts)


def written_files(answer: Answer, options: SolveCommand) -> Iterator[str]:
    """Write the strategies and the proof behind an answer; say where they are."""
    if options.out is not None:
        if len(answer.settled) != 1 or answer.settled[0].solution is None:
            raise BadSpec(answer.question.text, "there is no strategy to write: nothing is chosen")
        answer.settled[0].solution.table().write(options.out)
        yield f"strategies written to {options.out}"
    if options.proof is not None:
        solution = answer.settled[0].solution if answer.settled else None
        if solution is None:
            raise BadSpec(str(options.proof), "the answer needs no proof: play ends where it begins")
        save_solution(solution, options.proof, must_end=answer.settled[0].must_end)
        yield f"proof written to {options.proof}; check it with 'kibitz verify {options.proof}'"


def read_property(text: str) -> Questions:
    """The properties of a file, one of them (`FILE:2`, `FILE:name`), or the text itself."""
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


def answer_parts(answer: Answer) -> Iterator[Part]:
    """An answer: the question, its interval or verdict, and the strategies at the initial state."""
    name = f'"{answer.question.name}": ' if answer.question.name else ""
    low, high = answer.interval
    yield f"{name}{answer.question.text}"
    if answer.question.not_read is not None:
        yield f"  {answer.question.not_read}"
        return
    words = f"[{low:.10g}, {high:.10g}]"
    if answer.is_verdict:
        words = f"{({True: 'holds', False: 'does not hold', None: 'is not decided'})[answer.verdict]}: {words}"
    methods = dict.fromkeys(each for part in answer.settled if part.solution for each in part.solution.methods)
    yield f"  {words}  ({answer.states:,} states; {', '.join(methods) or 'play ends at once'})"
    if len(answer.settled) == 1 and answer.settled[0].solution is not None:
        yield strategy_table(answer.settled[0])


def strategy_table(part: Any) -> Table:
    """Both sides' mixtures at the first state with a choice."""
    solution = part.solution
    states = solution.game.states
    sides, node = states.sides, states.first_nodes().get(states.sides.model.initial[0], 0)
    rows = []
    for player in (0, 1) if part.maximises else (1, 0):
        members = sides.row_players if player == 0 else sides.column_players
        names = ", ".join(sides.model.rules.players[each] for each in members) or "nobody"
        shares = zip(solution.action_names(node, player), solution.policy(player).at(node).tolist(), strict=True)
        mix = ", ".join(f"{action} {share:.4g}" for action, share in shares if share)
        rows.append((names, states.name(node), mix))
    return Table(("side", "at", "strategy"), rows)


def answer_fields(answer: Answer) -> dict[str, Any]:
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
