"""The worth of each part of the agent that learns about its opponent: it plays without it, on the same budget."""

from collections.abc import Iterator

from kibitz.studies.blocks import Block, Cell, Conclusion, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.study import Matches, Part, Section, Settings
from kibitz.studies.trails.fields import against_field, lead, meetings, own_mean
from kibitz.studies.trails.scores import BOARDS
from kibitz.studies.trails.strength import KIBITZER, games_of_agents, of, sources
from kibitz.studies.trails.trees import FIELDS

ABLATED = {
    "without belief": "belief=False",
    "without counter-offers": "counter_offers=False",
    "one round only": "rounds=1",
    "learned leaf": "leaf=learned",
}
"""The agent with one part removed or replaced; its leaves are worth their BestUse otherwise."""
SETTINGS: Settings = {"ablated": "trails.kibitzer({option})", "ablated_repeats": 1, "ablated_every": 2}
QUICK: Settings = {"ablated": "trails.kibitzer({option}, nodes=300)", "ablated_every": 1}


def parts(settings: Settings, seed: int) -> list[Part]:
    """The ablated agents with a sample of the opponents of both fields, once in each seat: few opponents draw."""
    field = [name for group in FIELDS for name in settings[group][:: settings["ablated_every"]]]
    agents = {name: settings["ablated"].format(option=option) for name, option in ABLATED.items()}
    return [
        Matches(
            name=f"ablated_{board}",
            tournament=against_field(agents, field, (board,), settings["ablated_repeats"], seed),
        )
        for board in BOARDS
    ]


def ablation_blocks(results: Results) -> Iterator[Block]:
    """What the agent loses without each of its parts."""
    settings, whole = results.settings, games_of_agents(results, KIBITZER)
    rows: list[tuple[Cell, ...]] = []
    needed = []
    for board in BOARDS:
        games = [*whole, *meetings(results.matches(f"ablated_{board}"), list(ABLATED), (board,))]
        for name in ABLATED:
            here = [game for game in games if game.board == board and game.agent in (name, KIBITZER)]
            fields = [[game for game in here if game.opponent in settings[group]] for group in FIELDS]
            changes = [lead(each, name, KIBITZER) for each in (*fields, here)]
            rows.append((board.upper(), name, own_mean(of(here, name)), *changes))
            needed += [f"{name} on {board.upper()}"] if changes[-1].high < 0.0 else []
    columns = ("board", "agent", "earns", *(f"more from {group}" for group in FIELDS), "more from all")
    yield Table(columns, rows, f"The agent with one part removed or replaced, compared with {KIBITZER}.")
    yield Paragraph(
        "All examine as many events for a decision as the whole agent. They met one in "
        f"{settings['ablated_every']} opponents of either field, {2 * settings['ablated_repeats']} times on each "
        "board, and are compared with what the whole agent earned from these; intervals are over opponents."
    )
    yield Conclusion(f"It earns clearly less {'; '.join(needed)}." if needed else "No part of it is clearly missed.")


SECTIONS = (
    Section(title="What each part of it is worth", parts=sources("kibitzer", "ablated"), blocks=ablation_blocks),
)
