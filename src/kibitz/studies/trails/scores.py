"""The five agents against the peer-designed ones on all boards: Tables 5.1, 5.2 and 5.5, and Figure 5.1."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kibitz.arena.plots.charts import bars
from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.games.trails.agents.population import PDA19
from kibitz.games.trails.agents.versions import VERSIONS
from kibitz.studies.blocks import Block, Cell, Conclusion, Figure, Paragraph, Table
from kibitz.studies.comparisons import Comparison, comparison_table
from kibitz.studies.results import Results
from kibitz.studies.study import Matches, Part, Section, Settings
from kibitz.studies.trails.fields import Meeting, against_field, lead, meetings, other_mean, own_mean
from kibitz.studies.trails.thesis import SCORES, SOURCE

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

BOARDS = ("dd", "di", "id")
SETTINGS: Settings = {"field": PDA19, "repeats": 100}
QUICK: Settings = {"repeats": 1}
LEAST = -80.0
"""Where the axis of Figure 5.1 begins: the least an agent can earn."""
OUTCOMES = ("won", "tied", "lost")
COMPARED = (
    ("deception earns more than PERB alone", "PERB + deception", "PERB", False),
    ("deception earns more than the reliability model alone", "Reliability + deception", "Reliability", False),
    ("opponents earn more against PERB than against deception", "PERB", "PERB + deception", True),
    ("PERB earns more than the reliability model", "PERB", "Reliability", False),
    ("the tree earns less than without it", "Reliability + deception", "Reliability + deception + tree", False),
)
"""The claims of the thesis's means: the first agent, or its opponents, earn more than the second."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """Every version with every opponent of the field, board by board."""
    return [
        Matches(
            name=f"scores_{board}",
            tournament=against_field(VERSIONS, settings["field"], (board,), settings["repeats"], seed),
        )
        for board in BOARDS
    ]


def score_blocks(results: Results) -> Iterator[Block]:
    """A table for each board, the figure, and which claims of the thesis hold."""
    settings = results.settings
    games = [
        game for board in BOARDS for game in meetings(results.matches(f"scores_{board}"), list(VERSIONS), (board,))
    ]
    for board in BOARDS:
        here = [game for game in games if game.board == board]
        yield Table(
            ("agent", "earns", "opponents earn", *OUTCOMES),
            [score_row(version, [game for game in here if game.agent == version]) for version in VERSIONS],
            f"Board {board.upper()}: points per game (95 % interval over opponents), and shares of games.",
        )
    yield Figure("scores", "Means of the agents and of their opponents (Figure 5.1).", lambda: chart(games))
    yield Paragraph(
        f"Each pair met {2 * settings['repeats']} times on each board, half of them in either seat. The thesis has "
        "board DD only, 38 games to a row, and no intervals; its boards are lost and its opponents are not known, so "
        "levels are not comparable, but the order of the agents is."
    )
    first = [game for game in games if game.board == BOARDS[0]]
    yield comparison_table(
        list(thesis_comparisons(first)), "The thesis's means and shares of opponents on DD beside ours."
    )
    yield from orders(games)


def score_row(version: str, games: Sequence[Meeting]) -> tuple[Cell, ...]:
    """A row of a table of scores."""
    return version, own_mean(games), other_mean(games), *outcomes(games)


def outcomes(games: Sequence[Meeting]) -> list[Estimate]:
    """The shares of games won, tied and lost, by points."""
    signs = [(game.own > game.other) - (game.own < game.other) for game in games]
    opponents = [game.opponent for game in games]
    return [mean_interval([float(sign == each) for sign in signs], opponents, bounds=(0.0, 1.0)) for each in (1, 0, -1)]


def chart(games: Sequence[Meeting]) -> "Picture":
    """Figure 5.1: the agents and their opponents side by side."""
    by_version = {version: [game for game in games if game.agent == version] for version in VERSIONS}
    groups = {
        "agent": {version: own_mean(here) for version, here in by_version.items()},
        "opponents": {version: other_mean(here) for version, here in by_version.items()},
    }
    return bars(groups, label="points per game", least=LEAST)


def thesis_comparisons(games: Sequence[Meeting]) -> Iterator[Comparison]:
    """Every mean of the thesis."""
    for version, there in SCORES.items():
        here = [game for game in games if game.agent == version]
        for who, number, mean in (("", there.own, own_mean), (", opponents", there.others, other_mean)):
            yield Comparison(
                what=f"{version}{who}",
                source=f"{SOURCE}, {there.table}",
                there=number,
                here=mean(here),
                apart="other opponents and boards",
            )
        for what, there_is, here_is in zip(OUTCOMES, there.results, outcomes(here), strict=True):
            yield Comparison(
                what=f"{version}, {what}",
                source=f"{SOURCE}, {there.table}",
                there=there_is / sum(there.results),
                here=here_is,
                apart="other opponents and boards",
            )


def orders(games: Sequence[Meeting]) -> Iterator[Block]:
    """Which of the thesis's orders hold on which board."""
    rows = []
    for board in BOARDS:
        here = [game for game in games if game.board == board]
        for claim, first, second, of_others in COMPARED:
            gap = lead(here, first, second, of_others=of_others)
            verdict = "yes" if gap.low > 0.0 else "no" if gap.high < 0.0 else "not decided"
            rows.append((board.upper(), claim, gap, verdict))
    yield Table(("board", "claim", "difference in points", "holds?"), rows, "The orders by the thesis's means.")
    gap = lead([game for game in games if game.board == BOARDS[0]], "PERB + deception", "PERB")
    sure = "more than the choice of opponents explains" if gap.low > 0.0 else "which the opponents can explain"
    yield Conclusion(
        f"On {BOARDS[0].upper()} deception earns PERB {gap.mean:+.1f} points a game ({gap.low:.1f} to {gap.high:.1f}), "
        f"{sure}; the thesis has +25.3."
    )


TITLE = "The thesis's agents against its kind of opponents"
SECTIONS = (Section(title=TITLE, parts=tuple(f"scores_{board}" for board in BOARDS), blocks=score_blocks),)
