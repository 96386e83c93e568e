"""The agent `alphabeta`, for two-player games of perfect information without chance."""

from collections.abc import Mapping, Sequence
from math import exp
from typing import Literal

import msgspec

from kibitz import core
from kibitz_lab.search.game_tree import NoSingleMover
from kibitz_lab.search.searcher import GameSearch, Searcher, evaluation_of, require_searchable, why_unsearchable
from kibitz_lab.search.settings import WIN, Depth, Noise, SearchResult, Settings, WinValue

TIE = 1.0
"""Root moves whose values differ by less count as equal, because leaf noise can swap their order."""
FORCED = WIN / 2
"""A value beyond this is a forced win, or a forced loss."""
TIME_FRACTION = 0.5
"""The fraction of a move's time a search may plan with."""


class AlphaBeta(core.Strategy):
    """Looks *depth* plies ahead with alpha-beta; *weights* are those of the game's evaluation.

    *nodes* bounds the nodes of a move, a clock its seconds: both deepen by *step* plies at a time and keep the last
    depth finished; a step of 2 stays with even depths, or odd ones, whose values are of one kind.
    *noise* breaks ties: `root` takes any of the best moves, `leaf` adds a hash of (state, seed) to every leaf as
    Pedersen (2008) does, `none` takes the first. *strength* below 1 looks less far ahead; *variety* above 0 also plays
    moves that are somewhat worse, but none that loses by force or throws a forced win away.

    >>> from kibitz import play
    >>> from kibitz_lab import AlphaBeta
    >>> play("cops(graph=path, size=4, cops=1, turns=4)", [AlphaBeta(depth=6), "random"], seed=1).ending.returns
    [1.0, -1.0]
    """

    def __init__(
        self,
        depth: Depth = 4,
        nodes: core.Count | None = None,
        weights: tuple[float, ...] | None = None,
        noise: Noise = "root",
        win_value: WinValue = "mate",
        strength: core.Probability = 1.0,
        variety: core.Probability = 0.0,
        step: Literal[1, 2] = 1,
    ) -> None:
        self.depth, self.nodes, self.weights, self.noise, self.win_value = depth, nodes, weights, noise, win_value
        self.strength, self.variety, self.step = strength, variety, step

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.searcher = self.searcher_in(game)
        self.vector = evaluation_of(game).check_weights(self.weights)
        self.found: SearchResult | None = None
        """What the last search found: value, line, nodes, and the value of every move."""
        start = game.new_initial_state()
        if start.current_player() >= 0:  # compiles now, while no clock runs
            self.searcher.search(start, Settings(depth=1), self.vector)

    def manages(self, game: core.Game) -> bool:
        return not why_unsearchable(game)

    def searcher_in(self, game: core.Game) -> Searcher:
        """The searcher for *game*; raises Unsupported if there is none."""
        require_searchable(self, game)
        return GameSearch(game)

    def act(self, view: core.State, clock: core.Clock) -> int:
        if self.noise == "leaf" and self.variety == 0.0:
            seed = int(self.rng.integers(1 << 63))
            self.found = self.run_search(view, self.settings(noise_seed=seed), clock)
            return self.found.action
        return self.choices(view, clock).sample(self.rng)

    def policy(self, view: core.State) -> core.Distribution:
        return self.choices(view, None)

    def choices(self, view: core.State, clock: core.Clock | None) -> core.Distribution:
        """The moves it may play, and the probability of each."""
        legal = view.legal_actions(self.player)
        margin = float("inf") if self.variety else TIE
        self.found = self.run_search(view, self.settings(margin=margin), clock)
        if self.noise == "none" and self.variety == 0.0:
            return core.Distribution.certain(self.found.action, legal)
        return root_distribution(self.found.values, self.variety, legal)

    def settings(self, margin: float = 0.0, noise_seed: int | None = None) -> Settings:
        """The settings of a search, at the agent's strength."""
        depth = max(min(self.depth, 2), round(self.depth * self.strength))
        return Settings(
            depth=depth,
            win_value=self.win_value,
            margin=margin,
            noise_seed=noise_seed,
        )

    def run_search(self, view: core.State, settings: Settings, clock: core.Clock | None) -> SearchResult:
        """Search, and count what it cost."""
        try:
            found = self.iterative_deepening(view, settings, clock)
        except NoSingleMover:
            why = "its players move simultaneously, or chance decides; mcts plays such games"
            raise core.Unsupported(self, self.game, why) from None
        self.searched += found.nodes
        return found

    def budget(self) -> int | None:
        """The most nodes of a move; None for no limit."""
        return None if self.nodes is None else max(1, round(self.nodes * self.strength**2))

    def iterative_deepening(self, view: core.State, settings: Settings, clock: core.Clock | None) -> SearchResult:
        """Search once to the full depth, or deeper and deeper while nodes and seconds last."""
        allowed = self.budget()
        limit = float("inf") if clock is None else TIME_FRACTION * clock.pace()
        if allowed is None and limit == float("inf"):
            return self.searcher.search(view, settings, self.vector)
        left = settings.nodes if allowed is None else allowed
        first = (settings.depth - 1) % self.step + 1
        found = self.searcher.search(view, msgspec.structs.replace(settings, depth=first), self.vector)
        spent = found.nodes
        for depth in range(first + self.step, settings.depth + 1, self.step):
            budget = left - spent
            if clock is not None and limit < float("inf"):
                budget = min(budget, int(spent / clock.elapsed_seconds() * (limit - clock.elapsed_seconds())))
            if budget <= 0 or abs(found.value) >= FORCED:
                break
            deeper = self.searcher.search(
                view, msgspec.structs.replace(settings, depth=depth, nodes=budget), self.vector
            )
            spent += deeper.nodes
            if not deeper.complete:
                break
            found, exhausted = deeper, deeper.nodes == found.nodes
            if exhausted:  # every line ended: looking further shows nothing new
                break
        return msgspec.structs.replace(found, nodes=spent)


def root_distribution(values: Mapping[int, float], variety: float, legal: Sequence[int]) -> core.Distribution:
    """The probability of playing each root move."""
    weights = move_weights(values, variety)
    total = sum(weights.values())
    return core.Distribution({action: weight / total for action, weight in weights.items()}, legal)


def move_weights(values: Mapping[int, float], variety: float) -> dict[int, float]:
    """The weight of each root move: equal for the best ones, and with variety smaller for those not far behind."""
    best = max(values.values())
    if best >= FORCED:
        values = {action: value for action, value in values.items() if value >= FORCED}
    elif best > -FORCED:
        values = {action: value for action, value in values.items() if value > -FORCED}
    reach = max(TIE, variety * (best - min(values.values())))
    near = {action: value for action, value in values.items() if best - value < reach}
    return {action: 1.0 if best - value < TIE else exp(-3.0 * (best - value) / reach) for action, value in near.items()}
