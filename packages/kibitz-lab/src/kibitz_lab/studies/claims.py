"""Claims of a document, and whether our data agree with them: one comparison table, one function for the verdict."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from kibitz_lab.arena.statistics import Estimate, mean_interval
from kibitz_lab.arena.statistics.intervals import too_few
from kibitz_lab.studies.blocks import Table, words
from kibitz_lab.studies.measures import NO_LEVELS, Column, Measure, MeasureLine, Value, is_vacuous, shown_value

Relation = Literal["=", ">", "<"]
COLUMNS = ("what", "source", "there", "here (95 % interval)", "verdict")
QUICK = "quick run: not judged"
SIGNS = {"=": "", ">": "> ", "<": "< "}


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A number of a document, or a relation that it claims, and the cell of a measure that answers it."""

    what: str
    source: str
    """Author, year, and the table or page."""
    there: float | Estimate | str
    """The document's figure, as an estimate if it gives the number of matches; the words of an exact answer."""
    measure: str
    cell: Mapping[str, Any] = NO_LEVELS
    """The levels of the line; factors that are left out may have any level."""
    column: str = ""
    """By default the first."""
    relation: Relation = "="
    """How our figure relates to theirs if the claim is true."""
    within: float = 0.0
    """Numbers this near count as equal; for a relation, how far ours may be on the wrong side."""
    apart: str = ""
    """Why the two cannot be compared: other opponents, say."""


class Verdict(msgspec.Struct, frozen=True):
    """Whether our figure agrees with a claim."""

    answer: Literal["agrees", "differs", "too few games to say", "not comparable"]
    needed: int = 0
    """How many more independent blocks would decide it."""
    why: str = ""

    def __str__(self) -> str:
        if self.answer == "too few games to say":
            return too_few(self.needed)
        return f"{self.answer}: {self.why}" if self.why else self.answer


def verdict(claim: Claim, here: Value, column: Column) -> Verdict:
    """The verdict, from the numbers alone.

    Equality is decided if our interval lies apart from theirs, or overlaps it and is narrow enough to have told them
    apart: at most `within` to each side, or as wide as theirs. A relation is decided if the interval is on one side.

    >>> claim = Claim(what="wins", source="Example 1900", there=0.5, measure="wins", within=0.1)
    >>> str(verdict(claim, Estimate(0.52, 0.47, 0.57, 400, 400), Column(name="won")))
    'agrees'
    >>> str(verdict(claim, Estimate(0.6, 0.3, 0.9, 10, 10), Column(name="won")))
    'too few games to say (80 more needed)'
    """
    if claim.apart:
        return Verdict("not comparable", why=claim.apart)
    if here is None:
        return Verdict("not comparable", why="left out of this run")
    if isinstance(here, str) or isinstance(claim.there, str):
        return Verdict("agrees" if str(here) == str(claim.there) else "differs")
    there = claim.there if isinstance(claim.there, Estimate) else exactly(claim.there)
    ours = here if isinstance(here, Estimate) else exactly(float(here))
    if isinstance(here, Estimate) and is_vacuous(here, column):
        return Verdict("too few games to say", here.missing_blocks(column.least))
    if claim.relation == "=":
        target = max(claim.within, (there.high - there.low) / 2.0)
        if ours.low > there.high + claim.within or ours.high < there.low - claim.within:
            return Verdict("differs")
        is_narrow = (ours.high - ours.low) / 2.0 <= target
        return Verdict("agrees") if is_narrow else Verdict("too few games to say", ours.blocks_for(target))
    sign = 1.0 if claim.relation == ">" else -1.0
    edge = (there.low if sign > 0.0 else there.high) - sign * claim.within
    beyond = sorted(sign * (end - edge) for end in (ours.low, ours.high))
    if beyond[0] > 0.0:
        return Verdict("agrees")
    if beyond[1] < 0.0 or not isinstance(here, Estimate):
        return Verdict("differs")
    return Verdict("too few games to say", ours.blocks_for(abs(ours.mean - edge)))


def exactly(number: float) -> Estimate:
    """A number without an error."""
    return Estimate(number, number, number, 1, 1)


def share(count: float, total: int) -> Estimate:
    """The fraction that a document gives as *count* of *total* matches, with its interval.

    >>> words(share(2, 3))
    '0.67 (0.04 to 0.99)'
    """
    whole, part = divmod(count, 1)
    scores = [1.0] * int(whole) + ([part] if part else [])
    return mean_interval(scores + [0.0] * (total - len(scores)), bounds=(0.0, 1.0))


def comparison_table(
    claims: Sequence[Claim], measures: Mapping[str, Measure], lines: Mapping[str, Sequence[MeasureLine]], *, quick: bool
) -> Table:
    """The table of all claims; a quick run is not judged."""
    rows = []
    for claim in claims:
        column = measures[claim.measure].column(claim.column)
        here = answer(claim, column, lines[claim.measure])
        said = QUICK if quick else str(verdict(claim, here, column))
        there = f"{SIGNS[claim.relation]}{words(claim.there)}"
        rows.append((claim.what, claim.source, there, words(shown_value(here, column)), said))
    return Table(COLUMNS, rows, shown=True)


def answer(claim: Claim, column: Column, lines: Sequence[MeasureLine]) -> Value:
    """Our figure; None if the run has no such line."""
    for line in lines:
        if all(line.levels.get(name) == level for name, level in claim.cell.items()):
            return line.values[column.name]
    return None
