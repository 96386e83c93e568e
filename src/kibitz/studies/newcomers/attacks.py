"""A search for negotiators who take as much as possible from the agent that learns, by exchanging and drawing parts."""

from collections.abc import Iterator, Sequence
from statistics import fmean

import msgspec

from kibitz import core
from kibitz.core.registry import make_agent
from kibitz.core.seeds import stream
from kibitz.games.trails.agents.negotiator import Design
from kibitz.games.trails.lookahead.limits import FITTED
from kibitz.games.trails.lookahead.plans import Composition
from kibitz.studies.blocks import Block, Cell, Conclusion, Paragraph, Table
from kibitz.studies.newcomers.family import newcomer
from kibitz.studies.newcomers.meetings import meet
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work

SETTINGS: Settings = {"attack_steps": 10, "attacks": 5}
QUICK: Settings = {"attack_steps": 1, "attacks": 1}
DRAWN = 200
"""How many newcomers lend their parts; they are drawn from other seeds than the field."""
MATERIAL = 7


def parts(settings: Settings, seed: int) -> list[Part]:
    """Several searches on DD, each from another newcomer."""
    shared = {"spec": settings["newcomer_agent"], "steps": settings["attack_steps"], "seed": seed}
    limits = msgspec.to_builtins(FITTED)
    cases = [{"start": start, "limits": limits, **shared} for start in range(settings["attacks"])]
    return [Work(name="attacks", work=search_attack, cases=cases, weight=settings["attack_steps"])]


def exchange_part(design: Design, designs: Sequence[Design], rng: core.Rng) -> Design:
    """A design with one part, which does not draw, taken from another design."""
    while True:
        name = Design.__struct_fields__[int(rng.integers(len(Design.__struct_fields__)))]
        part = getattr(designs[int(rng.integers(len(designs)))], name)
        if not part.stochastic and part != getattr(design, name):
            return msgspec.structs.replace(design, **{name: part})


def search_attack(case: Case) -> Row:
    """The best taker that a search finds: it exchanges a part for that of another if that takes no less."""
    rng = stream(case["seed"], "attack", case["start"])
    designs = [newcomer(number, MATERIAL).design for number in range(DRAWN)]
    best = designs[int(rng.integers(DRAWN))]
    taken = first = taken_by(best, case["spec"])
    for _ in range(case["steps"]):
        changed = exchange_part(best, designs, rng)
        found = taken_by(changed, case["spec"])
        if found >= taken:
            best, taken = changed, found
    return {"first": first, "taken": taken, "design": ", ".join(map(repr, best.parts))}


def taken_by(design: Design, spec: str) -> float:
    """What a design earns from the agent on DD, the mean of both seats."""
    return fmean(meet("dd", make_agent(spec), seat, Composition(design), seed=0).other for seat in (0, 1))


def attack_blocks(results: Results) -> Iterator[Block]:
    """What each search found."""
    rows = sorted(results.rows("attacks"), key=lambda row: -row["taken"])
    table: list[tuple[Cell, ...]] = [(row["start"], row["first"], row["taken"], row["design"]) for row in rows]
    yield Table(("search", "began with", "takes at most", "design"), table, "What a negotiator takes from it on DD.")
    steps = len(rows) * results.settings["attack_steps"]
    yield Paragraph(
        f"{len(rows)} searches made {steps} steps in all, two games each. More steps may find "
        "more: this is a bound from below."
    )
    most = rows[0]["taken"]
    yield Conclusion(f"In {steps} steps of search the most that a negotiator was found to take on DD is {most:.1f}.")


SECTIONS = (Section(title="How much can be taken from it", parts=("attacks",), blocks=attack_blocks),)
