"""Plays repeated stages against players it knows nothing of: it learns them within the match, and plans by that.

`RoundPlayer` can be used without a match: ask it to `choose`, then let it `observe` what both did.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.insight import Intention, ranked_claims
from kibitz.core.kernels import machine_code
from kibitz.core.kit.positions import Stage
from kibitz_lab.aware.repeated_planner import execution_noise, stage_of
from kibitz_lab.aware.round_values import CLOSE, agreement_of, iterate_values, step_values, write_chain
from kibitz_lab.models.rounds.mixing import learn_round, predict_other
from kibitz_lab.models.rounds.tables import RoundTables, longer_tables, new_tables

Matrix = NDArray[np.float64]

PATIENCE = 0.97
"""What the next round is worth, measured by this one, while the end is far."""
NEAR = 30
"""With so few rounds left, all of them are planned to the end."""
SWEEPS = 30
WORTHWHILE = 0.02
"""Gains over the safe play that are smaller, as shares of the payoffs' range, are not worth being predictable."""
DRAWDOWN = 1.2
"""How far earnings may fall below their highest point at first, in ranges of the payoffs times the root of a thousand
rounds. Chance alone takes even rounds of rock-paper-scissors so far in one of about 200 matches."""
FIRST_TRUST = 0.9
"""How far the chain is believed at first, beside the mixture of all experts."""
RECIPROCITY, SLIPS = 0.8, 0.01
"""How likely the other wants to agree, before the match; how likely such a player does something else by mistake."""
INDIFFERENCE, FEW_CHOICES = 0.05, 1.0
"""How likely the other does not care what I do, before the match; what is added to the counts of what they chose."""
FEW_PAIRS = 4
"""So few pairs of actions are soon tried, all of them: what is not known of one is not guessed from the others."""
UNKNOWN_LENGTH = 1 << 20


class RoundPlayer:
    """Plays a stage in which I earn *own* and the other *other*, by my action and theirs, again and again.

    *left* is the number of rounds if it is known. Where one wins what the other loses it plays the best response to
    what it predicts; elsewhere it plans ahead, because what it does now changes what the other does next.
    """

    def __init__(
        self, own: Matrix, other: Matrix, noise: float = 0.0, left: int | None = None, seed: int | core.Rng = 0
    ) -> None:
        from kibitz_lab.equilibria.matrices import matrix_game

        self.own, self.other = np.ascontiguousarray(own, dtype=float), np.ascontiguousarray(other, dtype=float)
        self.noise, self.left = noise, left
        self.rng = np.random.default_rng(seed)
        safe, theirs = matrix_game(self.own), matrix_game(self.other.T)
        self.safe_shares, self.sure = np.array(safe.row), safe.value
        self.agreement = agreement_of(self.own, self.other, (safe.value, theirs.value))
        self.opposed = bool(np.ptp(self.own + self.other) < 1e-9)
        """Whether one wins what the other loses."""
        self.range = float(np.ptp(self.own)) or 1.0
        self.execution = execution_noise(len(self.own), noise)
        prior = self.agreement.prior.copy()
        self.tables: RoundTables = new_tables(self.own, self.other, prior, left or UNKNOWN_LENGTH)
        pairs, states = self.own.size, self.own.size**self.tables.depth
        agreed = self.agreement.mine * self.own.shape[1] + self.agreement.theirs
        self.tables.chain_now[0] = sum(agreed * pairs**power for power in range(self.tables.depth))
        self.policy = np.zeros((states, self.own.shape[1]))
        self.states = np.full(states, self.own[self.agreement.mine, self.agreement.theirs] / (1.0 - PATIENCE))
        self.played, self.trust, self.reciprocity, self.provoked = 0, FIRST_TRUST, RECIPROCITY, False
        self.indifference = INDIFFERENCE
        self.rule = self.agreement.prior.copy()
        """What to expect of the other after each pair of actions if they answer to what I do."""
        self.lead = self.peak = self.trough = 0.0
        """What the plans have earned above what is sure; the most of that so far; the least since."""
        self.allowed = DRAWDOWN * self.range * 1000.0**0.5
        self.cautious = False
        self.chain: Matrix = np.full(self.own.shape[1], 1.0 / self.own.shape[1])
        self.prediction: Matrix = self.chain
        """What the other is expected to do in this round."""
        self.values: Matrix = np.zeros(len(self.own))
        self.intended = 0
        """What the plan says, whether or not it is followed."""

    def choose(self) -> int:
        """The action of this round."""
        if self.played >= len(self.tables.mine) - 1:
            self.tables = longer_tables(self.tables)
        machine_code(predict_other)(self.tables, self.played)
        self.values = self.opposed_values() if self.opposed else self.planned_values()
        best = self.values.max()
        self.intended = int(self.values.argmax())
        if self.cautious or (self.opposed and best - self.sure < WORTHWHILE * self.range):
            return self.safe_action()
        return self.intended

    def safe_action(self) -> int:
        """An action drawn from the safe strategy."""
        sums = self.safe_shares.cumsum()  # as `Generator.choice` draws, which takes longer than to plan
        return int((sums / sums[-1]).searchsorted(self.rng.random(), side="right"))

    def opposed_values(self) -> Matrix:
        """What each action is expected to earn in this round."""
        self.prediction = self.tables.predictions[1].copy()
        values: Matrix = self.own @ self.prediction
        return self.execution @ values if self.noise else values

    def planned_values(self) -> Matrix:
        """What each action is worth now and later, if the other goes on as the chain says."""
        tables, pairs = self.tables, self.own.size
        self.update_prior()
        machine_code(write_chain)(tables, self.policy)
        if self.left is not None and self.left - self.played <= NEAR:
            patience = 1.0
            self.states[:] = 0.0
            for _ in range(self.left - self.played - 1):
                later = self.states.copy()
                step_values(self.policy, self.own, self.execution, self.states, later)
        else:
            patience = PATIENCE
            machine_code(iterate_values)(
                self.policy, self.own, self.execution, self.states, patience, CLOSE * self.range, SWEEPS
            )
        now = int(tables.chain_now[0])
        self.chain = self.policy[now].copy()
        self.prediction = self.trust * self.chain + (1.0 - self.trust) * tables.predictions[1]
        after = self.states[(now * pairs) % len(self.states) :][:pairs].reshape(self.own.shape)
        values: Matrix = self.execution @ ((self.own + patience * after) @ self.prediction)
        return values

    def update_prior(self) -> None:
        """What to expect after pairs of actions that say little yet, if the other does not seem to want to agree.

        Hope for the best after those that were not tried; but others who do not care what I do go on as they do.
        """
        tables = self.tables
        self.rule[:] = self.agreement.prior
        tables.chain_prior[:] = self.agreement.prior
        if self.reciprocity < 0.5:
            first = tables.chain_starts[1]
            new = tables.chain_counts[first : first + self.own.size].sum(axis=1) == 0.0
            self.rule[new] = self.agreement.optimistic[new]
            tables.chain_prior[:] = self.rule
            if self.own.size > FEW_PAIRS:
                tables.chain_prior[:] += self.indifference * (self.habit - self.rule)

    @property
    def habit(self) -> Matrix:
        """How often the other chose each action of late."""
        counts = self.tables.chain_counts[0] + FEW_CHOICES / self.own.shape[1]
        probabilities: Matrix = counts / counts.sum()
        return probabilities

    def update_indifference(self, theirs: int) -> None:
        """Compare how likely what they did was by habit, and as an answer to the last round."""
        habit = self.indifference * self.habit[theirs]
        answer = (1.0 - self.indifference) * self.rule[int(self.tables.chain_now[0]) % self.own.size, theirs]
        self.indifference = min(max(float(habit / (habit + answer)), INDIFFERENCE), 1.0 - INDIFFERENCE)

    def observe(self, mine: int, theirs: int) -> None:
        """Learn from what both did in this round."""
        chain, mixed = self.chain[theirs], self.tables.predictions[1, theirs]
        trust = self.trust * chain / (self.trust * chain + (1.0 - self.trust) * mixed)
        self.trust = min(max(float(trust), 0.02), 0.98)
        if mine != self.agreement.mine:
            self.provoked = True
        elif not self.provoked:
            slip = self.noise + SLIPS
            kept = theirs == self.agreement.theirs
            likely = self.reciprocity * (1.0 - slip if kept else slip)
            self.reciprocity = likely / (likely + (1.0 - self.reciprocity) * 0.5)
        if self.reciprocity < 0.5 and self.played and self.own.size > FEW_PAIRS and not self.opposed:
            self.update_indifference(theirs)
        self.count_earnings(theirs)
        machine_code(learn_round)(self.tables, self.played, mine, theirs)
        self.played += 1

    def count_earnings(self, theirs: int) -> None:
        """The safety rule: plans that lost too much since their best time are left for the safe play.

        What they would earn is counted on; they are taken up again when they have won back half of what they lost, but
        may then lose only half as much as before. So all losses together are bounded.
        """
        self.lead += float(self.own[self.intended, theirs]) - self.sure
        if self.lead > self.peak:
            self.peak = self.trough = self.lead
        self.trough = min(self.trough, self.lead)
        if self.cautious and self.lead - self.trough >= self.allowed:
            self.cautious, self.peak, self.trough = False, self.lead, self.lead
        elif not self.cautious and self.peak - self.lead > self.allowed:
            self.cautious = True
            self.allowed /= 2.0

    @property
    def expectation(self) -> Matrix:
        """What the other may expect of me in this round: the mean of what my actions in each context say."""
        tables, count = self.tables, len(self.own)
        width = tables.rows.shape[1] // 4
        total = np.full(count, 1e-9)
        for row, turn in zip(tables.places, tables.turns, strict=True):
            if row >= 0:
                counts = tables.rows[row, 2 * width : 3 * width][tables.mine_turns[turn]]
                total += counts / max(float(counts.sum()), 1.0)
        probabilities: Matrix = total / total.sum()
        return probabilities


class RoundAgent(core.Agent):
    """Plays a repeated stage by a `RoundPlayer`, which learns the other within the match."""

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        stage = stage_of(game, game.new_initial_state())
        if stage is None:
            raise core.Unsupported(self, game, "it does not repeat a round of two players")
        self.columns = len(stage.payoffs[0])
        self.view: core.State | None = None
        self.round_player = self.new_player(stage)

    def new_player(self, stage: Stage) -> RoundPlayer:
        """A player of the stage from this agent's seat."""
        payoffs = np.array(stage.payoffs)
        own, other = payoffs[..., self.player], payoffs[..., 1 - self.player]
        if self.player == 1:
            own, other = own.T, other.T
        return RoundPlayer(own, other, stage.noise, stage.left, self.rng)

    def act(self, view: core.State, clock: core.Clock) -> int:
        self.view = view
        return self.round_player.choose()

    def observe(self, transition: core.Transition) -> None:
        if transition.player == core.CHANCE:
            done = divmod(transition.actions[0] or 0, self.columns)
        else:
            one, other = transition.actions
            if one is None or other is None:  # chance has yet to settle what the choices become
                return
            done = one, other
        self.round_player.observe(done[self.player], done[1 - self.player])

    def explain(self) -> Intention | None:
        if self.view is None:
            return None
        words = [self.view.action_to_string(self.player, action) for action in range(len(self.round_player.own))]
        best, *others = np.argsort(-self.round_player.values, kind="stable").tolist()
        safe = ranked_claims(dict(zip(words, self.round_player.safe_shares.tolist(), strict=True)))
        return Intention(
            action=words[best],
            value=float(self.round_player.values[best]),
            rival=(words[others[0]], float(self.round_player.values[others[0]])) if others else None,
            mixture=tuple(safe) if self.round_player.cautious else (),
        )

    def truth(self) -> Mapping[str, Any]:
        """What it predicts of the other, and what its plans earned above what was sure."""
        if not hasattr(self, "round_player"):
            return {}
        return {"rounds": {"lead": self.round_player.lead, "cautious": self.round_player.cautious}}
