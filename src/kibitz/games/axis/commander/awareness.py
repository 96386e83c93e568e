"""What enemies are up to: how often each of them attacks where that gains, learned from their turns."""

import numpy as np

from kibitz import core
from kibitz.games.axis.commander.kernels.answers import Prospect, strongest_strike
from kibitz.games.axis.commander.kernels.fights import RESULTS, Counts
from kibitz.games.axis.commander.survey import Ground, Survey, numbers_of
from kibitz.games.axis.full.kernels.layout import MOVER, PHASE, ROUND
from kibitz.games.axis.full.notation import order_of_number
from kibitz.games.axis.full.orders import MOVE, UNLOADING
from kibitz.games.axis.full.plan_library import theatre_of
from kibitz.games.axis.full.situation import COMBAT

SURE_GAIN = 3.0
"""Only attacks that gain at least so many IPC tell whether an enemy takes its chances."""
PRIOR, PRIOR_SHARE = 8.0, 0.9
"""Before anything is seen, an enemy attacks where it gains with this share, as if seen so often."""


class AttackHabits:
    """Of every enemy and theatre, how often it attacked where that would have gained."""

    def __init__(self, ground: Ground, player: int) -> None:
        self.ground, self.player = ground, player
        world = ground.world
        self.enemies = [n for n, power in enumerate(world.powers) if power.side != world.powers[player].side]
        capitals = sorted({capital for capital in world.capitals if capital >= 0})
        named = {world.areas[capital].name: place for place, capital in enumerate(capitals)}
        self.theatres = np.array(
            [
                [named[theatre_of(world, area, power)] if named else 0 for area in range(len(world.areas))]
                for power in range(ground.powers)
            ]
        )
        count = max(1, len(named))
        self.offered = np.zeros((ground.powers, count))
        self.made = np.zeros((ground.powers, count))
        self.turn: tuple[int, int] = (-1, -1)
        self.open: set[int] = set()

    def observe(self, transition: core.Transition) -> None:
        """Take note of an enemy's order in its combat moves."""
        if transition.player not in self.enemies or not transition.chose(transition.player):
            return
        numbers = numbers_of(self.ground, transition.before)
        if numbers[PHASE] != COMBAT or numbers[MOVER] != transition.player:
            return
        now = int(numbers[ROUND]), transition.player
        if now != self.turn:
            self.turn, self.open = now, self.chances(numbers, transition.player)
            for area in self.open:
                self.offered[transition.player, self.theatres[transition.player, area]] += 1.0
        action = transition.actions[0]
        if action is None:
            return
        order, _ = order_of_number(action)
        if order.verb in (MOVE, UNLOADING) and order.to in self.open:
            self.open.discard(order.to)
            self.made[transition.player, self.theatres[transition.player, order.to]] += 1.0

    def chances(self, numbers: "np.ndarray", power: int) -> set[int]:
        """The areas that a power can attack with a clear gain, each by itself."""
        survey, board = Survey(self.ground, numbers), self.ground.board
        worth, results, found = survey.worth, np.zeros(RESULTS), set()
        prospect = Prospect(
            board, numbers, survey.units, survey.held, survey.money, worth, self.ground.steps, 0.0 * worth
        )
        for area in range(len(worth)):
            if survey.attackable(area) and strongest_strike(prospect, power, area, results) > SURE_GAIN:
                found.add(area)
        return found

    def attack_chances(self) -> Counts:
        """Of every power and area, how likely an attack is that would gain; own powers and unseen enemies take all."""
        found = np.ones((self.ground.powers, len(self.ground.world.areas)))
        for power in self.enemies:
            if self.offered[power].sum() > 0.0:
                whole = (self.made[power].sum() + PRIOR * PRIOR_SHARE) / (self.offered[power].sum() + PRIOR)
                shares = (self.made[power] + PRIOR * whole) / (self.offered[power] + PRIOR)
                found[power] = np.clip(shares[self.theatres[power]], 0.05, 1.0)
        return found

    def shares(self) -> dict[int, float]:
        """Of every enemy that was seen, how often it attacked where it gained."""
        seen = [power for power in self.enemies if self.offered[power].sum() > 0.0]
        return {
            power: float((self.made[power].sum() + PRIOR * PRIOR_SHARE) / (self.offered[power].sum() + PRIOR))
            for power in seen
        }
