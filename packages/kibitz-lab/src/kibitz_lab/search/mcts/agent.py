"""The agent `mcts`: Monte Carlo tree search (Kocsis & Szepesvári 2006) for any game, with or without a model.

Without a model it needs only the rules. A model tells it who the others may be and what may be hidden; it then plays
every simulation against one of the players that the model believes in.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from math import inf
from typing import Annotated, Any, TypeVar

import msgspec

from kibitz import core
from kibitz.core.errors import Unsupported, error_text
from kibitz.core.insight import Intention, SupposedPlayer, ranked_claims
from kibitz_lab.search.mcts.decisions import RegretTable
from kibitz_lab.search.mcts.playouts import EvaluatedLeaves, leaves_for
from kibitz_lab.search.mcts.simulated_players import PlayerTypeError
from kibitz_lab.search.mcts.tree import Node, Seen, Tree, spread_of

Answer = TypeVar("Answer")

TIME_FRACTION = 0.7
"""The fraction of the clock a search may use."""
EXPLORATION, EVALUATED_EXPLORATION = 0.7, 0.15
"""The default *exploration* where leaves are played out, and where an evaluation values them: it gives the same value
every time, so an action need not be tried again to be sure of it."""
SIMULATIONS, PLIES = 500, 100_000
"""The default number of simulations, and the most plies they may take in all."""
FEWEST = 32
"""A weak player still plays this many simulations, or all it has if those are fewer."""
STRAY = 0.1
"""Actions tried less often than this share of the most tried one were only explored, and are never played."""
HOPELESS = 0.25
"""With variety 1, an action worse than the best by this share of the spread is never played."""
LINE = 6
"""The most events of a line that are told."""
WORLDS = 100
"""The most worlds that the model draws for one move."""
STALE = 0.5
"""What simulations of the last move count for with a model, which knew less then."""


class MctsResult(msgspec.Struct, frozen=True):
    """What a search found. Values are mean returns of the searching player."""

    action: int
    """The action tried most; in a move at once, the one it plays most."""
    visits: dict[int, int]
    values: dict[int, float]
    line: tuple[Seen, ...] = ()
    """The most played line from here on, event by event, as the searching player sees it."""
    simulations: int = 0
    spread: float = 0.0
    """Two standard deviations of the returns of all simulations."""
    shares: dict[int, float] = {}
    """In a move at once, the mixture that it learned."""
    trust: float = 0.0
    """The share of simulations in which the model knew every other player."""
    types: dict[int, dict[str, float]] = {}
    """For each other player, whom the simulations were played against, and how often."""


class MCTS(core.Agent):
    """Plays *simulations* games from here, ever more of them along good moves, and picks the move tried most.

    It plays any game: any number of players and any sum, chance, moves at once (by regret matching; it plays the
    mixture it learned), hidden information (every simulation draws it), huge sets of actions (it tries ever more of
    them). A *model* of the others draws what is hidden and who they are; without one they choose as it would. A game's
    own *evaluation* values leaves; other games are played out, at random or by the types of the players, and cut after
    *rollout_plies*. *exploration* weighs exploration against exploitation, in units of the spread of the returns: by
    default 0.7, and 0.15 where an evaluation values leaves. A clock or *seconds* end the search early. *simulations* is
    by default 500, or fewer if those take more than 100,000 plies; with *seconds*, as many as there is time for.
    *strength* scales this budget; *variety* above 0 also plays moves that are somewhat worse, but none that is
    hopeless.

    >>> from kibitz import play
    >>> from kibitz_lab import MCTS
    >>> play("cops(graph=path, size=4, cops=1, turns=4)", [MCTS(simulations=50), "random"], seed=1).ending.returns
    [1.0, -1.0]
    """

    def __init__(
        self,
        simulations: core.Count | None = None,
        exploration: Annotated[float, msgspec.Meta(ge=0.0, le=100.0)] | None = None,
        rollout_plies: core.Count = 1000,
        strength: core.Probability = 1.0,
        variety: core.Probability = 0.0,
        model: core.Model | None = None,
        seconds: Annotated[float, msgspec.Meta(gt=0.0, le=86_400.0)] | None = None,
        evaluation: bool = True,
    ) -> None:
        self.simulations, self.exploration, self.rollout_plies = simulations, exploration, rollout_plies
        self.strength, self.variety, self.model = strength, variety, model
        self.seconds, self.evaluation = seconds, evaluation

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.watcher = None if self.model is None else self.begin_model(self.model)
        self.leaves = leaves_for(game, rng, self.evaluation)
        self.ply = 0
        self.root: Node | None = None
        """Where the tree of the last search goes on now."""
        self.root_key: core.Key = None
        self.fault = ""
        """Why the model is not asked any more; empty while it works."""
        self.view: core.State | None = None
        """The position of the last search."""
        self.found: MctsResult | None = None
        """What the last search found: visits and value of every move tried, and the main line."""

    def begin_model(self, model: core.Model) -> core.Model:
        """A copy of the model that watches this match from this player's seat."""
        why = why_unfit(model)
        if why:
            raise core.Unsupported(self, self.game, why)
        watcher = model.clone()
        watcher.begin(self.game, self.player, deepcopy(self.rng))  # a copy: the model must not change our draws
        watcher.ignore(self.player)
        return watcher

    def observe(self, transition: core.Transition) -> None:
        self.ply = transition.ply + 1
        if self.root is not None:
            self.root = self.root.children.get(transition.actions)
            self.root_key = transition.after.key() if self.root is not None else None
        watcher = self.watcher
        if watcher is not None:
            self.ask_safely("observe", lambda: watcher.observe(transition))

    def ask_safely(self, what: str, ask: Callable[[], Answer]) -> Answer | None:
        """The answer of *ask*; None once the model has failed: its faults must not end the match."""
        if self.fault:
            return None
        try:
            return ask()
        except Exception as error:
            self.fault = f"{what}: {error_text(error)}"
            return None

    def act(self, view: core.State, clock: core.Clock) -> int:
        self.view = view
        self.found = self.explore(view, clock)
        mixed = view.current_player() == core.SIMULTANEOUS
        if mixed and self.variety == 0.0 and self.rng.random() < self.found.trust:
            return self.found.action  # the others are known: nothing is gained by a mixture
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
        root, solves = self.kept_root(view), self.watcher is None
        default = EVALUATED_EXPLORATION if isinstance(self.leaves, EvaluatedLeaves) else EXPLORATION
        exploration = default if self.exploration is None else self.exploration
        most = self.simulations or (SIMULATIONS if self.seconds is None else 1_000_000)
        budget = max(min(FEWEST, most), round(most * self.strength))
        plies = PLIES * budget / SIMULATIONS if self.simulations is None and self.seconds is None else inf
        limit = min(TIME_FRACTION * clock.pace(), self.seconds or inf)
        worlds = self.sample_worlds(view, min(budget, WORLDS))
        tree = Tree(self.game, self.player, self.leaves, self.rng, exploration, horizon, root, solves)
        done = 0
        while done < budget and (done == 0 or (tree.plies < plies and clock.elapsed_seconds() < limit)):
            self.simulate(tree, view, worlds[done % len(worlds)] if worlds else None)
            done += 1
        self.root, self.root_key = tree.root, view.key()
        return root_result(self.game, tree, done, worlds)

    def simulate(self, tree: Tree, view: core.State, world: core.SampledWorld | None) -> None:
        """One simulation, in a world of the model if there is any; a model whose players failed is not asked again."""
        if world is not None:
            try:
                tree.simulate(world.state.clone(), self.rollout_plies, {} if self.fault else world.types)
                return
            except PlayerTypeError as error:
                self.fault = f"policy: {error}"
        tree.simulate(view.complete(tree.rng), self.rollout_plies)

    def sample_worlds(self, view: core.State, count: int) -> Sequence[core.SampledWorld]:
        """The worlds that the model draws for this move; none without a model."""
        watcher = self.watcher
        if watcher is None:
            return ()
        return self.ask_safely("sample_worlds", lambda: watcher.sample_worlds(view, count, self.rng)) or ()

    def kept_root(self, view: core.State) -> Node | None:
        """The part of the last tree that goes on from *view*, if the moves since then are in it."""
        if self.root is None or self.root_key != view.key():
            return None
        return self.root if self.watcher is None else self.root.branch_copy(STALE)

    def explain(self) -> Intention | None:
        if self.found is None or self.view is None:
            return None
        return intention_of(self.found, self.view, self.player)

    def truth(self) -> Mapping[str, Any]:
        """Why the model is not asked any more, if it failed, for the record."""
        return {"search": {"model_fault": self.fault}} if getattr(self, "fault", "") else {}


def why_unfit(model: core.Model) -> str:
    """Why a model cannot guide a search, in words; empty if it can."""
    inside: list[Any] = [model]
    while inside:
        each = inside.pop()
        if isinstance(each, MCTS):
            return f"its model supposes {each!r}, which it would have to search inside every simulation; name others"
        if isinstance(each, core.Model | core.Agent):
            inside += each.parameters().values()
        elif isinstance(each, list | tuple):
            inside += each
    asked = type(model).sample_worlds is not core.Model.sample_worlds or "action" in model.answers
    return "" if asked else f"{model!r} does not predict actions"


def root_result(game: core.Game, tree: Tree, simulations: int, worlds: Sequence[core.SampledWorld] = ()) -> MctsResult:
    """The result for the moves at the root of a tree."""
    least, most = game.utility
    decision = tree.root.decisions[tree.player]
    arms = {action: arm for action, arm in sorted(decision.arms.items()) if round(arm.visits)}
    visits = {action: round(arm.visits) for action, arm in arms.items()}
    values = {
        action: least + (most - least) * (arm.total / arm.visits if arm.proven is None else arm.proven)
        for action, arm in arms.items()
    }
    shares = decision.average_shares() if isinstance(decision, RegretTable) else {}
    best = max(
        visits,
        key=lambda action: (certainty(arms[action].proven), shares.get(action, 0.0), visits[action], values[action]),
    )
    worlds = worlds[:simulations]
    others = [other for other in range(game.players) if other != tree.player]
    understood = sum(len(world.types) == len(others) for world in worlds)
    return MctsResult(
        best,
        visits,
        values,
        tree.line(),
        simulations,
        (most - least) * spread_of((tree.count, tree.total, tree.squares)),
        shares,
        understood / len(worlds) if worlds else 0.0,
        {other: type_shares(worlds, other) for other in others} if worlds else {},
    )


def certainty(proven: float | None) -> int:
    """1 for an action that certainly wins, -1 for one that certainly loses, else 0."""
    return 1 if proven == 1.0 else -1 if proven == 0.0 else 0


def intention_of(found: MctsResult, view: core.State, player: int) -> Intention:
    """What a search found, told by the actions of *view*; the line ends where hidden events would come."""
    words = partial(view.action_to_string, player)
    ranked = sorted(found.values, key=lambda action: (-found.visits[action], -found.values[action]))
    others = [action for action in ranked if action != found.action]
    shares = {words(action): share for action, share in mixture(found).items()} if found.shares else {}
    return Intention(
        action=words(found.action),
        value=found.values.get(found.action, 0.0),
        rival=(words(others[0]), found.values[others[0]]) if others else None,
        mixture=tuple(ranked_claims(shares)) if len(shares) > 1 and found.trust < 1.0 else (),
        line=line_words(found.line, view),
        simulations=found.simulations,
        others=tuple(supposed_player(each, shares) for each, shares in found.types.items()),
    )


def supposed_player(player: int, shares: Mapping[str, float]) -> SupposedPlayer:
    """Whom the simulations took a player for."""
    known = {label: share for label, share in shares.items() if label}
    return SupposedPlayer(player, tuple(ranked_claims(known)), sum(known.values()))


def line_words(line: Sequence[Seen], view: core.State) -> tuple[str, ...]:
    """The notation of the first events of a line, while all of them can be seen."""
    state, found = view.clone(), []
    for seen in line[:LINE]:
        actions = [action for action in seen if action is not None]
        mover = state.current_player()
        if len(actions) < len(seen) or mover == core.CHANCE:
            break
        movers = range(len(seen)) if mover == core.SIMULTANEOUS else (mover,)
        found.append("/".join(map(state.action_to_string, movers, actions)))
        try:
            state.step(actions)
        except Unsupported:  # a view that cannot be stepped
            break
    return tuple(found)


def type_shares(worlds: Sequence[core.SampledWorld], player: int) -> dict[str, float]:
    """How often each type of *player* was drawn; the empty label: none was."""
    found: dict[str, float] = {}
    for world in worlds:
        label = world.types[player].label if player in world.types else ""
        found[label] = found.get(label, 0.0) + 1.0 / len(worlds)
    return found


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
    """The mixture learned for a move at once, without what is left of exploring."""
    most = max(found.shares.values())
    return {action: share for action, share in found.shares.items() if share >= STRAY * most}
