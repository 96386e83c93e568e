"""The study `arena-poker`: repeated hands of Kuhn and Leduc poker, small enough for exact expectations."""

import textwrap
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from kibitz import core
from kibitz.arena.plots.charts import dots, panels
from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.core.errors import BadDefinition
from kibitz.core.match import MatchOptions
from kibitz.core.match.recorded import RecordedMatch
from kibitz.core.registry import make_agent, make_game, spec_of
from kibitz.core.seeds import derived_seed
from kibitz.solve.extensive import (
    BehaviourPolicy,
    InformationTable,
    UnstatedPolicy,
    ValuedPolicy,
    best_response,
    build_table,
    equilibrium,
    expected_returns,
    policy_of,
)
from kibitz.studies.arenas.families import POKER_FAMILIES, Opponent, in_halves, poker_population
from kibitz.studies.arenas.measures import agents_in, check_agents, mean_curve, tenths
from kibitz.studies.awareness.pairs import Timed
from kibitz.studies.blocks import Block, Cell, Conclusion, Figure, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Study, Work, cross_factors

NAME = "arena-poker"
LABEL = 40
"""The longest name of an opponent in a figure."""
EQUILIBRIUM = "equilibrium of the table"
"""The name of the opponent who gives nothing away."""

OTHERS = {
    "kuhn(players=2)": (
        *("kuhn.solid", "kuhn.rock", "kuhn.maniac", "kuhn.bluffer"),
        *("adapting", "mcts(simulations=50)", "purposeful", "random_table"),
    ),
    "leduc": (
        *("leduc.solid", "leduc.rock", "leduc.caller", "leduc.maniac", "leduc.bluffer"),
        *("adapting", "mcts(simulations=50)", "random_table"),
    ),
}
"""The other agents of each game, which stand in the tables; one of them with less work than usual."""


class PokerTable(msgspec.Struct, frozen=True):
    """A game as a table, with an equilibrium for each seat."""

    table: InformationTable
    safe: tuple[ValuedPolicy, ValuedPolicy]


@lru_cache(maxsize=2)
def poker_table(game: str) -> PokerTable:
    """The table of a game, made once in each process."""
    table = build_table(make_game(game))
    return PokerTable(table, (equilibrium(table, 0), equilibrium(table, 1)))


class PlayedStrategy(core.Strategy):
    """Plays a strategy of the table, for opponents that are no agents."""

    supposed = False

    def __init__(self, profile: Sequence[BehaviourPolicy] = ()) -> None:
        self.profile = profile

    @property
    def public_spec(self) -> str:
        return EQUILIBRIUM

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        from kibitz.solve.extensive import InformationTracker

        super().begin(game, player, rng)
        self.tracker = InformationTracker(self.profile[player].table, player)

    def observe(self, transition: core.Transition) -> None:
        self.tracker.observe(transition)

    def policy(self, view: core.State) -> core.Distribution:
        number = self.tracker.information_set
        if number is None:
            return core.Distribution.uniform(view.legal_actions(self.player))
        return self.profile[self.player].distribution(number)


def parts(settings: Settings, seed: int) -> list[Part]:
    """The hands of all pairs, and against an equilibrium."""
    agents = agents_in(settings, NAME)
    games = agents_in(settings, NAME, "games")
    unknown = [game for game in games if game not in POKER_FAMILIES]
    if unknown:
        raise BadDefinition(NAME, f"games: {unknown[0]!r} is none of {', '.join(POKER_FAMILIES)}")

    def cases(game: str, players: Sequence[str], matches: int) -> list[Case]:
        check_agents(players, spec_of(make_game(game)).name)
        names = [*(each.name for each in poker_population(game)), EQUILIBRIUM]
        factors = {"game": [game], "agent": players, "opponent": names, "hands": [settings["hands"]]}
        return cross_factors(factors, repeats=matches, seed=seed, paired=["agent"])

    ours = [case for game in games for case in cases(game, agents, settings["matches"])]
    others = [
        case for game in games for case in cases(game, settings["others"].get(game, ()), settings["other_matches"])
    ]
    return [Work(name="hands", work=play_hands, cases=ours), Work(name="others", work=play_hands, cases=others)]


def play_hands(case: Case) -> Row:
    """A series of hands, the seats in turn: what the agent's strategy is worth in each of them, exactly."""
    held = poker_table(case["game"])
    table, name = held.table, spec_of(make_game(case["game"])).name
    if case["opponent"] == EQUILIBRIUM:
        theirs = [each.policy for each in held.safe]
        opponent: core.Agent = PlayedStrategy(theirs)
    else:
        opponent = make_agent(case["opponent"], name)
        theirs = [policy_of(table, seat, opponent) for seat in (0, 1)]
    usual = [worth(table, each.policy, theirs) for each in held.safe]
    room = [best_response(table, seat, theirs[1 - seat]).value - usual[seat] for seat in (0, 1)]
    agent = Timed(make_agent(case["agent"], name))
    gains, known, stated = [], fixed_strategy(table, agent.agent), True
    beliefs: list[float] = []
    for hand in range(case["hands"]):
        seat = hand % 2
        players: list[core.Agent] = [agent, opponent] if seat == 0 else [opponent, agent]
        match = RecordedMatch(table.game, players, MatchOptions(seed=derived_seed(case["seed"], "hand", hand)))
        moments = match.moments()
        next(moments)  # everybody has begun, and nothing has happened
        own = known[seat] if known else stated_strategy(table, agent.agent, seat)
        beliefs += belief_in(agent.agent, case["opponent"])
        for _ in moments:
            pass
        ending = match.record.ending
        assert ending is not None, "the hand was played to its end"
        stated = stated and own is not None
        earned = ending.returns[seat] if own is None else worth(table, own, theirs)
        gains.append(earned - usual[seat])
    return {
        "gains": [float(sum(gains[start : start + 2])) / 2.0 for start in range(0, len(gains), 2)],
        "room": sum(room) / 2.0,
        "exact": stated,
        "belief": tenths(beliefs),
        "cpu": agent.seconds,
    }


def worth(table: InformationTable, own: BehaviourPolicy, theirs: Sequence[BehaviourPolicy]) -> float:
    """What a strategy earns from the opponent, on average over the cards."""
    profile = (own, theirs[1]) if own.player == 0 else (theirs[0], own)
    return expected_returns(table, profile)[own.player]


def fixed_strategy(table: InformationTable, agent: core.Agent) -> list[BehaviourPolicy] | None:
    """The strategy of an agent that plays every hand alike, in each seat; None if it adapts or does not say."""
    if not isinstance(agent, core.Strategy) or type(agent).end is not core.Agent.end:
        return None
    try:
        return [policy_of(table, seat, agent) for seat in (0, 1)]
    except UnstatedPolicy:
        return None


def stated_strategy(table: InformationTable, agent: core.Agent, seat: int) -> BehaviourPolicy | None:
    """The strategy that an agent has chosen for this hand, if it says so."""
    said = getattr(getattr(agent, "way", agent), "own", None)
    if not isinstance(said, BehaviourPolicy) or said.player != seat:
        return None
    return BehaviourPolicy(table, seat, said.shares)


def belief_in(agent: core.Agent, opponent: str) -> list[float]:
    """How sure an agent is of the true opponent, if it names some; for strangers, that it is nobody known."""
    said: dict[int, Any] | None = getattr(getattr(agent, "way", agent), "against", None)
    if not said:
        return []
    shares = next(iter(said.values())).labels()
    return [float(shares.get(opponent, 1.0 - sum(shares.values())))]


def after_learning(row: Row, first: int) -> float:
    """What was won above an equilibrium in a hand, on average from hand *first* on."""
    gains = row["gains"][first // 2 :]
    return float(np.mean(gains)) if gains else 0.0


def course(row: Row) -> list[float]:
    """The share of what can be won, by tenths of the hands."""
    return tenths([gain / row["room"] for gain in row["gains"]])


def share_won(rows: Sequence[Row], first: int) -> float:
    """Of what best responses win more than an equilibrium, the share that was won, over several opponents."""
    room = sum(row["room"] for row in rows)
    return sum(after_learning(row, first) for row in rows) / room if room > 0.0 else 0.0


def share_interval(rows: Sequence[Row], first: int, by: str) -> Estimate:
    """The share with its interval over matches or over opponents: blocks are left out one by one (jackknife)."""
    blocks = list(dict.fromkeys(row[by] for row in rows))
    whole = share_won(rows, first)
    if len(blocks) < 2:
        return mean_interval([whole])
    rest = [share_won([row for row in rows if row[by] != block], first) for block in blocks]
    if by == "repeat" and all(row["exact"] for row in rows) and np.ptp(rest) < 1e-9:  # nothing was left to chance
        return Estimate(whole, whole, whole, len(rows), len(blocks))
    return mean_interval([len(blocks) * whole - (len(blocks) - 1) * each for each in rest])


def hands_section(results: Results) -> Iterator[Block]:
    """The tables and figures of each game."""
    first = results.settings["first"]
    yield Paragraph(
        f"Hands are played in turn from both seats; those before hand {first + 1} are for learning. What is won is the "
        "exact expectation of the strategy that the agent plays in a hand, less what an equilibrium earns from the "
        "same opponent. The share is of what a best response wins more than the equilibrium, summed over "
        "opponents. Agents that state no strategy count by what they won."
    )
    rows = results.rows("hands")
    entered = {row["agent"] for row in rows}
    rows = [*rows, *(row for row in results.rows("others") if row["agent"] not in entered)]
    for game in dict.fromkeys(row["game"] for row in rows):
        here = [row for row in rows if row["game"] == game]
        yield from game_blocks(game, here, first)


def game_blocks(game: str, rows: Sequence[Row], first: int) -> Iterator[Block]:
    """One game: shares by half, opponent by opponent, and the course of the hands."""
    population = poker_population(game)
    agents = list(dict.fromkeys(row["agent"] for row in rows))
    for by, words in (("repeat", "matches"), ("opponent", "opponents")):
        yield share_table(game, rows, agents, population, first, by, words)
    table: list[tuple[Cell, ...]] = []
    halves = {each.name: each.half for each in population}
    for agent in agents:
        for name in [*halves, EQUILIBRIUM]:
            own = [row for row in rows if row["agent"] == agent and row["opponent"] == name]
            if own:
                won = mean_interval([after_learning(row, first) for row in own])
                table.append((agent, name, halves.get(name, "–"), won, own[0]["room"]))
    columns = ("agent", "opponent", "half", "won above equilibrium", "best response")
    yield Table(columns, table, f"{game}: chips a hand from hand {first + 1} on (95 % interval over matches).")
    for agent in agents:
        own = [row for row in rows if row["agent"] == agent and row["opponent"] != EQUILIBRIUM]
        against = [after_learning(row, 0) for row in rows if row["agent"] == agent and row["opponent"] == EQUILIBRIUM]
        lost = f"; against an equilibrium it earns {np.mean(against):+.3f} a hand" if against else ""
        yield Conclusion(f"{game}: `{agent}` wins {share_won(own, first):.0%} of what can be won{lost}.")
    yield from game_figures(game, rows, agents, population, first)


def share_table(
    game: str,
    rows: Sequence[Row],
    agents: Sequence[str],
    population: Sequence[Opponent],
    first: int,
    by: str,
    words: str,
) -> Table:
    """The shares over all opponents and both halves."""
    table: list[tuple[Cell, ...]] = []
    for agent in agents:
        cells: list[Cell] = []
        for members in in_halves(population).values():
            names = {each.name for each in members}
            own = [row for row in rows if row["agent"] == agent and row["opponent"] in names]
            cells.append(share_interval(own, first, by))
        cpu = [1000.0 * row["cpu"] / max(1, 2 * len(row["gains"])) for row in rows if row["agent"] == agent]
        table.append((agent, *cells, float(np.mean(cpu))))
    table.sort(key=lambda row: -row[1].mean if isinstance(row[1], Estimate) else 0.0)
    columns = ("agent", *in_halves(population), "CPU ms a hand")
    caption = f"{game}: share of what can be won, from hand {first + 1} on (95 % interval over {words})."
    return Table(columns, table, caption, shown=True)


def game_figures(
    game: str, rows: Sequence[Row], agents: Sequence[str], population: Sequence[Opponent], first: int
) -> Iterator[Figure]:
    """What is won from each opponent, the learning curve, and the belief."""
    word = game.partition("(")[0]

    def by_opponent() -> Any:
        groups: dict[str, dict[str, Estimate]] = {"best response": {}}
        for each in population:
            met = [row for row in rows if row["opponent"] == each.name]
            if not met:  # of an unfinished study
                continue
            label = f"{textwrap.shorten(each.name, LABEL, placeholder=' …')} ({each.half})"
            groups["best response"][label] = mean_interval([met[0]["room"]])
            for agent in agents:
                own = [after_learning(row, first) for row in met if row["agent"] == agent]
                if own:
                    groups.setdefault(agent, {})[label] = mean_interval(own)
        return dots(groups, label="chips a hand above equilibrium")

    yield Figure(f"{word}-won", f"{game}: what is won from each opponent above equilibrium.", by_opponent)
    halves = in_halves(population)

    def curves(key: str) -> dict[str, dict[str, list[Estimate]]]:
        found: dict[str, dict[str, list[Estimate]]] = {}
        for half, members in halves.items():
            names = {each.name for each in members}
            found[half] = {}
            for agent in agents:
                own = [row for row in rows if row["agent"] == agent and row["opponent"] in names]
                curve = mean_curve([{key: course(row)} if key == "gains" else row for row in own], key)
                if curve:
                    found[half][agent] = curve
        return found

    yield Figure(
        f"{word}-course",
        f"{game}: the share of what can be won, by tenths of a series, the mean over opponents.",
        lambda: panels(curves("gains"), x="tenth of the hands", y="share"),
    )
    if all(curves("belief").values()):
        yield Figure(
            f"{word}-belief",
            f"{game}: how sure the agent is of the true opponent, or that it is none of the known players.",
            lambda: panels(curves("belief"), x="tenth of the hands", y="probability", limits=(0.0, 1.0)),
        )


STUDY = Study(
    name=NAME,
    title="Arena: repeated hands of Kuhn and Leduc poker",
    asks=(
        "How much of what could be won from an opponent is won after some hundred hands, and what does it cost "
        "against a perfect one? Both games are small enough to know exactly what a strategy is worth (Johanson & "
        "Bowling 2009; Ganzfried & Sandholm 2015). Of ten opponents for each game five are unseen: the model does "
        "not know them, and nothing was tuned on them."
    ),
    settings={
        "agents": ("aware", "cfr", "random"),
        "games": tuple(POKER_FAMILIES),
        "hands": 1000,
        "first": 300,
        "matches": 10,
        "others": OTHERS,
        "other_matches": 2,
    },
    quick={"games": ("kuhn(players=2)",), "hands": 200, "first": 60, "matches": 2, "others": {}},
    parts=parts,
    sections=(Section(title="Hands", parts=("hands", "others"), blocks=hands_section),),
    sources=(
        "M. Johanson, M. Bowling (2009). Data Biased Robust Counter Strategies. AISTATS.",
        "S. Ganzfried, T. Sandholm (2015). Safe Opponent Exploitation. ACM Trans. on Economics and Computation 3.",
    ),
)
