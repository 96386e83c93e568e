"""What better predictions are worth to the tree, and what the kibitzer earns, from known and unseen agents."""

from collections.abc import Callable, Collection, Iterator

from kibitz_lab.studies.measures import Measure
from kibitz_lab.studies.study import Results, Row, Settings, Work
from kibitz_trails.agents.population import PDA19, STRANGERS
from kibitz_trails.study.scores import BOARDS, meetings, play_meeting, points

BASE = "trails.deception(base=trails.reliability)"
THESIS = "tree: eight features (thesis)"
TREES = {
    "PERB's rules": BASE,
    "tree: base rates": f"trails.tree(base={BASE})",
    THESIS: f"trails.tree(base={BASE}, model=trails.predictors(features=thesis))",
    "tree: all features": f"trails.tree(base={BASE}, model=trails.predictors)",
}
"""Where offers come from."""
FIELDS = ("known", "strangers")
KIBITZER, RIVAL = "kibitzer", "PERB + deception"
SETTINGS: Settings = {
    "known": PDA19,
    "strangers": STRANGERS,
    "trees_repeats": 2,
    "kibitzer": "trails.kibitzer",
    "strength_repeats": 100,
}
QUICK: Settings = {
    "known": PDA19[::4],
    "strangers": STRANGERS[::4],
    "trees_repeats": 1,
    "kibitzer": "trails.kibitzer(nodes=300)",
    "strength_repeats": 1,
}


def parts(settings: Settings, seed: int) -> list[Work]:
    """Every tree with all opponents on DD; the kibitzer with all on every board, its rival with strangers.

    The rival's games with known opponents are those of the scores.
    """
    everyone, repeats = (*settings["known"], *settings["strangers"]), settings["strength_repeats"]
    trees = meetings(TREES, everyone, BOARDS[:1], settings["trees_repeats"], seed)
    strength = [
        case
        for board in BOARDS
        for case in (
            *meetings({KIBITZER: settings["kibitzer"]}, everyone, [board], repeats, seed),
            *meetings({RIVAL: "trails.deception"}, settings["strangers"], [board], repeats, seed),
        )
    ]
    return [
        Work(name="trees", work=play_meeting, cases=trees, version=2),
        Work(name="strength", work=play_meeting, cases=strength, version=2, weight=3.0),
    ]


def by_field(agents: Collection[str], *parts: str) -> Callable[[Results], Iterator[Row]]:
    """The games of some agents, each with the field of its opponent."""

    def rows(results: Results) -> Iterator[Row]:
        for field in FIELDS:
            for row in (row for part in parts for row in results.rows(part)):
                if row["agent"] in agents and row["opponent"] in results.settings[field]:
                    yield {**row, "opponents": field}

    return rows


MEASURES = (
    Measure(
        name="What the tree expects",
        part="trees",
        by=("opponents", "agent"),
        rows=by_field(TREES, "trees"),
        columns=(
            points("earns"),
            points("opponents earn", "other earns"),
            points("more than the thesis's tree", agent=THESIS),
        ),
        about=(
            "Points a game on DD. All agents send and answer alike, by the reliability model with deception; their "
            "offers differ. The predictors learned from games of the known negotiators with each other."
        ),
    ),
    Measure(
        name="An agent that learns about its opponent",
        part=("strength", "scores"),
        by=("board", "opponents", "agent"),
        rows=by_field((KIBITZER, RIVAL), "strength", "scores"),
        columns=(
            points("earns"),
            points("opponents earn", "other earns"),
            points(f"more than {RIVAL}", agent=RIVAL),
        ),
        about=(
            "Points a game, both seats. The belief of the kibitzer is about the known negotiators, and what it expects "
            "of others was learned from games among those; nothing was learned from the strangers."
        ),
        shown=True,
    ),
)
