"""The model `dbn`: a dynamic Bayesian network of features infers each player's strategy and predicts their moves."""

from collections.abc import Sequence
from functools import partial
from hashlib import blake2b
from typing import Annotated, Literal, NamedTuple

import numpy as np
from msgspec import Meta

from kibitz import core
from kibitz.core.errors import BadNetwork, advice
from kibitz.core.insight import CLEAR, UNKNOWN, Explanation, MoveEvidence, explanation_of
from kibitz.core.kit.compiled import CompiledModel
from kibitz.core.registry import spec_of
from kibitz.models.habits import Habits
from kibitz.models.strangers import Trust, new_stranger
from kibitz.models.strangers.choices import successors_of
from kibitz_lab.learn.slice_filter import SliceFilter
from kibitz_lab.learn.slices import Floats, Slice
from kibitz_lab.models.dbn.choices import ChoiceWeights, choice_numbers, choice_shares
from kibitz_lab.models.dbn.evidence import log_shares, posteriors
from kibitz_lab.models.dbn.parameters import Colours, Learning, Parameters, Power, Scope, parameters_path, slices_in
from kibitz_lab.models.dbn.positions import ScoresOf, scores_of

Slices = Annotated[int, Meta(ge=0, le=1000)]


class Dbn(core.Model):
    """Slices of features that depend on their past and on both strategies (Pedersen 2008), trained on recorded games.

    *trained* names the parameters: a game (`pawns`), a variant that comes with it (`pawns.thesis`), or a JSON file; by
    default those that come with the game watched. *slices* is how many positions the network holds (4 in the thesis), 0
    for the whole game. *own* is the strategy of the watcher's own seat, by its name in training; without it, and for a
    spectator, the model judges each player in turn and sums over the other's strategy. What players of each strategy
    choose follows from the network and the features by weights fitted to the training games (`choices`); with a
    *sharpness*, from the power of P(e) alone. Each choice counts as evidence with a power of its likelihood, which is
    fitted as well, one for which strategy a player follows and one for whether they follow any; a *temper* replaces
    both. *unknown* is the prior of a stranger, who follows none of the strategies and is learned while they play
    (`models.strangers`), and *drift* is the share of all evidence that is forgotten at each move of a player. The other
    parameters control training (`training.train`); for a trained model they must equal those of its training.

    >>> from kibitz_lab import Dbn
    >>> model = Dbn(trained="pawns.thesis", drift=0.01)
    >>> print(model, model.answers)
    dbn(trained='pawns.thesis', drift=0.01) ('strategy', 'action')
    """

    answers = ("strategy", "action")
    trainer = "kibitz_lab.models.dbn.training:train"
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
        self.choices = [self.choices_of(player) for player in range(2)]
        self.looks_at_replies = any(each.looks_at_replies for own in self.choices for each in own)
        self.told: list[list[tuple[int, Floats]]] = [[], []]
        """For the choices of each player in the window: the number of the position that one led to, and the logarithm
        of its probability by each latent state and by a stranger. Without a window, one for all."""
        self.trust = [Trust() if self.unknown > 0.0 else Trust(chance=0.0) for _ in range(2)]
        self.answered: list[set[tuple[bytes, int]]] = [set(), set()]
        """The choices that counted, each once: `KnownPolicies.numbers`, and the action."""
        self.successors = successors_of(game)
        self.strangers = [
            new_stranger(game, player, len(self.choices[player]), successors=self.successors, sequences=False)
            for player in range(2)
        ]
        self.last: tuple[int, core.Key, KnownPolicies] | None = None
        """The position asked about last, and what players would do there."""
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
        if self.own and self.own not in found.strategies:
            why = f"own={self.own!r} is no strategy of its training; {advice(self.own, found.strategies, 20)}"
            raise core.Unsupported(self, game, why)
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
        for habits in self.habits:
            habits.observe(transition)

    def update(self, transition: core.Transition) -> None:
        """Advance the filters, and weigh whether the mover is a stranger."""
        scores = self.find_scores(transition.after)
        chosen = not transition.movers or any(map(transition.chose, transition.movers))
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
        """Take note of how likely the mover's choice was by each latent state and by a stranger."""
        player, (action,) = transition.player, transition.actions
        assert action is not None, "no action is hidden in these games"
        view = transition.before
        known = self.policies(view, player)
        if len(known.legal) == 1:
            return
        place, held, strange = known.legal.index(action), self.posterior(player), 0.0
        if self.unknown > 0.0:
            strange = self.strangers[player].learn(view, action, known.distributions())
            given = self.known_shares(view, player, held)[place] + float(held[-1]) * strange
            self.trust[player].learn(given, len(known.legal))
        likely = log_shares(known.shares[:, place], strange)
        if (question := (known.numbers, action)) in self.answered[player]:
            return  # who moves to and fro gives one answer again and again
        self.answered[player].add(question)
        row = self.filters[player].row + 1
        told = [
            (at, (1.0 - self.drift) * each)
            for at, each in self.told[player]
            if not self.slices or at > row - self.slices
        ]
        told.append((row, likely))
        self.told[player] = told if self.slices else [(row, np.sum([each for _, each in told], axis=0))]

    def posterior(self, player: int) -> Floats:
        """The probability of each latent state, and of a stranger."""
        first = self.filters[player].row - self.slices if self.slices else -1
        logs = np.zeros(len(self.choices[player]) + 1)
        for row, each in self.told[player]:
            logs = logs + each if row > first else logs
        prior = np.append(self.filters[player].model.latent * (1.0 - self.unknown), self.unknown)
        learned = np.array([self.strangers[player].learning_gain()])
        found: Floats = posteriors(logs[None], learned, prior, self.network.evidence(self.temper, self.unknown > 0.0))[
            0
        ]
        return found

    def choices_of(self, player: int) -> tuple[ChoiceWeights, ...]:
        """How players of each latent state choose."""
        if self.sharpness is None:
            return self.network.choices_of(player)
        plain = ChoiceWeights(self.sharpness, (0.0,) * len(self.network.features))
        return (plain,) * len(self.network.players[player].labels)

    def belief(self, player: int) -> dict[str, float]:
        found = dict.fromkeys((*self.network.strategies, UNKNOWN), 0.0)
        labels = (*self.network.players[player].labels, UNKNOWN)
        for label, share in zip(labels, self.posterior(player).tolist(), strict=True):
            found[label] += share
        return found

    def likelihoods(self, view: core.State, player: int) -> list[float]:
        """The relative likelihood of the position after each legal action of *player*, in their order.

        Positions with equal states get exactly equal numbers, so that ranking them keeps their ties.
        """
        children = self.child_numbers(view, list(view.legal_actions(player)))[:, :-1]
        return self.filters[player].likelihoods(list(children), player)

    def child_numbers(self, view: core.State, legal: list[int]) -> Floats:
        """The scores of the position after each legal action, and whether it is a win at once."""
        if self.successors is None:  # chance or all at once: no single successor
            return np.array([[*self.find_scores(view.child(action)), 0.0] for action in legal])
        return self.successors.find(view, legal)

    def seen_numbers(self, view: core.State, legal: list[int], replies: bool) -> Floats:
        """The numbers that players weigh of each position after a legal action, with those of *replies* or without."""
        children = self.child_numbers(view, legal)
        if self.successors is None or not replies:
            return children
        return np.hstack([children, self.successors.find_replies(view, legal)])

    def policies(self, view: core.State, player: int) -> "KnownPolicies":
        """What players of each latent state would do."""
        key = view.key()
        if self.last is None or self.last[:2] != (player, key):
            legal = list(view.legal_actions(player))
            children = self.seen_numbers(view, legal, self.looks_at_replies)
            likely = self.filters[player].latent_likelihoods(children[:, : len(self.network.features)], player)
            pairs = zip(self.choices[player], likely, strict=True)
            shares = [choice_shares(weights, choice_numbers(each, children, player)) for weights, each in pairs]
            self.last = player, key, KnownPolicies(legal, np.array(shares), digest(children))
        return self.last[2]

    def network_shares(self, view: core.State, player: int) -> list[float]:
        """What the network predicts by itself: the probability of each legal action, in their order."""
        power = self.network.sharpness if self.sharpness is None else self.sharpness
        return sharpen_weights(self.likelihoods(view, player), power)

    def predict(self, view: core.State, player: int) -> core.Distribution:
        known, held = self.policies(view, player), self.posterior(player)
        expected = dict(zip(known.legal, self.known_shares(view, player, held), strict=True))
        if held[-1] > 0.0:
            strange = self.strangers[player].predict(view, known.distributions())
            for action in known.legal:
                expected[action] += float(held[-1]) * strange.probability(action)
        return self.trust[player].mix_with_chance(core.Distribution(expected, known.legal), known.legal)

    def known_shares(self, view: core.State, player: int, held: Floats) -> list[float]:
        """The part of a prediction that players of known strategies have, where the states have these shares."""
        if self.sharpness is None and self.network.choices:
            shares: list[float] = (held[:-1] @ self.policies(view, player).shares).tolist()
            return shares
        known = float(held[:-1].sum())  # without weights: the network is surer of its states than of their names
        return [known * share for share in self.network_shares(view, player)]

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
            notes += [f"the feature {self.network.features[most].name} tells most"] if gains[most] > CLEAR else []
        if odd := watching.impossible:
            notes.append(f"{odd} position{'s' if odd > 1 else ''} fitted no strategy and did not count")
        habits = self.habits[player].words() if label == UNKNOWN else ()
        return explanation_of(belief, evidence=self.evidence[player], notes=notes, habits=habits)

    def likeliest_state(self, player: int, label: str) -> int:
        """The likeliest latent state of that label."""
        belief, labels = self.filters[player].belief(), self.network.players[player].labels
        return max((state for state, name in enumerate(labels) if name == label), key=belief.tolist().__getitem__)


class KnownPolicies(NamedTuple):
    """What players of each latent state would do: legal actions, and a row of their probabilities for each state."""

    legal: list[int]
    shares: Floats
    numbers: bytes
    """A digest of all numbers of the positions after the actions: whether a choice is the same one again."""

    def distributions(self) -> list[core.Distribution]:
        """The same as distributions."""
        return [core.Distribution(dict(zip(self.legal, row, strict=True)), self.legal) for row in self.shares.tolist()]


def digest(numbers: Floats) -> bytes:
    """A few bytes that differ for different numbers, so that a long game takes little memory."""
    return blake2b(numbers.tobytes(), digest_size=16).digest()


def sharpen_weights(weights: Sequence[float], sharpness: float) -> list[float]:
    """Shares in proportion to a power of the weights; equal shares if every weight is 0."""
    most = max(weights)
    if most <= 0.0:
        return [1.0 / len(weights)] * len(weights)
    powers = [(weight / most) ** sharpness for weight in weights]
    total = sum(powers)
    return [power / total for power in powers]
