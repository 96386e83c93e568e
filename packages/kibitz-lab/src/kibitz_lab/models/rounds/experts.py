"""The experts of the learner of rounds, compiled: what each predicts now, and what it learns from a round."""

from kibitz.core.kernels import kernel
from kibitz_lab.models.rounds.tables import (
    LONGEST_MATCH,
    MATCHES,
    MINE,
    PER_CONTEXT,
    PER_MATCH,
    RANKS,
    THEIRS,
    FloatRows,
    RoundTables,
)

TABLES = "int64(RoundTables, int64)"
PRIOR, REPLY_PRIOR, MATCH_PRIOR = 2.0, 2.0, 1.8
"""What is added to counts, spread over all actions, in the manner of Krichevsky and Trofimov."""
SLOW, FAST, REPLY_MEMORY, MATCH_MEMORY, MATCH_REPLY_MEMORY = 0.996, 0.75, 0.99, 0.99, 0.96
"""What is left of a count when the next comes."""
CHAIN_PRIOR, LINK_PRIOR, CHAIN_MEMORY = 1.5, 1.0, 0.98
LEAST_TRUST, MOST_TRUST = 0.05, 0.98
SPEEDS = (1.0, 0.98, 0.93, 0.8)
PROBES = 8
BASE, MODULUS = 1031, 4503599627370449
"""Contexts become keys as numbers to this base, modulo a prime below 2**52."""
WINDOW = 2000
"""Longest matches are sought among so many rounds."""


@kernel(TABLES, lean=True)
def find_row(tables: RoundTables, key: int) -> int:
    """The row of a context; that of a new one is empty."""
    keys, mask, start = tables.keys, len(tables.keys) - 1, key >> 8
    for step in range(PROBES):
        place = (start + step) & mask
        if keys[place, 0] == key:
            return int(keys[place, 1])
        if keys[place, 0] == 0:
            keys[place, 0], keys[place, 1] = key, tables.used[0]
            tables.used[0] += 1
            return int(keys[place, 1])
    place = (start + PROBES - 1) & mask
    keys[place, 0] = key  # the older context is forgotten
    tables.rows[keys[place, 1]] = 0.0
    return int(keys[place, 1])


@kernel("int64(int64, int64)", lean=True)
def join_key(key: int, symbol: int) -> int:
    """The key of a context with one more symbol."""
    return (key * BASE + symbol) % MODULUS


@kernel("int64(RoundTables, int64, int64)", lean=True)
def context_key(tables: RoundTables, number: int, played: int) -> int:
    """The context of now as a number; 0 if there were too few rounds. Its symmetry is left in `turns`."""
    whose, length, gap = tables.contexts[number, 0], tables.contexts[number, 1], tables.contexts[number, 2]
    key = number + 1
    tables.turns[number] = 0
    if whose >= RANKS:
        if played == 0:
            return 0
        player = 0 if whose & MINE else 1
        count = tables.mine_count if whose & MINE else tables.their_count
        most, least = 0, 0
        for action in range(1, count):
            if tables.ranks[player, length, action] > tables.ranks[player, length, most]:
                most = action
            if tables.ranks[player, length, action] < tables.ranks[player, length, least]:
                least = action
        key = join_key(key, most * count + least + 1)
        if gap & MINE:
            key = join_key(key, tables.mine[played - 1] + 1)
        if gap & THEIRS:
            key = join_key(key, tables.theirs[played - 1] + 1)
    else:
        if played < gap + length:
            return 0
        turn = 0
        if tables.contexts[number, 3]:
            last = played - 1 - gap
            turn = tables.mine_norms[tables.mine[last]] if whose == MINE else tables.their_norms[tables.theirs[last]]
            tables.turns[number] = turn
        for back in range(gap + 1, gap + length + 1):
            if whose & MINE:
                key = join_key(key, tables.mine_turns[turn, tables.mine[played - back]] + 1)
            if whose & THEIRS:
                key = join_key(key, tables.their_turns[turn, tables.theirs[played - back]] + 101)
    return 1 + join_key(join_key(key, number), number)


@kernel("int64(RoundTables, int64)", lean=True)
def predict_by_counts(tables: RoundTables, number: int) -> int:
    """Write the shares of a context's slow and fast counts, and the actions that all four counts predict."""
    place, turn = tables.places[number], tables.turns[number]
    width = tables.rows.shape[1] // 4
    for kind in range(4):
        theirs = kind < 2
        count = tables.their_count if theirs else tables.mine_count
        total = 0.0
        if place >= 0:
            for action in range(count):
                total += tables.rows[place, kind * width + action]
        top, most = -1, 0.0
        for action in range(count):
            share = 1.0 / count
            if place >= 0:
                turned = tables.their_turns[turn, action] if theirs else tables.mine_turns[turn, action]
                share = (tables.rows[place, kind * width + turned] + PRIOR / count) / (total + PRIOR)
            if theirs:
                tables.shares[PER_CONTEXT * number + kind, action] = share
            if share > most + 1e-9:
                top, most = action, share
        tables.tops[number, kind] = top if total > 0.0 else -1
    return 4


@kernel("int64(RoundTables, float64[:, ::1], int64, boolean, float64, int64)", lean=True)
def predict_by_reply(
    tables: RoundTables,
    replies: FloatRows,
    top: int,
    theirs: bool,
    prior: float,
    expert: int,
) -> int:
    """Write what the other did when *top*, an action of *theirs* or of mine, was predicted, up to symmetries."""
    count = tables.their_count
    if top < 0:
        for action in range(count):
            tables.shares[expert, action] = 1.0 / count
        return 0
    turn = tables.their_norms[top] if theirs else tables.mine_norms[top]
    row = tables.their_turns[turn, top] if theirs else tables.mine_turns[turn, top]
    total = prior
    for action in range(count):
        total += replies[row, action]
    for action in range(count):
        tables.shares[expert, action] = (replies[row, tables.their_turns[turn, action]] + prior / count) / total
    return count


@kernel("int64(RoundTables, float64[:, ::1], int64, boolean, float64, int64)", lean=True)
def learn_reply(
    tables: RoundTables,
    replies: FloatRows,
    top: int,
    theirs: bool,
    memory: float,
    action: int,
) -> int:
    """Count what the other did when *top* was predicted."""
    if top < 0:
        return 0
    turn = tables.their_norms[top] if theirs else tables.mine_norms[top]
    row = tables.their_turns[turn, top] if theirs else tables.mine_turns[turn, top]
    for each in range(tables.their_count):
        replies[row, each] *= memory
    replies[row, tables.their_turns[turn, action]] += 1.0
    return int(row)


@kernel(TABLES, lean=True)
def predict_by_matches(tables: RoundTables, played: int) -> int:
    """Write what followed the longest match of the last rounds, and what the other does when that is expected."""
    first = PER_CONTEXT * len(tables.contexts)
    for kind in range(MATCHES):
        found, longest = -1, 0
        for earlier in range(played - 1, max(0, played - WINDOW), -1):
            if tables.runs[kind, earlier] > longest:
                found, longest = earlier, tables.runs[kind, earlier]
        longest = min(longest, LONGEST_MATCH)
        tables.matched[kind], tables.matched[MATCHES + kind] = found, longest
        mine, theirs = (tables.mine[found], tables.theirs[found]) if found >= 0 else (-1, -1)
        expert, replies = first + PER_MATCH * kind, tables.match_replies
        predict_by_reply(tables, replies[kind, longest], theirs, True, MATCH_PRIOR, expert)
        predict_by_reply(tables, replies[MATCHES + kind, 0], mine, False, MATCH_PRIOR, expert + 1)
        predict_by_reply(tables, replies[MATCHES + kind, 1], theirs, True, MATCH_PRIOR, expert + 2)
    return MATCHES


@kernel(TABLES, lean=True)
def learn_matches(tables: RoundTables, played: int) -> int:
    """Learn from the round *played*: the replies to the matches, and how far earlier rounds match now."""
    mine, theirs = tables.mine[played], tables.theirs[played]
    for kind in range(MATCHES):
        found, longest = tables.matched[kind], tables.matched[MATCHES + kind]
        if found >= 0:
            replies = tables.match_replies
            learn_reply(tables, replies[kind, longest], tables.theirs[found], True, MATCH_MEMORY, theirs)
            learn_reply(tables, replies[MATCHES + kind, 0], tables.mine[found], False, MATCH_REPLY_MEMORY, theirs)
            learn_reply(tables, replies[MATCHES + kind, 1], tables.theirs[found], True, MATCH_REPLY_MEMORY, theirs)
        for earlier in range(played, max(0, played - WINDOW), -1):
            same = (kind == 1 or tables.mine[earlier - 1] == mine) and (
                kind == 0 or tables.theirs[earlier - 1] == theirs
            )
            tables.runs[kind, earlier] = tables.runs[kind, earlier - 1] + 1 if same else 0
    return MATCHES


@kernel("float64(RoundTables, int64, int64, int64)", lean=True)
def chain_share(tables: RoundTables, state: int, played: int, action: int) -> float:
    """How likely the chain takes the other to choose *action* after the rounds *state*.

    The counts after one, two … rounds are each smoothed by the shorter ones, and trusted as far as they predicted.
    """
    pairs = tables.mine_count * tables.their_count
    share = tables.chain_prior[state % pairs, action] if played else 1.0 / tables.their_count
    span = 1
    for length in range(1, min(tables.depth, played) + 1):
        span *= pairs
        row = tables.chain_starts[length] + state % span
        total = 0.0
        for each in range(tables.their_count):
            total += tables.chain_counts[row, each]
        if total == 0.0:
            break
        prior = CHAIN_PRIOR if length == 1 else LINK_PRIOR
        own = (tables.chain_counts[row, action] + prior * share) / (total + prior)
        share += tables.chain_trust[length] * (own - share)
    return float(share)


@kernel(TABLES, lean=True)
def learn_chain(tables: RoundTables, played: int) -> int:
    """Learn from the round *played*: how far each length is to be trusted, then the counts; move on."""
    pairs = tables.mine_count * tables.their_count
    mine, theirs, state = tables.mine[played], tables.theirs[played], tables.chain_now[0]
    share = tables.chain_prior[state % pairs, theirs] if played else 1.0 / tables.their_count
    span, reached = 1, True
    for length in range(min(tables.depth, played) + 1):
        row = tables.chain_starts[length] + state % span
        total = 0.0
        for each in range(tables.their_count):
            total += tables.chain_counts[row, each]
        reached = reached and (length == 0 or total > 0.0)
        if length > 0 and reached:
            prior = CHAIN_PRIOR if length == 1 else LINK_PRIOR
            own = (tables.chain_counts[row, theirs] + prior * share) / (total + prior)
            trust = tables.chain_trust[length]
            mixed = share + trust * (own - share)
            tables.chain_trust[length] = min(max(trust * own / mixed, LEAST_TRUST), MOST_TRUST)
            share = mixed
        for each in range(tables.their_count):
            tables.chain_counts[row, each] *= CHAIN_MEMORY
        tables.chain_counts[row, theirs] += 1.0
        span *= pairs
    pair = mine * tables.their_count + theirs
    tables.chain_now[0] = (state * pairs + pair) % (span // pairs if played >= tables.depth else pairs**tables.depth)
    return span


@kernel(TABLES, lean=True)
def predict_by_experts(tables: RoundTables, played: int) -> int:
    """Write the prediction of every expert; return how many there are."""
    for number in range(len(tables.contexts)):
        key = context_key(tables, number, played)
        tables.places[number] = find_row(tables, key) if key != 0 else -1
        predict_by_counts(tables, number)
        expert, tops, replies = PER_CONTEXT * number + 2, tables.tops, tables.replies
        predict_by_reply(tables, replies[number, 0], tops[number, 0], True, REPLY_PRIOR, expert)
        predict_by_reply(tables, replies[number, 1], tops[number, 2], False, REPLY_PRIOR, expert + 1)
        predict_by_reply(tables, replies[number, 2], tops[number, 3], False, REPLY_PRIOR, expert + 2)
    predict_by_matches(tables, played)
    last = len(tables.shares) - 1
    for action in range(tables.their_count):
        tables.shares[last, action] = chain_share(tables, tables.chain_now[0], played, action)
    return last + 1


@kernel(TABLES, lean=True)
def learn_experts(tables: RoundTables, played: int) -> int:
    """Let every expert learn from the round *played*."""
    mine, theirs, width = tables.mine[played], tables.theirs[played], tables.rows.shape[1] // 4
    for number in range(len(tables.contexts)):
        tops, replies = tables.tops, tables.replies
        learn_reply(tables, replies[number, 0], tops[number, 0], True, REPLY_MEMORY, theirs)
        learn_reply(tables, replies[number, 1], tops[number, 2], False, REPLY_MEMORY, theirs)
        learn_reply(tables, replies[number, 2], tops[number, 3], False, REPLY_MEMORY, theirs)
        place, turn = tables.places[number], tables.turns[number]
        if place < 0:
            continue
        for kind in range(4):
            memory = SLOW if kind % 2 == 0 else FAST
            for action in range(width):
                tables.rows[place, kind * width + action] *= memory
            done = tables.their_turns[turn, theirs] if kind < 2 else tables.mine_turns[turn, mine]
            tables.rows[place, kind * width + done] += 1.0
    for speed in range(len(SPEEDS)):
        for action in range(width):
            tables.ranks[0, speed, action] *= SPEEDS[speed]
            tables.ranks[1, speed, action] *= SPEEDS[speed]
        tables.ranks[0, speed, mine] += 1.0
        tables.ranks[1, speed, theirs] += 1.0
    learn_matches(tables, played)
    learn_chain(tables, played)
    return len(tables.contexts)
