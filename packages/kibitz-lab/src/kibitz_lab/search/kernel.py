"""The search as a kernel, for games that offer KERNELS. Twin of `game_tree.TreeSearch`: same values, nodes and lines.

It is alpha-beta, and with a model that offers kernels the asymmetric tree: at the opponent's nodes it asks which moves
are likely, as `node_policy.LikelySet` does.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel, kernel_at
from kibitz.core.kit import compiled
from kibitz_lab.search.likely import ROUNDING
from kibitz_lab.search.settings import WIN, WIN_SOONER
from kibitz_lab.search.workspace import (
    ACTIONS,
    ASKED,
    CHOSEN,
    HINTS,
    HISTORY,
    LIKELY,
    MATE,
    NAMED,
    NOISE,
    OUTCOMES,
    PRUNE,
    SCORES,
    SEARCHES,
    SORT,
    TABLE,
    Kernels,
    SearchPlan,
    Workspace,
)

U = np.uint64
EXACT, AT_LEAST, AT_MOST = 0, 1, 2
SALT, LIMIT_SALT = U(0xD1342543DE82EF95), U(0xAF251AF3B0F025B5)
"""Multiplied by the number of a search and by its limit, these mark the search's entries in the table."""
expand_at, to_move_at = kernel_at(compiled.EXPAND), kernel_at(compiled.TO_MOVE)
scores_at, likelihoods_at, settle_at = (
    kernel_at(compiled.SCORES),
    kernel_at(compiled.LIKELIHOODS),
    kernel_at(compiled.SETTLE),
)


@kernel("uint64(uint64[:], int64)")
def words_hash(words: NDArray[np.uint64], count: int) -> Any:
    """64 bits of the first *count* words. Twin of `game_tree.words_hash`."""
    found = U(0x9E3779B97F4A7C15)
    for index in range(count):
        found = (found ^ words[index]) * U(0xBF58476D1CE4E5B9)
        found ^= found >> U(29)
    return found


@kernel("float64(uint64, uint64)")
def tie_noise(position: Any, seed: Any) -> float:
    """A number in ]-.5, .5[ that depends only on the position and the seed. Twin of `game_tree.tie_noise`."""
    word = position ^ seed * U(0x9E3779B97F4A7C15)
    word = (word ^ word >> U(30)) * U(0xBF58476D1CE4E5B9)
    word = (word ^ word >> U(27)) * U(0x94D049BB133111EB)
    word ^= word >> U(31)
    return (float(word >> U(12)) + 0.5) * (1.0 / 4503599627370496.0) - 0.5


@kernel("int64(int64, int64, int64[:, :, ::1], float64[:, ::1])")
def order(ply: int, count: int, lists: Any, values: Any) -> int:
    """Order the children of *ply*, best first: hint, then score, then value; ties keep their order."""
    for place in range(count):
        slot = place
        while slot > 0:
            other = lists[ply, CHOSEN, slot - 1]
            if lists[ply, HINTS, place] != lists[ply, HINTS, other]:
                before = lists[ply, HINTS, place] > lists[ply, HINTS, other]
            elif lists[ply, SCORES, place] != lists[ply, SCORES, other]:
                before = lists[ply, SCORES, place] > lists[ply, SCORES, other]
            else:
                before = values[ply, place] > values[ply, other]
            if not before:
                break
            lists[ply, CHOSEN, slot] = other
            slot -= 1
        lists[ply, CHOSEN, slot] = place
    return count


@kernel("int64(int64, int64, float64[:, ::1], boolean[:, ::1], float64, int64[:, :, ::1])")
def mark_likely(ply: int, count: int, shares: Any, ranks: Any, mass: float, lists: Any) -> int:
    """Write which of the children are likely; return how many. Twin of the rules in `search.likely`."""
    named = 0
    if mass > 0.0:
        ranked = np.sort(shares[ply, :count])
        total = 0.0
        for index in range(count):
            total += shares[ply, index]
        abstains = total <= 0.0 or ranked[0] == ranked[count - 1]
        reached = least = 0.0
        for place in range(count - 1, -1, -1):
            if reached >= mass * total * (1.0 - ROUNDING):
                break
            reached, least = reached + ranked[place], ranked[place]
        for index in range(count):
            lists[ply, LIKELY, index] = not abstains and shares[ply, index] >= least
            named += lists[ply, LIKELY, index]
        return named
    for index in range(count):
        rank = 0
        for other in range(count):
            rank += shares[ply, other] >= shares[ply, index]
        lists[ply, LIKELY, index] = ranks[rank, count]
        named += lists[ply, LIKELY, index]
    return named


@kernel("int64(Kernels, float64[:], SearchPlan, Workspace)")
def search(kernels: Kernels, weights: NDArray[np.float64], plan: SearchPlan, work: Workspace) -> int:
    """Search from the state in `work.states[plan.first]`; return the number of nodes, or -1 if it gave up.

    The number of the search in `work.counted` marks its entries in the table, so that the table need not be emptied
    first. The value is left in `work.windows[3, plan.first]`, the line in `work.lines[plan.first]`; at the root the
    actions are left in `work.lists[0, 0]`, their values in `work.root_values`.
    """
    # Not recursive: a recursive kernel that passes other kernels on breaks when it is loaded from the disk cache.
    expand, to_move, score = expand_at(kernels.expand), to_move_at(kernels.to_move), scores_at(kernels.scores)
    likelihoods, settle = likelihoods_at(kernels.likelihoods), settle_at(kernels.settle)
    switches = plan.switches
    prune, sort, use_table, use_history = switches & PRUNE, switches & SORT, switches & TABLE, switches & HISTORY
    table_keys, table_moves, table_values, history = work.table_keys, work.table_moves, work.table_values, work.history
    children, lists, values, states, kept, lines = (
        work.children,
        work.lists,
        work.values,
        work.states,
        work.hashes,
        work.lines,
    )
    alphas, betas, lowers, bests = work.windows[0], work.windows[1], work.windows[2], work.windows[3]
    counts, visited, movers, limits = work.counters[0], work.counters[1], work.counters[2], work.counters[3]
    predicts, asks = work.counters[4], work.counters[5]
    mask, mark, seed = U(len(table_keys) - 1), U(work.counted[SEARCHES]) * SALT, U(plan.seed)
    words = states.shape[1]
    ply, nodes, entering, returned = plan.first, 0, True, 0.0
    alphas[ply], betas[ply], movers[ply] = plan.alpha, plan.beta, to_move(states[ply])
    limits[ply], predicts[ply] = plan.limit, plan.predicts
    while True:
        left = limits[ply] - ply
        answered = False
        if entering:
            entering = False
            asks[ply] = 0
            asking, plain, count = False, True, 0
            if predicts[ply]:
                # 1. Ask which of the opponent's moves are likely, while that can change how far to look.
                nearest = ply + 1 if movers[ply] == plan.searcher else ply
                if nearest >= limits[ply] or nearest + 1 >= plan.deepest:
                    predicts[ply] = 0
                elif nearest == ply:
                    actions, outcomes = lists[ply, ACTIONS], lists[ply, OUTCOMES]
                    count = expand(states[ply], weights, np.inf, actions, children[ply], values[ply], outcomes)
                    for index in range(count):
                        score(children[ply, index], work.scores[index])
                    row, shares = plan.row + ply + 1, work.shares
                    likelihoods(
                        work.scores, count, movers[ply], row, plan.integers, plan.numbers, plan.path, shares[ply]
                    )
                    named = mark_likely(ply, count, shares, plan.ranks, plan.mass, lists)
                    work.counted[ASKED] += 1
                    work.counted[NAMED] += named
                    if named == 0 and ply < plan.unlikely:  # the same as without a prediction
                        predicts[ply], limits[ply], left = 0, plan.unlikely, plan.unlikely - ply
                    else:
                        asks[ply], asking = 1, True
                plain = predicts[ply] == 0
            # 2. Was this position searched to the same depth already? Where moves are predicted, the value depends on
            # the line to a position as well. The root is never answered from the table.
            hint = -1
            if use_table and left > 1 and plain:
                kept[ply] = words_hash(states[ply], plan.hashed) ^ mark ^ U(limits[ply]) * LIMIT_SALT
                slot = kept[ply] & mask
                packed, value = table_moves[slot], table_values[slot]
                if table_keys[slot] == kept[ply]:
                    hint = packed >> 16
                    kind = packed & 3
                    exact = kind == EXACT or (kind == AT_LEAST and value >= betas[ply])
                    exact = exact or (kind == AT_MOST and value <= alphas[ply])
                    if ply and (packed >> 2) & 0x3FFF == left and exact:
                        bests[ply], answered = value, True
                        lines[ply, 0], lines[ply, 1] = hint, -1
            if not answered:
                # 3. Make the children, and order them.
                sign = 1.0 if movers[ply] == 0 else -1.0
                frontier = left == 1 and sort and ply > 0 and plain
                if not asking:
                    enough = betas[ply] + 0.5 if frontier and prune else np.inf  # noise takes less than .5 away
                    actions, outcomes = lists[ply, ACTIONS], lists[ply, OUTCOMES]
                    count = expand(states[ply], weights, enough, actions, children[ply], values[ply], outcomes)
                top = 0
                for index in range(count):
                    value, outcome = values[ply, index], lists[ply, OUTCOMES, index]
                    leaf = left == 1
                    if asking:
                        leaf = ply + 1 >= (plan.deepest if lists[ply, LIKELY, index] else plan.unlikely)
                    if outcome or leaf:
                        if switches & MATE and 0 < outcome < 3:
                            value += (WIN + WIN_SOONER * (plan.depth - ply - 1)) * (1.0 if outcome == 1 else -1.0)
                        if switches & NOISE:
                            value += tie_noise(words_hash(children[ply, index], plan.hashed), seed)
                    values[ply, index] = sign * value
                    if values[ply, index] > values[ply, top]:
                        top = index
                if frontier:  # leaves are ordered by their values: either the best one cuts, or all are visited
                    bests[ply], answered = values[ply, top], True
                    lines[ply, 0], lines[ply, 1] = lists[ply, ACTIONS, top], -1
                    nodes += 1 if prune and bests[ply] >= betas[ply] else count
                    if nodes > plan.nodes:
                        return -1
                else:
                    for index in range(count):
                        action = lists[ply, ACTIONS, index]
                        lists[ply, CHOSEN, index], lists[ply, HINTS, index] = index, action == hint
                        lists[ply, SCORES, index] = history[ply, action] if use_history else 0
                    if sort:
                        order(ply, count, lists, values)
                    counts[ply], visited[ply], bests[ply], lowers[ply] = count, 0, -np.inf, alphas[ply]
        else:
            # 4. A child has answered, or was a leaf.
            index = lists[ply, CHOSEN, visited[ply]]
            visited[ply] += 1
            if ply == 0:
                work.root_values[index] = returned
            if returned > bests[ply]:
                bests[ply] = returned
                lines[ply, 0] = lists[ply, ACTIONS, index]
                for place in range(lines.shape[1] - 1):
                    lines[ply, place + 1] = lines[ply + 1, place]
                    if lines[ply + 1, place] < 0:
                        break
                lowers[ply] = max(lowers[ply], returned - plan.margin if ply == 0 else returned)
                if prune and lowers[ply] >= betas[ply]:
                    if use_history:
                        history[ply, lists[ply, ACTIONS, index]] += left * left
                    counts[ply] = visited[ply]  # too good for the other side to allow
        if not answered and visited[ply] < counts[ply]:
            # 5. Visit the next child; step the model along if it may be asked again.
            index = lists[ply, CHOSEN, visited[ply]]
            nodes += 1
            if nodes > plan.nodes:
                return -1
            ahead, goes_on = limits[ply], predicts[ply]
            if asks[ply]:
                goes_on = lists[ply, LIKELY, index]
                ahead = plan.deepest if goes_on else plan.unlikely
            if ply + 1 >= ahead or lists[ply, OUTCOMES, index]:
                returned = values[ply, index]
                lines[ply + 1, 0] = -1
            else:
                for word in range(words):
                    states[ply + 1, word] = children[ply, index, word]
                if goes_on and ply + 2 < plan.deepest:
                    score(children[ply, index], work.scores[0])
                    row = plan.row + ply + 1
                    settle(work.scores[0], movers[ply], row, plan.integers, plan.numbers, plan.path)
                movers[ply + 1], limits[ply + 1], predicts[ply + 1] = to_move(states[ply + 1]), ahead, goes_on
                same = movers[ply + 1] == movers[ply]
                lower = lowers[ply] if prune else -np.inf
                alphas[ply + 1], betas[ply + 1] = (lower, betas[ply]) if same else (-betas[ply], -lower)
                ply += 1
                entering = True
            continue
        # 6. Remember, and answer.
        if not answered and use_table and left > 1 and not predicts[ply]:
            slot = kept[ply] & mask
            kind = AT_LEAST if bests[ply] >= betas[ply] else AT_MOST if bests[ply] <= alphas[ply] else EXACT
            packed = lines[ply, 0] << 16 | left << 2 | kind
            table_keys[slot] = kept[ply]
            table_moves[slot], table_values[slot] = packed, bests[ply]
        if ply == plan.first:
            return nodes
        returned = bests[ply] if movers[ply] == movers[ply - 1] else -bests[ply]
        ply -= 1
