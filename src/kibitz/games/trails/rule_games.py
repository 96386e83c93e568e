"""Plays whole games between the rule agents that have compiled twins: thousands a second, as the match loop would."""

from collections.abc import Sequence

import msgspec
import numpy as np

from kibitz.core.errors import Unsupported
from kibitz.core.registry import make_agent, spec_of
from kibitz.games.trails import rule_kernels
from kibitz.games.trails.packed_board import pack_board, word
from kibitz.games.trails.rules import Trails

SENDERS = {
    "trails.honest": rule_kernels.KEEPS,
    "trails.always_renege": rule_kernels.RENEGES,
    "trails.renege_when_independent": rule_kernels.WHILE_DEPENDENT,
    "trails.deceiver": rule_kernels.DECEIVES,
}
"""The agents with compiled twins, and what each of them sends."""


class RuleGame(msgspec.Struct, frozen=True):
    """How a game ended: what each player earned, after how many full rounds, and how many deals were made."""

    returns: tuple[float, float]
    rounds: int
    deals: int


def play_compiled(game: Trails, agents: Sequence[str]) -> RuleGame:
    """One game between two agents with compiled twins, by the default rules on any board for two."""
    changed = [name for name in game.parameters() if name != "board"]
    if game.players != 2 or changed:
        raise Unsupported("compiled play", game, "it knows two players and the default rules only")
    names = [str(spec_of(make_agent(agent, "trails"))) for agent in agents]
    for name in names:
        if name not in SENDERS:
            raise Unsupported(name, game, f"it has no compiled twin; these have: {', '.join(SENDERS)}")
    board, packing = game.layout, pack_board(game.layout)
    scores = np.zeros(2, np.int64)
    found = rule_kernels.play(
        packing.tables,
        np.array(board.starts, np.int64),
        np.array([word(chips) for chips in board.chips], np.uint64),
        np.array([SENDERS[name] for name in names], np.int64),
        np.empty(rule_kernels.MOST_PARTS, np.uint64),
        scores,
    )
    if found < 0:
        raise Unsupported("compiled play", game, "promises have too many parts on this board")
    deals, rounds = divmod(found, 1000)
    return RuleGame((float(scores[0]), float(scores[1])), rounds, deals)
