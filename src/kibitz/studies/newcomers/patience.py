"""How well the agent waits: what it offers, round after round, to one who is silent and rejects everything.

Those who give in late look like that until they do. So one game tells from which of them a deal would have come.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from kibitz.arena.statistics import mean_interval
from kibitz.core.registry import make_agent
from kibitz.games.trails.agents.acceptors import Nothing
from kibitz.games.trails.agents.movers import Patient
from kibitz.games.trails.agents.negotiator import Design
from kibitz.games.trails.agents.proposers import Silent
from kibitz.games.trails.agents.senders import Keeps, nothing
from kibitz.games.trails.lookahead.plans import Composition
from kibitz.games.trails.situation import Situation
from kibitz.games.trails.state import ANSWER
from kibitz.studies.blocks import Block, Cell, Conclusion, Paragraph, Table
from kibitz.studies.newcomers.family import random_board
from kibitz.studies.newcomers.meetings import played_lines, trails_on
from kibitz.studies.newcomers.strength import BOARDS, FIXED, RANDOM, TARGET, board_group
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work

REJECTS = Composition(Design(Silent(), Nothing(), Keeps(), Patient()))
SEEDS = (84430, 84431, 84432, 84433)
"""The seeds of the random boards, fixed before the agent was played on any: others than that of the field."""
CONCEDERS = tuple(product(range(6, 10), range(5, 60, 2), (True, False)))
"""Slow conceders: from which round on they accept, what they must gain, and whether they pay when they need nothing."""
KNOWN = "known"
SETTINGS: Settings = {"patience_boards": 15}
QUICK: Settings = {"patience_boards": 1}


class RejectedOffer(NamedTuple):
    """An offer that was rejected."""

    round: int
    gain: int
    """What the other would have gained."""
    needs: bool
    """Whether they needed anything."""
    worth: int
    """What the proposer would have been sure of if only the other had paid."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """The agent and all fixed plans, in both seats of the known boards and of random ones."""
    drawn = [random_board(number, field) for field in SEEDS for number in range(settings["patience_boards"])]
    cases = [
        {"board": board, "seat": seat, "spec": settings["newcomer_agent"], "plans": FIXED}
        for board in (*BOARDS, *drawn)
        for seat in (0, 1)
        if sure_worth(board, seat) < TARGET
    ]
    return [Work(name="patience", work=share_waited_for, cases=cases)]


def sure_worth(board: str, seat: int) -> int:
    """What the chips of a player are worth to them at the start."""
    layout = trails_on(board).layout
    return layout.best_use(layout.starts[seat], layout.chips[seat])


def share_waited_for(case: Case) -> Row:
    """The slow conceders that some fixed plan gets the target from, and how many of them the agent does."""
    own, *plans = (rejected_offers(case["board"], spec, case["seat"]) for spec in (case["spec"], *case["plans"]))
    possible = [one for one in CONCEDERS if any(reaches(offers, *one) for offers in plans)]
    return {"possible": len(possible), "reached": sum(reaches(own, *one) for one in possible)}


def rejected_offers(board: str, spec: str, seat: int) -> list[RejectedOffer]:
    """The offers that an agent makes to one who rejects them all."""
    found = []
    for line in played_lines(board, make_agent(spec), seat, REJECTS, seed=0):
        if line.state.phase == ANSWER and line.state.partner != seat:
            own, other = (Situation(line.state, player, line.history) for player in (seat, 1 - seat))
            given, received = other.proposed_exchange()
            worth = own.use_after(nothing(own), given)
            gain = other.gain(given, received)
            found.append(RejectedOffer(line.state.round, gain, not other.own.independent, worth))
    return found


def reaches(offers: Sequence[RejectedOffer], until: int, least: int, pays: bool) -> bool:
    """Whether the first of the offers that a slow conceder accepts brings the target."""
    accepted = next((offer for offer in offers if offer.round >= until and offer.gain >= least), None)
    return accepted is not None and (pays or accepted.needs) and accepted.worth >= TARGET


def patience_blocks(results: Results) -> Iterator[Block]:
    """The share of slow conceders that the agent waits for, of those that some plan waits for."""
    shares: dict[str, list[float]] = {}
    for row in results.rows("patience"):
        if row["possible"]:
            name = RANDOM if board_group(row["board"]) == RANDOM else KNOWN
            shares.setdefault(name, []).append(row["reached"] / row["possible"])
    table: list[tuple[Cell, ...]] = []
    for name, found in shares.items():
        share = mean_interval(found, bounds=(0.0, 1.0))
        table.append((name, len(found), share))
        yield Conclusion(
            f"On {name} boards the agent waits for {share.mean:.0%} of slow conceders who can be waited for."
        )
    yield Table(("boards", "seats", "share"), table, "Slow conceders that leave the agent 100 points or more.")
    yield Paragraph(
        f"Seats in which the agent depends on the other. Of {len(CONCEDERS)} slow conceders in each, those count from "
        f"whom some fixed plan gets {TARGET:.0f} points or more (95 % interval over seats)."
    )


SECTIONS = (Section(title="Waiting for those who give in late", parts=("patience",), blocks=patience_blocks),)
