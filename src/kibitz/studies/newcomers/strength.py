"""What agents earn from generated negotiators whose rules no belief holds, on known boards and on random ones."""

from collections.abc import Iterator, Sequence
from statistics import fmean

import msgspec

from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.core.registry import make_agent
from kibitz.games.trails.lookahead.limits import FITTED
from kibitz.games.trails.lookahead.plans import PLANS
from kibitz.studies.blocks import Block, Cell, Conclusion, Paragraph, Table
from kibitz.studies.newcomers.family import KINDS, SLOW, TRUSTING, newcomer, random_board
from kibitz.studies.newcomers.meetings import meet
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work

KIBITZER, RIVALS = "kibitzer", {"PERB + deception": "trails.deception", "rob": "trails.rob"}
BOARDS = ("dd", "di", "id")
RANDOM = "random"
FIXED = tuple(dict.fromkeys([*(f"trails.{plan}" for plan in PLANS), *RIVALS.values()]))
"""Agents that play the same against everybody."""
TARGET = 100.0
"""The points that a slow conceder should leave."""
FIELD = 84419
"""The seed of the field and of the boards, fixed before any of their games was played."""
SETTINGS: Settings = {
    "newcomers": 30,
    "random_boards": 30,
    "met_per_board": 1,
    "newcomer_agent": "trails.kibitzer",
}
QUICK: Settings = {
    "newcomers": 3,
    "random_boards": 2,
    "met_per_board": 1,
    "newcomer_agent": "trails.kibitzer(nodes=100)",
}


def parts(settings: Settings, seed: int) -> list[Part]:
    """Every agent in all meetings, and all fixed plans in those with slow conceders."""
    agents = {KIBITZER: settings["newcomer_agent"], **RIVALS}
    cases = [
        {"agent": agent, "spec": spec, "board": board, "opponent": number, "limits": msgspec.to_builtins(FITTED)}
        for agent, spec in agents.items()
        for board, number in meetings(settings)
    ]
    hard = [
        {"board": board, "opponent": number, "plans": FIXED}
        for board, number in meetings(settings)
        if is_of_kind(number, SLOW)
    ]
    return [
        Work(name="newcomers", work=earned_from_newcomer, cases=cases),
        Work(name="conceders", work=most_by_plans, cases=hard),
    ]


def meetings(settings: Settings) -> Iterator[tuple[str, int]]:
    """Boards and numbers of newcomers: all of them on the known boards, and a few on each random one."""
    yield from ((board, number) for board in BOARDS for number in range(settings["newcomers"]))
    met = settings["met_per_board"]
    for place in range(settings["random_boards"]):
        for each in range(met):
            yield random_board(place, FIELD), (met * place + each) % settings["newcomers"]


def earned_from_newcomer(case: Case) -> Row:
    """What an agent and a newcomer earn from each other, in both seats."""
    opponent, number = newcomer(case["opponent"], FIELD), case["opponent"]
    found = [meet(case["board"], make_agent(case["spec"]), seat, opponent, seed=number) for seat in (0, 1)]
    return {"own": [each.own for each in found], "other": [each.other for each in found]}


def is_of_kind(number: int, kind: str) -> bool:
    """Whether the newcomer with this number is of a kind."""
    return KINDS[number % len(KINDS)] == kind


def most_by_plans(case: Case) -> Row:
    """The most that a fixed plan earns from a newcomer in each seat, and which plan that is."""
    opponent, number = newcomer(case["opponent"], FIELD), case["opponent"]
    best = [
        max((meet(case["board"], make_agent(plan), seat, opponent, seed=number).own, plan) for plan in case["plans"])
        for seat in (0, 1)
    ]
    return {"most": [own for own, _ in best], "best": [plan for _, plan in best]}


def board_group(board: str) -> str:
    """The group of a board in tables."""
    return board if board in BOARDS else RANDOM


def strength_blocks(results: Results) -> Iterator[Block]:
    """The earnings of all agents, the leads of the first, and the two kinds that are hard to deal with."""
    rows = results.rows("newcomers")
    groups = (*BOARDS, RANDOM)
    table: list[tuple[Cell, ...]] = []
    leads: list[tuple[str, str, Estimate]] = []
    for group in groups:
        here = [row for row in rows if board_group(row["board"]) == group]
        means = [earnings(here, agent) for agent in (KIBITZER, *RIVALS)]
        gaps = [lead(here, rival) for rival in RIVALS]
        leads += [(group, rival, gap) for rival, gap in zip(RIVALS, gaps, strict=True)]
        table.append((group.upper() if group in BOARDS else group, *means, *gaps))
    columns = ("boards", KIBITZER, *RIVALS, *(f"more than {rival}" for rival in RIVALS))
    yield Table(columns, table, "Points per game, both seats (95 % interval over opponents).", shown=True)
    yield Paragraph(
        f"{results.settings['newcomers']} negotiators were generated from a seed before any game was played, by rules "
        "that differ from those that the belief is about: demands in points that fall in steps, trust in points at "
        "risk that grows by factors, promises kept by their size or number. On random boards, "
        f"{results.settings['met_per_board']} of them were met on each of {results.settings['random_boards']}."
    )
    yield Table(("kind", "board", "least", "mean"), hard_kinds(rows), f"What {KIBITZER} earns, seat by seat.")
    yield from conceder_blocks(results)
    clear = [gap for gap in leads if gap[2].low > 0.0]
    open_ = [f"{rival} on {group}" for group, rival, gap in leads if gap.low <= 0.0]
    yield Conclusion(
        f"Against newcomers the agent that learns earns clearly more in {len(clear)} of {len(leads)} comparisons"
        f"{'; not shown over ' + ', '.join(open_) if open_ else ''}."
    )


def conceder_blocks(results: Results) -> Iterator[Block]:
    """What fixed plans and the agent earn from every slow conceder, seat by seat."""
    earned = {
        (row["board"], row["opponent"]): row["own"] for row in results.rows("newcomers") if row["agent"] == KIBITZER
    }
    seats = [
        (row["opponent"], board_group(row["board"]), seat, row["most"][seat], row["best"][seat], own)
        for row in results.rows("conceders")
        for seat, own in enumerate(earned[row["board"], row["opponent"]])
    ]
    columns = ("newcomer", "board", "seat", "most by a fixed plan", "plan", KIBITZER)
    yield Table(columns, seats, "Points from newcomers who give in late, in each seat of the agent.")
    yield Paragraph(
        "One who needs nothing and keeps promises only while it depends on the other never sends a chip: what can be "
        "earned from it is what one's own chips are worth."
    )
    possible = [own for *_, most, _, own in seats if most >= TARGET]
    yield Conclusion(
        f"A fixed plan earns {TARGET:.0f} points or more from a slow conceder in {len(possible)} of {len(seats)} "
        f"seats; the agent that learns does in {sum(own >= TARGET for own in possible)} of these."
    )


def earnings(rows: Sequence[Row], agent: str) -> Estimate:
    """The mean earnings of an agent."""
    own = [(fmean(row["own"]), row["opponent"]) for row in rows if row["agent"] == agent]
    return mean_interval([each for each, _ in own], [opponent for _, opponent in own])


def lead(rows: Sequence[Row], rival: str) -> Estimate:
    """The lead of the first agent over a rival, meeting by meeting."""
    own, others = (
        {(row["board"], row["opponent"]): fmean(row["own"]) for row in rows if row["agent"] == agent}
        for agent in (KIBITZER, rival)
    )
    met = sorted(set(own) & set(others))
    return mean_interval([own[each] - others[each] for each in met], [opponent for _, opponent in met])


def hard_kinds(rows: Sequence[Row]) -> list[tuple[Cell, ...]]:
    """What the agent earns from slow conceders and trust builders in its poorer seat, and on average."""
    found: list[tuple[Cell, ...]] = []
    for kind in (SLOW, TRUSTING):
        for board in BOARDS:
            own = [
                score
                for row in rows
                if row["agent"] == KIBITZER and row["board"] == board and is_of_kind(row["opponent"], kind)
                for score in row["own"]
            ]
            if own:
                found.append((kind, board.upper(), min(own), fmean(own)))
    return found


SECTIONS = (Section(title="Newcomers", parts=("newcomers", "conceders"), blocks=strength_blocks),)
