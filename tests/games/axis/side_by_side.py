"""Plays the readable rules and those over arrays side by side, from situations and with switches drawn at random."""

import random
from typing import Any

import numpy as np

from kibitz.games.axis.full.board import World
from kibitz.games.axis.full.kernels.packing import board_words, situation_of, situation_words
from kibitz.games.axis.full.kernels.turns import MOST_ORDERS, list_orders, play_order, play_result, player_to_move
from kibitz.games.axis.full.notation import order_number
from kibitz.games.axis.full.rules_options import FullRules, read_rules
from kibitz.games.axis.full.situation import NOBODY, OVER, Situation, initial_situation
from kibitz.games.axis.full.turn import advance, apply_order, apply_roll, current_orders, mover, roll
from kibitz.games.axis.full.units import TECHNOLOGIES

LATEST = 600
"""Games begin after up to so many random actions."""
HASTE = 0.2
"""How often players in a hurry end a phase at every decision."""


def random_action(state: Any, rng: random.Random) -> int:
    """A legal action at random, or a result of dice by its probability."""
    outcomes = state.chance_outcomes()
    if outcomes:
        return rng.choices(*zip(*outcomes, strict=True))[0]
    legal = state.legal_actions()
    return legal[rng.randrange(len(legal))]


def draw_switches(world: World, rng: random.Random) -> dict[str, Any]:
    """Switches at random: in every third game those of Revised, else every one by a coin."""
    if rng.random() < 1.0 / 3.0:
        return {}
    found: dict[str, Any] = {name: rng.random() < 0.5 for name in ("research", "low_luck", "lhtr")}
    if rng.random() < 0.3:
        found["bids"] = {power.name: rng.randrange(20) for power in world.powers if rng.random() < 0.5}
    return found


def draw_situation(world: World, rules: FullRules, rng: random.Random) -> Situation:
    """The start of a game, or a situation that a random game comes to, with technologies by a coin."""
    start = advance(initial_situation(world, rules))
    actions = rng.randrange(LATEST)
    if rng.random() < 0.25 or not actions:
        return start
    board, orders = board_words(world, rules), np.empty((MOST_ORDERS, 2), dtype=np.int64)
    numbers = situation_words(board, start)
    for _ in range(actions):
        reached = situation_of(world, rules, board, numbers)
        rolled = roll(reached)
        if rolled is not None:
            play_result(board, numbers, rng.choices(*zip(*rolled.odds, strict=True))[0], orders)
        elif reached.phase != OVER:
            count = list_orders(board, numbers, orders)
            first, most = orders[rng.randrange(count)].tolist()
            play_order(board, numbers, first + (rng.randrange(most) if most else 0), orders)
    reached = situation_of(world, rules, board, numbers)
    if reached.phase == OVER or reached.research[1]:
        return start
    known = tuple(rng.getrandbits(len(TECHNOLOGIES)) if rng.random() < 0.5 else 0 for _ in world.powers)
    return reached.replace(technologies=known)


def compare_game(world: World, seed: int, rounds: int = 1) -> int:
    """Play a game of so many rounds both ways; returns its plies, and raises AssertionError at the first difference."""
    rng = random.Random(seed)
    rules = read_rules({"rounds": 1000, **draw_switches(world, rng)})
    situation = draw_situation(world, rules, rng)
    board, last, plies = board_words(world, rules), situation.round + rounds, 0
    numbers = situation_words(board, situation)
    hasty = rng.random() < 0.75
    orders = np.empty((MOST_ORDERS, 2), dtype=np.int64)
    while situation.phase != OVER and situation.round < last:
        where = f"game {seed}, ply {plies}"
        rolled = roll(situation)
        player = int(player_to_move(board, numbers))
        if rolled is not None:
            assert player == NOBODY, f"{where}: dice are rolled"
            result = rng.choices([each for each, _ in rolled.odds], [chance for _, chance in rolled.odds])[0]
            situation = apply_roll(situation, result)
            play_result(board, numbers, result, orders)
        else:
            assert player == mover(situation), f"{where}: who moves"
            found = current_orders(situation)
            count = list_orders(board, numbers, orders)
            told = sorted((order_number(order, min(1, order.most)), order.most) for order in found)
            assert told == sorted((first, most) for first, most in orders[:count].tolist()), f"{where}: orders"
            done = hasty and rng.random() < HASTE
            order = found[0] if done else found[rng.randrange(len(found))]
            units = rng.randint(1, order.most) if order.most else 0
            situation = apply_order(situation, order, units)
            play_order(board, numbers, order_number(order, units), orders)
        plies += 1
        assert situation_of(world, rules, board, numbers) == situation, f"{where}: what it leads to"
    return plies
