"""A model's states and a coalition's strategies in PRISM's explicit formats."""

from pathlib import Path

import numpy as np

from kibitz.core.files import write_file
from kibitz.solve.exports import EXPLICIT, checked_export, write_solution
from kibitz.solve.prism.arena import LayeredStates
from kibitz.solve.prism.checking import Settled
from kibitz.solve.prism.explicit import IDLE, ExplicitModel


def write_strategies(model: ExplicitModel, settled: Settled, path: Path) -> list[Path]:
    """Write the strategies behind an answer; `.tra` also writes `.sta` and `.strat` beside it."""
    assert settled.solution is not None, "the caller checks that there is a solution"
    if checked_export(path) != EXPLICIT:
        return write_solution(settled.solution, path)
    files = {
        path: transitions_text(model),
        path.with_suffix(".sta"): states_text(model),
        path.with_suffix(".strat"): strategies_text(model, settled),
    }
    for each, text in files.items():
        write_file(each, text)
    return list(files)


def transitions_text(model: ExplicitModel) -> str:
    """`state choice next probability [actions]` of the whole model."""
    lines, count = [], 0
    for number, choices in enumerate(model.choices):
        for place, (joint, distribution) in enumerate(choices.after.items()):
            count += 1
            label = ",".join(action or "-" for action in joint)
            for after, odds in sorted((model.numbers[after], odds) for after, odds in distribution.items()):
                lines.append(f"{number} {place} {after} {odds!r} [{label}]")
    head = f"{len(model)}:{len(model.rules.players)} {count} {len(lines)}"
    return "\n".join(["# Transitions (CSG)", head, *lines, ""])


def states_text(model: ExplicitModel) -> str:
    """The variables, and their values in every state."""
    variables = ",".join(variable.name for variable in model.rules.variables)
    lines = [f"{number}:{model.rules.name(state)}" for number, state in enumerate(model.states)]
    return "\n".join(["# States", f"({variables})", *lines, ""])


def strategies_text(model: ExplicitModel, settled: Settled) -> str:
    """Both sides' strategies: `state [step] [actions] probability`, the coalition's first."""
    solution = settled.solution
    assert solution is not None
    assert isinstance(solution.game.states, LayeredStates)
    states = solution.game.states
    arena, lines = states.arena, []
    for player in (0, 1) if settled.maximises else (1, 0):
        members = arena.row_players if player == 0 else arena.column_players
        names = ",".join(model.rules.players[each] for each in members) or "nobody"
        lines.append(f"# Strategy of {names}")
        for node in range(solution.game.choices):
            number, step = int(states.numbers[node]), int(states.layers[node])
            offered = (arena.rows if player == 0 else arena.columns)[number]
            shares = solution.policy(player).at(node)
            for place in np.flatnonzero(shares):
                label = ",".join(action or "-" for action in offered[place]) if offered[place] != (IDLE,) else "-"
                when = f"{number} {step}" if states.last_layer else f"{number}"
                lines.append(f"{when} [{label}] {float(shares[place])!r}")
    return "\n".join([*lines, ""])
