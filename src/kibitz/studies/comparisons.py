"""Compare the numbers and claims of a document with ours, and say whether they agree."""

from collections.abc import Sequence

import msgspec

from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.studies.blocks import Table, words

COLUMNS = ("what", "there", "source", "here (95 % interval)", "agree?")


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """One number or claim of a document, and what we found."""

    what: str
    source: str
    """Author, year, and the table or page."""
    there: float | Estimate | str
    """An estimate if the document gives the number of matches; words for a claim."""
    here: Estimate | float | str | None
    holds: bool | None = None
    """For a claim: whether our data support it; None if they do not decide."""
    apart: str = ""
    """Why the two numbers are not comparable: another field of opponents, say."""

    def verdict(self) -> str:
        """The verdict in words."""
        if self.apart:
            return f"not comparable: {self.apart}"
        if isinstance(self.there, str):
            return {True: "yes", False: "no", None: "not decided"}[self.holds]
        if isinstance(self.here, Estimate):
            return interval_verdict(self.there, self.here)
        if isinstance(self.here, float) and not isinstance(self.there, Estimate):
            return "yes: the same" if self.here == self.there else difference(self.there, self.here)
        return "not decided: nothing is known here"


def interval_verdict(there: float | Estimate, here: Estimate) -> str:
    """Whether two numbers can be equal, by their intervals."""
    if not here.is_finite() or (isinstance(there, Estimate) and not there.is_finite()):
        return "not decided: an interval is unknown"
    low, high = (there.low, there.high) if isinstance(there, Estimate) else (there, there)
    if here.low <= high and low <= here.high:
        return "yes: the intervals overlap" if isinstance(there, Estimate) else "yes: theirs lies in our interval"
    return difference(high, here.low) if here.low > high else difference(low, here.high)


def difference(there: float, here: float) -> str:
    """Which of two different numbers is larger."""
    return f"no: ours is {'higher' if here > there else 'lower'}"


def comparison_table(rows: Sequence[Comparison], caption: str = "") -> Table:
    """The table of several comparisons."""
    found = [(each.what, words(each.there), each.source, words(each.here), each.verdict()) for each in rows]
    return Table(COLUMNS, found, caption)


def share(count: float, total: int) -> Estimate:
    """The share that a document gives as *count* of *total* matches, with its interval.

    >>> words(share(2, 3))
    '0.67 (0.04 to 0.99)'
    """
    whole, part = divmod(count, 1)
    scores = [1.0] * int(whole) + ([part] if part else [])
    return mean_interval(scores + [0.0] * (total - len(scores)), bounds=(0.0, 1.0))
