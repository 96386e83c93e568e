"""The study `arena-rps`: 43 entries of the RoShamBo competitions, in two tracks that no table mixes."""

from collections.abc import Sequence

import numpy as np

from kibitz.core.match.play import play
from kibitz.core.registry import make_agent
from kibitz_lab.bridges.openspiel.loading import pyspiel
from kibitz_lab.bridges.openspiel.roshambo import LONGEST, REPEATED, set_random_numbers
from kibitz_lab.studies.arenas.families import rps_population
from kibitz_lab.studies.arenas.measures import (
    check_agents,
    half_columns,
    median_cpu,
    scores_by_opponent,
    worst_mean,
)
from kibitz_lab.studies.awareness.pairs import Timed
from kibitz_lab.studies.claims import Claim
from kibitz_lab.studies.measures import Column, Measure
from kibitz_lab.studies.study import Case, Results, Row, Settings, Study, Work, cross_factors, names_in

NAME = "arena-rps"
BOT = "roshambo:"
THROWS = ("rock", "paper", "scissors")
BEST = ("greenberg", "iocainebot", "phasenbott")
"""The best of the competitions."""
OTHERS = ("adapting", "lookahead", "mcts(simulations=10, rollout_plies=10)", "random_table")
"""The other agents that can play so long a match, which stand in the tables; `mcts` with less work than usual.
`planner` takes too long for them, `equilibrium` and `thwart` refuse."""


def parts(settings: Settings, seed: int) -> list[Work]:
    """The tracks, and the bots against each other."""
    agents, known = names_in(settings, NAME, "agents"), names_in(settings, NAME, "known")
    others = [each for each in settings["others"] if each not in agents]
    check_agents([*agents, *known, *others], "rps")
    bots = [f"{BOT}{name}" for name in settings["theirs"]]
    check_agents(bots, "rps")
    names = [each.name for each in rps_population()][:: settings["every"]]

    def cases(players: Sequence[str], matches: int) -> list[Case]:
        factors = {"agent": players, "opponent": names, "rounds": [settings["rounds"]]}
        return cross_factors(factors, repeats=matches, seed=seed, paired=["agent"])

    return [
        Work(name="strangers", work=play_bot, cases=cases(agents, settings["matches"]), version=2),
        Work(name="bots", work=play_bot, cases=cases(bots, settings["matches"]), weight=0.1, version=2),
        Work(name="others", work=play_bot, cases=cases(others, settings["other_matches"]), weight=5, version=2),
        Work(name="population", work=play_bot, cases=cases(known, settings["known_matches"]), weight=3, version=2),
    ]


def play_bot(case: Case) -> Row:
    """A match against a bot: the points, and the CPU time of the agent."""
    agent, bot, rounds, cpu = case["agent"], case["opponent"], case["rounds"], 0.0
    if agent.startswith(BOT) and rounds == LONGEST:
        throws = bot_throws(agent.removeprefix(BOT), bot, rounds, case["seed"])
    else:
        timed = Timed(make_agent(agent, "rps"))
        record = play(f"rps(goal=points, rounds={rounds})", [timed, f"{BOT}{bot}"], seed=case["seed"])
        throws = [(THROWS.index(entry.actions[0]), THROWS.index(entry.actions[1])) for entry in record.entries]
        cpu = timed.seconds
    own, other = np.array(throws).T
    return {"earned": float(np.array([0, 1, -1])[(own - other) % 3].sum()), "cpu": cpu}


def bot_throws(agent: str, bot: str, rounds: int, seed: int) -> list[tuple[int, int]]:
    """A match of two bots, by OpenSpiel alone."""
    spiel = pyspiel()
    set_random_numbers(seed % (2**31 - 1) + 1)
    state = spiel.load_game(REPEATED).new_initial_state()
    players = [spiel.make_roshambo_bot(seat, name, LONGEST) for seat, name in enumerate((agent, bot))]
    found = []
    for _ in range(rounds):
        throws = [int(player.step(state)) for player in players]
        state.apply_actions(throws)
        found.append((throws[0], throws[1]))
    return found


def best_bot_rows(results: Results) -> list[Row]:
    """The matches against the best bots."""
    return [row for row in results.rows("strangers") if row["opponent"] in BEST]


POINTS = (-float(LONGEST), float(LONGEST))
RETURNS = (
    *half_columns(rps_population, POINTS),
    Column(name="worst mean", of=lambda rows: worst_mean(scores_by_opponent(rows))[1], least=2, bounds=POINTS),
    Column(name="against", of=lambda rows: worst_mean(scores_by_opponent(rows))[0]),
    Column(name="CPU ms a match", of=median_cpu),
)
ABOUT = (
    "Points in a match, the mean over the bots and over each half. The intervals are over matches, and in one column "
    "over opponents with siblings as one. The worst mean is that against the bot that wins most."
)

STUDY = Study(
    name=NAME,
    title="Arena: 43 bots of repeated rock-paper-scissors",
    asks=(
        "Lanctot et al. (2023) let learners and language models play 1,000 throws against 43 entries of the RoShamBo "
        "programming competitions (Billings 2000): they learn to exploit many, but lose to the best bots. How does "
        "an agent that models its opponent do?\n\n"
        "The bots are split into halves by family, siblings together: what was ever tuned was tuned on the first. "
        "In the first track no agent knows an opponent's program; in the second it knows all 43 programs and runs them "
        "beside the match. The two tracks cannot be compared."
    ),
    settings={
        "agents": ("aware", "random"),
        "known": ("roshambo_population",),
        "theirs": tuple(each.name for each in rps_population()),
        "matches": 10,
        "known_matches": 10,
        "others": OTHERS,
        "other_matches": 2,
        "rounds": LONGEST,
        "every": 1,
    },
    quick={"theirs": BEST, "matches": 2, "known_matches": 2, "others": (), "every": 4},
    parts=parts,
    measures=(
        Measure(
            name="Return, track: stranger",
            part=("strangers", "bots", "others"),
            by=("agent",),
            columns=RETURNS,
            about=ABOUT,
            shown=True,
            best_first=True,
        ),
        Measure(
            name="Return, track: known", part="population", by=("agent",), columns=RETURNS, about=ABOUT, shown=True
        ),
        Measure(
            name="Against the best bots",
            part="strangers",
            by=("agent", "opponent"),
            columns=(Column(name="points in a match", of="earned", bounds=POINTS),),
            rows=best_bot_rows,
            drawn=True,
        ),
    ),
    claims=tuple(
        Claim(
            what=f"a learner loses to {bot}",
            source="Lanctot et al. 2023, abstract",
            there=0.0,
            relation="<",
            measure="Against the best bots",
            cell={"agent": "aware", "opponent": bot},
        )
        for bot in BEST
    ),
    sources=(
        "M. Lanctot et al. (2023). Population-based Evaluation in Repeated Rock-Paper-Scissors as a Benchmark for "
        "Multiagent Reinforcement Learning. Transactions on Machine Learning Research.",
        "D. Billings (2000). The First International RoShamBo Programming Competition. ICGA Journal 23, 42–50.",
    ),
)
