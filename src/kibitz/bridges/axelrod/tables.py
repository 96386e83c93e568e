"""Axelrod's strategies that are tables, as such: memory one and two, finite-state machines, lookup tables and more.

Importing this module imports Axelrod.
"""

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

from kibitz.bridges.axelrod.package import load_axelrod
from kibitz.core.abilities.round_tables import RoundTable, table_of

load_axelrod()  # faster than the import by itself
import axelrod  # noqa: E402
from axelrod.strategies.memorytwo import MemoryTwoPlayer  # noqa: E402

ACTIONS = (axelrod.Action.C, axelrod.Action.D)


class Rule(NamedTuple):
    """A strategy by its memory: at the start, after a round, and how likely it cooperates (an action is certain)."""

    start: Hashable
    follow: Callable[[Any, int, int], Hashable]
    reply: Callable[[Any], Any]


def round_table(player: Any) -> RoundTable | None:
    """The table of a strategy before its first round; None if it is none that this module knows."""
    make = RULES.get(type(player).strategy)
    if make is None:
        return None
    rule = make(player)

    def shares(memory: Any) -> tuple[float, float]:
        reply = rule.reply(memory)
        share = float(reply is ACTIONS[0]) if reply in ACTIONS else float(reply)
        return share, 1.0 - share

    return table_of(rule.start, rule.follow, shares, (2, 2), twister=True)


def last_rounds(depth: int, reply: Callable[[tuple[tuple[Any, Any], ...]], Any]) -> Rule:
    """A strategy that remembers the last rounds."""

    def follow(memory: Any, own: int, other: int) -> Hashable:
        return (*memory, (ACTIONS[own], ACTIONS[other]))[-depth:]

    return Rule((), follow, reply)


def memory_one(player: Any) -> Rule:
    return last_rounds(1, lambda rounds: player._four_vector[rounds[0]] if rounds else player._initial)


def memory_two(player: Any) -> Rule:
    def reply(rounds: Any) -> Any:
        return (
            player._initial[len(rounds)]
            if len(rounds) < 2
            else player._sixteen_vector[tuple(zip(*rounds, strict=True))]
        )

    return last_rounds(2, reply)


def finite_state(player: Any) -> Rule:
    """The memory is the machine's state, and what it does now."""
    ways = player.fsm.state_transitions

    def follow(memory: Any, own: int, other: int) -> Hashable:
        found: Hashable = ways[memory[0], ACTIONS[other]]
        return found

    return Rule((player.fsm.state, player.initial_action), follow, lambda memory: memory[1])


def lookup(player: Any) -> Rule:
    """The memory is the other's opening, the last plays of both, and the number of rounds until it looks them up."""
    table, first = player._lookup, player._initial_actions_pool

    def follow(memory: Any, own: int, other: int) -> Hashable:
        opening, plays, replies, turn = memory
        one, another = ACTIONS[own], ACTIONS[other]
        opening = (*opening, another) if len(opening) < table.op_openings_depth else opening
        plays = (*plays, one)[max(0, len(plays) + 1 - table.player_depth) :] if table.player_depth else ()
        replies = (*replies, another)[max(0, len(replies) + 1 - table.op_depth) :] if table.op_depth else ()
        return opening, plays, replies, min(turn + 1, len(first))

    def reply(memory: Any) -> Any:
        opening, plays, replies, turn = memory
        return first[turn] if turn < len(first) else table.get(plays, replies, opening)

    return Rule(((), (), (), 0), follow, reply)


def always(share: float) -> Callable[[Any], Rule]:
    return lambda player: Rule((), lambda memory, own, other: (), lambda memory: share)


C, D = ACTIONS
RULES: dict[Any, Callable[[Any], Rule]] = {
    axelrod.MemoryOnePlayer.strategy: memory_one,
    MemoryTwoPlayer.strategy: memory_two,
    axelrod.FSMPlayer.strategy: finite_state,
    axelrod.LookerUp.strategy: lookup,
    axelrod.Gambler.strategy: lookup,
    axelrod.Cooperator.strategy: always(1.0),
    axelrod.Defector.strategy: always(0.0),
    axelrod.Random.strategy: lambda player: always(player.p)(player),
    axelrod.TitForTat.strategy: lambda player: last_rounds(1, lambda rounds: rounds[0][1] if rounds else C),
    axelrod.WinStayLoseShift.strategy: lambda player: last_rounds(
        1, lambda rounds: C if not rounds or rounds[0][0] is rounds[0][1] else D
    ),
    axelrod.TitFor2Tats.strategy: lambda player: last_rounds(
        2, lambda rounds: D if [each for _, each in rounds] == [D, D] else C
    ),
    axelrod.Alternator.strategy: lambda player: last_rounds(1, lambda rounds: rounds[0][0].flip() if rounds else C),
    axelrod.Grudger.strategy: lambda player: Rule(
        C, lambda memory, own, other: D if other else memory, lambda memory: memory
    ),
}
"""The rules of strategies by the method that plays them; strategies that transform it are not among them."""
