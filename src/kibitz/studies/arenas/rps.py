"""The study `arena-rps`: 43 entries of the RoShamBo competitions, in two tracks that no table mixes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from kibitz import core
from kibitz.arena.plots.charts import dots, panels
from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.bridges.openspiel.loading import pyspiel
from kibitz.bridges.openspiel.roshambo import LONGEST, REPEATED, set_random_numbers
from kibitz.core.match.play import play
from kibitz.core.registry import make_agent
from kibitz.studies.arenas.families import VARYING, Opponent, in_halves, rps_population
from kibitz.studies.arenas.measures import (
    agents_in,
    check_agents,
    half_table,
    mean_curve,
    population_mean,
    predictability,
    scores_by_agent,
    tenths,
    worst_mean,
)
from kibitz.studies.awareness.pairs import Timed
from kibitz.studies.blocks import Block, Conclusion, Figure, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Study, Work, cross_factors

NAME = "arena-rps"
BOT = "roshambo:"
THROWS = ("rock", "paper", "scissors")
STRANGER, KNOWN = "stranger", "known"
THEIRS = ("greenberg", "iocainebot", "phasenbott", "halbot", "biopic", "mod1bot", "robertot", "russrocker4")

OTHERS = ("adapting", "lookahead", "mcts(simulations=10, rollout_plies=10)", "random_table")
"""The other agents that can play so long a match, which stand in the tables; `mcts` with less work than usual.
`planner` takes too long for them, `equilibrium` and `thwart` refuse."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """The tracks, and the bots against each other."""
    agents, known = agents_in(settings, NAME), agents_in(settings, NAME, "known")
    check_agents([*agents, *known, *settings["others"]], "rps")
    bots = [f"{BOT}{name}" for name in settings["theirs"]]
    check_agents(bots, "rps")
    names = [each.name for each in rps_population()][:: settings["every"]]

    def cases(players: Sequence[str], matches: int) -> list[Case]:
        factors = {"agent": players, "opponent": names, "rounds": [settings["rounds"]]}
        return cross_factors(factors, repeats=matches, seed=seed, paired=["agent"])

    return [
        Work(name="strangers", work=play_bot, cases=cases(agents, settings["matches"])),
        Work(name="bots", work=play_bot, cases=cases(bots, settings["matches"]), weight=0.1),
        Work(name="others", work=play_bot, cases=cases(settings["others"], settings["other_matches"]), weight=5),
        Work(name="population", work=play_bot, cases=cases(known, settings["known_matches"]), weight=3),
    ]


def play_bot(case: Case) -> Row:
    """A match against a bot: what was earned, how it went, and how predictable both were."""
    agent, bot, rounds = case["agent"], case["opponent"], case["rounds"]
    if agent.startswith(BOT) and rounds == LONGEST:
        throws, told = (
            bot_throws(agent.removeprefix(BOT), bot, rounds, case["seed"]),
            {"cpu": 0.0, "trust": [], "belief": []},
        )
    else:
        throws, told = match_throws(agent, bot, rounds, case["seed"])
    own, other = np.array(throws).T
    points = np.array([0, 1, -1])[(own - other) % 3]
    return {
        "earned": float(points.sum()),
        "curve": tenths(points.tolist()),
        "own_guessed": predictability(own.tolist(), other.tolist()),
        "other_guessed": predictability(other.tolist(), own.tolist()),
        **told,
    }


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


class WatchedAgent(Timed):
    """Another agent, of which is noted how likely it thought what the other threw, and who it takes the other for."""

    def __init__(self, agent: core.Agent, bot: str) -> None:
        super().__init__(agent)
        self.bot = bot
        self.expected: Sequence[float] | None = None
        self.trust: list[float] = []
        """The probability that it gave to each throw of the other, if it says so."""
        self.belief: list[float] = []
        """How sure it was of the true bot in each round, if it names bots."""

    def act(self, view: core.State, clock: core.Clock) -> int:
        chosen = super().act(view, clock)
        player = getattr(getattr(self.agent, "way", self.agent), "round_player", None)
        said = getattr(player, "prediction", None)
        self.expected = None if said is None else [float(each) for each in said]
        named = getattr(self.agent, "belief", None)
        if named is not None:
            self.belief.append(float(named().get(self.bot, 0.0)))
        return chosen

    def observe(self, transition: core.Transition) -> None:
        thrown = transition.action_of(1 - self.agent.player)
        if self.expected is not None and thrown is not None:
            self.trust.append(self.expected[thrown])
        super().observe(transition)


def match_throws(agent: str, bot: str, rounds: int, seed: int) -> tuple[list[tuple[int, int]], dict[str, Any]]:
    """A match of an agent against a bot; what it expected, if it says so, and its CPU time."""
    watched = WatchedAgent(make_agent(agent, "rps"), bot)
    record = play(f"rps(goal=points, rounds={rounds})", [watched, f"{BOT}{bot}"], seed=seed)
    throws = [(THROWS.index(entry.actions[0]), THROWS.index(entry.actions[1])) for entry in record.entries]
    told = {"cpu": watched.seconds, "trust": tenths(watched.trust), "belief": tenths(watched.belief)}
    return throws, told


def populations(settings: Settings) -> list[Opponent]:
    """The bots that are met."""
    return rps_population()[:: settings["every"]]


def strangers_track(results: Results) -> Iterator[Block]:
    """Agents that know no bot's program, beside the bots themselves."""
    yield Paragraph(
        "No agent here knows an opponent's program. The return is the mean of the points in a match, over the bots; "
        "worst is the mean against the bot that wins most: the within-population exploitability of the paper, with its "
        "sign turned. A bot also meets a copy of itself."
    )
    entered = results.rows("strangers")
    names = set(agents_of(entered))
    others = [row for row in results.rows("others") if row["agent"] not in names]
    yield from track_blocks(results, [*entered, *others, *results.rows("bots")], STRANGER)


def population_track(results: Results) -> Iterator[Block]:
    """Agents that know all programs."""
    yield Paragraph(
        "Here the agent knows the programs of all 43 bots, and runs them beside the match to find out which it plays "
        "against. The two tracks cannot be compared."
    )
    rows = results.rows("population")
    yield from track_blocks(results, rows, KNOWN)
    curves = {agent: mean_curve([row for row in rows if row["agent"] == agent], "belief") for agent in agents_of(rows)}
    if any(curves.values()):
        lines = {"belief in the true bot": {agent: curve for agent, curve in curves.items() if curve}}
        yield Figure(
            "belief-known",
            "How sure the agent is of the true bot, by tenths of a match, the mean over bots.",
            lambda: panels(lines, x="tenth of the match", y="probability", limits=(0.0, 1.0)),
        )


def agents_of(rows: Sequence[Row]) -> list[str]:
    """The agents in these rows, in their order."""
    return list(dict.fromkeys(row["agent"] for row in rows))


def track_blocks(results: Results, rows: Sequence[Row], track: str) -> Iterator[Block]:
    """The tables and figures of one track."""
    population, found = populations(results.settings), scores_by_agent(rows)
    title = f"Return in {results.settings['rounds']:,} throws, track: {track}"
    yield half_table(title, found, population, shown=True)
    yield half_table(title, found, population, over_opponents=True)
    steady = [each for each in population if each.name not in VARYING]
    if len(steady) < len(population):
        yield half_table(f"{title}, without {', '.join(VARYING)}", found, steady)
    yield worst_table(rows, found, track)
    own = [agent for agent in found if not agent.startswith(BOT)]
    for agent in own:
        halves = in_halves(population)
        mean = {half: population_mean(found[agent], halves[half]).over_matches.mean for half in halves}
        name, worst = worst_mean(found[agent])
        yield Conclusion(
            f"{track}: `{agent}` returns {mean['all']:.0f} on all, {mean['tuning']:.0f} on the tuning half and "
            f"{mean['unseen']:.0f} on the unseen half; its worst mean is {worst.mean:.0f}, against {name}."
        )
    chosen = own + [agent for agent in found if agent.startswith(BOT)][: max(0, 3 - len(own))]
    yield from track_figures(rows, found, chosen, population, track)


def worst_table(rows: Sequence[Row], found: Mapping[str, Mapping[str, Sequence[float]]], track: str) -> Table:
    """The worst mean of each agent, how predictable it is, and what it costs."""
    table = []
    for agent, scores in found.items():
        own = [row for row in rows if row["agent"] == agent]
        name, worst = worst_mean(scores)
        cpu = 1000.0 * float(np.median([row["cpu"] for row in own]))
        guessed = mean_interval([row["own_guessed"] for row in own], bounds=(0.0, 1.0))
        table.append((agent, worst, name, guessed, cpu if cpu else None))
    table.sort(key=lambda row: -row[1].mean)
    columns = ("agent", "worst mean", "against", "its throws guessed", "CPU ms a match")
    caption = f"Exploitability within the population, track: {track}. A plain observer guesses a third by chance."
    return Table(columns, table, caption, shown=True)


def track_figures(
    rows: Sequence[Row],
    found: Mapping[str, Mapping[str, Sequence[float]]],
    agents: Sequence[str],
    population: Sequence[Opponent],
    track: str,
) -> Iterator[Block]:
    """Return per bot, predictability, and the course of a match."""
    halves = {each.name: each.half for each in population}
    order = sorted(halves, key=lambda name: (halves[name], -float(np.mean(found[agents[0]].get(name, [0.0])))))

    def by_bot(key: str) -> dict[str, dict[str, Estimate]]:
        kept: dict[str, dict[str, Estimate]] = {}
        for agent in agents:
            held: dict[str, list[float]] = {}
            for row in rows:
                if row["agent"] == agent:
                    held.setdefault(row["opponent"], []).append(row[key])
            kept[agent] = {f"{name} ({halves[name]})": mean_interval(held[name]) for name in order if name in held}
        return kept

    yield Figure(
        f"returns-{track}",
        f"Return per bot, track: {track}.",
        lambda: dots(by_bot("earned"), label="points in a match"),
    )
    yield Figure(
        f"guessed-{track}",
        f"How predictable each bot is: the share of its throws that a plain observer guesses, track: {track}.",
        lambda: dots(by_bot("other_guessed"), label="share of throws guessed"),
    )
    yield Figure(
        f"own-guessed-{track}",
        f"How predictable the agents are against each bot, track: {track}.",
        lambda: dots(by_bot("own_guessed"), label="share of own throws guessed"),
    )
    courses = {half: curves_of(rows, agents, members, "curve") for half, members in in_halves(population).items()}
    yield Figure(
        f"course-{track}",
        f"Points per throw by tenths of a match: the learning curve within a match, track: {track}.",
        lambda: panels(courses, x="tenth of the match", y="points per throw"),
    )
    trust = {half: curves_of(rows, agents, members, "trust") for half, members in in_halves(population).items()}
    if all(trust.values()):
        yield Figure(
            f"trust-{track}",
            f"The probability that the agent gave to what the other threw, by tenths of a match, track: {track}.",
            lambda: panels(trust, x="tenth of the match", y="probability", limits=(0.0, 1.0)),
        )


def curves_of(
    rows: Sequence[Row], agents: Sequence[str], members: Sequence[Opponent], key: str
) -> dict[str, list[Estimate]]:
    """The mean curve of each agent over some bots; agents without one are left out."""
    names = {each.name for each in members}
    found = {}
    for agent in agents:
        curve = mean_curve([row for row in rows if row["agent"] == agent and row["opponent"] in names], key)
        if curve:
            found[agent] = curve
    return found


STUDY = Study(
    name=NAME,
    title="Arena: 43 bots of repeated rock-paper-scissors",
    asks=(
        "Lanctot et al. (2023) let learners and language models play 1,000 throws against 43 entries of the RoShamBo "
        "programming competitions (Billings 2000): they learn to exploit many, but lose to the best bots. How does "
        "an agent that models its opponent do?\n\n"
        "The bots are split into halves by family, siblings together: what was ever tuned was tuned on the first, "
        "and both stand side by side. Means are told with two intervals: over matches, and over opponents."
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
    quick={"theirs": THEIRS[:3], "matches": 2, "known_matches": 2, "others": (), "every": 4},
    parts=parts,
    sections=(
        Section(title="Strangers", parts=("strangers", "bots", "others"), blocks=strangers_track),
        Section(title="Known population", parts=("population",), blocks=population_track),
    ),
    sources=(
        "M. Lanctot et al. (2023). Population-based Evaluation in Repeated Rock-Paper-Scissors as a Benchmark for "
        "Multiagent Reinforcement Learning. Transactions on Machine Learning Research.",
        "D. Billings (2000). The First International RoShamBo Programming Competition. ICGA Journal 23, 42–50.",
    ),
)
