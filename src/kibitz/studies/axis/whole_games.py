"""Whole games on large boards: teams against the greedy and the random player, by how far they look ahead."""

from collections.abc import Iterator
from statistics import fmean

from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.core.play import play
from kibitz.core.registry import make_game
from kibitz.games.axis.rules import Axis
from kibitz.studies.blocks import Block, Cell, Conclusion, Figure, Paragraph, Table
from kibitz.studies.figures import dots
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work, crossed

SETTINGS: Settings = {"whole_games": 20, "boards": ("front", "pocket", "revised"), "strength": 1.0}
QUICK: Settings = {"whole_games": 1, "boards": ("front",), "strength": 0.05}
TEAMS = {
    "one turn": "depth=1",
    "one turn, L_RI": "depth=1, kind=lri",
    "one turn, Tsetlin": "depth=1, kind=tsetlin",
    "one turn and a greedy reply": "depth=1, rounds=(100,), reply=axis.greedy",
    "two turns, greedy replies": "depth=2, rounds=(30, 10), reply=axis.greedy",
    "one turn, a tenth of the rounds": "depth=1, rounds=(40,)",
}
"""What the agent is told."""
LARGEST = "revised"
LONG = ("one turn and a greedy reply", "two turns, greedy replies")
"""Teams that are not tried on the largest board, where a greedy reply takes too long to be learned from."""
OPPONENTS = ("axis.greedy", "random")


def parts(settings: Settings, seed: int) -> list[Part]:
    """Every team on every board against both opponents, from both sides in turn."""
    factors = {"scenario": settings["boards"], "team": tuple(TEAMS), "opponent": OPPONENTS}
    every = crossed(factors, repeats=settings["whole_games"], seed=seed, paired=["team"])
    tried = [case for case in every if case["scenario"] != LARGEST or case["team"] not in LONG]
    cases = [{**case, "strength": settings["strength"]} for case in tried]
    return [Work(name="whole", work=whole_game, cases=cases, weight=3)]


def whole_game(case: Case) -> Row:
    """One game; the team plays the first side in even repeats and the second in odd ones."""
    game = make_game(f"axis(scenario={case['scenario']})")
    assert isinstance(game, Axis)
    sides, side = [power.side for power in game.board.powers], case["repeat"] % 2
    team = f"automata({TEAMS[case['team']]}, strength={case['strength']})"
    agents = [team if each == side else case["opponent"] for each in sides]
    record = play(game, agents, seed=case["seed"])
    assert record.ending is not None, "a game that was played has ended"
    own = [entry for entry in record.entries if entry.player >= 0 and sides[entry.player] == side]
    turns = game.board.turns * sides.count(side)
    gain = record.ending.returns[sides.index(side)]
    return {"gain": gain, "seconds_a_turn": sum(sum(entry.seconds) for entry in own) / turns}


def blocks(results: Results) -> Iterator[Block]:
    """Score and time per turn."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in results.rows("whole"):
        groups.setdefault((row["scenario"], row["opponent"], row["team"]), []).append(row)
    rows: list[tuple[Cell, ...]] = []
    shown: dict[str, dict[str, Estimate]] = {team: {} for team in TEAMS}
    for (scenario, opponent, team), found in groups.items():
        gain = mean_interval([row["gain"] for row in found])
        shown[team][f"{scenario} v {opponent.removeprefix('axis.')}"] = gain
        rows.append((scenario, opponent, team, len(found), gain, fmean(row["seconds_a_turn"] for row in found)))
    columns = ("board", "against", "team looks at", "games", "gain, IPC", "seconds a turn")
    yield Table(columns, rows, "Gain of the team's side over whole games, both sides in turn.")
    yield Figure("whole-games", "Gain over whole games.", lambda: dots(shown, label="gain, IPC"))
    beaten = [row for row in rows if row[1] == "random" and isinstance(row[4], Estimate) and row[4].low > 0.0]
    played = [row for row in rows if row[1] == "random"]
    greedy = [row for row in rows if row[1] != "random" and isinstance(row[4], Estimate) and row[4].high < 0.0]
    yield Conclusion(
        f"On large boards {len(beaten)} of {len(played)} teams surely beat the random player, and {len(greedy)} of "
        f"{len(rows) - len(played)} surely lose to the greedy one."
    )
    yield Paragraph(
        "On large boards outcomes are dice and all units share one status: with many units each of them learns mostly "
        "from what the others did. The greedy player uses exact odds of every battle."
    )


SECTIONS = (Section(title="Whole games", parts=("whole",), blocks=blocks),)
