"""What the Expectimax tree lacks: better predictions of the opponent."""

from collections.abc import Iterator

from kibitz.arena.statistics import Estimate
from kibitz.games.trails.agents.population import PDA19, STRANGERS
from kibitz.studies.blocks import Block, Conclusion, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.study import Matches, Part, Section, Settings
from kibitz.studies.trails.fields import against_field, lead, meetings, other_mean, own_mean

BASE = "trails.deception(base=trails.reliability)"
RULES, BASE_RATES, THESIS, ALL = "PERB's rules", "base rates", "thesis's features", "all features"
TREES = {
    RULES: BASE,
    BASE_RATES: f"trails.tree(base={BASE})",
    THESIS: f"trails.tree(base={BASE}, model=trails.predictors(features=thesis))",
    ALL: f"trails.tree(base={BASE}, model=trails.predictors)",
}
"""Where offers come from: the features of the tree's predictors."""
FIELDS = ("known", "strangers")
SETTINGS: Settings = {"known": PDA19, "strangers": STRANGERS, "trees_repeats": 2}
QUICK: Settings = {"known": PDA19[::5], "strangers": STRANGERS[::5], "trees_repeats": 1}


def parts(settings: Settings, seed: int) -> list[Part]:
    """Every tree with every opponent of both fields, on DD."""
    return [
        Matches(
            name=f"trees_{field}",
            tournament=against_field(TREES, settings[field], ("dd",), settings["trees_repeats"], seed),
        )
        for field in FIELDS
    ]


def tree_blocks(results: Results) -> Iterator[Block]:
    """A table for each field, and the effect of more features."""
    yield Paragraph(
        "All send and answer in the same way, by the reliability model with deception; their offers differ. The "
        "predictors learned from games of the nineteen with each other, so those are known and the others are "
        "strangers."
    )
    gained = {}
    for field in FIELDS:
        games = list(meetings(results.matches(f"trees_{field}"), list(TREES), ("dd",)))
        rows = []
        for name in TREES:
            here = [game for game in games if game.agent == name]
            gap = None if name == THESIS else lead(games, name, THESIS)
            rows.append((name, own_mean(here), other_mean(here), gap))
        columns = ("offers by", "earns", "opponents earn", "more than the thesis's tree")
        caption = f"{len(results.settings[field])} {field} on DD: points per game (95 % interval over opponents)."
        yield Table(columns, rows, caption.replace("known", "known agents"))
        gained[field] = lead(games, ALL, THESIS)
    known, strangers = (in_points(gained[field]) for field in FIELDS)
    yield Conclusion(
        f"Predictors on all features change what the tree of the thesis earns by {known} from agents that were learned "
        f"from, by {strangers} from strangers."
    )


def in_points(gap: Estimate) -> str:
    """A difference in words."""
    return f"{gap.mean:+.1f} points ({gap.low:.1f} to {gap.high:.1f})"


TITLE = "What the tree expects"
SECTIONS = (Section(title=TITLE, parts=tuple(f"trees_{field}" for field in FIELDS), blocks=tree_blocks),)
