"""Whole games on large boards: teams of different look-ahead against the greedy and the random player."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from kibitz.arena.plots.charts import dots
from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.core.match.play import play
from kibitz.core.registry import make_game
from kibitz.games.axis.rules import Axis
from kibitz.studies.blocks import Block, Cell, Conclusion, Figure, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work, cross_factors

SETTINGS: Settings = {"whole_games": {"front": 20, "pocket": 20, "revised": 4}, "strength": 1.0}
"""Games of every team on every board; two make a pair, one from each side."""
QUICK: Settings = {"whole_games": {"front": 2}, "strength": 0.05}
SHALLOW, DEEP = "one turn", "two turns, greedy replies"
TEAMS = {
    SHALLOW: "depth=1",
    "one turn, L_RI": "depth=1, kind=lri",
    "one turn, Tsetlin": "depth=1, kind=tsetlin",
    "one turn and a greedy reply": "depth=1, rounds=(100,), reply=axis.greedy",
    DEEP: "depth=2, rounds=(30, 10), reply=axis.greedy",
    "one turn, a tenth of the rounds": "depth=1, rounds=(40,)",
}
"""The parameters of the agent."""
LARGEST, SHORT = "revised", (SHALLOW, "one turn, a tenth of the rounds")
"""The only teams on the largest board, where a turn takes longest."""
OPPONENTS = {"axis.greedy": tuple(TEAMS), "random": (SHALLOW, DEEP)}
"""The teams against each opponent; those against the random player only answer whether depth pays."""
WORTH = "Does depth pay? The extra gain of looking two turns ahead instead of one, on the same seeds."


def parts(settings: Settings, seed: int) -> list[Part]:
    """Every team on every board against both opponents, from both sides in turn."""
    cases: list[Case] = []
    for board, games in settings["whole_games"].items():
        for opponent, teams in OPPONENTS.items():
            tried = [team for team in teams if board != LARGEST or team in SHORT]
            factors = {"scenario": [board], "team": tried, "opponent": [opponent]}
            cases += cross_factors(factors, repeats=games, seed=seed, paired=["team"])
    strength = settings["strength"]
    scaled = [{**case, "strength": strength} for case in cases]
    return [Work(name="whole", work=whole_game, cases=scaled, version=2, weight=40)]


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


def pair_means(rows: Sequence[Row]) -> list[float]:
    """The mean gain of every pair of games, one from each side, because sides are not equal; else of single games."""
    gains = {row["repeat"]: row["gain"] for row in rows}
    pairs = [(gains[first] + gains[first + 1]) / 2 for first in gains if first % 2 == 0 and first + 1 in gains]
    return pairs or list(gains.values())


def worth_of_depth(groups: Mapping[tuple[str, str, str], Sequence[Row]]) -> Iterator[tuple[Cell, ...]]:
    """The extra gain of the deep team over the shallow one in games on the same seeds, on every board."""
    for (board, opponent, team), deep in groups.items():
        if team == DEEP:
            shallow = {row["repeat"]: row for row in groups.get((board, opponent, SHALLOW), ())}
            more = [
                {"repeat": row["repeat"], "gain": row["gain"] - shallow[row["repeat"]]["gain"]}
                for row in deep
                if row["repeat"] in shallow
            ]
            if len(more) > 1:
                found = pair_means(more)
                yield board, opponent, len(found), mean_interval(found)


def blocks(results: Results) -> Iterator[Block]:
    """Score and time per turn."""
    rows: list[tuple[Cell, ...]] = []
    shown: dict[str, dict[str, Estimate]] = {team: {} for team in TEAMS}
    groups = results.groups("whole", "scenario", "opponent", "team")
    for (scenario, opponent, team), found in groups.items():
        gain = mean_interval(pair_means(found))
        shown[team][f"{scenario} v {opponent.removeprefix('axis.')}"] = gain
        rows.append((scenario, opponent, team, len(found), gain, fmean(row["seconds_a_turn"] for row in found)))
    columns = ("board", "against", "team looks at", "games", "gain, IPC", "seconds a turn, by the clock")
    yield Table(columns, rows, "Gain of the team's side over whole games, from both sides in pairs.")
    yield Figure("whole-games", "Gain over whole games.", lambda: dots(shown, label="gain, IPC"))
    yield Table(("board", "against", "pairs of games", "gain, IPC"), list(worth_of_depth(groups)), WORTH)
    for opponent in OPPONENTS:
        gains = [row[4] for row in rows if row[1] == opponent and isinstance(row[4], Estimate)]
        better, worse = sum(gain.low > 0.0 for gain in gains), sum(gain.high < 0.0 for gain in gains)
        yield Conclusion(
            f"Whole games against `{opponent}`: of {len(gains)} teams on large boards {better} clearly gain, {worse} "
            f"clearly lose, and {len(gains) - better - worse} are undecided."
        )
    yield Paragraph(
        "On large boards teams play turns by the rules. The status is corrected for the luck of the dice, and a team "
        "learns twice: in squads, in which units with the same options choose together, and with every unit for "
        "itself; it plays the better result. The greedy player uses exact odds of every battle, one turn ahead."
    )


SECTIONS = (Section(title="Whole games", parts=("whole",), blocks=blocks),)
