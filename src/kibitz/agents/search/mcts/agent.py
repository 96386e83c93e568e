"""The agent `mcts`: Monte Carlo tree search (UCT, Kocsis & Szepesvári 2006), for any game; it needs only the rules."""

from collections.abc import Mapping
from math import inf, sqrt
from typing import Annotated

import msgspec

from kibitz import core
from kibitz.agents.search.mcts.playouts import playout_for
from kibitz.agents.search.mcts.tree import LOOSE, Seen, Tree

SPARE = 0.7
"""The share of the clock a search may use."""
SIMULATIONS, PLIES = 500, 100_000
"""The default number of simulations, and the most plies they may take in all."""
FEWEST = 32
"""A weak player still plays this many simulations, or all it has if those are fewer."""
STRAY = 0.1
"""Actions tried less often than this share of the most tried one were only explored, and are never played."""
CLEARLY = 3.0
"""An action worse by this many standard errors is left out of a mixture: actions of a mixture have equal values."""
HOPELESS = 0.25
"""With variety 1, an action worse than the best by this share of the spread is never played."""


class MctsResult(msgspec.Struct, frozen=True):
    """What a search found. Values are mean returns of the searching player."""

    action: int
    """The action tried most."""
    visits: dict[int, int]
    values: dict[int, float]
    line: tuple[Seen, ...] = ()
    """The most played line from here on, event by event, as the searching player sees it."""
    simulations: int = 0
    spread: float = 0.0
    """Two standard deviations of the returns of all simulations."""


class MCTS(core.Agent):
    """Plays *simulations* games from here, ever more of them along good moves, and picks the move tried most.

    It plays any game: any number of players and any sum, chance, simultaneous moves (each player learns separately, and
    it plays the mixture it learned), hidden information (every simulation samples it), huge sets of actions (it tries
    ever more of them). *exploration* weighs exploration against exploitation, in units of the spread of the returns.
    Playouts are random and are cut after *rollout_plies*. A clock ends the search early. *simulations* is by default
    500, or fewer if those take more than 100,000 plies. *strength* scales this budget; *variety* above 0 also plays
    moves that are somewhat worse, but none that is hopeless.
    """

    def __init__(
        self,
        simulations: core.Count | None = None,
        exploration: Annotated[float, msgspec.Meta(ge=0.0, le=100.0)] = 0.7,
        rollout_plies: core.Count = 1000,
        strength: core.Probability = 1.0,
        variety: core.Probability = 0.0,
    ) -> None:
        self.simulations, self.exploration, self.rollout_plies = simulations, exploration, rollout_plies
        self.strength, self.variety = strength, variety

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.playout = playout_for(game, rng)
        self.ply = 0
        self.found: MctsResult | None = None
        """What the last search found: visits and value of every move tried, and the main line."""

    def observe(self, transition: core.Transition) -> None:
        self.ply = transition.ply + 1

    def act(self, view: core.State, clock: core.Clock) -> int:
        self.found = self.explore(view, clock)
        mixed = view.current_player() == core.SIMULTANEOUS
        weights = play_weights(self.found, mixed, self.variety)
        if len(weights) == 1:
            return next(iter(weights))
        total = sum(weights.values())
        shares = {action: weight / total for action, weight in weights.items()}
        return core.Distribution(shares, view.legal_actions(self.player)).sample(self.rng)

    def explore(self, view: core.State, clock: core.Clock) -> MctsResult:
        """Simulate at least once, as long as budget and clock allow; a forced move needs no search."""
        legal = view.legal_actions(self.player)
        if len(legal) == 1:
            return MctsResult(legal[0], {}, {})
        horizon = max(1, self.game.max_plies - self.ply)
        tree = Tree(self.game, self.player, self.playout, self.rng, self.exploration, horizon)
        most = self.simulations or SIMULATIONS
        budget = max(min(FEWEST, most), round(most * self.strength))
        plies = PLIES * budget / SIMULATIONS if self.simulations is None else inf
        limit = SPARE * clock.pace()
        done = 0
        while done < budget and (done == 0 or (tree.plies < plies and clock.elapsed_seconds() < limit)):
            tree.simulate(view, self.rollout_plies)
            done += 1
        return root_result(tree, done)


def root_result(tree: Tree, simulations: int) -> MctsResult:
    """The result for the moves at the root of the tree."""
    arms = tree.root.bandit(tree.player).arms
    least, most = tree.game.utility
    values = {action: least + (most - least) * arm.total / arm.visits for action, arm in sorted(arms.items())}
    visits = {action: arms[action].visits for action in values}
    best = max(visits, key=lambda action: (visits[action], values[action]))
    return MctsResult(best, visits, values, tree.line(), simulations, (most - least) * tree.spread())


def play_weights(found: MctsResult, mixed: bool, variety: float) -> Mapping[int, float]:
    """The weights of the actions it may play: the one tried most, a mixture, or with variety those not far behind."""
    if not found.visits or (variety == 0.0 and not mixed):
        return {found.action: 1.0}
    if mixed:
        return mixture(found)
    most, best = found.visits[found.action], found.values[found.action]
    reach = HOPELESS * variety * found.spread
    return {
        action: (visits / most) ** (1.0 / variety)
        for action, visits in found.visits.items()
        if visits >= STRAY * most and found.values[action] >= best - reach
    }


def mixture(found: MctsResult) -> Mapping[int, float]:
    """How often each action was chosen in a simultaneous move, without those that are clearly worse than another."""
    loose = LOOSE * found.simulations / len(found.visits)  # the visits of each action by forced exploration
    chosen = {action: visits - loose for action, visits in found.visits.items()}
    most = max(chosen.values())
    near = {action: visits for action, visits in chosen.items() if visits >= STRAY * most}
    best = max(near, key=found.values.__getitem__)

    def worse(action: int) -> bool:
        error = found.spread / 2.0 * sqrt(1.0 / found.visits[action] + 1.0 / found.visits[best])
        return found.values[action] < found.values[best] - CLEARLY * error

    return {action: visits for action, visits in near.items() if not worse(action)}
