"""The agent `roshambo_population`: knows the programs of all 43 bots, and finds out which of them it plays against.

That is the easy half of the arena: a player who knows nobody's program is another track, `aware`.
"""

from copy import deepcopy
from typing import Annotated, Any, Self

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.errors import Unsupported
from kibitz.core.insight import UNKNOWN
from kibitz_lab.aware.round_player import RoundPlayer
from kibitz_lab.bridges.openspiel.loading import pyspiel
from kibitz_lab.bridges.openspiel.roshambo import LONGEST, REPEATED, Roshambo, set_random_numbers, throw_numbers

Floats = NDArray[np.float64]
TRUST = 30.0, 1.0
"""Hits and misses that a bot's predictions are credited with before the first round."""
KEPT = 0.99
"""What is left of a prediction's weight after a round: a bot may be in a mood that its copies are not in."""
STAYS = 0.999
"""How likely the opponent is the same as in the round before."""
STRANGE = 0.05
"""How likely the opponent is nobody known, before the match."""
STEADY = 0.95
"""How far the stranger's predictions are believed."""
POINTS: Floats = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
"""What the own throw (row) earns against the other's."""


class RoshamboPopulation(core.Agent):
    """Runs every bot of the RoShamBo competitions along the match, and answers whom the opponent turns out to be.

    Each bot is asked what it would throw after what really happened: *samples* copies of it with other random numbers,
    as most bots draw some. Each copy is a hypothesis, and so is the mean of all copies of a bot. Beside them stands a
    player who knows no bot, as `aware` does; it chooses as long as no bot explains the opponent better.
    """

    def __init__(self, samples: Annotated[int, Meta(ge=1, le=20)] = 8) -> None:
        self.samples = samples

    def manages(self, game: core.Game) -> bool:
        return Roshambo().manages(game)

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        if not self.manages(game):
            raise Unsupported(self, game, f"it throws rock, paper or scissors against one other, {LONGEST:,} times")
        spiel = pyspiel()
        self.names: list[str] = list(spiel.roshambo_bot_names())
        self.seeds = [int(rng.integers(1, 2**31))]
        """What the random numbers were set to before the first round, and before each question."""
        self.past: list[tuple[int, int]] = []
        """The rounds so far."""
        self.copies = self.new_copies()
        self.state = spiel.load_game(REPEATED).new_initial_state()
        known = len(self.copies) + len(self.names)
        self.prior: Floats = np.append(np.full(known, (1.0 - STRANGE) / known), STRANGE)
        self.shares = self.prior.copy()
        """How likely the opponent is each of the copies, each bot as the mean of its copies, and last nobody known."""
        self.record = np.tile(np.array(TRUST), (known, 1))
        """The hits and misses of each one's predictions of late."""
        self.forecasts: Floats = np.full((known + 1, 3), 1.0 / 3.0)
        self.stranger = RoundPlayer(POINTS, -POINTS, left=game.max_plies, seed=rng)

    def new_copies(self) -> list[Any]:
        """The copies of all bots before the first round."""
        spiel = pyspiel()
        set_random_numbers(self.seeds[0])
        seat = 1 - self.player
        return [spiel.make_roshambo_bot(seat, name, LONGEST) for name in self.names for _ in range(self.samples)]

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
        self.seeds.append(int(self.rng.integers(1, 2**31)))
        set_random_numbers(self.seeds[-1])
        answers = np.array([copy.step(self.state) for copy in self.copies])
        thrown = (answers[:, None] == np.arange(3)).astype(np.float64)
        means = thrown.reshape(len(self.names), self.samples, 3).mean(axis=1)
        said = np.concatenate([thrown, means])
        sure = (self.record[:, 0] / self.record.sum(axis=1))[:, None]
        self.forecasts[:-1] = sure * said + (1.0 - sure) * (1.0 - said) / 2.0
        self.chosen = self.stranger.choose()
        self.forecasts[-1] = STEADY * self.stranger.prediction + (1.0 - STEADY) / 3.0

    def observe(self, transition: core.Transition) -> None:
        played = [transition.action_of(player) for player in (0, 1)]
        numbers = [throw_numbers(transition.before, player) for player in (0, 1)]
        legal = [list(transition.before.legal_actions(player)) for player in (0, 1)]
        thrown = [numbers[p][legal[p].index(action)] for p, action in enumerate(played) if action is not None]
        theirs = thrown[1 - self.player]
        posterior = self.shares * self.forecasts[:, theirs]
        self.shares = STAYS * posterior / posterior.sum() + (1.0 - STAYS) * self.prior
        hit = self.forecasts[:-1, theirs] >= self.forecasts[:-1].max(axis=1) - 1e-12
        self.record *= KEPT
        self.record += (1.0 - KEPT) * np.array(TRUST) / sum(TRUST)  # never sure of a miss
        self.record[:, 0] += hit
        self.record[:, 1] += ~hit
        self.past.append((thrown[0], thrown[1]))
        self.state.apply_actions(thrown)
        self.stranger.observe(thrown[self.player], theirs)

    def belief(self) -> dict[str, float]:
        """How likely the opponent is each bot, or nobody known."""
        copies = len(self.copies)
        found = self.shares[:copies].reshape(len(self.names), self.samples).sum(axis=1) + self.shares[copies:-1]
        return dict(zip([*self.names, UNKNOWN], [*found.tolist(), float(self.shares[-1])], strict=True))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Bots cannot be copied: others of their kind are led through the same match."""
        copied = type(self)(self.samples)
        memo[id(self)] = copied
        if not hasattr(self, "copies"):
            return copied
        rest = {name: value for name, value in self.__dict__.items() if name not in ("copies", "state")}
        copied.__dict__.update(deepcopy(rest, memo))
        copied.copies, copied.state = copied.new_copies(), pyspiel().load_game(REPEATED).new_initial_state()
        for number, seed in enumerate(self.seeds[1:]):
            set_random_numbers(seed)
            for each in copied.copies:
                each.step(copied.state)
            if number < len(self.past):
                copied.state.apply_actions(list(self.past[number]))
        return copied

    def __getstate__(self) -> dict[str, Any]:
        if hasattr(self, "copies"):
            raise TypeError("bots in the middle of a match cannot be sent to another process")
        return self.__dict__
