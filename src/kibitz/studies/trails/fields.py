"""What better predictions are worth to the tree, and what the kibitzer earns, from known and unseen agents."""

from collections.abc import Iterator

from kibitz.games.trails.agents.population import PDA19, STRANGERS
from kibitz.studies.measures import Measure
from kibitz.studies.results import Results
from kibitz.studies.study import Matches, Part, Row, Settings
from kibitz.studies.trails.scores import BOARDS, PARTS, against_field, points, seat_rows

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
PLAYED = tuple(f"{name}_{board}" for name in ("kibitzer", "rival") for board in BOARDS)


def parts(settings: Settings, seed: int) -> list[Part]:
    """Every tree with all opponents on DD; the kibitzer with all on every board, its rival with strangers.

    The rival's games with known opponents are those of the scores.
    """
    trees: list[Part] = [
        Matches(
            name=f"trees_{field}",
            tournament=against_field(TREES, settings[field], BOARDS[0], settings["trees_repeats"], seed),
        )
        for field in FIELDS
    ]
    everyone, repeats = (*settings["known"], *settings["strangers"]), settings["strength_repeats"]
    kibitzer, rival = {KIBITZER: settings["kibitzer"]}, {RIVAL: "trails.deception"}
    fields = {"kibitzer": (kibitzer, everyone), "rival": (rival, settings["strangers"])}
    strength: list[Part] = [
        Matches(name=f"{name}_{board}", tournament=against_field(*fields[name], board, repeats, seed))
        for board in BOARDS
        for name in fields
    ]
    return trees + strength


def tree_rows(results: Results) -> Iterator[Row]:
    """The games of all trees."""
    for field in FIELDS:
        for row in seat_rows(results, TREES, f"trees_{field}"):
            yield {**row, "opponents": field}


def strength_rows(results: Results) -> Iterator[Row]:
    """The games of the kibitzer and of its rival with the same opponents."""
    for row in seat_rows(results, (KIBITZER, RIVAL), *PLAYED, *PARTS):
        for field in FIELDS:
            if row["opponent"] in results.settings[field]:
                yield {**row, "opponents": field}


MEASURES = (
    Measure(
        name="What the tree expects",
        part=tuple(f"trees_{field}" for field in FIELDS),
        by=("opponents", "agent"),
        rows=tree_rows,
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
        part=(*PLAYED, *PARTS),
        by=("board", "opponents", "agent"),
        rows=strength_rows,
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
