"""`kibitz solve`: certified values and strategies for every state of a game."""

from ast import literal_eval
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console
from rich.status import Status

from kibitz.cli.console import console, plain_table
from kibitz.cli.options import GameArgument, JsonOption, SeedOption
from kibitz.core import drawing
from kibitz.core.abilities import ability
from kibitz.core.errors import BadSpec
from kibitz.core.files import check_writable, write_file
from kibitz.core.game import Game, State
from kibitz.core.registry import entries, has_ability, make_game, spec_of

if TYPE_CHECKING:
    from kibitz.solve import LoweredSolution, Solution

ROWS = 12
"""Number of states in the table of a game without a map."""


def solve(
    game: GameArgument,
    method: Annotated[
        Literal["cfr", "mccfr"] | None,
        typer.Option("--method", help="Games with secrets: cfr (CFR+) or mccfr (external sampling)."),
    ] = None,
    state: Annotated[
        str | None, typer.Option("--state", metavar="STATE", help="State to show: '(-4, 0)' (default: the first).")
    ] = None,
    player: Annotated[
        int, typer.Option("--player", "-p", min=0, max=1, help="The player whose strategy the map shows: 0 or 1.")
    ] = 0,
    objective: Annotated[
        Literal["payoff", "survival"],
        typer.Option("--objective", help="survival: a win counts 1, everything else 0."),
    ] = "payoff",
    lowered: Annotated[
        bool, typer.Option("--lowered", help="Also advise where a win is out of reach: levels. Implies survival.")
    ] = False,
    by_value: Annotated[
        bool,
        typer.Option("--by-value", help="With --lowered: count the values of states, not 1 for every winnable one."),
    ] = False,
    discount: Annotated[float, typer.Option("--discount", metavar="β", help="Discount factor per round.")] = 1.0,
    infinite_play: Annotated[
        float | None,
        typer.Option("--infinite-play", metavar="C", help="Value of play without end (default: the game's own, or 0)."),
    ] = None,
    width: Annotated[
        float | None,
        typer.Option(
            "--width",
            "--target",
            metavar="W",
            help="Target width of every interval (default: 1e-6); with --method, target exploitability.",
        ),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", help="Stop after S seconds and report the intervals.")
    ] = None,
    iterations: Annotated[
        int | None, typer.Option("--iterations", metavar="N", help="With --method: stop after N iterations.")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", min=1, help="Maximum number of states; with --method, of histories."),
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option("--checkpoint", metavar="FILE", help="Checkpoint file; rerun to resume.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write both strategies: .csv, .json, .npz, .dot or .tra."),
    ] = None,
    proof: Annotated[
        Path | None,
        typer.Option("--proof", metavar="FILE", help="Write the proof of every bound: .npz, for `kibitz verify`."),
    ] = None,
    prop: Annotated[
        str | None,
        typer.Option("--prop", metavar="PROP", help="With a .prism model: a property, FILE.props or FILE.props:2."),
    ] = None,
    const: Annotated[
        str | None, typer.Option("--const", metavar="D=8,q=0.9", help="With a .prism model: values of its constants.")
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Draw the map of values and arrows.")
    ] = None,
    seed: SeedOption = None,
    json: JsonOption = False,
) -> None:
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
    from kibitz.solve import build_game, lower_expectations, lowerable
    from kibitz.solve import solve as solved
    from kibitz.solve.exports import write_solution
    from kibitz.solve.proof_files import save_solution
    from kibitz.solve.recursive.game.policies import SUFFIXES

    other = {
        "--state": state is not None,
        "--player": player != 0,
        "--objective": objective != "payoff",
        "--lowered": lowered,
        "--by-value": by_value,
        "--discount": discount != 1.0,
        "--infinite-play": infinite_play is not None,
        "--checkpoint": checkpoint is not None,
        "--svg": svg is not None,
    }
    given = [option for option, used in other.items() if used]
    if game.endswith(".prism"):
        from kibitz.cli.prism import PrismOptions, solve_prism

        if given or method is not None:
            raise BadSpec(game, f"{given[0] if given else '--method'} is not for .prism models; leave it out")
        with progress(json) as told:
            settings = PrismOptions(prop, const, 1e-6 if width is None else width, seconds, limit, out, proof)
            solve_prism(Path(game), settings, told, json)
        return
    if prop is not None or const is not None:
        raise BadSpec(game, f"--{'prop' if prop is not None else 'const'} is for .prism models")
    made = make_game(game)
    if method is not None:
        if given or proof is not None:
            raise BadSpec(game, f"{[*given, '--proof'][0]} is for games without secrets; leave it or --method out")
        from kibitz.cli.extensive import RegretOptions, solve_secrets

        solve_secrets(made, RegretOptions(method, iterations, width, seconds, limit, seed), out, json)
        return
    if iterations is not None or seed is not None:
        raise BadSpec(game, f"--{'seed' if iterations is None else 'iterations'} needs --method")
    if made.hidden or made.players != 2 or not made.zero_sum:
        raise BadSpec(game, "only zero-sum games of two players without secrets are solved this way; add --method cfr")
    width = 1e-6 if width is None else width
    check_outputs(out, svg, proof)
    if lowered and discount < 1.0:
        raise BadSpec(game, "--lowered allows no --discount: its levels lie far ahead")
    if by_value and not lowered:
        raise BadSpec(game, "--by-value needs --lowered")
    if svg is not None and not has_map(made):
        raise BadSpec(game, "it has no map to draw; its states do not lie on a grid")
    with progress(json) as told:
        model = build_game(made, infinite_play=infinite_play, limit=limit, told=told)
        solution = solved(
            lowerable(model) if lowered else model,
            objective=objective,
            discount=discount,
            width=width,
            seconds=seconds,
            checkpoint=checkpoint,
            told=told,
        )
        if lowered:
            solution = lower_expectations(solution, by_value=by_value, width=width, seconds=seconds, told=told)
    if out is not None:
        write_solution(solution, out)
    if proof is not None:
        plain = objective == "payoff" and not lowered and infinite_play is None
        save_solution(solution, proof, game=repr(made) if plain else "")
    if json:
        print_json(made, solution)
        return
    at = shown_state(made, solution, state)
    sheet = draw_map(made, solution, at, player)
    show(made, solution, at, player, sheet)
    if out is not None:
        playable = f"; play them with 'equilibrium(file=\"{out}\")'" if out.suffix in SUFFIXES else ""
        console.print(f"strategies written to {out}{playable}", style="dim")
    if proof is not None:
        console.print(f"proof written to {proof}; check it with 'kibitz verify {proof}'", style="dim", markup=False)
    if svg is not None:
        assert sheet is not None, "games without a map have been refused"
        write_file(svg, drawing.svg(sheet, scale=32.0))
        console.print(f"drawn into {svg}", style="dim", markup=False)


def check_outputs(out: Path | None, svg: Path | None, proof: Path | None) -> None:
    """Check before a long solve that the files can be written."""
    from kibitz.solve.exports import checked_export
    from kibitz.solve.proof_files import check_proof_name

    if proof is not None:
        check_proof_name(proof)
    if out is not None:
        checked_export(out)
    for path in (out, svg, proof):
        if path is not None:
            check_writable(path)


def progress(quiet: bool) -> "AbstractContextManager[Callable[[str], None] | None]":
    """A line of progress on stderr, if that is a terminal."""
    terminal = Console(stderr=True)
    return nullcontext(None) if quiet or not terminal.is_terminal else ProgressLine(terminal)


class ProgressLine:
    """A line on the terminal that shows the progress of a solve."""

    def __init__(self, terminal: Console) -> None:
        self.status = Status("solving", console=terminal)

    def __enter__(self) -> Callable[[str], None]:
        self.status.start()
        return self.status.update

    def __exit__(self, *error: object) -> None:
        self.status.stop()


def print_json(game: Game, solution: "Solution") -> None:
    """Print all results as JSON, state by state."""
    import msgspec

    from kibitz.solve import LoweredSolution

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
        for name, told in (("levels", "level"), ("hopes", "hope"), ("distances", "distance")):
            found[name] = {row.state: getattr(row, told) for row in rows}
    typer.echo(msgspec.json.encode(found))


def shown_state(game: Game, solution: "Solution", text: str | None) -> State:
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


def has_map(game: Game) -> bool:
    """Whether the game lays its states out on a sheet."""
    name = spec_of(game).name
    return name in entries("game") and has_ability(name, "MAP")


def draw_map(game: Game, solution: "Solution", state: State, player: int) -> drawing.Drawing | None:
    """The map around a state, if the game has one."""
    from kibitz.solve import draw_solution

    if not has_map(game):
        return None
    return draw_solution(solution, ability(spec_of(game).name, "MAP")(game, state), player)


def show(game: Game, solution: "Solution", state: State, player: int, sheet: drawing.Drawing | None) -> None:
    """Print the map or the first states, then the matrix of one state."""
    from kibitz.solve import LoweredSolution
    from kibitz.solve.recursive.proofs.solving import BACKWARD_INDUCTION

    proved = f"{len(solution):,} states, every interval at most {solution.width:.3g} wide"
    console.print(f"{game!r}: {proved} ({', '.join(solution.methods)}; {solution.seconds:.2f} s)", markup=False)
    if BACKWARD_INDUCTION not in solution.methods:
        console.print(f"Play without end counts {solution.game.infinite_play:.6g}.")
    if sheet is not None:
        arrows = f"Arrows are what {game.player_name(player)} does; + is a mixture, • no move, ■ the end."
        columns = 3 if isinstance(solution, LoweredSolution) else 2
        console.print(f"{drawing.text(sheet, columns=columns)}\n{arrows}", markup=False, soft_wrap=True)
    elif len(solution) > 1:
        console.print(states_table(game, solution))
    if isinstance(solution, LoweredSolution):
        console.print(levels_line(solution))
    if not state.is_terminal():
        console.print(matrix_table(game, solution, state))


def states_table(game: Game, solution: "Solution") -> Any:
    """The first states: their intervals and both strategies."""
    from kibitz.solve import state_name

    table = plain_table(f"The first {ROWS} states" if len(solution) > ROWS else None)
    for head in ("state", "value", game.player_name(0), game.player_name(1)):
        table.add_column(head)
    for key in islice(solution, ROWS):
        table.add_row(state_name(key), worth(solution, key), *(mix(solution, key, seat) for seat in (0, 1)))
    return table


def levels_line(solution: "LoweredSolution") -> str:
    """The number of states on each level."""
    from kibitz.solve.recursive.advice.lowered import HOPELESS

    sizes = solution.sizes()
    hopeless = sizes.pop(HOPELESS, 0)
    counts = ", ".join(f"{count:,} on level {level}" for level, count in sizes.items())
    return f"States: {counts}, {hopeless:,} hopeless. Level 0 can be won; each level above takes one mistake."


def matrix_table(game: Game, solution: "Solution", state: State) -> Any:
    """The matrix of a state: the value of each pair of actions, and the probability of each action."""
    table = plain_table(f"At {state}: worth {worth(solution, state)}")
    mixes = [solution.strategy(state, seat) for seat in (0, 1)]
    table.add_column(f"{game.player_name(0)} \\ {game.player_name(1)}")
    for action, share in mixes[1].items():
        table.add_column(f"{action} {share:.6g}", justify="right")
    for (action, share), row in zip(mixes[0].items(), matrix_words(solution, state), strict=True):
        table.add_row(f"{action} {share:.6g}", *row)
    return table


def matrix_words(solution: "Solution", state: State) -> list[list[str]]:
    """The cells of the matrix: values, or the next levels if a win is out of reach."""
    from kibitz.solve import LoweredSolution

    if isinstance(solution, LoweredSolution) and solution.level(state) != 0:
        behind = solution.levels_behind(state).tolist()
        return [[f"level {level}" if level >= 0 else "hopeless" for level in row] for row in behind]
    return [[f"{entry:.6g}" for entry in row] for row in solution.matrix(state)]


def worth(solution: "Solution", state: Any) -> str:
    """`[0.499998, 0.5]`; where expectations were lowered, `[0, 0], level 1, hope [1, 1]`."""
    from kibitz.solve import LoweredSolution

    told = interval(solution.interval(state))
    if not isinstance(solution, LoweredSolution) or solution.level(state) == 0:
        return told
    return f"{told}, level {solution.level(state)}, hope {interval(solution.hope(state))}"


def interval(bounds: tuple[float, float]) -> str:
    """`[0.499998, 0.5]`."""
    return f"[{bounds[0]:.8g}, {bounds[1]:.8g}]"


def mix(solution: "Solution", state: Any, player: int) -> str:
    """`F 0.5, R 0.5`."""
    return ", ".join(f"{action} {share:.4g}" for action, share in solution.strategy(state, player).items() if share)
