"""What strategies earn, best responses to them, and how far they are from an equilibrium."""

import msgspec
import numpy as np

from kibitz.core.errors import BadGame
from kibitz_lab.extensive import kernels
from kibitz_lab.extensive.policies import BehaviourPolicy, Profile, whole_shares
from kibitz_lab.extensive.table import Floats, InformationTable, is_zero_sum_pair


class ValuedPolicy(msgspec.Struct, frozen=True):
    """A strategy and what it earns: a best response, or an equilibrium."""

    value: float
    policy: BehaviourPolicy


def plans_of(table: InformationTable, shares: Floats) -> Floats:
    """The plans of all players in one array."""
    plan = np.zeros(len(shares))
    for player in range(table.players):
        kernels.write_plan(tuple(table.sets), player, shares, plan)
    return plan


def expected_returns(table: InformationTable, profile: Profile) -> list[float]:
    """What each player earns on average."""
    plan = plans_of(table, whole_shares(table, profile))
    reach = plan[table.ends.sequences].prod(1)
    returns: list[float] = (reach @ table.ends.payoffs).tolist()
    return returns


def best_response(table: InformationTable, player: int, others: BehaviourPolicy | Profile) -> ValuedPolicy:
    """The best that *player* can do against the strategies of *others*, or of the one opponent.

    In a profile, the strategy of *player* is not looked at.
    """
    shares = np.ones(table.sets.empty[-1])
    for policy in other_policies(table, player, others):
        shares[table.sequences_of(policy.player)] = policy.shares
    value = respond_to(table, player, shares)
    return ValuedPolicy(value, BehaviourPolicy(table, player, shares[table.sequences_of(player)].copy()))


def other_policies(table: InformationTable, player: int, others: BehaviourPolicy | Profile) -> list[BehaviourPolicy]:
    """The strategies of all players but *player*; raises BadGame if one is missing."""
    given = [others] if isinstance(others, BehaviourPolicy) else list(others)
    of_others = {policy.player: policy for policy in given if policy.player != player}
    missing = [other for other in range(table.players) if other != player and other not in of_others]
    if missing:
        raise BadGame(table.game, f"a response of player {player} needs the strategy of player {missing[0]}")
    return [of_others[other] for other in sorted(of_others)]


def respond_to(table: InformationTable, player: int, shares: Floats) -> float:
    """What a best response earns; writes it into *shares*."""
    plan, values = plans_of(table, shares), np.zeros(len(shares))
    kernels.write_payoffs(tuple(table.sets), tuple(table.ends), player, plan, values)
    return kernels.respond(tuple(table.sets), player, values, shares)


def nash_conv(table: InformationTable, profile: Profile) -> float:
    """The sum of what each player could gain by deviating alone; 0 at an equilibrium."""
    whole = whole_shares(table, profile)
    returns = expected_returns(table, profile)
    best = [respond_to(table, player, whole.copy()) for player in range(table.players)]
    return sum(best) - sum(returns)


def exploitability(table: InformationTable, profile: Profile) -> float:
    """NashConv divided by the number of players, as OpenSpiel counts it."""
    return nash_conv(table, profile) / table.players


def worst_return(table: InformationTable, policy: BehaviourPolicy) -> float:
    """What a strategy earns at least, whatever the opponent does; for two players who play for the same points."""
    check_zero_sum_pair(table)
    return -best_response(table, 1 - policy.player, policy).value


def check_zero_sum_pair(table: InformationTable) -> None:
    """Raise BadGame unless two players play for the same points."""
    if not is_zero_sum_pair(table.game):
        kind = f"{table.players} players" if table.players != 2 else "payoffs that do not add up to 0"
        raise BadGame(table.game, f"it has {kind}; safe play needs two players who play for the same points")
