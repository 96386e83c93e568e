"""The agent that learns about its opponent, against known negotiators and strangers."""

from collections.abc import Iterator, Sequence

from kibitz.arena.statistics import Estimate
from kibitz.core.registry import make_agent
from kibitz.games.trails.agents.negotiator import Negotiator
from kibitz.studies.blocks import Block, Cell, Conclusion, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.study import Matches, Part, Section, Settings
from kibitz.studies.trails.fields import Meeting, against_field, lead, meetings, other_mean, own_mean
from kibitz.studies.trails.scores import BOARDS
from kibitz.studies.trails.trees import FIELDS

KIBITZER, RIVAL = "kibitzer", "PERB + deception"
AGENTS = {KIBITZER: "trails.kibitzer", RIVAL: "trails.deception"}
SETTINGS: Settings = {"kibitzer": AGENTS[KIBITZER], "strength_repeats": 100}
QUICK: Settings = {"kibitzer": "trails.kibitzer(nodes=300)", "strength_repeats": 1}
"""The opponents, known ones and strangers, are those of the trees."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """The agent with all opponents, and its rival with strangers: the rival's games with known ones are elsewhere."""
    everyone, repeats = (*settings["known"], *settings["strangers"]), settings["strength_repeats"]
    found: list[Part] = []
    for board in BOARDS:
        for name, agents, field in (
            ("kibitzer", {KIBITZER: settings["kibitzer"]}, everyone),
            ("rival", {RIVAL: AGENTS[RIVAL]}, settings["strangers"]),
        ):
            tournament = against_field(agents, field, (board,), repeats, seed)
            found.append(Matches(name=f"{name}_{board}", tournament=tournament))
    return found


def sources(*names: str) -> tuple[str, ...]:
    """The parts of these names, board by board."""
    return tuple(f"{name}_{board}" for name in names for board in BOARDS)


def strength_blocks(results: Results) -> Iterator[Block]:
    """The earnings of both from known negotiators and from strangers, on every board."""
    settings = results.settings
    everyone = [*settings["known"], *settings["strangers"]]
    games = games_of_agents(results, KIBITZER, RIVAL)
    rows: list[tuple[Cell, ...]] = []
    leads: list[Estimate] = []
    for board in BOARDS:
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
        "all of the population that nothing was learned from. Games in which no player draws are equal, so they are "
        f"played twice and then copied; {drawing(everyone)} of the {len(everyone)} opponents draw, and so does PERB."
    )
    clear = sum(gap.low > 0.0 for gap in leads)
    yield Conclusion(
        f"The agent that learns about its opponent earns clearly more than PERB with deception in {clear} of "
        f"{len(leads)} fields; the least difference is {min(gap.mean for gap in leads):+.1f} points."
    )


def games_of_agents(results: Results, *agents: str) -> list[Meeting]:
    """The games of either agent or of both."""
    found: list[Meeting] = []
    for board in BOARDS:
        if KIBITZER in agents:
            found += meetings(results.matches(f"kibitzer_{board}"), [KIBITZER], (board,))
        if RIVAL in agents:
            known = [each for each in results.matches(f"scores_{board}") if RIVAL in each.names]
            found += meetings([*known, *results.matches(f"rival_{board}")], [RIVAL], (board,))
    return found


def of(games: Sequence[Meeting], agent: str) -> list[Meeting]:
    """The games of one agent."""
    return [game for game in games if game.agent == agent]


def drawing(names: Sequence[str]) -> int:
    """How many negotiators draw."""
    agents = map(make_agent, names)
    return sum(isinstance(agent, Negotiator) and agent.traits.stochastic for agent in agents)


SECTIONS = (
    Section(
        title="An agent that learns about its opponent",
        parts=sources("kibitzer", "rival", "scores"),
        blocks=strength_blocks,
    ),
)
