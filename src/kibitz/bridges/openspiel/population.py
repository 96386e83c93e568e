"""The agent `roshambo_population`: knows the programs of all 43 bots, and finds out which of them it plays against.

That is the easy half of the arena: a player who knows nobody's program is another track, `aware`.
"""

from typing import Annotated

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from kibitz import core
from kibitz.agents.aware.rounds import RoundPlayer
from kibitz.bridges.openspiel.loading import pyspiel
from kibitz.bridges.openspiel.roshambo import LONGEST, REPEATED, Roshambo, set_random_numbers, throw_numbers
from kibitz.core.errors import Unsupported
from kibitz.core.insight import UNKNOWN

Floats = NDArray[np.float64]
TRUST = 30.0, 1.0
"""Hits and misses that a bot's predictions are credited with before the first round."""
KEPT = 0.97
"""What is left of a prediction's weight after a round: a bot may be in a mood that its copies are not in."""
STAYS = 0.999
"""How likely the opponent is the same as in the round before."""
STEADY = 0.95
"""How far the stranger's predictions are believed."""
POINTS: Floats = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
"""What the own throw (row) earns against the other's."""


class RoshamboPopulation(core.Agent):
    """Runs every bot of the RoShamBo competitions along the match, and answers whom the opponent turns out to be.

    Each bot is asked what it would throw after what really happened: exactly if it draws nothing, else by *samples*
    copies with other random numbers. Beside the bots stands a player who knows none, as `aware`; it chooses as long as no
    bot explains the opponent better.
    """

    def __init__(self, samples: Annotated[int, Meta(ge=1, le=20)] = 2) -> None:
        self.samples = samples

    def manages(self, game: core.Game) -> bool:
        return Roshambo().manages(game)

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        if not self.manages(game):
            raise Unsupported(self, game, f"it throws rock, paper or scissors against one other, {LONGEST:,} times")
        spiel = pyspiel()
        self.names: list[str] = list(spiel.roshambo_bot_names())
        set_random_numbers(int(rng.integers(1, 2**31)))
        self.copies = [
            [spiel.make_roshambo_bot(1 - player, name, LONGEST) for _ in range(self.samples)] for name in self.names
        ]
        self.state = spiel.load_game(REPEATED).new_initial_state()
        count = len(self.names) + 1
        self.shares: Floats = np.full(count, 1.0 / count)
        """How likely the opponent is each of the bots, and last nobody known."""
        self.record = np.tile(np.array(TRUST), (len(self.names), 1))
        """The hits and misses of each bot's predictions of late."""
        self.forecasts: Floats = np.full((count, 3), 1.0 / 3.0)
        self.stranger = RoundPlayer(POINTS, -POINTS, left=game.max_plies, seed=rng)

    def act(self, view: core.State, clock: core.Clock) -> int:
        self.ask_bots()
        mixed = self.shares @ self.forecasts
        numbers = throw_numbers(view, self.player)
        legal = view.legal_actions(self.player)
        if self.shares[-1] > 0.5:
            return legal[numbers.index(self.chosen)]
        worth = POINTS @ mixed
        best = np.flatnonzero(worth > worth.max() - 1e-9)
        wanted = int(best[int(self.rng.integers(len(best)))])
        return legal[numbers.index(wanted)]

    def ask_bots(self) -> None:
        """Ask every copy of every bot for its throw, and turn the answers into a forecast of each."""
        set_random_numbers(int(self.rng.integers(1, 2**31)))
        answers = np.array([[copy.step(self.state) for copy in copies] for copies in self.copies])
        thrown = (answers[:, :, None] == np.arange(3)).mean(axis=1)
        sure = (self.record[:, 0] / self.record.sum(axis=1))[:, None]
        self.forecasts[:-1] = sure * thrown + (1.0 - sure) * (1.0 - thrown) / 2.0
        self.chosen = self.stranger.choose()
        self.forecasts[-1] = STEADY * self.stranger.prediction + (1.0 - STEADY) / 3.0

    def observe(self, transition: core.Transition) -> None:
        played = [transition.action_of(player) for player in (0, 1)]
        numbers = [throw_numbers(transition.before, player) for player in (0, 1)]
        legal = [list(transition.before.legal_actions(player)) for player in (0, 1)]
        thrown = [numbers[p][legal[p].index(action)] for p, action in enumerate(played) if action is not None]
        theirs = thrown[1 - self.player]
        posterior = self.shares * self.forecasts[:, theirs]
        self.shares = STAYS * posterior / posterior.sum() + (1.0 - STAYS) / len(posterior)
        hit = self.forecasts[:-1, theirs] >= self.forecasts[:-1].max(axis=1) - 1e-12
        self.record *= KEPT
        self.record += (1.0 - KEPT) * np.array(TRUST) / sum(TRUST)  # never sure of a miss
        self.record[:, 0] += hit
        self.record[:, 1] += ~hit
        self.state.apply_actions(thrown)
        self.stranger.observe(thrown[self.player], theirs)

    def belief(self) -> dict[str, float]:
        """How likely the opponent is each bot, or nobody known."""
        return dict(zip([*self.names, UNKNOWN], self.shares.tolist(), strict=True))
