"""The study `arena-poker`: repeated hands of Kuhn and Leduc poker, small enough for exact expectations."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import msgspec
import numpy as np

from kibitz import core
from kibitz.core.errors import BadDefinition
from kibitz.core.match import MatchOptions
from kibitz.core.match.play import RecordedMatch
from kibitz.core.registry import make_agent, make_game, spec_of
from kibitz.core.seeds import derived_seed
from kibitz_lab.agents.cfr import TableStrategy
from kibitz_lab.arena.statistics import Estimate, mean_interval
from kibitz_lab.extensive import (
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
from kibitz_lab.studies.arenas.families import POKER_FAMILIES, poker_population
from kibitz_lab.studies.arenas.measures import HALF_NAMES, check_agents
from kibitz_lab.studies.claims import Claim
from kibitz_lab.studies.measures import Column, Measure, Value
from kibitz_lab.studies.study import Case, Results, Row, Settings, Study, Work, cross_factors, names_in

NAME = "arena-poker"
EQUILIBRIUM = "equilibrium of the table"
"""The name of the opponent who gives nothing away."""
SAME = 1e-9
"""Expectations that differ by less are the same."""
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


class PlayedStrategy(TableStrategy):
    """Plays a strategy of the table, for opponents that are no agents."""

    def __init__(self, profile: Sequence[BehaviourPolicy] = ()) -> None:
        self.profile = profile

    @property
    def public_spec(self) -> str:
        return EQUILIBRIUM

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.follow(self.profile[player])


def parts(settings: Settings, seed: int) -> list[Work]:
    """The hands of all pairs, and against an equilibrium."""
    agents = names_in(settings, NAME, "agents")
    games = names_in(settings, NAME, "games")
    unknown = [game for game in games if game not in POKER_FAMILIES]
    if unknown:
        raise BadDefinition(NAME, f"games: {unknown[0]!r} is none of {', '.join(POKER_FAMILIES)}")

    def cases(game: str, players: Sequence[str], matches: int) -> list[Case]:
        check_agents(players, spec_of(make_game(game)).name)
        names = [*(each.name for each in poker_population(game)), EQUILIBRIUM]
        factors = {"game": [game], "agent": players, "opponent": names, "hands": [settings["hands"]]}
        return cross_factors(factors, repeats=matches, seed=seed, paired=["agent"])

    ours = [case for game in games for case in cases(game, agents, settings["matches"])]
    rest = {game: [each for each in settings["others"].get(game, ()) if each not in agents] for game in games}
    others = [case for game in games for case in cases(game, rest[game], settings["other_matches"])]
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
    agent = make_agent(case["agent"], name)
    gains, known, stated = [], fixed_strategy(table, agent), True
    for hand in range(case["hands"]):
        seat = hand % 2
        players: list[core.Agent] = [agent, opponent] if seat == 0 else [opponent, agent]
        match = RecordedMatch(table.game, players, MatchOptions(seed=derived_seed(case["seed"], "hand", hand)))
        moments = match.moments()
        next(moments)  # everybody has begun, and nothing has happened
        own = known[seat] if known else stated_strategy(table, agent, seat)
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
    said = getattr(getattr(agent, "delegate", agent), "own", None)
    if not isinstance(said, BehaviourPolicy) or said.player != seat:
        return None
    return BehaviourPolicy(table, seat, said.shares)


def after_learning(row: Row, first: int) -> float:
    """What was won above an equilibrium in a hand, on average from hand *first* on."""
    gains = row["gains"][first // 2 :]
    return float(np.mean(gains)) if gains else 0.0


def share_won(rows: Sequence[Row]) -> float:
    """Of what best responses win more than an equilibrium, the share that was won, over several opponents."""
    room = sum(row["room"] for row in rows)
    return sum(row["won"] for row in rows) / room if room > 0.0 else 0.0


def share_interval(rows: Sequence[Row], by: str) -> Estimate:
    """The share with its interval over matches or over opponents: blocks are left out one by one (jackknife)."""
    blocks = list(dict.fromkeys(row[by] for row in rows))
    whole = share_won(rows)
    if len(blocks) < 2:
        return mean_interval([whole])
    rest = [share_won([row for row in rows if row[by] != block]) for block in blocks]
    if by == "repeat" and all(row["exact"] for row in rows) and np.ptp(rest) < 1e-9:  # nothing was left to chance
        return Estimate(whole, whole, whole, len(rows), len(blocks))
    return mean_interval([len(blocks) * whole - (len(blocks) - 1) * each for each in rest])


def learned_rows(results: Results) -> Iterator[Row]:
    """All series of hands, with what was won above an equilibrium after the first hands, and the opponent's half."""
    halves = {(game, each.name): each.half for game in POKER_FAMILIES for each in poker_population(game)}
    for row in [*results.rows("hands"), *results.rows("others")]:
        half = halves.get((row["game"], row["opponent"]), "equilibrium")
        yield {**with_won(row, results.settings["first"]), "half": half, "earned": after_learning(row, 0)}


def with_won(row: Row, first: int) -> Row:
    """A row with what was won above an equilibrium from hand *first* on."""
    return {**row, "won": after_learning(row, first)}


def fraction(half: str, by: str = "repeat") -> Callable[[Sequence[Row]], Estimate | None]:
    """A column: the fraction won from one half, with its interval over repeats or opponents."""

    def column(rows: Sequence[Row]) -> Estimate | None:
        met = [row for row in rows if row["half"] == half or (half == "all" and row["half"] != "equilibrium")]
        return share_interval(met, by) if met else None

    return column


def against_equilibrium(rows: Sequence[Row]) -> Value:
    """A column: what is earned a hand from a player who gives nothing away.

    It is an expectation if it is the same in every match, as that of a strategy is; else a mean with its interval.
    """
    met = [row for row in rows if row["half"] == "equilibrium"]
    values: list[float] = [row["earned"] for row in met]
    if values and np.ptp(values) < SAME and all(row["exact"] for row in met):
        return round(values[0], 9)
    return mean_interval(values) if values else None


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
    measures=(
        Measure(
            name="Fraction of what can be won",
            part=("hands", "others"),
            by=("game", "agent"),
            rows=learned_rows,
            columns=(
                *(Column(name=half, of=fraction(half), least=2) for half in HALF_NAMES),
                Column(name="all, over opponents", of=fraction("all", "opponent")),
                Column(name="a hand against equilibrium", of=against_equilibrium, least=2),
            ),
            about=(
                "What is won above an equilibrium after the hands for learning, as a fraction of what a best response "
                "wins, summed over the opponents of each half. Strategies count by their exact expectation, agents "
                "that state none by what they won. The intervals are over matches, and in one column over opponents."
            ),
            shown=True,
            best_first=True,
        ),
    ),
    claims=tuple(
        Claim(
            what=f"{game}: an agent can exploit its opponent and lose little to an equilibrium",
            source="Ganzfried & Sandholm 2015",
            there=0.0,
            within=0.1,
            relation=">",
            measure="Fraction of what can be won",
            column="a hand against equilibrium",
            cell={"game": game, "agent": "aware"},
        )
        for game in POKER_FAMILIES
    ),
    sources=(
        "M. Johanson, M. Bowling (2009). Data Biased Robust Counter Strategies. AISTATS.",
        "S. Ganzfried, T. Sandholm (2015). Safe Opponent Exploitation. ACM Trans. on Economics and Computation 3.",
    ),
)
