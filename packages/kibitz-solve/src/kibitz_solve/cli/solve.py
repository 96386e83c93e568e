"""`kibitz solve`: certified values and strategies for every state of a game."""

from ast import literal_eval
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any, Literal

from msgspec import Meta

from kibitz.cli.console import Part, Table, dim, progress
from kibitz.cli.options import GameArgument, Out, Positive, Seconds, Seed, TableCommand, Written
from kibitz.core import drawing
from kibitz.core.errors import BadSpec
from kibitz.core.files import write_file
from kibitz.core.game import Game, State
from kibitz.core.registry import kit_of, make_game
from kibitz_solve import (
    LoweredSolution,
    Solution,
    build_game,
    draw_solution,
    lower_expectations,
    lowerable,
    solve,
    state_name,
)
from kibitz_solve.proof_files import check_proof_name, save_solution
from kibitz_solve.recursive.building.policies import checked_suffix
from kibitz_solve.recursive.proofs.solving import BACKWARD_INDUCTION
from kibitz_solve.recursive.strategies.lowered import HOPELESS

ROWS = 12
"""Number of states shown of a game without a map, and of information sets of each player."""
CONCURRENT = "state player objective lowered by_value discount infinite_play svg"
"""Options for games that both players see."""


class SolveCommand(TableCommand, frozen=True):
    """Solve a game with simultaneous moves: certified values, and strategies that guarantee them.

    Every value is an interval from low to high: player 0's strategy earns at least low against any opponent, player
    1's concedes at most high. kibitz can solve any small zero-sum game without hidden information.

    A PRISM-games model of concurrent moves (.prism) is read with its properties (--prop) and constants (--const).

    Games with secrets are solved by regret minimisation (--method): the average strategies, and exactly how much each
    player could still gain. Ctrl-C stops early and keeps what was found.

    Examples:
      kibitz solve guan
      kibitz solve right-turn --svg right-turn.svg
      kibitz solve right-turn --lowered --svg levels.svg --out policy.csv
      kibitz solve 'bear-brawl(hero_hp=5, bear_hp=5, radius=10)' --state '(2, 1, -7, 7)' --out policy.csv
      kibitz solve right-turn --json
      kibitz solve aloha.prism --prop aloha.props --const D=8,q=0.9
      kibitz solve 'kuhn(players=2)' --method cfr --target 1e-4
      kibitz solve leduc --method mccfr --seconds 10 --out leduc.json
    """

    game: GameArgument
    method: Literal["cfr", "mccfr"] | None = None
    """Games with secrets: cfr (CFR+) or mccfr (external sampling)."""
    state: Annotated[str | None, "STATE"] = None
    """State to show: '(-4, 0)' (default: the first)."""
    player: Annotated[int, "-p", Meta(ge=0, le=1)] = 0
    """The player whose strategy the map shows: 0 or 1."""
    objective: Literal["payoff", "survival"] = "payoff"
    """survival: a win counts 1, everything else 0."""
    lowered: bool = False
    """Also advise where a win is out of reach: levels. Implies survival."""
    by_value: bool = False
    """With --lowered: count the values of states, not 1 for every winnable one."""
    discount: Annotated[float, "β"] = 1.0
    """Discount factor per round."""
    infinite_play: Annotated[float | None, "C"] = None
    """Value of play without end (default: the game's own, or 0)."""
    width: Annotated[float | None, "--width", "--target", "W"] = None
    """Target width of every interval (default: 1e-6); with --method, target exploitability."""
    seconds: Seconds | None = None
    """Stop after S seconds and report the intervals."""
    iterations: int | None = None
    """With --method: stop after N iterations."""
    limit: Positive | None = None
    """Maximum number of states; with --method, of histories."""
    out: Out = None
    """Write both strategies: .csv or .json."""
    proof: Written | None = None
    """Write the proof of every bound: .npz, for `kibitz verify`."""
    prop: Annotated[str | None, "PROP"] = None
    """With a .prism model: a property, FILE.props or FILE.props:2."""
    const: Annotated[str | None, "D=8,q=0.9"] = None
    """With a .prism model: values of its constants."""
    svg: Written | None = None
    """Draw the map of values and arrows."""
    seed: Seed = None

    def execute(self) -> None:
        if self.game.endswith(".prism"):
            from kibitz_solve.cli.prism import solve_prism

            self.refuse(f"{CONCURRENT} method", f"it is not for .prism models such as {self.game}; leave it out")
            solve_prism(self)
            return
        self.refuse("prop const", "it is for .prism models")
        game = make_game(self.game)
        if self.method is not None:
            from kibitz_solve.cli.extensive import solve_secrets

            self.refuse(f"{CONCURRENT} proof", "it is for games without secrets; leave it or --method out")
            solve_secrets(game, self)
            return
        self.refuse("iterations seed", "it needs --method")
        self.check(game)
        solution = self.solution(game)
        if self.out is not None:
            solution.table().write(self.out)
        if self.proof is not None:
            plain = self.objective == "payoff" and not self.lowered and self.infinite_play is None
            save_solution(solution, self.proof, game=repr(game) if plain else "")
        self.show(solution_fields(game, solution) if self.json else None, self.parts(game, solution))

    def check(self, game: Game) -> None:
        """Check before a long solve that the game can be solved in this way and that the files can be written."""
        if game.hidden or game.players != 2 or not game.zero_sum:
            why = "only zero-sum games of two players without secrets are solved this way; add --method cfr"
            raise BadSpec(self.game, why)
        if self.proof is not None:
            check_proof_name(self.proof)
        if self.out is not None:
            checked_suffix(self.out)
        if self.lowered and self.discount < 1.0:
            raise BadSpec(self.game, "--lowered allows no --discount: its levels lie far ahead")
        if self.by_value and not self.lowered:
            raise BadSpec(self.game, "--by-value needs --lowered")
        if self.svg is not None and kit_of(game).state_map is None:
            raise BadSpec(self.game, "it has no map to draw; its states do not lie on a grid")

    def solution(self, game: Game) -> Solution:
        """The solution of the game."""
        width, seconds = 1e-6 if self.width is None else self.width, self.seconds
        with progress(self.json) as report:
            model = build_game(game, infinite_play=self.infinite_play, limit=self.limit, report=report)
            solution = solve(
                lowerable(model) if self.lowered else model,
                objective=self.objective,
                discount=self.discount,
                width=width,
                seconds=seconds,
                report=report,
            )
            if self.lowered:
                return lower_expectations(solution, by_value=self.by_value, width=width, seconds=seconds, report=report)
        return solution

    def parts(self, game: Game, solution: Solution) -> Iterator[Part]:
        """The solution, its map, and the names of the files."""
        state = shown_state(game, solution, self.state)
        lay_out = kit_of(game).state_map
        sheet = None if lay_out is None else draw_solution(solution, lay_out(game, state), self.player)
        yield from solution_parts(game, solution, state, self.player, sheet)
        if self.out is not None:
            yield dim(f"strategies written to {self.out}; play them with 'equilibrium(file=\"{self.out}\")'")
        if self.proof is not None:
            yield dim(f"proof written to {self.proof}; check it with 'kibitz verify {self.proof}'")
        if self.svg is not None:
            assert sheet is not None, "games without a map have been refused"
            write_file(self.svg, drawing.svg(sheet, scale=32.0))
            yield dim(f"drawn into {self.svg}")


def solution_fields(game: Game, solution: Solution) -> dict[str, Any]:
    """All results for JSON, state by state."""
    rows = solution.table().rows
    found: dict[str, Any] = {
        "game": repr(game),
        "states": len(solution),
        "seconds": round(solution.seconds, 6),
        "width": solution.width,
        "methods": solution.methods,
        "values": {row.state: [row.low, row.high] for row in rows},
        "policy": {row.state: [row.row_shares, row.column_shares] for row in rows},
        "actions": {row.state: [row.rows, row.columns] for row in rows},
    }
    if isinstance(solution, LoweredSolution):
        for name, field in (("levels", "level"), ("hopes", "hope"), ("distances", "distance")):
            found[name] = {row.state: getattr(row, field) for row in rows}
    return found


def shown_state(game: Game, solution: Solution, text: str | None) -> State:
    """The state that the user named, or the initial state; the first choice if chance begins."""
    if text is None:
        state = game.new_initial_state()
        while state.chance_outcomes():
            state = state.child(state.chance_outcomes()[0][0])
        return state
    try:
        key = literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        key = text
    state = solution.state(key)
    assert isinstance(state, State), "games have states"
    return state


def solution_parts(
    game: Game, solution: Solution, state: State, player: int, sheet: drawing.Drawing | None
) -> Iterator[Part]:
    """The map or the first states, then the matrix of one state."""
    proved = f"{len(solution):,} states, every interval at most {solution.width:.3g} wide"
    yield f"{game!r}: {proved} ({', '.join(solution.methods)}; {solution.seconds:.2f} s)"
    if BACKWARD_INDUCTION not in solution.methods:
        yield f"Play without end counts {solution.game.infinite_play:.6g}."
    if sheet is not None:
        arrows = f"Arrows are what {game.player_name(player)} does; + is a mixture, • no move, ■ the end."
        columns = 3 if isinstance(solution, LoweredSolution) else 2
        yield f"{drawing.text(sheet, columns=columns)}\n{arrows}"
    elif len(solution) > 1:
        yield states_table(game, solution)
    if isinstance(solution, LoweredSolution):
        yield levels_line(solution)
    if not state.is_terminal():
        yield matrix_table(game, solution, state)


def states_table(game: Game, solution: Solution) -> Table:
    """The first states: their intervals and both strategies."""
    rows = (
        (state_name(key), value_words(solution, key), *(mix(solution, key, seat) for seat in (0, 1)))
        for key in islice(solution, ROWS)
    )
    headings = ("state", "value", game.player_name(0), game.player_name(1))
    return Table(headings, rows, f"The first {ROWS} states" if len(solution) > ROWS else None)


def levels_line(solution: LoweredSolution) -> str:
    """The number of states on each level."""
    sizes = solution.sizes()
    hopeless = sizes.pop(HOPELESS, 0)
    counts = ", ".join(f"{count:,} on level {level}" for level, count in sizes.items())
    return f"States: {counts}, {hopeless:,} hopeless. Level 0 can be won; each level above takes one mistake."


def matrix_table(game: Game, solution: Solution, state: State) -> Table:
    """The matrix of a state: the value of each pair of actions, and the probability of each action."""
    actions = [[f"{action} {p:.6g}" for action, p in solution.strategy(state, seat).items()] for seat in (0, 1)]
    rows = ((action, *row) for action, row in zip(actions[0], matrix_words(solution, state), strict=True))
    corner = f"{game.player_name(0)} \\ {game.player_name(1)}"
    return Table((corner, *actions[1]), rows, f"At {state}: worth {value_words(solution, state)}")


def matrix_words(solution: Solution, state: State) -> list[list[str]]:
    """The cells of the matrix: values, or the next levels if a win is out of reach."""
    if isinstance(solution, LoweredSolution) and solution.level(state) != 0:
        behind = solution.levels_behind(state).tolist()
        return [[f"level {level}" if level >= 0 else "hopeless" for level in row] for row in behind]
    return [[f"{entry:.6g}" for entry in row] for row in solution.matrix(state)]


def value_words(solution: Solution, state: Any) -> str:
    """`[0.499998, 0.5]`; where expectations were lowered, `[0, 0], level 1, hope [1, 1]`."""
    bounds = interval(solution.interval(state))
    if not isinstance(solution, LoweredSolution) or solution.level(state) == 0:
        return bounds
    return f"{bounds}, level {solution.level(state)}, hope {interval(solution.hope(state))}"


def interval(bounds: tuple[float, float]) -> str:
    """`[0.499998, 0.5]`."""
    return f"[{bounds[0]:.8g}, {bounds[1]:.8g}]"


def mix(solution: Solution, state: Any, player: int) -> str:
    """`F 0.5, R 0.5`."""
    return ", ".join(f"{action} {share:.4g}" for action, share in solution.strategy(state, player).items() if share)
