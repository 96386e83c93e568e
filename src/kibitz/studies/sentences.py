"""Numbers and names in the form that sentences of reports need."""

from collections.abc import Sequence

from kibitz.arena.statistics import Estimate


def percents(share: Estimate) -> str:
    """`40.1 % (37.9 to 42.3)`."""
    return f"{100 * share.mean:.1f} % ({100 * share.low:.1f} to {100 * share.high:.1f})"


def join_names(names: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
