"""Plays the rules of the whole game plain and compiled, from positions and with switches drawn at random."""

import random
from typing import Any

from kibitz_axis.full.board import World
from kibitz_axis.full.fire import roll_odds
from kibitz_axis.full.position import OVER, Position, work_of
from kibitz_axis.full.rules_options import read_rules
from kibitz_axis.full.tables import WorldRules
from kibitz_axis.full.turn import CHANCE, list_orders, play_order, play_result, player_to_move
from kibitz_axis.full.units import TECHNOLOGIES

LATEST = 600
"""Games begin after up to so many random actions."""
HASTE = 0.2
"""How often players in a hurry end a phase at every decision."""


def draw_switches(world: World, rng: random.Random) -> dict[str, Any]:
    """Switches at random: in every third game those of Revised, else every one by a coin."""
    if rng.random() < 1.0 / 3.0:
        return {}
    found: dict[str, Any] = {name: rng.random() < 0.5 for name in ("research", "low_luck", "lhtr")}
    if rng.random() < 0.3:
        found["bids"] = {power.name: rng.randrange(20) for power in world.powers if rng.random() < 0.5}
    return found


def compare_game(world: World, seed: int, rounds: int = 1) -> int:
    """Play a game of so many rounds both ways; returns its plies, and raises AssertionError at the first difference."""
    rng = random.Random(seed)
    tables = WorldRules(world, read_rules({"rounds": 1000, **draw_switches(world, rng)}))
    row = tables.start()
    setting, work, hasty, plies = tables.setting, work_of(world), rng.random() < 0.75, 0
    skipped = rng.randrange(LATEST) if rng.random() < 0.75 else 0
    position = Position.unpack(row)
    last = position.round + rounds
    while position.phase != OVER and (plies < skipped or position.round < last):
        where, both = f"game {seed}, ply {plies}", plies >= skipped
        if plies == skipped:
            known = [rng.getrandbits(len(TECHNOLOGIES)) if rng.random() < 0.5 else 0 for _ in world.powers]
            position.known, last = known, position.round + rounds
            row = position.pack()
        if player_to_move(setting, position) == CHANCE:
            odds = roll_odds(setting, position)
            rule, action = play_result, rng.choices([each for each, _ in odds], [chance for _, chance in odds])[0]
        else:
            orders = tables.list_orders(row).tolist()
            if both:
                list_orders(setting, position, work)
                pairs = zip(work.order[: work.orders], work.most[: work.orders], strict=True)
                assert orders == [list(each) for each in pairs], f"{where}: orders"
            first, most = orders[0 if both and hasty and rng.random() < HASTE else rng.randrange(len(orders))]
            rule, action = play_order, first + (rng.randrange(most) if most else 0)
        row = tables.play(rule, row, action)
        if both:
            rule(setting, position, action, work)
            assert position == Position.unpack(row), f"{where}: what it leads to"
        else:
            position = Position.unpack(row)
        plies += 1
    return plies
