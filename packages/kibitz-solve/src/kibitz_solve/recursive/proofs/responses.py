"""The best response to a fixed strategy: a Markov decision process, solved by policy iteration, with a proof.

Play that never ends is worth 0. So where the responder can keep play going for ever (an *end component*), they may
take 0; each end component is contracted into one node with that choice added. Every policy of the remaining process
ends, which makes its linear equations solvable.
"""

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadGame, BadPolicy
from kibitz_solve.recursive.building.recursive_game import Floats, RecursiveGame
from kibitz_solve.recursive.values.chains import entries_of_rows, pairs_of, solved_chain
from kibitz_solve.recursive.values.fixed_point import ExactValue, chain_values, to_doubles, to_fixed
from kibitz_solve.recursive.values.kernels import Marks
from kibitz_solve.recursive.values.operators import Deadline

Ints = NDArray[np.int64]
IMPROVED = 1e-13
"""A choice must be better by this much, in units of the largest payoff or value, to replace another."""
SWEEPS = 50
"""Policy iteration starts from the best choices of a game of this many rounds."""
SMALL = 1e-5
"""Shares below this make play last so long that doubles may prove little."""
MOST_FALLS = 20
"""Policy iteration stops when the value has not risen for this many policies, because of rounding."""
UNIT = 2.0**-53
MOST_GROUPS = 300
"""More equations would take too long."""
SPARE_BITS, MARGIN_BITS = 160, 40
"""Bits beyond those of the smallest share twice; what every choice pays on top, in these bits of the last digits: more
than rounding can hide."""
MOST_POLICIES = 40


class BestResponse(msgspec.Struct, frozen=True):
    """What the best response leaves the owner of a strategy, as player 0's payoff at every node.

    *values* is computed in floating point; *guaranteed* is the proved bound, on the strategy's side of it.
    """

    values: Floats
    guaranteed: Floats
    actions: Ints
    """The response at every state: a column, or a row."""
    iterations: int


def best_response(
    game: RecursiveGame,
    mixes: Floats,
    player: int,
    *,
    fixed: Marks | None = None,
    payoffs: Floats | None = None,
    deadline: Deadline | None = None,
    precise: bool = True,
) -> BestResponse:
    """Compute the best response to *player*'s strategy.

    *mixes* holds its shares state by state, as `Solution.policy(player).shares` does. Nodes marked in *fixed* count as
    ends with these *payoffs*. *precise*: where few states and small shares make play last long, the guarantee is
    computed in whole numbers, too.
    """
    wanted = int(game.mix_starts(player)[-1])
    if len(mixes) != wanted:
        raise BadPolicy("the strategy", f"it has {len(mixes)} shares, but the game has {wanted} actions")
    ends = game.start(game.low if player == 0 else game.high) if payoffs is None else payoffs
    marks = np.zeros(game.nodes, np.uint8) if fixed is None else fixed
    process = Process(game, mixes, player, marks, ends)
    until = deadline or Deadline()
    margin = IMPROVED * float(np.abs(process.paid).max(initial=0.0))
    values, policy, iterations = process.iterate_policies(process.paid, margin, until)
    slack = process.slack(values, until)
    guaranteed, expected = ends.copy(), ends.copy()
    expected[process.active] = (-process.sign * values)[process.group]
    proved = (-process.sign * (values + slack))[process.group]
    worst = game.bounds[0 if player == 0 else 1]  # if rounding spoiled the equations, nothing is proved
    guaranteed[process.active] = np.clip(np.where(np.isfinite(proved), proved, worst), *game.bounds)
    if precise and process.groups and 0.0 < float(process.outcome_odds.min()) < SMALL:
        sign = 1 - 2 * player

        def value_of(node: int, bits: int) -> int:
            return sign * to_fixed(sign * float(ends[node]), bits)

        for node, parts in (exact_response(process, value_of, until) or {}).items():
            better = max if player == 0 else min
            guaranteed[node] = better(guaranteed[node], parts[0])
            expected[node] = better(expected[node], guaranteed[node])  # doubles fell short
    return BestResponse(expected, guaranteed, process.answers(policy), iterations)


class Process:
    """The responses to a strategy as arrays: every *choice* has an owner, and outcomes with their odds.

    Active nodes are numbered among themselves. Values are those of the responder, who always maximises: `-sign` times
    player 0's.
    """

    def __init__(self, game: RecursiveGame, mixes: Floats, player: int, fixed: Marks, payoffs: Floats) -> None:
        self.game, self.sign = game, 1.0 if player == 0 else -1.0
        self.active = np.flatnonzero(fixed[: game.live] == 0)
        self._list_choices(mixes, player)
        self._find_end_components()
        if self.choice_stage[self.staying].any():
            raise BadGame("the strategy", "payoffs on the way could add up for ever against it")
        self._contract_components(-self.sign * payoffs)

    def _list_choices(self, mixes: Floats, player: int) -> None:
        """Every choice's owner and stage payoff; every outcome's choice, odds, and node."""
        game, structure = self.game, self.game.structure
        states, moves = self.active[self.active < game.choices], self.active[self.active >= game.choices] - game.choices
        source, pair, row, column = pairs_of(game, states)
        own, answer = (row, column) if player == 0 else (column, row)
        answers = np.diff(game.mix_starts(1 - player))[states]
        starts = np.concatenate([[0], np.cumsum(answers)])
        choice = starts[source] + answer
        odds = mixes[game.mix_starts(player)[states][source] + own]
        mover, outcome = entries_of_rows(structure.chance_first, moves)
        state_choices, move_choices = np.repeat(np.arange(len(states)), answers), len(states) + np.arange(len(moves))
        self.choice_owner = np.concatenate([state_choices, move_choices])
        self.choice_stage = np.zeros(len(self.choice_owner))
        pays = structure.stage[pair] if len(structure.stage) else np.zeros(len(pair))
        self.choice_stage[: starts[-1]] = np.bincount(choice, odds * pays, minlength=starts[-1])
        odds = np.concatenate([odds, structure.chance_odds[outcome]])
        likely = odds > 0.0
        self.outcome_odds, self.outcome_stage = odds[likely], np.concatenate([pays, np.zeros(len(outcome))])[likely]
        self.outcome_choice = np.concatenate([choice, starts[-1] + mover])[likely]
        self.outcome_node = np.concatenate([structure.successors[pair], structure.chance_successors[outcome]])[likely]
        self.active_index = np.full(game.nodes, -1, np.int64)
        self.active_index[self.active] = np.arange(len(self.active))
        self.outcome_index = self.active_index[self.outcome_node]
        """The index of an outcome's node among the active ones, or -1 if that is an end."""

    def _find_end_components(self) -> None:
        """The group of every active node, one per end component or single node; and which choices stay in one."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        count = len(self.active)
        self.staying = np.ones(len(self.choice_owner), bool)
        self.staying[self.outcome_choice[self.outcome_index < 0]] = False
        self.group = np.arange(count)
        while self.staying.any():
            used = self.staying[self.outcome_choice]
            sources, targets = self.choice_owner[self.outcome_choice[used]], self.outcome_index[used]
            links = csr_array((np.ones(len(sources)), (sources, targets)), shape=(count, count))
            self.group = connected_components(links, connection="strong")[1]
            leaving = self.group[sources] != self.group[targets]
            if not leaving.any():
                break
            self.staying[self.outcome_choice[used][leaving]] = False
        inside = np.zeros(count, bool)
        inside[self.choice_owner[self.staying]] = True
        self.group = np.unique(np.where(inside, self.group, count + np.arange(count)), return_inverse=True)[1]

    def _contract_components(self, payoffs: Floats) -> None:
        """One node per group, with the choices that stay in it replaced by one that is worth 0."""
        from scipy.sparse import csr_array

        self.leaving_choices = np.flatnonzero(~self.staying)
        resting = np.unique(self.group[self.choice_owner[self.staying]])
        owners = np.concatenate([self.group[self.choice_owner[self.leaving_choices]], resting]).astype(np.int64)
        self.groups, total = int(self.group.max(initial=-1)) + 1, len(owners)
        renumbered = np.full(len(self.choice_owner), -1, np.int64)
        renumbered[self.leaving_choices] = np.arange(len(self.leaving_choices))
        row = renumbered[self.outcome_choice]
        inner, ends = (row >= 0) & (self.outcome_index >= 0), (row >= 0) & (self.outcome_index < 0)
        odds, after = self.outcome_odds, self.group[self.outcome_index[inner]]
        moves = csr_array((odds[inner], (row[inner], after)), shape=(total, self.groups))
        earned = odds[ends] * payoffs[self.outcome_node[ends]]
        paid: Floats = np.bincount(row[ends], earned, minlength=total).astype(float)
        paid[: len(self.leaving_choices)] -= self.sign * self.choice_stage[self.leaving_choices]
        self.order = np.argsort(owners, kind="stable")
        self.group_of_choice, self.moves, self.paid = owners[self.order], moves[self.order], paid[self.order]
        self.starts = np.searchsorted(self.group_of_choice, np.arange(self.groups))

    def slack(self, values: Floats, deadline: Deadline) -> Floats:
        """The amount to add to *values* so that no choice improves on them, rounding included.

        It is the value of the same process in which every choice pays what it improves, a little more than rounding can
        hide. A response that lasts long thus costs nothing where it is worse than the best by more than rounding.
        """
        if not self.groups:
            return np.empty(0)
        if not np.isfinite(values).all():
            return np.full(self.groups, np.inf)  # rounding spoiled the equations: nothing is proved
        size = float(np.abs(values).max()) + float(np.abs(self.paid).max())
        rounding = 4 * (int(np.diff(self.moves.indptr).max()) + 4) * UNIT
        improved = self.paid + self.moves @ values - values[self.group_of_choice]
        added = self.iterate_policies(improved + 2 * rounding * size, 0.5 * rounding * size, deadline)[0]
        missing = improved + self.moves @ added - added[self.group_of_choice] + rounding * size
        missing += rounding * (np.abs(improved) + self.moves @ np.abs(added) + np.abs(added[self.group_of_choice]))
        if (missing <= 0.0).all():
            return added
        return self._slack_of_length(max(float(improved.max()), 0.0) + rounding * size, deadline)

    def _slack_of_length(self, violation: float, deadline: Deadline) -> Floats:
        """A slack that needs no exact equations: the largest expected length of play, times the largest violation."""
        lasts = self.iterate_policies(np.ones(len(self.group_of_choice), np.float64), 0.1, deadline)[0]
        if not (lasts[self.group_of_choice] >= 0.5 + self.moves @ lasts).all():
            return np.full(self.groups, np.inf)  # rounding spoiled the equations: nothing is proved
        return 3.0 * violation * lasts

    def iterate_policies(self, paid: Floats, margin: float, deadline: Deadline) -> tuple[Floats, Ints, int]:
        """Policy iteration: fix a choice per node, solve for its value, replace choices that can be improved.

        The value rises from policy to policy, except for rounding when play lasts long.
        """
        policy, iterations, most, falls = self.promising_policy(paid), 0, -np.inf, 0
        while True:
            iterations += 1
            values = solved_chain(self.moves[policy], paid[policy])  # not finite if rounding makes it singular
            choice_values, total = paid + self.moves @ values, float(values.sum())
            falls += not total > most
            if not np.isfinite(total) or falls == MOST_FALLS or deadline.has_passed():
                return values, policy, iterations
            better, most = self._best_choices(choice_values), max(most, total)
            least = max(margin, IMPROVED * float(np.abs(values).max(initial=0.0)))
            changed = choice_values[better] > choice_values[policy] + least
            if not changed.any():
                return values, policy, iterations
            policy = np.where(changed, better, policy)

    def promising_policy(self, paid: Floats) -> Ints:
        """The first policy: the best after some sweeps. Rounding would spoil one that lasts long."""
        choice_values = paid
        for _ in range(SWEEPS if self.groups else 0):
            choice_values = paid + self.moves @ np.maximum.reduceat(choice_values, self.starts)
        return self._best_choices(choice_values)

    def _best_choices(self, values: Floats) -> Ints:
        """The first best choice of every group."""
        if not self.groups:
            return np.empty(0, np.int64)
        best = np.maximum.reduceat(values, self.starts)
        choices = np.where(values >= best[self.group_of_choice], np.arange(len(values)), len(values))
        first: Ints = np.minimum.reduceat(choices, self.starts)
        return first

    def answers(self, policy: Ints) -> Ints:
        """The action of every state's choice; inside an end component, one that stays, or leads to its exit."""
        count = len(self.active)
        chosen, inside = np.zeros(count, np.int64), np.zeros(count, bool)
        inside[self.choice_owner[self.staying]] = True
        sources = self.order[policy]
        leaves = sources < len(self.leaving_choices)
        way_out = self.leaving_choices[sources[leaves]]
        chosen[self.choice_owner[way_out]] = way_out
        stays, first = np.unique(self.choice_owner[self.staying], return_index=True)
        resting = ~leaves[self.group[stays]]
        chosen[stays[resting]] = np.flatnonzero(self.staying)[first][resting]
        lost = inside & leaves[self.group]
        lost[self.choice_owner[way_out]] = False
        self._lead_to_exits(chosen, lost)
        actions = np.zeros(self.game.choices, np.int64)
        states = self.active < self.game.choices
        actions[self.active[states]] = (chosen - np.searchsorted(self.choice_owner, np.arange(count)))[states]
        return actions

    def _lead_to_exits(self, chosen: Ints, lost: NDArray[np.bool_]) -> None:
        """Give every lost node of a component a choice that stays in it and may lead nearer to the exit."""
        while lost.any():
            owner = self.choice_owner[self.outcome_choice]
            near = self.staying[self.outcome_choice] & lost[owner] & (self.outcome_index >= 0)
            near &= ~lost[self.outcome_index] & (self.group[self.outcome_index] == self.group[owner])
            nearer, first = np.unique(owner[near], return_index=True)
            chosen[nearer] = self.outcome_choice[near][first]
            lost[nearer] = False


def exact_response(process: Process, value_of: ExactValue, deadline: Deadline) -> dict[int, tuple[float, ...]] | None:
    """What a strategy guarantees at the active nodes, as doubles to be added up; None if there are too many nodes.

    *value_of* says what the other nodes are worth to player 0, rounded to the disadvantage of the strategy's owner.
    """
    if not 0 < process.groups <= MOST_GROUPS:
        return None
    values = _ExactProcess(process, value_of).values(deadline)
    if values is None:
        return None
    sign = int(process.sign)
    proved = [tuple(sign * part for part in to_doubles(-value, values[1])) for value in values[0]]
    return {int(node): proved[group] for node, group in zip(process.active, process.group, strict=True)}


class _ExactProcess:
    """Policy iteration on the groups of a process. Values are the responder's, in units of `2**-bits`."""

    def __init__(self, process: Process, value_of: ExactValue) -> None:
        self.process, self.groups = process, process.groups
        self.bits = bits = 2 * int(-np.log2(process.outcome_odds.min())) + SPARE_BITS
        self.margin, sign = 1 << MARGIN_BITS, int(process.sign)
        choices, kept = len(process.group_of_choice), len(process.leaving_choices)
        new_number = np.full(len(process.choice_owner), -1)
        new_number[process.leaving_choices] = np.argsort(process.order)[:kept]
        self.owner_groups: list[int] = process.group_of_choice.tolist()
        self.going_on: list[list[tuple[int, int]]] = [[] for _ in range(choices)]
        """For every choice, the chances of its outcomes that go on, and their groups."""
        self.leaving, self.paid = [0] * choices, [0] * choices
        """The chance of its ends, and what these and the way there pay on average, in units of `2**-(2 bits)`."""
        for choice in range(kept, choices):  # to stay for ever, which is worth 0
            self.leaving[int(np.flatnonzero(process.order == choice)[0])] = 1 << bits
        payoffs: dict[int, int] = {}
        choices_and_odds = zip(process.outcome_choice, process.outcome_odds, strict=True)
        reached = zip(process.outcome_index, process.outcome_node, process.outcome_stage, strict=True)
        for (choice, odds), (index, after, stage) in zip(choices_and_odds, reached, strict=True):
            if (number := int(new_number[choice])) < 0:
                continue
            chance, node = to_fixed(float(odds), bits), int(after)
            self.paid[number] -= chance * to_fixed(sign * float(stage), bits)
            if index >= 0:
                self.going_on[number].append((chance, int(process.group[index])))
            else:
                if node not in payoffs:
                    payoffs[node] = -sign * value_of(node, bits)
                self.leaving[number] += chance
                self.paid[number] += chance * payoffs[node]

    def values(self, deadline: Deadline) -> tuple[list[int], int] | None:
        """Values that no choice improves, and their bits; None if there are none."""
        policy = self.process.promising_policy(self.process.paid).tolist()
        for _ in range(MOST_POLICIES):
            values = None if deadline.has_passed() else self._policy_values(policy)
            if values is None:
                return None
            best: dict[int, tuple[int, int]] = {}
            for choice, owner in enumerate(self.owner_groups):
                gain = self._gain(choice, values)
                if 2 * gain > -(self.margin << self.bits) and (owner not in best or gain > best[owner][0]):
                    best[owner] = gain, choice
            if not best:  # without what was paid on top, every choice loses
                return values, self.bits
            for owner, (_, choice) in best.items():
                policy[owner] = choice
        return None

    def _gain(self, choice: int, values: list[int]) -> int:
        """What a choice gains on average over its owner's value, exactly."""
        here = values[self.owner_groups[choice]]
        gains = sum(chance * (values[after] - here) for chance, after in self.going_on[choice])
        return self.paid[choice] - self.leaving[choice] * here + gains

    def _policy_values(self, policy: list[int]) -> list[int] | None:
        """The values of a policy, with the margin paid on top; None if its play may never end."""
        moves: list[dict[int, int]] = [{} for _ in policy]
        for group, choice in enumerate(policy):
            for chance, after in self.going_on[choice]:
                if after != group:
                    moves[group][after] = moves[group].get(after, 0) + chance
        paid = [(self.paid[choice] >> self.bits) + self.margin for choice in policy]
        return chain_values(moves, [self.leaving[choice] for choice in policy], paid, self.bits)
