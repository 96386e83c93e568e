"""`dbn`: which strategy does each player follow, and what comes next, by a dynamic Bayesian network of features."""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta

from kibitz import core
from kibitz.core.compiled import CompiledModel
from kibitz.core.errors import BadNetwork
from kibitz.core.registry import spec_of
from kibitz.learn.slice_filter import SliceFilter
from kibitz.learn.slices import Slice
from kibitz.models.dbn.parameters import Colours, Learning, Parameters, Scope, parameters_path, slices_in
from kibitz.models.dbn.positions import scores_of

Slices = Annotated[int, Meta(ge=0, le=1000)]
TELLING = 0.1
"""A feature that speaks less clearly, as a log ratio, is not named."""


class Dbn(core.Model):
    """Slices of features that depend on their past and on both strategies (Pedersen 2008), trained on recorded games.

    *trained* names the parameters: a game (`pawns`), a variant that comes with it (`pawns.thesis`), or a JSON file;
    left empty, what comes with the game watched. *slices* is how many positions the network holds (4 in the thesis),
    0 all of the game. *own* is the strategy of the watcher's seat, as it was called in training; where it is not
    said, and for an outsider, each player is judged in turn with the other's strategy summed over. *sharpness* is the
    power of P(e) that predictions are proportional to; where it is not given, what fitted the training games, as
    features are no independent witnesses. The rest says how to train (`training.train`); given to a trained one, it
    must be what it was trained with.
    """

    answers = ("strategy", "action")
    follows_lines = True
    preset: Parameters | None = None
    """Parameters just trained, which no file holds yet."""

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
        sharpness: Annotated[float, Meta(gt=0.0, le=10.0)] | None = None,
    ) -> None:
        self.trained, self.slices, self.own = trained, slices, own
        self.lag, self.latent_scope, self.colours, self.learning = lag, latent_scope, colours, learning
        self.smoothing, self.latent_states, self.restarts = smoothing, latent_states, restarts
        self.sharpness = sharpness

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        if game.players != 2 or game.hidden:
            raise core.Unsupported(self, game, "it watches games of two players who see everything")
        names, self.find_scores = scores_of(game, self)
        self.network, slices = self.loaded(game)
        learned = tuple(each.name for each in self.network.features)
        if learned != names:
            raise core.Unsupported(self, game, f"it was trained on the features {', '.join(learned)}")
        start = self.find_scores(game.new_initial_state())
        self.filters = [self.filter_of(player, slices[player]) for player in range(2)]
        for each in self.filters:
            each.begin(start)

    def loaded(self, game: core.Game) -> tuple[Parameters, tuple[Slice, ...]]:
        """The parameters meant, if they are there and as asked for, and the slice of each player."""
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
        """What follows *player*; the other's strategy is observed where the watcher sits there and says what it is."""
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
        scores = self.find_scores(transition.after)
        for each in self.filters:
            each.advance(scores, transition.player)

    def belief(self, player: int) -> dict[str, float]:
        labels = self.network.players[player].labels
        found = dict.fromkeys(self.network.strategies, 0.0)
        for label, share in zip(labels, self.filters[player].belief().tolist(), strict=True):
            found[label] += share
        return found

    def likelihoods(self, view: core.State, player: int) -> list[float]:
        """How likely the position behind each legal action of *player* is, in their order; relative to each other.

        Positions with equal states get equal numbers to the last bit, so that they can be ranked with their ties.
        """
        watching = self.filters[player]
        legal = view.legal_actions(player)
        return [watching.likelihood(self.find_scores(view.child(action)), player) for action in legal]

    def predict(self, view: core.State, player: int) -> core.Distribution:
        legal = view.legal_actions(player)
        sharpness = self.network.sharpness if self.sharpness is None else self.sharpness
        shares = sharpened(self.likelihoods(view, player), sharpness)
        return core.Distribution(dict(zip(legal, shares, strict=True)), legal)

    def compiled(self, player: int) -> CompiledModel:
        """The belief about *player* for compiled search, as it stands."""
        return self.filters[player].compiled()

    def explain(self, player: int) -> str:
        ranked = sorted(self.belief(player).items(), key=lambda item: (-item[1], item[0]))
        label, share = ranked[0]
        rival = f"; next {ranked[1][0]} at {ranked[1][1]:.0%}" if len(ranked) > 1 else ""
        watching = self.filters[player]
        why = told_most([each.name for each in self.network.features], watching, self.labelled(player, label))
        odd = watching.impossible
        note = f" ({odd} position{'s' if odd > 1 else ''} could not be explained and told nothing)" if odd else ""
        return f"plays like {label} ({share:.0%}{rival}){why}{note}"

    def labelled(self, player: int, label: str) -> int:
        """The likeliest latent state of that label."""
        belief, labels = self.filters[player].belief(), self.network.players[player].labels
        return max((state for state, name in enumerate(labels) if name == label), key=belief.tolist().__getitem__)


def sharpened(weights: Sequence[float], sharpness: float) -> list[float]:
    """Shares in proportion to a power of the weights; all alike where every weight is 0."""
    most = max(weights)
    if most <= 0.0:
        return [1.0 / len(weights)] * len(weights)
    powers = [(weight / most) ** sharpness for weight in weights]
    total = sum(powers)
    return [power / total for power in powers]


def told_most(names: Sequence[str], watching: SliceFilter, latent: int) -> str:
    """The features that speak most for a latent state, in words."""
    speaking = sorted(zip(watching.evidence(latent), names, strict=True), reverse=True)
    clear = [name for weight, name in speaking[:2] if weight > TELLING]
    return f", above all by its {' and '.join(clear)}" if clear else ""
