"""The five agents against the peer-designed ones on all boards: Tables 5.1, 5.2 and 5.5, and Figure 5.1."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from kibitz.arena.tournament import Tournament
from kibitz.core.registry import make_game
from kibitz.games.trails.agents.population import PDA19
from kibitz.games.trails.agents.versions import VERSIONS
from kibitz.studies.claims import Claim
from kibitz.studies.measures import Column, Measure
from kibitz.studies.results import Results
from kibitz.studies.study import Matches, Part, Row, Settings
from kibitz.studies.trails.thesis import ORDERS, SCORES, SOURCE

BOARDS = ("dd", "di", "id")
SETTINGS: Settings = {"field": PDA19, "repeats": 100}
QUICK: Settings = {"repeats": 1}
POINTS = (-80.0, 220.0)
"""The range of points of a game on the boards of the thesis."""
GAINS = (POINTS[0] - POINTS[1], POINTS[1] - POINTS[0])
OUTCOMES = ("won", "tied", "lost")
PARTS = tuple(f"scores_{board}" for board in BOARDS)
TABLES, FIGURE, ORDER = "Tables 5.1, 5.2 and 5.5: points a game", "Figure 5.1: means", "The order of the agents"


def parts(settings: Settings, seed: int) -> list[Part]:
    """Every version with every opponent of the field, board by board."""
    return [
        Matches(name=name, tournament=against_field(VERSIONS, settings["field"], board, settings["repeats"], seed))
        for name, board in zip(PARTS, BOARDS, strict=True)
    ]


def game_on(board: str) -> str:
    """The game on a board, as results name it."""
    return repr(make_game(f"trails(board={board})"))


def against_field(agents: Mapping[str, str], field: Sequence[str], board: str, repeats: int, seed: int) -> Tournament:
    """Every agent with every opponent of the field, in both seats; all meet on the same seeds."""
    return Tournament(
        games=(game_on(board),),
        agents={**{name: name for name in field}, **agents},
        format="fields",
        fields=tuple((agent, opponent) for agent in agents for opponent in field),
        repeats=repeats,
        shared=True,
        seed=seed,
    )


def seat_rows(results: Results, agents: Collection[str], *parts: str) -> Iterator[Row]:
    """The games of some agents from their side; `pair` numbers the games with an opponent alike for all agents."""
    boards = {game_on(board): board for board in BOARDS}
    for part in parts:
        played = Counter[tuple[str, str]]()
        for result in results.matches(part):
            seat = 0 if result.names[0] in agents else 1
            agent, opponent = result.names[seat], result.names[1 - seat]
            own, other = result.returns[seat], result.returns[1 - seat]
            if agent not in agents:
                continue
            board = boards[result.game]
            pair = f"{board} {opponent} {played[agent, opponent]}"
            played[agent, opponent] += 1
            row = {
                "board": board,
                "agent": agent,
                "opponent": opponent,
                "pair": pair,
                "earns": own,
                "other earns": other,
            }
            yield row | dict(zip(OUTCOMES, map(float, (own > other, own == other, own < other)), strict=True))


def points(name: str, of: str = "earns", **less: str) -> Column:
    """A column of points, or of their difference from those of another agent, opponent by opponent."""
    bounds = GAINS if less else POINTS
    return Column(name=name, of=of, block="opponent", bounds=bounds, less=less, pair="pair")


def score_rows(results: Results) -> Iterator[Row]:
    """The games of all versions."""
    return seat_rows(results, VERSIONS, *PARTS)


def figure_rows(results: Results) -> Iterator[Row]:
    """The games on DD, once for the agent and once for the opponent."""
    for row in seat_rows(results, VERSIONS, PARTS[0]):
        yield {**row, "who": "agent", "points": row["earns"]}
        yield {**row, "who": "opponents", "points": row["other earns"]}


MEASURES = (
    Measure(
        name=TABLES,
        part=PARTS,
        by=("board", "agent"),
        rows=score_rows,
        columns=(
            points("earns"),
            points("opponents earn", "other earns"),
            *(Column(name=name, block="opponent", bounds=(0.0, 1.0)) for name in OUTCOMES),
        ),
        about="Points a game, half of the games in either seat, and the fractions of games won, tied and lost.",
        shown=True,
    ),
    Measure(
        name=FIGURE,
        part=PARTS[0],
        by=("who", "agent"),
        rows=figure_rows,
        columns=(points("points", "points"),),
        drawn="dots",
        across=True,
    ),
    Measure(
        name=ORDER,
        part=PARTS,
        by=("board", "agent"),
        rows=score_rows,
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
