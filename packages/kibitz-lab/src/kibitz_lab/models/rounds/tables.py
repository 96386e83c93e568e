"""What the learner of rounds remembers: counts in contexts, replies to predictions, and the weights of its experts.

Each context of the last rounds is an expert five times over: by slow and by fast counts of what the other did there; by
what the other does when those counts predict an action, whatever that is; and by what the other does when the counts of
one's *own* actions there predict one, since that is what the other may expect. Longest matches and a chain of joint
contexts are further experts. Contexts and replies are also counted up to the symmetries of the stage.
"""

from itertools import permutations
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = Annotated[NDArray[np.int64], "int64[::1]"]
IntRows = Annotated[NDArray[np.int64], "int64[:, ::1]"]
Counts = Annotated[NDArray[np.float32], "float32[:, ::1]"]
Floats = Annotated[NDArray[np.float64], "float64[::1]"]
FloatRows = Annotated[NDArray[np.float64], "float64[:, ::1]"]
FloatCube = Annotated[NDArray[np.float64], "float64[:, :, ::1]"]
FloatBlock = Annotated[NDArray[np.float64], "float64[:, :, :, ::1]"]

MINE, THEIRS, BOTH, RANKS = 1, 2, 3, 8
PER_CONTEXT = 5
"""The experts of a context."""
MATCHES = 3
"""Longest matches are sought among one's own actions, the other's, and both."""
PER_MATCH = 3
LONGEST_MATCH = 11
MIXERS = 4
"""Logistic mixtures: slow, fast, with weights by the outcome of the last round, and by the other's last action."""
SETS = 16
"""Sets of weights of a mixture."""
BAYES = 2
SPEEDS = 4
"""The ways to forget when actions are ranked by how often they were chosen."""
LARGEST_GROUP = 5
"""The most actions of a player for which symmetries are sought."""
CHAIN_STATES = 100
DEEPEST = 3
"""The chain is as deep as its states allow, and at most so deep."""
SLOTS = 1 << 16
"""The most contexts that are remembered, a power of 2."""


class Context(NamedTuple):
    """What a context is made of: whose actions, of how many rounds, after how many rounds that are left out.

    With *ranks*, whose actions were chosen most and least, by the way to forget *length*, together with the last
    actions of *gap*. A *relative* one counts up to the symmetries of the stage.
    """

    whose: int
    length: int
    gap: int = 0
    relative: int = 0


CONTEXTS = (
    Context(0, 0),
    *(Context(MINE, length) for length in (1, 2, 3)),
    *(Context(THEIRS, length) for length in (1, 2, 3, 4, 5)),
    *(Context(BOTH, length) for length in (1, 2, 3, 4)),
    *(Context(whose, 1, 1) for whose in (MINE, THEIRS, BOTH)),
    *(Context(whose, 1, 2) for whose in (THEIRS, BOTH)),
    *(Context(whose, 2, 1) for whose in (THEIRS, BOTH)),
    *(Context(RANKS | MINE, speed) for speed in (0, 1, 2)),
    *(Context(RANKS | THEIRS, speed) for speed in (0, 1, 2)),
    Context(RANKS | MINE, 1, THEIRS),
    Context(RANKS | THEIRS, 1, MINE),
)
RELATIVE = (
    *(Context(MINE, length, 0, 1) for length in (1, 2, 4)),
    *(Context(THEIRS, length, 0, 1) for length in (1, 2, 4, 6)),
    *(Context(BOTH, length, 0, 1) for length in (1, 2, 3, 4, 6)),
)
"""Further contexts where the stage has symmetries."""


class RoundTables(NamedTuple):
    """The learner's memory, as arrays for kernels; *W* is the larger number of actions."""

    mine_count: int
    their_count: int
    depth: int
    """Of the chain."""
    contexts: IntRows
    mine_turns: IntRows
    their_turns: IntRows
    """Each symmetry of the stage: where it takes every action; the first leaves them in place."""
    mine_norms: Ints
    their_norms: Ints
    """The symmetry that takes an action to the first that it can become."""
    mine: Ints
    theirs: Ints
    """The rounds so far."""
    keys: IntRows
    """The contexts by hash, each with the number of its row: rows lie side by side, so that few are far from memory."""
    used: Ints
    """How many rows are in use."""
    rows: Counts
    """The counts of a context: of the other's actions, slow and fast, and of one's own, slow and fast."""
    places: Ints
    """The row of each context of now; -1 if there is none."""
    turns: Ints
    """The symmetry by which each relative context of now was turned."""
    tops: IntRows
    """What the four counts of each context predict; -1 if nothing was counted."""
    replies: FloatBlock
    """What the other did, by context, by kind of prediction, by the prediction."""
    ranks: FloatCube
    """How often both chose each action, by speed of forgetting."""
    runs: IntRows
    """For each earlier round, how many rounds before it are equal to the last ones."""
    matched: Ints
    """The longest matches: the round after each, and its length."""
    match_replies: FloatBlock
    chain_counts: FloatRows
    chain_starts: Ints
    chain_trust: Floats
    chain_prior: FloatRows
    """What to expect of the other after each pair of actions before anything was seen there."""
    chain_now: Ints
    """The last rounds as a number."""
    shares: FloatRows
    """The prediction of every expert."""
    logs: FloatRows
    """Its logarithms, less their mean."""
    weights: FloatCube
    """Of the logistic mixtures, by set."""
    sets: Ints
    beliefs: FloatRows
    """The weights of the Bayesian mixtures."""
    finals: FloatRows
    """The predictions of all mixtures, and of the reply to what they predict together."""
    final_weights: FloatRows
    final_replies: FloatRows
    final_top: Ints
    predictions: FloatRows
    """The prediction without and with that reply."""


START_WEIGHT, START_FINAL = 0.03, 0.3


def new_tables(
    own: NDArray[np.float64], other: NDArray[np.float64], prior: NDArray[np.float64], rounds: int
) -> RoundTables:
    """A learner that has seen nothing, of a stage in which I earn *own* and they *other*, by my and their action."""
    mine_count, their_count = own.shape
    width, pairs = max(own.shape), own.size
    mine_turns, their_turns = symmetries(own, other)
    chosen = (*CONTEXTS, *RELATIVE) if len(mine_turns) > 1 else CONTEXTS
    contexts = np.array(chosen, dtype=np.int64)
    depth = min(DEEPEST, max(1, int(np.log(CHAIN_STATES) / np.log(max(pairs, 2)) + 1e-9)))
    starts = np.cumsum([0, *(pairs**length for length in range(depth + 1))])
    experts = PER_CONTEXT * len(contexts) + PER_MATCH * MATCHES + 1
    slots = min(SLOTS, 1 << int(2 * len(contexts) * min(rounds, SLOTS)).bit_length())
    length = min(rounds, 1024) + 2
    finals = MIXERS + BAYES + 1
    return RoundTables(
        mine_count=mine_count,
        their_count=their_count,
        depth=depth,
        contexts=contexts,
        mine_turns=mine_turns,
        their_turns=their_turns,
        mine_norms=first_turns(mine_turns),
        their_norms=first_turns(their_turns),
        mine=np.zeros(length, dtype=np.int64),
        theirs=np.zeros(length, dtype=np.int64),
        keys=np.zeros((slots, 2), dtype=np.int64),
        used=np.zeros(1, dtype=np.int64),
        rows=np.zeros((slots, 4 * width), dtype=np.float32),
        places=np.full(len(contexts), -1, dtype=np.int64),
        turns=np.zeros(len(contexts), dtype=np.int64),
        tops=np.full((len(contexts), 4), -1, dtype=np.int64),
        replies=np.zeros((len(contexts), 3, width, width)),
        ranks=np.zeros((2, SPEEDS, width)),
        runs=np.zeros((MATCHES, length), dtype=np.int64),
        matched=np.full(2 * MATCHES, -1, dtype=np.int64),
        match_replies=np.zeros((2 * MATCHES, LONGEST_MATCH + 1, width, width)),
        chain_counts=np.zeros((int(starts[-1]), their_count)),
        chain_starts=starts.astype(np.int64),
        chain_trust=np.full(depth + 1, 0.5),
        chain_prior=np.ascontiguousarray(prior),
        chain_now=np.zeros(1, dtype=np.int64),
        shares=np.zeros((experts, their_count)),
        logs=np.zeros((experts, their_count)),
        weights=np.full((MIXERS, SETS, experts), START_WEIGHT),
        sets=np.zeros(MIXERS, dtype=np.int64),
        beliefs=np.full((BAYES, experts), 1.0 / experts),
        finals=np.zeros((finals, their_count)),
        final_weights=np.full((2, finals), START_FINAL),
        final_replies=np.zeros((width, width)),
        final_top=np.zeros(1, dtype=np.int64),
        predictions=np.full((2, their_count), 1.0 / their_count),
    )


def longer_tables(tables: RoundTables) -> RoundTables:
    """The same with room for twice as many rounds."""
    room = len(tables.mine)
    return tables._replace(
        mine=np.concatenate([tables.mine, np.zeros(room, dtype=np.int64)]),
        theirs=np.concatenate([tables.theirs, np.zeros(room, dtype=np.int64)]),
        runs=np.ascontiguousarray(np.hstack([tables.runs, np.zeros((MATCHES, room), dtype=np.int64)])),
    )


def symmetries(own: NDArray[np.float64], other: NDArray[np.float64]) -> tuple[IntRows, IntRows]:
    """The ways to rename the actions of both players that leave the stage as it is, with where each takes an action.

    >>> stage = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
    >>> symmetries(stage, -stage)[0].tolist()
    [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    """
    rows, columns = own.shape
    found: list[tuple[tuple[int, ...], tuple[int, ...]]] = [(tuple(range(rows)), tuple(range(columns)))]
    places = {column_key(own, other, column): column for column in range(columns)}
    if rows <= LARGEST_GROUP and len(places) == columns:
        for first in permutations(range(rows)):
            turned = [places.get(column_key(own[list(first)], other[list(first)], each)) for each in range(columns)]
            if None not in turned:
                second = tuple(turned.index(column) for column in range(columns))
                if (first, second) != found[0]:
                    found.append((first, second))
    return np.array([first for first, _ in found]), np.array([second for _, second in found])


def column_key(own: NDArray[np.float64], other: NDArray[np.float64], column: int) -> bytes:
    """What both earn in a column, to compare it with others."""
    return np.stack([own[:, column], other[:, column]]).tobytes()


def first_turns(turns: IntRows) -> Ints:
    """For every action, the first symmetry that takes it as far down as any does."""
    found: Ints = turns.argmin(axis=0).astype(np.int64)
    return found
