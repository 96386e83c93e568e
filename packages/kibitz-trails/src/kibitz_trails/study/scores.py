"""The five agents against the peer-designed ones on all boards: Tables 5.1, 5.2 and 5.5, and Figure 5.1."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from kibitz.core.registry import make_game
from kibitz_lab.arena.plan import Plan
from kibitz_lab.arena.series import played_series
from kibitz_lab.arena.tournament import Tournament
from kibitz_lab.studies.claims import Claim
from kibitz_lab.studies.measures import Column, Measure, fractions
from kibitz_lab.studies.study import Case, Results, Row, Settings, Work
from kibitz_trails.agents.population import PDA19
from kibitz_trails.agents.tree import VERSIONS
from kibitz_trails.study.thesis import ORDERS, SCORES, SOURCE

BOARDS = ("dd", "di", "id")
SETTINGS: Settings = {"field": PDA19, "repeats": 100}
QUICK: Settings = {"repeats": 1}
POINTS = (-80.0, 220.0)
"""The range of points of a game on the boards of the thesis."""
GAINS = (POINTS[0] - POINTS[1], POINTS[1] - POINTS[0])
OUTCOMES = ("won", "tied", "lost")
TABLES, FIGURE, ORDER = "Tables 5.1, 5.2 and 5.5: points a game", "Figure 5.1: means", "The order of the agents"


def parts(settings: Settings, seed: int) -> list[Work]:
    """Every version with every opponent of the field, on every board."""
    cases = meetings(VERSIONS, settings["field"], BOARDS, settings["repeats"], seed)
    return [Work(name="scores", work=play_meeting, cases=cases, version=2)]


def game_on(board: str) -> str:
    """The game on a board, as results name it."""
    return repr(make_game(f"trails(board={board})"))


def meetings(
    agents: Mapping[str, str], field: Sequence[str], boards: Sequence[str], repeats: int, seed: int
) -> list[Case]:
    """Every agent with every opponent of the field on every board; all meet on the same seeds."""
    return [
        {"board": board, "repeats": repeats, "seed": seed, "agent": agent, "spec": spec, "opponent": opponent}
        for board, (agent, spec), opponent in product(boards, agents.items(), field)
    ]


def play_meeting(case: Case) -> list[Row]:
    """An agent's games with an opponent, in both seats in turn; `pair` numbers them alike for all agents."""
    agent, opponent = case["agent"], case["opponent"]
    meeting = Tournament(
        games=(game_on(case["board"]),),
        agents={opponent: opponent, agent: case["spec"]},
        format="fields",
        fields=((agent, opponent),),
        repeats=case["repeats"],
        shared=True,
        seed=case["seed"],
    )
    rows = []
    played = [match.result for series in Plan.of(meeting).series() for match in played_series(series)]
    for number, result in enumerate(played):
        seat = result.names.index(agent)
        own, other = result.returns[seat], result.returns[1 - seat]
        outcomes = dict(zip(OUTCOMES, map(float, (own > other, own == other, own < other)), strict=True))
        pair = f"{case['board']} {opponent} {number}"
        rows.append({"pair": pair, "earns": own, "other earns": other, **outcomes})
    return rows


def points(name: str, of: str = "earns", **less: str) -> Column:
    """A column of points, or of their difference from those of another agent, opponent by opponent."""
    bounds = GAINS if less else POINTS
    return Column(name=name, of=of, block="opponent", bounds=bounds, less=less, pair="pair")


def figure_rows(results: Results) -> Iterator[Row]:
    """The games on DD, once for the agent and once for the opponent."""
    for row in results.rows("scores"):
        if row["board"] == BOARDS[0]:
            yield {**row, "who": "agent", "points": row["earns"]}
            yield {**row, "who": "opponents", "points": row["other earns"]}


MEASURES = (
    Measure(
        name=TABLES,
        part="scores",
        by=("board", "agent"),
        columns=(
            points("earns"),
            points("opponents earn", "other earns"),
            *fractions(*OUTCOMES, block="opponent"),
        ),
        about="Points a game, half of the games in either seat, and the fractions of games won, tied and lost.",
        shown=True,
    ),
    Measure(
        name=FIGURE,
        part="scores",
        by=("who", "agent"),
        rows=figure_rows,
        columns=(points("points", "points"),),
        drawn=True,
        across=True,
    ),
    Measure(
        name=ORDER,
        part="scores",
        by=("board", "agent"),
        columns=(
            *(points(f"more than {other}", agent=other) for other in dict.fromkeys(each.other for each in ORDERS)),
            points("opponents more than those of PERB", "other earns", agent="PERB"),
        ),
        about="Differences in points a game, opponent by opponent.",
    ),
)


def score_claims() -> Iterator[Claim]:
    """Every mean and fraction of the thesis, and the order of its means."""
    for version, printed in SCORES.items():
        figures = (printed.own, printed.others, *(count / sum(printed.results) for count in printed.results))
        for column, there in zip(("earns", "opponents earn", *OUTCOMES), figures, strict=True):
            yield Claim(
                what=f"{version}: {column}",
                source=f"{SOURCE}, {printed.table}",
                there=there,
                measure=TABLES,
                column=column,
                cell={"board": BOARDS[0], "agent": version},
                apart="other opponents and boards",
            )
    for order in ORDERS:
        yield Claim(
            what=order.what,
            source=f"{SOURCE}, {order.table}",
            there=0.0,
            relation=order.relation,
            measure=ORDER,
            column="opponents more than those of PERB" if order.of_opponents else f"more than {order.other}",
            cell={"board": BOARDS[0], "agent": order.agent},
        )


CLAIMS = tuple(score_claims())
