"""`kibitz tournament`: plays many matches, stores them, and resumes after any interruption."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli.options import (
    CsvOption,
    DatabaseOption,
    ExecutorOption,
    FreshOption,
    GameTimeOption,
    JsonOption,
    ModelOption,
    MoveTimeOption,
    NetworkOption,
    OpeningOption,
    PliesOption,
    RayAddressOption,
    RecordsOption,
    RunSeedOption,
    SeriesOption,
    WorkersOption,
    chosen_executor,
    conditions,
)
from kibitz.cli.runs import finish, show
from kibitz.core.errors import BadSpec
from kibitz.core.files import check_writable

if TYPE_CHECKING:
    from kibitz.arena.tournament import Tournament

Count = int | None


def tournament(
    what: Annotated[str, typer.Argument(metavar="GAME|FILE.toml", help="A game, or a tournament file.")],
    agents: Annotated[
        list[str] | None, typer.Argument(metavar="[AGENT]...", help="Specs, or NAME=SPEC (default: the game's own).")
    ] = None,
    agent_file: Annotated[
        Path | None, typer.Option("--agents", metavar="FILE", help="An agent file: names with specs or commands.")
    ] = None,
    gauntlet: Annotated[
        str | None, typer.Option("--gauntlet", metavar="NAME", help="Play only the matches of NAME against the others.")
    ] = None,
    mirror: Annotated[bool, typer.Option("--mirror", help="Agents meet themselves too.")] = False,
    repeats: Annotated[
        Count, typer.Option("--repeats", "-n", metavar="N", help="Times every group meets (default: 10).")
    ] = None,
    series: SeriesOption = None,
    opening: OpeningOption = None,
    seats: Annotated[str | None, typer.Option("--seats", metavar="HOW", help="rotate, swap, all or fixed.")] = None,
    model: ModelOption = None,
    seed: RunSeedOption = None,
    move_time: MoveTimeOption = None,
    game_time: GameTimeOption = None,
    max_plies: PliesOption = None,
    executor: ExecutorOption = "pool",
    workers: WorkersOption = None,
    ray_address: RayAddressOption = None,
    network: NetworkOption = None,
    db: DatabaseOption = None,
    fresh: FreshOption = False,
    csv: CsvOption = None,
    records: RecordsOption = None,
    json: JsonOption = False,
) -> None:
    """Play a tournament and store every match. Run the command again to resume.

    Examples:

      kibitz tournament dilemma

      kibitz tournament pawns s1 s4 'deep=alphabeta(depth=4)' --opening 4 --repeats 20

      kibitz tournament pawns --agents agents.toml --gauntlet mine

      kibitz tournament cup.toml --executor ray --ray-address 10.0.0.1:6379
    """
    from kibitz.arena.definitions import read_tournament
    from kibitz.arena.runs import open_run
    from kibitz.remote.commands import allow_network
    from kibitz.store import Store

    given: dict[str, Any] = {
        "format": "gauntlet" if gauntlet else None,
        "champion": gauntlet,
        "mirror": mirror or None,
        "repeats": repeats,
        "seats": seats,
        "models": model or None,
    }
    chosen = {key: value for key, value in given.items() if value is not None}
    chosen |= conditions(series, opening, seed, move_time, game_time, max_plies)
    if what.endswith(".toml"):
        if agents or agent_file or chosen:
            raise BadSpec(", ".join([*(["agents"] if agents or agent_file else []), *chosen]), f"write it in {what}")
        wanted, name = read_tournament(what), Path(what).stem
    else:
        wanted, name = _make_tournament(what, agents, agent_file, chosen), ""
    allow_network(network or ())
    how = chosen_executor(executor, workers, ray_address)
    if csv is not None:
        check_writable(csv)
    with Store(db) as store:
        running = open_run(wanted, store, name=name, fresh=fresh)
        finish(running, how)
        show(running, csv, records, json=json)


def _make_tournament(
    game: str, agents: list[str] | None, agent_file: Path | None, chosen: dict[str, Any]
) -> "Tournament":
    """The tournament that the options describe."""
    from kibitz.arena.definitions import make_tournament, named_agents, read_agents
    from kibitz.core.registry import house_agents, make_game, spec_of
    from kibitz.core.registry.fitting import fits

    if agents and agent_file:
        raise BadSpec("--agents", "name the agents here or in a file, not both")
    made = make_game(game)
    known = [name for name in house_agents(spec_of(made).name) if fits("agent", name, made)]
    short = [name.rpartition(".")[2] for name in known] or ["random"]
    found = read_agents(agent_file) if agent_file else named_agents(agents or short)
    return make_tournament({"games": (game,), "agents": found, **chosen})
