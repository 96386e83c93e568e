"""How well anyone can predict strangers whom they have not met, worked out exactly for a small game with secrets.

Where a match has one choice there is nothing to learn from, and a spectator can only say what players in general do.
The best answer is exact Bayes over other players who were drawn as the strangers were. `prediction_bound` compares it
with the best single strategy, which is chosen in hindsight: if it is not better, no model without hindsight is.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from math import log

import msgspec
import numpy as np

from kibitz import core
from kibitz.arena.scoring.strangers.players import SLIPS, losses
from kibitz.arena.scoring.strangers.worlds import SLIP
from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.arena.statistics.estimates import Floats
from kibitz.core.registry import make_agent, make_game, spec_of
from kibitz.solve.extensive import BehaviourPolicy, build_table, policy_of
from kibitz.testing.strangers import generated_strangers, players_of

SMALL_GAMES = ("kuhn",)
"""Games of the set with few histories, and about one choice of a player in a match."""
KNOWN_SHARES = (0.0, 0.25, 0.5)
"""Prior shares of known players beside the others, of which the best is chosen in hindsight."""
OTHER_SEEDS = range(1000, 1016)
"""The seeds of the other players."""


class PredictionBound(msgspec.Struct, frozen=True):
    """Log losses less that of a uniform prediction, the mean over strangers and over known players left out."""

    single: float
    """Of the best single strategy with the best slip, both chosen in hindsight."""
    bayes: float
    """Of exact Bayes over other players, with the best slip and share of known players, chosen in hindsight."""
    gain: Estimate
    """The second less the first, with its interval over strangers."""
    others: int
    """Number of other players."""


class SmallGame:
    """All choices in all histories of a game in which players move in turn, and how often a player makes each."""

    def __init__(self, game: str, known: Sequence[str]) -> None:
        self.game, self.known = make_game(game), tuple(known)
        self.table = build_table(self.game)
        self.places: dict[core.Key, int] = {}
        """The number of each position as a spectator sees it."""
        start = tuple(self.table.sets.empty[:-1].tolist())
        columns = zip(*self.walk(0, self.game.new_initial_state(), 1.0, start), strict=True)
        self.positions, self.actions, self.movers, self.chances, self.sequences = map(np.array, columns)
        self.own = self.sequences[np.arange(len(self.movers)), self.movers]
        """The sequence of the mover, this choice included."""
        self.options = np.ones(self.table.sets.empty[-1])
        for number, legal in enumerate(self.table.actions):
            self.options[self.table.sequences_at(number)] = len(legal)
        self.opponent = np.mean([self.plan(self.shares(spec)) for spec in known], axis=0)
        """The plan of a player who is any of the known ones."""
        self.choices: Callable[[str], Floats] = cache(self.find_choices)

    def walk(
        self, node: int, state: core.State, chance: float, sequences: tuple[int, ...]
    ) -> Iterator[tuple[int, int, int, float, tuple[int, ...]]]:
        """The choices after a history: position, action, mover, chance's part, and everyone's last sequence."""
        mover, tree = state.current_player(), self.table.tree
        if mover == core.TERMINAL:
            return
        number, first = int(tree.sets[node]), int(tree.children[node])
        actions = [each for each, _ in state.chance_outcomes()] if mover == core.CHANCE else self.table.actions[number]
        for place, action in enumerate(actions):
            after, share = sequences, chance * float(tree.chances[first + place])
            if mover != core.CHANCE:
                position = self.places.setdefault(state.view(None).key(), len(self.places))
                after = (*after[:mover], int(self.table.sets.first[number]) + place, *after[mover + 1 :])
                yield position, place, mover, share, after
            yield from self.walk(first + place, state.child(action), share, after)

    def shares(self, spec: str) -> Floats:
        """How likely a player chooses each action where they may, in every seat."""
        agent = make_agent(spec, spec_of(self.game).name)
        return np.concatenate([policy_of(self.table, player, agent).shares for player in range(self.table.players)])

    def plan(self, shares: Floats) -> Floats:
        """How likely a player with these shares makes all their choices up to each sequence."""
        parts = [(player, self.table.sequences_of(player)) for player in range(self.table.players)]
        return np.concatenate([BehaviourPolicy(self.table, player, shares[part]).plan() for player, part in parts])

    def find_choices(self, spec: str) -> Floats:
        """How often a player makes each choice: a row for each position, a column for each action."""
        likely = self.opponent[self.sequences]
        likely[np.arange(len(likely)), self.movers] = self.plan(self.shares(spec))[self.own]
        return self.by_position(self.chances * likely.prod(axis=1))

    def single_prediction(self, spec: str) -> Floats:
        """What a strategy is expected to do, by a spectator who supposes that all follow it, with slips."""
        meant = self.shares(spec)
        slipped = (1.0 - SLIP) * meant + SLIP / self.options
        reached = self.chances * self.plan(slipped)[self.sequences].prod(axis=1) / slipped[self.own]
        return normalise(self.by_position(reached * meant[self.own]))

    def by_position(self, weights: Floats) -> Floats:
        """The weights of all choices, added up by position and action."""
        found = np.zeros((len(self.places), int(self.actions.max()) + 1))
        np.add.at(found, (self.positions, self.actions), weights)
        return found

    def bayes_prediction(self, known: Sequence[str], others: Sequence[str], share: float) -> Floats:
        """What exact Bayes expects where a *share* of players are known and the rest are *others*."""
        weights = [share / len(known)] * len(known) + [(1.0 - share) / len(others)] * len(others)
        every = [self.choices(spec) for spec in (*known, *others)]
        return normalise(np.tensordot(weights, every, axes=1))

    def gain(self, spec: str, predicted: Floats, slip: float) -> float:
        """The mean log loss of predictions with slips, less that of a uniform one."""
        choices, options = self.choices(spec), predicted.shape[1]
        likely = (1.0 - slip) * predicted + slip / options
        return float((choices * losses(likely)).sum() / choices.sum()) - log(options)


def normalise(weights: Floats) -> Floats:
    """Rows that add up to 1."""
    found: Floats = weights / weights.sum(axis=1, keepdims=True)
    return found


def set_bound(game: str) -> PredictionBound:
    """The bound of a small game of the newest set."""
    rules = make_game(game)
    known, generated = players_of(rules)
    strangers = [each.spec for each in generated]
    return prediction_bound(SmallGame(game, known), strangers, other_players(rules, strangers))


def other_players(game: core.Game, strangers: Sequence[str], seeds: Sequence[int] = OTHER_SEEDS) -> list[str]:
    """Players who are drawn like *strangers* but are none of them, as often as they are drawn."""
    drawn = [each.spec for seed in seeds for each in generated_strangers(game, seed)]
    return [spec for spec in drawn if spec not in strangers or spec == "random"]


def prediction_bound(small: SmallGame, strangers: Sequence[str], others: Sequence[str]) -> PredictionBound:
    """Compare exact Bayes over *others* with the best single strategy, on *strangers* and known players left out.

    Of a strategy left out, Bayes knows nothing: none of the others has it as a part. The single strategy that is left
    out counts as a uniform prediction.
    """
    players = [(spec, "") for spec in strangers] + [(spec, spec) for spec in small.known]
    singles = {spec: small.single_prediction(spec) for spec in small.known}
    by_single = {
        (name, slip): [0.0 if left == name else small.gain(spec, predicted, slip) for spec, left in players]
        for (name, predicted), slip in product(singles.items(), SLIPS)
    }
    by_bayes = {}
    for share in KNOWN_SHARES:
        predictions = {left: small.bayes_prediction(*without(small.known, others, left), share) for _, left in players}
        for slip in (0.0, *SLIPS):
            by_bayes[share, slip] = [small.gain(spec, predictions[left], slip) for spec, left in players]
    single, bayes = (np.array(min(each.values(), key=sum)) for each in (by_single, by_bayes))
    gain = mean_interval(bayes - single)
    return PredictionBound(float(single.mean()), float(bayes.mean()), gain, len(others))


def without(known: Sequence[str], others: Sequence[str], left: str) -> tuple[list[str], list[str]]:
    """Known and other players who have nothing to do with the strategy that is *left* out; all if none is."""
    kept = [spec for spec in others if not left or left not in spec]
    return [spec for spec in known if spec != left], kept
