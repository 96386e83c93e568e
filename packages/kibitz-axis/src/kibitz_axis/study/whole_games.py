"""Whole games on large boards: teams that look one and two turns ahead against the greedy player."""

from kibitz.core.match.play import play
from kibitz.core.registry import make_game
from kibitz_axis.game import Axis
from kibitz_lab.studies.measures import Column, Measure
from kibitz_lab.studies.study import Case, Row, Settings, Work, cross_factors

SETTINGS: Settings = {"whole_games": {"front": 20, "pocket": 20}, "strength": 1.0}
"""Games of every team on every board; two make a pair, one from each side."""
QUICK: Settings = {"whole_games": {"front": 2}, "strength": 0.05}
SHALLOW = "one turn"
TEAMS = {
    SHALLOW: "depth=1",
    "one turn, L_RI": "depth=1, kind=lri",
    "one turn, Tsetlin": "depth=1, kind=tsetlin",
    "two turns, greedy replies": "depth=2, rounds=(30, 10), reply=axis.greedy",
}
"""The parameters of the agent."""
OPPONENT = "axis.greedy"


def parts(settings: Settings, seed: int) -> list[Work]:
    """Every team on every board, from both sides in turn."""
    cases: list[Case] = []
    for board, games in settings["whole_games"].items():
        factors = {"scenario": [board], "team": tuple(TEAMS), "opponent": [OPPONENT]}
        cases += cross_factors(factors, repeats=games, seed=seed, paired=["team"])
    scaled = [{**case, "strength": settings["strength"]} for case in cases]
    return [Work(name="whole", work=whole_game, cases=scaled, version=3, weight=40)]


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
    seconds = sum(sum(entry.seconds) for entry in own)
    return {"gain": gain, "pair": case["repeat"] // 2, "seconds_a_turn": seconds / turns}


MEASURES = (
    Measure(
        name="Whole games",
        part="whole",
        by=("scenario", "team"),
        columns=(
            Column(name="gain, IPC", of="gain", block="pair"),
            Column(name="more than one turn", of="gain", block="pair", less={"team": SHALLOW}),
            Column(name="seconds a turn", of="seconds_a_turn"),
        ),
        about=(
            "The gain of the team's side against the greedy player, who uses exact odds of every battle one turn "
            "ahead, and the difference from looking one turn ahead on the same seeds; games from both sides are a "
            "pair. On large boards teams play turns by the rules: the status is corrected for the luck of the dice, "
            "and a team learns twice, in squads and with every unit for itself, and plays the better result."
        ),
        drawn=True,
    ),
)
