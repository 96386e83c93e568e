"""What the arena keeps of one match: the row of every table, every statistic and every export."""

import msgspec


class MatchResult(msgspec.Struct, frozen=True, kw_only=True):
    """One match of a run. Names, returns and all that is said per player are in the order of the seats."""

    index: int
    """Of the match in the run."""
    series: int
    """Matches of one series are played one after another by agents that keep what they learned."""
    block: int
    """Series on the same seeds with seats exchanged; blocks are independent of each other, matches in one are not."""
    game: str
    seed: int
    names: tuple[str, ...]
    """The agents as the run calls them."""
    returns: tuple[float, ...]
    plies: int
    reason: str
    seconds: tuple[float, ...]
    """Thinking time."""
    strikes: tuple[int, ...]
    forfeits: tuple[int, ...] = ()
    """The seats that forfeited."""
