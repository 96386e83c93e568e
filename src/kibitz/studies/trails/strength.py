"""The agent that learns whom it deals with, against known negotiators and strangers, and what its parts are worth."""

from collections.abc import Iterator, Sequence

from kibitz.arena.statistics import Estimate
from kibitz.studies.blocks import Block, Cell, Conclusion, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.study import Matches, Part, Section, Settings
from kibitz.studies.trails.fields import Meeting, against_field, lead, meetings, other_mean, own_mean
from kibitz.studies.trails.trees import FIELDS

KIBITZER, RIVAL = "kibitzer", "PERB + deception"
AGENTS = {KIBITZER: "trails.kibitzer(nodes={nodes})", RIVAL: "trails.deception"}
ABLATED = {
    "without belief": "trails.kibitzer(belief=False, nodes={nodes})",
    "without counter-offers": "trails.kibitzer(counter_offers=False, nodes={nodes})",
    "one round only": "trails.kibitzer(rounds=1, nodes={nodes})",
    "learned leaf": "trails.kibitzer(leaf=learned, nodes={nodes})",
}
"""The agent with one part taken away or exchanged."""
SETTINGS: Settings = {
    "strength_boards": ("dd", "di", "id"),
    "kibitzer_nodes": 3000,
    "strength_repeats": 100,
    "ablated_repeats": 10,
}
QUICK: Settings = {"kibitzer_nodes": 300, "strength_repeats": 1, "ablated_repeats": 1}
"""The opponents, known ones and strangers, are those of the trees."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """Both agents with everybody, and the ablated ones with everybody less often."""
    field, boards = (*settings["known"], *settings["strangers"]), settings["strength_boards"]
    found: list[Part] = []
    for name, agents, repeats in (("strength", AGENTS, "strength_repeats"), ("ablations", ABLATED, "ablated_repeats")):
        specs = {agent: spec.format(nodes=settings["kibitzer_nodes"]) for agent, spec in agents.items()}
        tournament = against_field(specs, field, boards, settings[repeats], seed)
        found.append(Matches(name=name, tournament=tournament, weight=10.0))
    return found


def told(results: Results) -> Iterator[Block]:
    """What both earn from known negotiators and from strangers, on every board."""
    settings = results.settings
    games = played(results)
    rows: list[tuple[Cell, ...]] = []
    leads: list[Estimate] = []
    for board in settings["strength_boards"]:
        for group in FIELDS:
            here = [game for game in games if game.board == board and game.opponent in settings[group]]
            gap = lead(here, KIBITZER, RIVAL)
            leads.append(gap)
            means = [own_mean(of(here, agent)) for agent in AGENTS]
            rows.append((board.upper(), group, *means, gap, other_mean(of(here, KIBITZER))))
    yield Table(
        ("board", "opponents", *AGENTS, "difference", f"opponents of {KIBITZER}"),
        rows,
        "Points per game, both seats (95 % interval over opponents).",
    )
    yield Paragraph(
        f"Each pair met {2 * settings['strength_repeats']} times on each board. The belief of the first agent is about "
        "the known negotiators, and what it expects of others was learned from games among those; the strangers are "
        "all of the population that nothing was learned from. Games in which nobody draws are alike."
    )
    clear = sum(gap.low > 0.0 for gap in leads)
    yield Conclusion(
        f"The agent that learns whom it deals with earns clearly more than PERB with deception in {clear} of "
        f"{len(leads)} fields; the least difference is {min(gap.mean for gap in leads):+.1f} points."
    )
    yield exploited(games, settings["strength_boards"])


def played(results: Results) -> list[Meeting]:
    """The games of both agents."""
    return list(meetings(results.matches("strength"), list(AGENTS), results.settings["strength_boards"]))


def of(games: Sequence[Meeting], agent: str) -> list[Meeting]:
    """The games of one agent."""
    return [game for game in games if game.agent == agent]


def exploited(games: Sequence[Meeting], boards: Sequence[str]) -> Table:
    """Who earned most from each agent: no best response to it earns less."""
    rows: list[tuple[Cell, ...]] = []
    for board in boards:
        for agent in AGENTS:
            here = [game for game in of(games, agent) if game.board == board]
            taken = {name: other_mean([game for game in here if game.opponent == name]) for name in opponents(here)}
            most = max(taken, key=lambda name: taken[name].mean)
            rows.append((board.upper(), agent, most, taken[most].mean))
    columns = ("board", "agent", "exploited most by", "who earns")
    return Table(columns, rows, "How far each agent can be exploited, at least: the best of all opponents against it.")


def opponents(games: Sequence[Meeting]) -> list[str]:
    """Everybody who was met, each once."""
    return list(dict.fromkeys(game.opponent for game in games))


def ablations(results: Results) -> Iterator[Block]:
    """What the agent loses without each of its parts."""
    settings = results.settings
    boards = settings["strength_boards"]
    games = [*of(played(results), KIBITZER), *meetings(results.matches("ablations"), list(ABLATED), boards)]
    rows: list[tuple[Cell, ...]] = []
    for board in boards:
        here = [game for game in games if game.board == board]
        rows += [(board.upper(), name, own_mean(of(here, name)), lead(here, name, KIBITZER)) for name in ABLATED]
    columns = ("board", "agent", "earns", f"more than {KIBITZER}")
    yield Table(columns, rows, "The agent with one part taken away or exchanged, known negotiators and strangers.")


SECTIONS = (
    Section(title="An agent that learns whom it deals with", parts=("strength",), blocks=told),
    Section(title="What each part of it is worth", parts=("strength", "ablations"), blocks=ablations),
)
