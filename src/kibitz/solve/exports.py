"""Solved games as graphs (DOT), and as PRISM's explicit files: transitions, states and strategies."""

from collections.abc import Iterator
from pathlib import Path

from kibitz.core.errors import BadPolicy
from kibitz.core.files import write_file
from kibitz.solve.recursive.game.policies import SUFFIXES, state_name
from kibitz.solve.recursive.proofs.solution import Solution

GRAPH, EXPLICIT = ".dot", ".tra"
EXPORTS = (*SUFFIXES, GRAPH, EXPLICIT)
SMALLEST = 1e-15
"""Less likely transitions are not drawn."""


def checked_export(path: Path | str) -> str:
    """The format that a file name's suffix says; raises BadPolicy if it is unknown."""
    suffix = Path(path).suffix
    if suffix not in EXPORTS:
        raise BadPolicy(path, f"the name of a file of strategies ends in one of {', '.join(EXPORTS)}")
    return suffix


def write_solution(solution: Solution, path: Path | str) -> list[Path]:
    """Write both strategies in the format that the suffix says; return the files written."""
    suffix, target = checked_export(path), Path(path)
    if suffix == GRAPH:
        write_file(target, dot_text(solution))
    elif suffix == EXPLICIT:
        files = {target: transitions_text(solution), target.with_suffix(".sta"): states_text(solution)}
        files[target.with_suffix(".strat")] = strategy_text(solution)
        for each, text in files.items():
            write_file(each, text)
        return list(files)
    else:
        solution.table().write(target)
    return [target]


def outcomes(solution: Solution, node: int) -> Iterator[tuple[int, float]]:
    """Where a node leads at last: choices and ends with their probabilities, chance moves resolved."""
    game, structure = solution.game, solution.game.structure
    if not game.choices <= node < game.live:
        yield node, 1.0
        return
    first, last = structure.chance_first[node - game.choices : node - game.choices + 2]
    for after, odds in zip(structure.chance_successors[first:last], structure.chance_odds[first:last], strict=True):
        for final, more in outcomes(solution, int(after)):
            yield final, float(odds) * more


def pair_outcomes(solution: Solution, node: int) -> Iterator[tuple[int, int, dict[int, float]]]:
    """For every row and column of a state the distribution over choices and ends."""
    game = solution.game
    rows, columns = game.shape(node)
    entries = game.structure.successors[game.structure.first[node] :][: rows * columns].reshape(rows, columns)
    for row in range(rows):
        for column in range(columns):
            total: dict[int, float] = {}
            for final, odds in outcomes(solution, int(entries[row, column])):
                total[final] = total.get(final, 0.0) + odds
            yield row, column, total


def dot_text(solution: Solution) -> str:
    """The states with their intervals and strategies, and how play goes on if both follow them."""
    game = solution.game
    lines = ["digraph solution {", "  node [shape=box, fontname=monospace];"]
    ends: set[int] = set()
    for node in range(game.choices):
        low, high = solution.low[node] + game.infinite_play, solution.high[node] + game.infinite_play
        mixes = [_mix(solution, node, player) for player in (0, 1)]
        label = "\\n".join([state_name(game.states.name(node)), f"[{low:.6g}, {high:.6g}]", *mixes])
        lines.append(f"  n{node} [label={_quoted_text(label)}];")
        joint: dict[int, float] = {}
        shares = [solution.policy(player).at(node) for player in (0, 1)]
        for row, column, total in pair_outcomes(solution, node):
            for final, odds in total.items():
                joint[final] = joint.get(final, 0.0) + float(shares[0][row] * shares[1][column]) * odds
        for final, odds in sorted(joint.items()):
            if odds > SMALLEST:
                lines.append(f'  n{node} -> n{final} [label="{odds:.6g}"];')
                ends |= {final} if final >= game.live else set()
    for end in sorted(ends):
        paid = game.low[end - game.live] + game.infinite_play
        lines.append(f'  n{end} [label="end: {paid:.6g}", shape=ellipse];')
    return "\n".join([*lines, "}", ""])


def _mix(solution: Solution, node: int, player: int) -> str:
    shares = solution.policy(player).at(node).tolist()
    named = zip(solution.action_names(node, player), shares, strict=True)
    return ", ".join(f"{action} {share:.4g}" for action, share in named if share)


def _quoted_text(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'


def transitions_text(solution: Solution) -> str:
    """PRISM's explicit transitions: states with a choice first, then the ends, each with a loop."""
    game = solution.game
    lines, choices = [], 0
    for node in range(game.choices):
        names = [solution.action_names(node, player) for player in (0, 1)]
        for number, (row, column, total) in enumerate(pair_outcomes(solution, node)):
            choices += 1
            for final, odds in sorted(total.items()):
                number_after = final if final < game.choices else final - game.live + game.choices
                lines.append(f"{node} {number} {number_after} {odds!r} [{names[0][row]},{names[1][column]}]")
    lines += [f"{game.choices + end} 0 {game.choices + end} 1.0 [-,-]" for end in range(len(game.low))]
    states = game.choices + len(game.low)
    return "\n".join(["# Transitions (CSG)", f"{states}:2 {choices + len(game.low)} {len(lines)}", *lines, ""])


def states_text(solution: Solution) -> str:
    """PRISM's explicit states, with one variable that counts them; what each is stands in a comment."""
    game = solution.game
    lines = [f"{node}:({node}) # {state_name(game.states.name(node))}" for node in range(game.choices)]
    for place, paid in enumerate(game.low):
        lines.append(f"{game.choices + place}:({game.choices + place}) # end: {paid + game.infinite_play:.12g}")
    return "\n".join(["# States", "(state)", *lines, ""])


def strategy_text(solution: Solution) -> str:
    """Both strategies: state, player, action, probability."""
    lines = ["# Strategies: state player action probability"]
    for node in range(solution.game.choices):
        for player in (0, 1):
            named = zip(solution.action_names(node, player), solution.policy(player).at(node).tolist(), strict=True)
            lines += [f"{node} {player} [{action}] {share!r}" for action, share in named if share]
    return "\n".join([*lines, ""])
