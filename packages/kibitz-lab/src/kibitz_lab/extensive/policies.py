"""Strategies as arrays over a player's information sets, and those of agents that state their distribution."""

from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import msgspec
import numpy as np

from kibitz import core
from kibitz.core.errors import BadPolicy, Unsupported
from kibitz.core.files import read_versioned, write_file
from kibitz.core.game import Transition
from kibitz.core.seeds import stream
from kibitz_lab.extensive import kernels
from kibitz_lab.extensive.building import event_token
from kibitz_lab.extensive.table import Floats, InformationTable, memory_key

TOLERANCE = 1e-6
"""How far the shares of an information set may be from adding up to 1."""


class UnstatedPolicy(Unsupported):
    """An agent that does not state the probabilities of its actions, so that it can only be played with."""


class BehaviourPolicy(msgspec.Struct, frozen=True, eq=False):
    """A player's strategy: the share of each action in each of their information sets.

    `shares` has one number per sequence of the player, 1 for the empty one, which comes first.
    """

    table: InformationTable
    player: int
    shares: Floats

    def __post_init__(self) -> None:
        sequences = self.table.sequences_of(self.player)
        if self.shares.shape != (sequences.stop - sequences.start,):
            raise BadPolicy(self.table.game, f"player {self.player} has {sequences.stop - sequences.start} sequences")

    def at(self, number: int) -> Floats:
        """The shares of the actions in one information set, in the order of the legal actions."""
        first = self.table.sets.empty[self.player]
        part = self.table.sequences_at(number)
        return self.shares[part.start - first : part.stop - first]

    def distribution(self, number: int) -> core.Distribution:
        """The shares in one information set as a distribution."""
        legal = self.table.actions[number]
        return core.Distribution(
            {action: p for action, p in zip(legal, self.at(number).tolist(), strict=True) if p}, legal
        )

    def plan(self) -> Floats:
        """The strategy in sequence form: the probability of this player's own choices up to each sequence."""
        whole, plan = np.ones(self.table.sets.empty[-1]), np.zeros(self.table.sets.empty[-1])
        part = self.table.sequences_of(self.player)
        whole[part] = self.shares
        kernels.write_plan(tuple(self.table.sets), self.player, whole, plan)
        return plan[part]

    def __deepcopy__(self, memo: dict[int, object]) -> "BehaviourPolicy":
        return self


Profile = Sequence[BehaviourPolicy]
"""One strategy per player, in their order."""


def uniform_policy(table: InformationTable, player: int) -> BehaviourPolicy:
    """All actions equally likely everywhere."""
    return policy_by(
        table, player, lambda number: np.full(len(table.actions[number]), 1.0 / len(table.actions[number]))
    )


def policy_by(
    table: InformationTable, player: int, shares_at: Callable[[int], Sequence[float] | Floats]
) -> BehaviourPolicy:
    """The strategy that has these shares in each information set; raises BadPolicy if they are no probabilities."""
    shares = np.ones(table.sets.empty[player + 1] - table.sets.empty[player])
    policy = BehaviourPolicy(table, player, shares)
    for number in table.sets_of(player):
        found = np.asarray(shares_at(number), np.float64)
        here = policy.at(number)
        if found.shape != here.shape or not (found >= -TOLERANCE).all() or not abs(found.sum() - 1.0) < TOLERANCE:
            raise BadPolicy(table.game, f"at {table.names[number]!r} the shares {found.tolist()} are not a strategy")
        here[:] = np.maximum(found, 0.0) / np.maximum(found, 0.0).sum()
    return policy


def policy_of_plan(table: InformationTable, player: int, plan: Floats) -> BehaviourPolicy:
    """The strategy of a plan in sequence form; where it never comes, actions are equally likely."""
    whole, shares = np.zeros(table.sets.empty[-1]), np.ones(table.sets.empty[-1])
    whole[table.sequences_of(player)] = np.maximum(plan, 0.0)
    kernels.write_average(tuple(table.sets), whole, shares)
    return BehaviourPolicy(table, player, shares[table.sequences_of(player)].copy())


def whole_shares(table: InformationTable, profile: Profile) -> Floats:
    """The shares of all players in one array, as kernels take them."""
    return np.concatenate([policy.shares for policy in checked_profile(table, profile)])


def checked_profile(table: InformationTable, profile: Profile) -> Profile:
    """A strategy for each player in order, or BadPolicy."""
    if [policy.player for policy in profile] != list(range(table.players)):
        raise BadPolicy(table.game, f"give one strategy for each of its {table.players} players, in their order")
    return profile


def split_shares(table: InformationTable, shares: Floats) -> tuple[BehaviourPolicy, ...]:
    """The strategies of all players from one array."""
    return tuple(
        BehaviourPolicy(table, player, shares[table.sequences_of(player)].copy()) for player in range(table.players)
    )


def policy_of(table: InformationTable, player: int, agent: core.Agent) -> BehaviourPolicy:
    """The strategy of an agent that states its distribution, asked in every information set.

    An agent with a memory sees one match that leads to each of them. Raises UnstatedPolicy if it does not state a
    distribution, or draws lots before its moves, so that it is no fixed strategy.
    """
    if not isinstance(agent, core.Strategy):
        raise UnstatedPolicy(agent, table.game, "it does not state the probabilities of its actions")
    rng = stream(0, "policy", repr(agent), player)
    before = rng.bit_generator.state
    asked = agent.clone()
    asked.begin(table.game, player, rng)
    if type(asked).observe is core.Agent.observe:
        found = {number: asked.policy(table.views[number].clone()) for number in table.sets_of(player)}
    else:
        found = _policies_in_matches(table, player, asked)
    if rng.bit_generator.state != before:
        raise UnstatedPolicy(agent, table.game, "it draws lots that are not in the probabilities it states")
    return policy_by(table, player, lambda number: [found[number].probability(a) for a in table.actions[number]])


def _policies_in_matches(table: InformationTable, player: int, agent: core.Strategy) -> dict[int, core.Distribution]:
    """The distribution of an agent in each information set, after it watched one match that leads there."""
    game, memory, moments = table.game, table.memories[player], table.moments[player]
    minds: dict[int, core.Strategy] = {0: agent}
    found: dict[int, core.Distribution] = {}
    waiting: list[tuple[core.State, int, int]] = [(game.new_initial_state(), 0, 0)]
    while waiting:
        state, moment, ply = waiting.pop()
        if moment in moments and moments[moment] not in found:
            found[moments[moment]] = minds[moment].policy(state.view(player))
        for actions in joint_actions(game, state) if ply < game.max_plies else ():
            after = state.clone()
            after.step(actions)
            if after.is_terminal():
                continue
            token = event_token(game, state, after, state.current_player(), actions, player)
            later = memory[memory_key(game, moment, token)]
            if later not in minds:
                minds[later] = minds[moment].clone()
                event = Transition(ply, token[0], token[1], state.view(player), after.view(player))
                minds[later].observe(event)
            waiting.append((after, later, ply + 1))
    return found


def joint_actions(game: core.Game, state: core.State) -> list[tuple[int, ...]]:
    """All that may happen next: an outcome of chance, an action, or one action per player."""
    if state.current_player() == core.CHANCE:
        return [(action,) for action, _ in state.chance_outcomes()]
    return list(product(*(state.legal_actions(player) for player in game.movers(state))))


FORMAT, VERSION = "kibitz strategies", 1
SUFFIX = ".json"


class StrategyFile(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a file: for each player, the shares of actions by information set."""

    format: str = FORMAT
    version: int = VERSION
    game: str
    method: str = ""
    exploitability: float | None = None
    players: list[dict[str, dict[str, float]]]


def write_profile(
    path: Path | str, table: InformationTable, profile: Profile, method: str = "", exploitability: float | None = None
) -> None:
    """Write the strategies of all players; `cfr(file="…")` plays them."""
    content = StrategyFile(
        game=repr(table.game),
        method=method,
        exploitability=exploitability,
        players=[
            {table.names[number]: named_shares(table, policy, number) for number in table.sets_of(policy.player)}
            for policy in checked_profile(table, profile)
        ],
    )
    write_file(path, msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n")


def named_shares(table: InformationTable, policy: BehaviourPolicy, number: int) -> dict[str, float]:
    """The shares of one information set, by the notation of their actions."""
    shares = policy.at(number).tolist()
    return dict(zip(action_names(table, number), shares, strict=True))


def action_names(table: InformationTable, number: int) -> list[str]:
    """The notation of the actions of an information set."""
    view, player = table.views[number], table.owner(number)
    return [view.action_to_string(player, action) for action in table.actions[number]]


def check_suffix(path: Path | str) -> None:
    """Raise BadPolicy unless the name ends as that of a file of strategies does."""
    if Path(path).suffix != SUFFIX:
        raise BadPolicy(path, f"the name of a file of strategies for a game with secrets ends in {SUFFIX}")


def read_profile(path: Path | str, table: InformationTable) -> tuple[BehaviourPolicy, ...]:
    """Read the strategies of all players; raises BadPolicy if the file is of another game, or damaged."""
    found = read_versioned(Path(path), StrategyFile, (FORMAT, VERSION), BadPolicy, "file of strategies")
    if found.game != repr(table.game):
        raise BadPolicy(path, f"it is of {found.game}, not {table.game!r}")
    if len(found.players) != table.players:
        raise BadPolicy(path, f"it has strategies of {len(found.players)} players, not {table.players}")

    def shares_at(number: int) -> list[float]:
        given = found.players[table.owner(number)].get(table.names[number])
        names = action_names(table, number)
        if given is None or sorted(given) != sorted(names):
            raise BadPolicy(path, f"it does not say how to play after {table.names[number]!r}")
        shares = [given[name] for name in names]
        if not (min(shares) >= 0.0 and abs(sum(shares) - 1.0) < TOLERANCE):
            raise BadPolicy(path, f"the shares after {table.names[number]!r} do not add up to 1: {shares}")
        return shares

    return tuple(policy_by(table, player, shares_at) for player in range(table.players))
