"""The model `dbn`: a dynamic Bayesian network of features infers each player's strategy and predicts their moves."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from kibitz import core
from kibitz.core.abilities.compiled import CompiledModel
from kibitz.core.errors import BadNetwork
from kibitz.core.insight import CLEAR, UNKNOWN, Explanation, MoveEvidence, explanation_of
from kibitz.core.registry import spec_of
from kibitz.learn.slice_filter import SliceFilter
from kibitz.learn.slices import Floats, Slice
from kibitz.models.dbn.parameters import Colours, Learning, Parameters, Power, Scope, parameters_path, slices_in
from kibitz.models.dbn.positions import ScoresOf, scores_of
from kibitz.models.habits import Habits
from kibitz.models.strangers import new_stranger
from kibitz.models.strangers.successors import successors_of

Slices = Annotated[int, Meta(ge=0, le=1000)]
EVIDENCE = 2.0
"""The sharpness of the network as evidence against chance, in units of that of its predictions: these are so cautious
that twenty moves of a random player would tell little."""
OPEN = 0.02
"""How likely a known player or a stranger is best described by what is learned of them while they play: that tells
nothing about who they are."""
LEAST = 1e-6
"""The least probability that counts as evidence against the network."""
SHARE = 0.01
"""The part of the trust in a predictor that returns to one half before each choice."""


class Dbn(core.Model):
    """Slices of features that depend on their past and on both strategies (Pedersen 2008), trained on recorded games.

    *trained* names the parameters: a game (`pawns`), a variant that comes with it (`pawns.thesis`), or a JSON file; by
    default those that come with the game watched. *slices* is how many positions the network holds (4 in the thesis), 0
    for the whole game. *own* is the strategy of the watcher's own seat, by its name in training; without it, and for a
    spectator, the model judges each player in turn and sums over the other's strategy. Predictions are proportional to
    P(e) to the power *sharpness*; evidence for a strategy counts with the power *temper*. Both default to what fitted
    the training games, because features are not independent evidence. *unknown* is the prior of a stranger, who follows
    none of the strategies, and *drift* is the share of the evidence for them that is forgotten at each of their moves.
    A stranger shows when chance explains their moves better than the network; what they will do is predicted by
    `models.strangers`, which is weighed against the network by how well both predicted them. The other parameters
    control training (`training.train`); for a trained model they must equal those of its training.
    """

    answers = ("strategy", "action")
    follows_lines = True
    learns_a_file = True
    preset: Parameters | None = None
    """Newly trained parameters, not saved to a file yet."""

    def __init__(
        self,
        trained: str = "",
        slices: Slices = 0,
        own: str = "",
        lag: Literal[1, 2] | None = None,
        latent_scope: Scope | None = None,
        colours: Colours | None = None,
        learning: Learning | None = None,
        smoothing: Annotated[float, Meta(ge=0.0, le=100.0)] | None = None,
        latent_states: Annotated[int, Meta(ge=1, le=16)] | None = None,
        restarts: core.Count = 5,
        sharpness: Power | None = None,
        temper: Power | None = None,
        unknown: Annotated[float, Meta(ge=0.0, lt=1.0)] = 0.1,
        drift: core.Probability = 0.0,
    ) -> None:
        self.trained, self.slices, self.own = trained, slices, own
        self.lag, self.latent_scope, self.colours, self.learning = lag, latent_scope, colours, learning
        self.smoothing, self.latent_states, self.restarts = smoothing, latent_states, restarts
        self.sharpness, self.temper, self.unknown, self.drift = sharpness, temper, unknown, drift

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        names, self.find_scores = self.features_of(game)
        self.network, slices = self.load_parameters(game)
        learned = tuple(each.name for each in self.network.features)
        if learned != names:
            raise core.Unsupported(self, game, f"it was trained on other features: {', '.join(learned)}")
        start = self.find_scores(game.new_initial_state())
        self.filters = [self.filter_of(player, slices[player]) for player in range(2)]
        for each in self.filters:
            each.begin(start)
        self.surprise = [np.zeros(3) for _ in range(2)]
        """Minus the logarithm of how likely each player's choices were by the network, by chance, and as learned."""
        self.successors = successors_of(game)
        self.strangers = [
            new_stranger(game, player, successors=self.successors, sequences=False) for player in range(2)
        ]
        self.trust = [0.5] * 2
        """The weight of the network, against the stranger, as a predictor of each player."""
        self.last: tuple[int, core.Key, list[float]] | None = None
        """The position asked about last, and the likelihoods there."""
        self.evidence = [MoveEvidence() for _ in range(2)]
        self.habits = [Habits(game, player) for player in range(2)]

    def check_training(self, game: core.Game) -> None:
        self.features_of(game)

    def features_of(self, game: core.Game) -> tuple[tuple[str, ...], ScoresOf]:
        """The names of a game's features and the function that computes them; Unsupported for games it cannot watch."""
        if game.players != 2 or game.hidden:
            raise core.Unsupported(self, game, "it watches games of two players without hidden information")
        return scores_of(game, self)

    def load_parameters(self, game: core.Game) -> tuple[Parameters, tuple[Slice, ...]]:
        """The named parameters, checked against what the model asks for, and the slice of each player."""
        if self.preset is not None:
            return self.preset, self.preset.slices
        try:
            found, slices = slices_in(parameters_path(self.trained, spec_of(game).name))
        except BadNetwork as error:
            raise core.Unsupported(self, game, error.message) from None
        for name in ("lag", "latent_scope", "colours", "learning", "smoothing"):
            wanted, there = getattr(self, name), getattr(found, name)
            if wanted is not None and wanted != there:
                raise core.Unsupported(self, game, f"its parameters were trained with {name}={there}")
        if self.latent_states not in (None, len(found.players[0].latent)):
            raise core.Unsupported(self, game, f"it was trained with latent_states={len(found.players[0].latent)}")
        return found, slices

    def filter_of(self, player: int, model: Slice) -> SliceFilter:
        """The filter for *player*; the other's strategy is observed if the watcher sits there and names it."""
        known = self.seat == 1 - player and self.own in self.network.strategies
        return SliceFilter(
            model,
            self.network.features,
            player,
            own=self.network.strategies.index(self.own) if known else None,
            window=self.slices,
            lag=self.network.lag,
        )

    def observe(self, transition: core.Transition) -> None:
        player, action = transition.player, transition.action_of(transition.player)
        chosen = player >= 0 and action is not None and transition.chose(player)
        held = self.belief(player) if chosen else {}
        self.update(transition)
        if chosen and action is not None:
            words = partial(transition.before.action_to_string, player, action)
            self.evidence[player].add(transition.ply, words, held, self.belief(player))
            self.habits[player].add(transition.before, action)

    def update(self, transition: core.Transition) -> None:
        """Advance the filters, and weigh whether the mover is a stranger."""
        scores = self.find_scores(transition.after)
        chosen = not transition.movers or any(map(transition.chose, transition.movers))
        if self.unknown > 0.0:
            if chosen and transition.player >= 0:
                self.learn_choice(transition)
            for stranger in self.strangers:
                stranger.observe(transition)
        self.last = None
        for each in self.filters:
            if chosen:
                each.advance(scores, transition.player)
            else:
                each.skip(scores)

    def learn_choice(self, transition: core.Transition) -> None:
        """Weigh the network against chance, to tell strangers, and against what was learned, to predict the mover."""
        player, (action,) = transition.player, transition.actions
        assert action is not None, "no action is hidden in these games"
        view = transition.before
        legal = view.legal_actions(player)
        place = list(legal).index(action)
        weights = self.likelihoods(view, player)
        known = max(sharpen_weights(weights, EVIDENCE * self.power())[place], LEAST)
        learned = self.strangers[player].learn(view, action)
        self.surprise[player] = (1.0 - self.drift) * self.surprise[player] - np.log([known, 1.0 / len(legal), learned])
        self.trust[player] = posterior_of(self.current_trust(player), self.network_shares(view, player)[place], learned)

    def stranger_probability(self, player: int) -> float:
        """The probability that *player* follows none of the strategies, by Bayes' rule."""
        network, chance, learned = np.exp(self.surprise[player].min() - self.surprise[player]).tolist()
        strange, known = ((1.0 - OPEN) * each + OPEN * learned for each in (chance, network))
        return posterior_of(self.unknown, strange, known)

    def power(self) -> float:
        """The sharpness of predictions."""
        return self.network.sharpness if self.sharpness is None else self.sharpness

    def current_trust(self, player: int) -> float:
        """The weight of the network at the next choice of *player*."""
        return (1.0 - SHARE) * self.trust[player] + SHARE / 2.0 if self.unknown > 0.0 else 1.0

    def belief(self, player: int) -> dict[str, float]:
        learned, strange = self.network.players[player], self.stranger_probability(player)
        temper = self.network.temper if self.temper is None else self.temper
        found = dict.fromkeys((*self.network.strategies, UNKNOWN), 0.0)
        for label, share in zip(learned.labels, tempered_belief(self.filters[player], temper), strict=True):
            found[label] += share * (1.0 - strange)
        found[UNKNOWN] += strange
        return found

    def likelihoods(self, view: core.State, player: int) -> list[float]:
        """The relative likelihood of the position after each legal action of *player*, in their order.

        Positions with equal states get exactly equal numbers, so that ranking them keeps their ties.
        """
        key = view.key()
        if self.last is None or self.last[:2] != (player, key):
            children = self.child_scores(view, list(view.legal_actions(player)))
            self.last = player, key, self.filters[player].likelihoods(children, player)
        return self.last[2]

    def child_scores(self, view: core.State, legal: list[int]) -> Sequence[Floats]:
        """The scores of the position after each legal action."""
        if self.successors is None:  # chance or all at once: no single successor
            return [self.find_scores(view.child(action)) for action in legal]
        return list(self.successors.find(view, legal)[:, :-1])

    def network_shares(self, view: core.State, player: int) -> list[float]:
        """What the network predicts: the probability of each legal action, in their order."""
        return sharpen_weights(self.likelihoods(view, player), self.power())

    def predict(self, view: core.State, player: int) -> core.Distribution:
        legal, trust = view.legal_actions(player), self.current_trust(player)
        network = core.Distribution(dict(zip(legal, self.network_shares(view, player), strict=True)), legal)
        if trust == 1.0:
            return network
        learned = self.strangers[player].predict(view)
        return core.Distribution.mixture([(trust, network), (1.0 - trust, learned)], legal)

    def compiled_model(self, player: int) -> CompiledModel:
        """The current belief about *player*, for compiled search."""
        return self.filters[player].compiled_model()

    def explain(self, player: int) -> Explanation:
        belief, watching = self.belief(player), self.filters[player]
        label = max(belief, key=lambda name: (belief[name], name))
        notes: list[str] = []
        if label != UNKNOWN and self.evidence[player].choices:
            gains = watching.evidence(self.likeliest_state(player, label))
            most = max(range(len(gains)), key=gains.__getitem__)
            notes += [f"{self.network.features[most].name} tells most"] if gains[most] > CLEAR else []
        if odd := watching.impossible:
            notes.append(f"{odd} position{'s' if odd > 1 else ''} fitted no strategy and did not count")
        habits = self.habits[player].words() if label == UNKNOWN else ()
        return explanation_of(belief, evidence=self.evidence[player], notes=notes, habits=habits)

    def likeliest_state(self, player: int, label: str) -> int:
        """The likeliest latent state of that label."""
        belief, labels = self.filters[player].belief(), self.network.players[player].labels
        return max((state for state, name in enumerate(labels) if name == label), key=belief.tolist().__getitem__)


def posterior_of(prior: float, likely: float, otherwise: float) -> float:
    """The probability, by Bayes' rule, of what has this prior, if it was *likely* so much and *otherwise* so much."""
    total = prior * likely + (1.0 - prior) * otherwise
    return prior * likely / total if total > 0.0 else prior


def tempered_belief(watching: SliceFilter, temper: float) -> list[float]:
    """The posterior of each latent state, with the likelihood of all evidence raised to a power."""
    prior = watching.model.latent
    weights = prior * np.power(watching.belief() / np.where(prior > 0.0, prior, 1.0), temper)
    found: list[float] = (weights / weights.sum()).tolist()
    return found


def sharpen_weights(weights: Sequence[float], sharpness: float) -> list[float]:
    """Shares in proportion to a power of the weights; equal shares if every weight is 0."""
    most = max(weights)
    if most <= 0.0:
        return [1.0 / len(weights)] * len(weights)
    powers = [(weight / most) ** sharpness for weight in weights]
    total = sum(powers)
    return [power / total for power in powers]
