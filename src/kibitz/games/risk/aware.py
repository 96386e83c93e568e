"""`risk.aware`: plays its own mission, and hinders whoever seems near to fulfilling his."""

from copy import deepcopy

import numpy as np

from kibitz import core
from kibitz.games.risk.agents import OnMission, Weight
from kibitz.games.risk.models.atlas import Floats, atlas_of
from kibitz.games.risk.models.standing import missing_territories
from kibitz.games.risk.rules import Risk
from kibitz.games.risk.sight import Sight

HALVED = 2.0
"""So many missing territories make a mission half as urgent."""


class Aware(OnMission):
    """Conquers with its mission in mind, and denies others theirs, by what a *model* believes of their missions.

    What an opponent needs for a mission he seems to hold is wanted *deny* times as much as a mission fulfilled is near;
    who is no threat is left alone. Without a model all missions are held for equally likely.
    """

    def __init__(self, model: core.Model | None = None, w: Weight = 4.0, deny: Weight = 8.0) -> None:
        super().__init__(w)
        self.model, self.deny = model, deny

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        assert isinstance(game, Risk)
        self.atlas, self.deck = atlas_of(game), [game.map.mission_name(each) for each in game.mission_deck]
        self.watcher = None if self.model is None else self.model.clone()
        if self.watcher is not None:
            if "goal" not in self.watcher.answers:
                raise core.Unsupported(self, game, f"{self.watcher!r} does not say what a player is after")
            self.watcher.begin(game, player, deepcopy(rng))  # a copy: who asks a model must not draw otherwise for it

    def observe(self, transition: core.Transition) -> None:
        if self.watcher is not None:
            self.watcher.observe(transition)

    def wants(self, sight: Sight) -> list[float]:
        wants = super().wants(sight)
        if not self.deck or -1 in sight.owners:
            return wants
        threats = self.threats(sight)
        return [want + self.deny * threat for want, threat in zip(wants, threats.tolist(), strict=True)]

    def threats(self, sight: Sight) -> Floats:
        """How near to a mission each territory brings its owner, by what he may be after."""
        owners, players = np.array(sight.owners), sight.game.players
        urgent = 0.5 ** (missing_territories(self.atlas, owners, players) / HALVED)
        found = np.zeros(len(owners))
        for player in set(sight.owners) - {sight.me}:
            needed = urgent[player] * self.suspected(player)
            about = np.maximum(self.atlas.named, (self.atlas.asked > 0.0)[:, None])[:, self.atlas.continent]
            found = np.where(owners == player, needed @ about, found)
        return found

    def suspected(self, player: int) -> Floats:
        """How likely an opponent holds each mission."""
        belief = {} if self.watcher is None else self.watcher.belief(player)
        shares = np.array([belief.get(name, 0.0) for name in self.deck])
        return shares if shares.any() else np.full(len(self.deck), 1.0 / len(self.deck))
