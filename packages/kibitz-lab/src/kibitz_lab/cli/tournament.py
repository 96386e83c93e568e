"""`kibitz tournament`: plays many matches, stores them, and resumes after any interruption."""

from pathlib import Path
from typing import Annotated

from kibitz.cli.options import Agent, Argument, JsonCommand, Network, changes
from kibitz.core.errors import BadSpec
from kibitz.core.registry import default_agents
from kibitz.remote.command_lines import allow_network
from kibitz_lab.arena.plan import Plan, make_plan, read_plan
from kibitz_lab.arena.runs import open_run, run_summary
from kibitz_lab.arena.series import known_game
from kibitz_lab.arena.tournament import Schedule, named_agents, read_agents
from kibitz_lab.cli.options import Compute, Database, Fresh, RunFiles, open_store
from kibitz_lab.cli.runs import finish, summary_parts, write_run


class TournamentCommand(JsonCommand, frozen=True):
    """Play a tournament and store every match. Run the command again to resume.

    Examples:
      kibitz tournament dilemma
      kibitz tournament pawns s1 s4 'deep=alphabeta(depth=4)' --opening 4 --repeats 20
      kibitz tournament pawns --agents agents.toml --gauntlet mine
      kibitz tournament cup.toml --executor ray --ray-address 10.0.0.1:6379
    """

    what: Argument[Annotated[str, "GAME|FILE.toml"]]
    """A game, or a tournament file."""
    agents: Argument[tuple[Agent, ...]] = ()
    """Specs, or NAME=SPEC (default: the game's own)."""
    agent_file: Annotated[Path | None, "--agents"] = None
    """An agent file: names with specs or commands."""
    schedule: Schedule = Schedule()
    compute: Compute = Compute()
    network: Network = ()
    fresh: Fresh = False
    files: RunFiles = RunFiles()
    db: Database = None

    def execute(self) -> None:
        what, name = self.what, ""
        if what.endswith(".toml"):
            chosen = [*(["agents"] if self.agents or self.agent_file else []), *changes(self.schedule)]
            if chosen:
                raise BadSpec(", ".join(chosen), f"write it in {what}")
            plan, name = read_plan(what), Path(what).stem
        else:
            plan = described_plan(self)
        allow_network(self.network)
        executor = self.compute.make()
        with open_store(self.db) as store:
            running = open_run(plan, store, name=name, fresh=self.fresh)
            finish(running, executor)
            found = run_summary(running)
            self.show(found, summary_parts(found))
            write_run(running, self.files)


def described_plan(options: TournamentCommand) -> Plan:
    """The plan of the tournament that the options describe."""
    if options.agents and options.agent_file:
        raise BadSpec("--agents", "name the agents here or in a file, not both")
    if options.agent_file:
        agents = read_agents(options.agent_file)
    else:
        agents = named_agents(options.agents or default_agents(known_game(options.what)))
    gauntlet = {"format": "gauntlet"} if options.schedule.champion else {}
    return make_plan({"games": (options.what,), "agents": agents, **changes(options.schedule), **gauntlet})
