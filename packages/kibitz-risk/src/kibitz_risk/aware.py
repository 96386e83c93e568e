"""`risk.aware`: tries its choices in simulated games, with the missions that its model believes others hold."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Annotated

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.kernels import machine_code
from kibitz.core.registry import make_model
from kibitz.core.seeds import kernel_stream, stream
from kibitz_risk import phases
from kibitz_risk.actions import pair
from kibitz_risk.agents import OnMission, Situation, Weight
from kibitz_risk.game import Risk, State
from kibitz_risk.phases import AMOUNTS
from kibitz_risk.planning import PRESSES, chance, knowledge_of
from kibitz_risk.position import UNKNOWN
from kibitz_risk.simulation import try_choices

if TYPE_CHECKING:
    from kibitz_lab.aware.agent import Aware as AnyGamesAware

HANDS, WORLDS = 4, 32
"""How many completions of the hidden part are drawn: hands of cards, and these with the missions of others."""
HORIZON = 500
"""How many plies a simulated game lasts; one that goes on has no winner."""
PLACING = 2
"""How many times as often placements, which decide most, are tried as attacks."""

Trials = Annotated[int, Meta(ge=1, le=1000)]
"""More would take minutes for a decision."""


class Aware(OnMission):
    """Simulates the outcome of its choices with the missions that others seem to hold, and makes the best.

    It tries placements and attacks in games in which all players follow their missions. Those of others are drawn
    from what a *model* believes of them; without one all are equally likely. Every choice is tried *trials* times, the
    better half twice as often again, and so on. So it hinders players who are near to their mission if that helps to
    win, and leaves alone players who are no threat.
    """

    supposed = False  # simulating games in every world takes long, and a copy does not have the random draws

    def __init__(self, model: core.Model | None = None, w: Weight = 100.0, trials: Trials = 8) -> None:
        super().__init__(w)
        self.model, self.trials = model, trials

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        assert isinstance(game, Risk)
        self.seed = int(rng.integers(1 << 32))
        self.setting, self.lore = game.setting.pack(), knowledge_of(game)
        self.deck = [game.map.mission_name(each) for each in game.mission_deck]
        self.watcher = None if self.model is None else self.model.clone()
        if self.watcher is not None:
            if "goal" not in self.watcher.answers:
                raise core.Unsupported(self, game, f"{self.watcher!r} does not say what a player is after")
            self.watcher.begin(game, player, deepcopy(rng))  # a copy: the model must not change the agent's draws

    def observe(self, transition: core.Transition) -> None:
        if self.watcher is not None:
            self.watcher.observe(transition)

    def choice(self, view: State, legal: Sequence[int], sight: Situation | None = None) -> int:
        sight = sight or Situation(view, self.player)
        usual = super().choice(view, legal, sight)
        others = [each for each in self.others(sight) if each != usual]
        return self.best(view, [usual, *others]) if others else usual

    def others(self, sight: Situation) -> Iterator[int]:
        """The choices to try besides what `risk.mission` would do."""
        if sight.phase == phases.PLACE:
            yield from (place * AMOUNTS + sight.to_place for place in sight.mine if sight.foes(place))
        if sight.phase == phases.ATTACK:
            yield phases.END_ATTACK
            for origin in sight.mine:
                for to in sight.foes(origin) if sight.armies[origin] > 1 else ():
                    if chance(sight.game.setting, sight.position, self.lore.chances, origin, to, 0) >= PRESSES:
                        yield pair(origin, to, len(sight.owners))

    def best(self, view: State, choices: list[int]) -> int:
        """The choice that wins most of the simulated games; the first of equals."""
        worlds, draws, luck = self.worlds(view), kernel_stream(self.seed, "luck"), np.zeros(4, np.uint64)
        run, scratch = machine_code(try_choices), worlds[0].copy()
        times = self.trials * (PLACING if view.phase == phases.PLACE else 1)
        earned = dict.fromkeys(choices, 0)
        while len(choices) > 1:
            found = np.zeros(len(choices), np.int64)
            tried = np.array(choices, np.int64)
            budget = times, HORIZON, self.player
            run(self.setting, worlds, scratch, draws, luck, tried, *budget, self.lore, self.w, found)
            for each, more in zip(choices, found.tolist(), strict=True):
                earned[each] += more
            choices = sorted(choices, key=lambda each: -earned[each])[: (len(choices) + 1) // 2]
            times *= 2
        return choices[0]

    def worlds(self, view: State) -> NDArray[np.int64]:
        """Completions of the view, as rows for the kernels; the same for the same view and beliefs."""
        rng = stream(self.seed, "worlds")
        suspected = {
            player: self.mission_belief(player) for player, each in enumerate(view.missions) if each == UNKNOWN
        }
        hands = [view.complete(rng) for _ in range(HANDS)]
        rows = []
        for state in [each for each in hands for _ in range(WORLDS // HANDS)]:
            state.missions = self.draw_missions(view.missions, suspected, rng)
            rows.append(state.position.pack())
        return np.array(rows)

    def mission_belief(self, player: int) -> NDArray[np.float64]:
        """How likely an opponent holds each mission."""
        belief = {} if self.watcher is None else self.watcher.belief(player)
        return np.array([belief.get(name, 0.0) for name in self.deck]) if belief else np.ones(len(self.deck))

    def draw_missions(
        self, missions: tuple[int, ...], suspected: dict[int, NDArray[np.float64]], rng: core.Rng
    ) -> tuple[int, ...]:
        """Missions for the players whose missions are unknown, no two alike, drawn player by player in any order."""
        found = list(missions)
        for player in rng.permutation(list(suspected)).tolist():
            free = np.array([card not in found for card in range(len(self.deck))])
            shares = suspected[player] * free
            shares = shares if shares.sum() > 0.0 else free * 1.0
            found[player] = int(rng.choice(len(self.deck), p=shares / shares.sum()))
        return tuple(found)


def aware_agent(game: core.Game, aware: "AnyGamesAware") -> core.Agent | None:
    """The agent that `aware` is in this game; None without missions, or with a model that does not tell them."""
    model = aware.model
    if not isinstance(game, Risk) or not game.mission_deck or (model is not None and "goal" not in model.answers):
        return None
    return Aware(model or make_model(game.usual_model) if aware.trust > 0.0 else None)
