"""Checks the proof of every bound: each player's strategy against all responses, in rational numbers where needed.

For player 0 and the lower bounds (for player 1 and the upper ones all signs change):

- *Strategies.* In every state and against every column, the bound does not fall on average in a round.
- *Endless play.* Where the bound is above that of infinite play, no response keeps play for ever at a standstill.
- *More digits.* Where a strategy needs shares too small for doubles, the value of the matrix of bounds, in rational
  numbers, is above the bound: some mix improves on it in every round, so that play cannot last for ever.
- *Limit-sure states.* The layered rows stay in the set except with a chance of a smaller order than that of coming
  nearer to the best ends. Such bounds are approached, not attained.

Floating point decides where its error is too small to matter; all else is computed in rational numbers.
"""

from collections.abc import Sequence
from fractions import Fraction

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz_solve.verification.solution_file import Floats, Ints, SavedSolution


def matrix_value(matrix: list[list[Fraction]]) -> Fraction:
    """What the row player can guarantee.

    All entries are raised above 0. Then 1 / value is the largest sum of y >= 0 with A y <= 1 for every row.
    """
    lift = 1 - min(min(row) for row in matrix)
    rows, columns = len(matrix), len(matrix[0])
    table = [
        [entry + lift for entry in row] + [Fraction(int(slack == number)) for slack in range(rows)] + [Fraction(1)]
        for number, row in enumerate(matrix)
    ]
    gains = [Fraction(1)] * columns + [Fraction(0)] * (rows + 1)
    basis = [columns + number for number in range(rows)]
    while True:
        entering = next((column for column in range(columns + rows) if gains[column] > 0), None)
        if entering is None:
            return 1 / -gains[-1] - lift
        rising = [(number, row) for number, row in enumerate(table) if row[entering] > 0]
        leaving = min((row[-1] / row[entering], basis[number], number) for number, row in rising)[2]
        pivot = table[leaving][entering]
        table[leaving] = [entry / pivot for entry in table[leaving]]
        for number, row in enumerate(table):
            if number != leaving and row[entering]:
                factor = row[entering]
                table[number] = [entry - factor * other for entry, other in zip(row, table[leaving], strict=True)]
        factor = gains[entering]
        gains = [entry - factor * other for entry, other in zip(gains, table[leaving], strict=True)]
        basis[leaving] = entering


Flags = NDArray[np.bool_]
UNIT = 2.0**-53
NEARLY = 1e-12
"""By how much a strategy may miss its bound, in units of the payoffs, before the matrix is asked instead."""
SHARES = 1e-9
"""How far the shares of a state may be from adding up to 1; they are normalised exactly."""


class Finding(msgspec.Struct, frozen=True):
    """One line of the report: what was checked, for how many, whether it holds, and where it does not."""

    what: str
    count: int
    holds: bool
    why: str = ""


class Side:
    """One player's bounds and strategy; values are that player's, so that the opponent always minimises."""

    def __init__(self, saved: SavedSolution, player: int) -> None:
        self.saved, self.player, self.sign = saved, player, 1.0 if player == 0 else -1.0
        side, end = ("row", "low") if player == 0 else ("column", "high")
        self.bound: Floats = self.sign * getattr(saved, end)
        self.ends: Floats = self.sign * getattr(saved, f"end_{end}")
        nodes, rests = getattr(saved, f"{end}_rest_nodes"), getattr(saved, f"{end}_rest")
        self.shares: Floats = getattr(saved, f"{side}_shares")
        self.ranks: Ints = getattr(saved, f"{side}_ranks")
        self.layers: Ints = getattr(saved, f"{side}_layers")
        self.has_rest = np.zeros(saved.nodes, bool)
        self.has_rest[nodes] = True
        self.rests: dict[int, Fraction] = {}
        """What to add to the bound of some nodes, whose proof needs more digits than a double has."""
        for node, rest in zip(nodes.tolist(), rests.tolist(), strict=True):
            self.rests[node] = self.rests.get(node, Fraction(0)) + Fraction(self.sign * rest)
        state = np.repeat(np.arange(saved.choices), np.diff(saved.first))
        offset = np.arange(len(state)) - saved.first[state]
        row, column = offset // saved.columns[state], offset % saved.columns[state]
        row_starts, column_starts = _starts(saved.rows), _starts(saved.columns)
        self.own_starts, self.reply_starts = (row_starts, column_starts) if player == 0 else (column_starts, row_starts)
        self.state_of_pair = state
        self.own_action: Ints = self.own_starts[state] + (row if player == 0 else column)
        self.reply: Ints = self.reply_starts[state] + (column if player == 0 else row)
        self.move_of_outcome = np.repeat(np.arange(saved.live - saved.choices), np.diff(saved.chance_first))
        self.proved_by_matrix = np.zeros(saved.choices, bool)
        """States whose matrix proves the bound, by a strategy that the file does not hold."""
        self.exceeded = np.zeros(0, bool)
        """Replies that get more than the bound allows, and not by rounding alone."""
        self.stage: Floats = self.sign * saved.stage if len(saved.stage) else np.zeros(len(state))

    @property
    def limit_sure(self) -> Flags:
        """The nodes whose bound is the best end, approached by layers."""
        if not len(self.ranks):
            return np.zeros(self.saved.nodes, bool)
        return np.greater_equal(self.ranks, 0)

    def findings(self) -> list[Finding]:
        """All checks of this side."""
        name = "lower" if self.player == 0 else "upper"
        findings = [self._check_shares(), self._check_ends(name), self._check_layers(name)]
        signs, moves = self.drifts()
        findings.append(self._check_drifts(name, signs, moves))
        if self.saved.discount == 1.0:
            findings.append(self._check_endless(name, signs, moves))
        return findings

    def _check_shares(self) -> Finding:
        what = f"strategy of player {self.player}"
        states = self.saved.choices
        if not states:
            return Finding(what, 0, True)
        sums = np.add.reduceat(self.shares, self.own_starts[:-1])
        wrong = (np.abs(sums - 1.0) > SHARES) | (np.minimum.reduceat(self.shares, self.own_starts[:-1]) < 0.0)
        return self._finding(what, states, wrong, "its shares are no strategy")

    def _check_ends(self, name: str) -> Finding:
        live = self.saved.live
        wrong = self.bound[live:] > self.ends
        why = f"the bound of end {int(np.flatnonzero(wrong)[0])} is better than its payoff" if wrong.any() else ""
        return Finding(f"{name} bounds of ends", len(self.ends), not wrong.any(), why)

    def _finding(self, what: str, count: int, wrong: Flags, why: str) -> Finding:
        return Finding(what, count, not wrong.any(), self._named_states(wrong, why))

    def _named_states(self, wrong: Flags, why: str) -> str:
        """The first states that are wrong, in words."""
        if not wrong.any():
            return ""
        nodes = np.flatnonzero(wrong)
        named = [self.saved.states[node] if node < self.saved.choices else "a chance move" for node in nodes[:3]]
        return f"{why} in {', '.join(named)}{f' and {len(nodes) - 3} more' if len(nodes) > 3 else ''}"

    def drifts(self) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """The sign of the change of the bound in a round: for every reply of the opponent, for every chance move."""
        saved, discount = self.saved, self.saved.discount
        signs = self._signs(
            self.reply,
            self.shares[self.own_action],
            saved.successors,
            self.state_of_pair,
            self.stage,
            int(self.reply_starts[-1]),
            discount,
        )
        moves = self._signs(
            self.move_of_outcome,
            saved.chance_odds,
            saved.chance_successors,
            saved.choices + self.move_of_outcome,
            np.zeros(len(self.move_of_outcome)),
            saved.live - saved.choices,
            1.0,
        )
        return signs, moves

    def _signs(
        self, group: Ints, weights: Floats, after: Ints, before: Ints, stage: Floats, count: int, discount: float
    ) -> NDArray[np.int8]:
        """The sign of `Σ weight (discount (bound after + stage) - bound before)` of every group."""
        bound = self.bound
        with np.errstate(invalid="ignore", over="ignore"):
            gains = discount * (bound[after] + stage) - bound[before]
            sizes = np.abs(bound[after]) + np.abs(stage) + np.abs(bound[before])
            used = weights > 0.0
            totals = np.bincount(group[used], weights[used] * gains[used], minlength=count)
            scale = np.bincount(group[used], weights[used] * (sizes[used] + np.abs(gains[used])), minlength=count)
        most = int(np.bincount(group, minlength=1).max(initial=1))
        error = 4.0 * (most + 8) * UNIT * scale + 1e-300
        if group is self.reply:
            self.exceeded = ~(totals >= -NEARLY * scale)
        signs = np.where(totals > error, 1, np.where(totals < -error, -1, 0)).astype(np.int8)
        unclear = ~(np.abs(totals) > error)
        if discount == 1.0 and not stage.any():  # equal bounds are exactly equal
            moved = np.bincount(group[used & (bound[after] != bound[before])], minlength=count)
            unclear &= moved > 0
        if self.rests:
            unclear |= np.bincount(group[used & (self.has_rest[after] | self.has_rest[before])], minlength=count) > 0
        if unclear.any():
            order = np.argsort(group, kind="stable")
            starts = np.searchsorted(group[order], np.arange(count + 1))
            for unclear_group in np.flatnonzero(unclear):
                members = order[starts[unclear_group] : starts[unclear_group + 1]]
                signs[unclear_group] = self._exact_sign(members, weights, after, before, stage, discount)
        return signs

    def exact(self, node: int) -> Fraction:
        """A bound as a rational number."""
        return Fraction(float(self.bound[node])) + self.rests.get(node, Fraction(0))

    def _exact_sign(
        self, members: Ints, weights: Floats, after: Ints, before: Ints, stage: Floats, discount: float
    ) -> int:
        used = [int(each) for each in members if weights[each] > 0.0]
        if any(self.bound[after[each]] == -np.inf for each in used):
            return -1 if self.bound[before[used[0]]] > -np.inf else 0
        if used and self.bound[before[used[0]]] == -np.inf:
            return 1
        if any(not np.isfinite(self.bound[node]) for each in used for node in (after[each], before[each])):
            return -1
        total, factor = Fraction(0), Fraction(discount)
        for each in used:
            gain = factor * (self.exact(int(after[each])) + Fraction(float(stage[each])))
            total += Fraction(float(weights[each])) * (gain - self.exact(int(before[each])))
        return (total > 0) - (total < 0)

    def falling_nodes(self, signs: NDArray[np.int8], moves: NDArray[np.int8]) -> Flags:
        """The nodes whose bound falls on average in a round, against some response or by chance.

        Where only the matrix itself shows that the bound rises, *signs* is corrected.
        """
        saved = self.saved
        falling = np.zeros(saved.live, bool)
        if saved.choices:
            falling[: saved.choices] = np.minimum.reduceat(signs, self.reply_starts[:-1]) < 0
        falling[saved.choices :] = moves < 0
        falling &= ~self.limit_sure[: saved.live]
        for node in np.flatnonzero(falling[: saved.choices]):
            replies = slice(self.reply_starts[node], self.reply_starts[node + 1])
            if self.exceeded[replies].any() and not self.has_rest[node]:
                continue
            gain = self._matrix_gain(int(node))  # rounding spoiled the shares; the matrix may hold the bound
            falling[node] = gain is None or gain < 0
            self.proved_by_matrix[node] = gain == 0
            if gain is not None and gain > 0:  # some mix improves on it against every reply
                signs[replies] = 1
        return falling

    def _check_drifts(self, name: str, signs: NDArray[np.int8], moves: NDArray[np.int8]) -> Finding:
        falling, count = self.falling_nodes(signs, moves), int((~self.limit_sure[: self.saved.live]).sum())
        what = f"{name} bounds held by player {self.player}'s strategy"
        return self._finding(what, count, falling, "some response gets more than the bound allows")

    def _matrix_gain(self, node: int) -> Fraction | None:
        """By how much the value of a state's matrix of bounds is better than its bound; None if these are infinite."""
        saved = self.saved
        entries = [int(each) for each in np.flatnonzero(self.state_of_pair == node)]
        if not all(np.isfinite(self.bound[saved.successors[entry]]) for entry in entries):
            return None
        discount = Fraction(saved.discount)
        values = {
            (int(self.own_action[entry]), int(self.reply[entry])): discount
            * (self.exact(int(saved.successors[entry])) + Fraction(float(self.stage[entry])))
            for entry in entries
        }
        own_actions, replies = (sorted({pair[side] for pair in values}) for side in (0, 1))
        matrix = [[values[own, reply] for reply in replies] for own in own_actions]
        return matrix_value(matrix) - self.exact(node)

    def _check_endless(self, name: str, signs: NDArray[np.int8], moves: NDArray[np.int8]) -> Finding:
        """No response keeps play for ever where the bound is better than endless play."""
        saved = self.saved
        worse = saved.must_end and self.player == 1
        if saved.must_end and self.player == 0:
            return Finding(f"{name} bounds against endless play", saved.live, True)
        ahead = np.zeros(saved.nodes, bool)
        ahead[: saved.live] = True if worse else (self.bound > 0.0)[: saved.live]
        ahead |= self.has_rest
        ahead &= ~self.limit_sure
        checked = int(ahead.sum())
        standing, resting = (
            (np.ones(len(signs), bool), np.ones(len(moves), bool)) if worse else (signs <= 0, moves <= 0)
        )
        by_matrix = self.proved_by_matrix[self.state_of_pair]
        standing[self.reply[by_matrix]] = True
        used = (self.shares[self.own_action] > 0.0) & ~by_matrix
        possible = saved.chance_odds > 0.0
        while True:
            staying = standing.copy()
            staying[self.reply[used & ~ahead[saved.successors]]] = False
            may_stay = ~np.repeat(self.proved_by_matrix, np.diff(self.reply_starts))
            may_stay[self.reply[by_matrix & ahead[saved.successors]]] = True
            staying &= may_stay
            kept = ahead.copy()
            if saved.choices:
                kept[: saved.choices] &= np.logical_or.reduceat(staying, self.reply_starts[:-1])
            drawn = resting.copy()
            drawn[self.move_of_outcome[possible & ~ahead[saved.chance_successors]]] = False
            kept[saved.choices : saved.live] &= drawn
            if (kept == ahead).all():
                break
            ahead = kept
        what = f"{name} bounds against endless play"
        return self._finding(what, checked, ahead[: saved.live], "a response can keep play going for ever")

    def _check_layers(self, name: str) -> Finding:
        """The limit-sure set: by every state's layers of rows, and every chance move's outcomes."""
        saved, inside = self.saved, self.limit_sure
        what = f"{name} bounds of limit-sure states"
        if not inside.any():
            return Finding(what, 0, True)
        best = float(self.ends.max(initial=-np.inf))
        wrong = inside & ((self.bound > best) | self.has_rest)
        wrong[: saved.live] |= self.ranks[: saved.live] == 0
        wrong[saved.live :] |= inside[saved.live :] & (self.ends < best)
        for node in np.flatnonzero(inside[: saved.live] & (self.ranks[: saved.live] > 0)):
            fails = self._state_fails if node < saved.choices else self._move_fails
            wrong[node] |= fails(int(node))
        why = self._named_states(wrong[: saved.live], "the layers do not lead to the best end")
        if not why and wrong.any():
            why = "an end of the set is not the best"
        return Finding(what, int(inside[: saved.live].sum()), not wrong.any(), why)

    def _move_fails(self, node: int) -> bool:
        first, last = self.saved.chance_first[node - self.saved.choices : node - self.saved.choices + 2]
        likely = self.saved.chance_odds[first:last] > 0.0
        ranks = self.ranks[self.saved.chance_successors[first:last][likely]]
        return bool((ranks < 0).any() or not (ranks < self.ranks[node]).any())

    def _state_fails(self, node: int) -> bool:
        """Whether the layers of a state do not beat every reply."""
        saved, rank = self.saved, int(self.ranks[node])
        first, last = int(saved.first[node]), int(saved.first[node + 1])
        own = self.own_action[first:last] - self.own_starts[node]
        reply = self.reply[first:last] - self.reply_starts[node]
        ranks = self.ranks[saved.successors[first:last]]
        layers = self.layers[self.own_starts[node] : self.own_starts[node + 1]]
        beaten = np.zeros(int(self.reply_starts[node + 1] - self.reply_starts[node]), bool)
        used = np.zeros(len(layers), bool)
        for layer in sorted({int(each) for each in layers if each > 0}):
            rows = layers == layer
            if (ranks[rows[own] & ~beaten[reply]] < 0).any():
                return True
            used |= rows
            beaten[reply[used[own] & (ranks >= 0) & (ranks < rank)]] = True
        return not bool(beaten.all())


def _starts(counts: Sequence[int] | Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def check_solution(saved: SavedSolution) -> list[Finding]:
    """Everything that a file claims, checked by its tables alone."""
    crossed = saved.low > saved.high
    why = f"the lower bound is above the upper at {int(crossed.sum())} nodes" if crossed.any() else ""
    findings = [Finding("lower bounds below upper bounds", saved.nodes, not crossed.any(), why)]
    return [*findings, *Side(saved, 0).findings(), *Side(saved, 1).findings()]
