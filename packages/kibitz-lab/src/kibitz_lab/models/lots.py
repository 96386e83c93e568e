"""The model `lots`, a control that knows nothing: a random number replaces each probability (Pedersen 2008).

The number depends only on the position's features and a seed, so that equal positions get equal numbers on every path,
and compiled search can ask it like a real model. In games without features it depends on what the player sees of the
state, the player and the action.
"""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.kernels import kernel
from kibitz.core.kit.compiled import LIKELIHOODS, SETTLE, CompiledModel
from kibitz.core.registry import kit_of
from kibitz.core.seeds import stream
from kibitz_lab.models.dbn.positions import scores_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
U = np.uint64

SCALE = 65536.0
"""The resolution of features: parts per unit."""
WORD = (1 << 64) - 1
ROWS = 256
"""More plies than any search looks ahead."""
MOST = 500
"""If there are more actions, this many get a number each, and the others share the rest equally."""


class RandomLikelihoods(core.Model):
    """Draws lots: the likelihood of a move is a random number. A control for rules that rank a model's predictions."""

    answers = ("action",)

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        self.features = 0
        """How many features positions have; 0 if the game offers none."""
        if kit_of(game).features is not None:
            names, self.find_scores = scores_of(game, self)
            self.features = len(names)
        self.seed = int(rng.integers(1 << 63))

    def observe(self, transition: core.Transition) -> None:
        """Learn nothing: lots do not depend on events."""

    def likelihoods(self, view: core.State, player: int) -> list[float]:
        """The lot of the position after each legal action, in their order; without features, that of the action."""
        if not self.features:
            place = repr(view.key())
            return [action_lot(place, player, action, self.seed) for action in view.legal_actions(player)]
        children = (view.child(action) for action in view.legal_actions(player))
        return [lot(self.find_scores(child).tolist(), self.seed) for child in children]

    def predict(self, view: core.State, player: int) -> core.Distribution:
        if not self.features:
            return drawn_shares(view.legal_actions(player), repr(view.key()), player, self.seed)
        legal, lots = view.legal_actions(player), self.likelihoods(view, player)
        total = sum(lots)
        return core.Distribution(dict(zip(legal, (each / total for each in lots), strict=True)), legal)

    def compiled_model(self, player: int) -> CompiledModel | None:
        """The same for compiled search, which asks by features."""
        if not self.features:
            return None
        integers = np.array([self.seed, self.features], np.int64)
        return CompiledModel(player, likelihoods, settle, integers, np.zeros(1), np.zeros((ROWS, 1)), 0)


def lot(scores: Sequence[float], seed: int) -> float:
    """A number in ]0, 1[ for a position with these features."""
    word = seed
    for score in scores:
        word = (word ^ int(score * SCALE) & WORD) * 0x9E3779B97F4A7C15 & WORD
        word ^= word >> 29
        word = word * 0xBF58476D1CE4E5B9 & WORD
        word ^= word >> 32
    return ((word >> 12) + 0.5) / 4503599627370496.0


def action_lot(place: str, player: int, action: int, seed: int) -> float:
    """A number in ]0, 1[ for an action of a player who sees *place*."""
    text = f"{seed}\n{player}\n{action}\n{place}"
    word = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
    return ((word >> 12) + 0.5) / 4503599627370496.0


def drawn_shares(legal: Sequence[int], place: str, player: int, seed: int) -> core.Distribution:
    """The lots of actions as probabilities: of all actions, or of MOST drawn ones if there are more."""
    many = len(legal)
    if many <= MOST:
        chosen = list(legal)
    else:
        rng = stream(seed, "lots", player, place)
        numbers: dict[int, None] = {}
        while len(numbers) < MOST:
            numbers |= dict.fromkeys(rng.integers(many, size=MOST - len(numbers)).tolist())
        chosen = [legal[number] for number in numbers]
    lots = {action: action_lot(place, player, action, seed) for action in chosen}
    others = 0.5 * (many - len(chosen))
    total = sum(lots.values()) + others
    return core.Distribution({action: each / total for action, each in lots.items()}, legal, others / total)


@kernel(LIKELIHOODS)
def likelihoods(
    scores: Floats, count: int, mover: int, row: int, integers: Ints, numbers: Floats, path: Floats, found: Floats
) -> int:
    """The lots of positions; the whole numbers are the seed and how many features there are. Twin of `lot`."""
    for child in range(count):
        word = U(integers[0])
        for place in range(integers[1]):
            word = (word ^ U(np.int64(scores[child, place] * SCALE))) * U(0x9E3779B97F4A7C15)
            word ^= word >> U(29)
            word = word * U(0xBF58476D1CE4E5B9)
            word ^= word >> U(32)
        found[child] = (float(word >> U(12)) + 0.5) / 4503599627370496.0
    return count


@kernel(SETTLE)
def settle(scores: Floats, mover: int, row: int, integers: Ints, numbers: Floats, path: Floats) -> float:
    """The belief, which no move changes."""
    return 1.0
