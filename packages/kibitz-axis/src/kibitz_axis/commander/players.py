"""`axis.greedy_full` and `axis.sensible_full`: players of the whole game that need no search.

A plan becomes orders one legal order at a time: an `Intent` is what is still to be ordered.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from kibitz import core
from kibitz_axis.commander.battle_choices import battle_armies, battle_order, battle_results, gain_of
from kibitz_axis.commander.kernels.fights import LEFT, WIN, Counts
from kibitz_axis.commander.kernels.plans import GO, LIFT, RAID, STAY
from kibitz_axis.commander.pieces import ForcePiece, Stations, find_pieces
from kibitz_axis.commander.purchases import placed_order, plain_placing, plain_purchase
from kibitz_axis.commander.survey import Possible, Survey, ground_of, plays_here
from kibitz_axis.full import orders as verbs
from kibitz_axis.full.position import BID, BID_PLACE, COMBAT, NOBODY, NONCOMBAT, PLACE, PURCHASE, RESEARCH


class Intent(NamedTuple):
    """Something to order, as far as the rules allow it when its turn comes."""

    verb: int
    area: int
    kind: int
    to: int
    number: int
    via: int = NOBODY
    loaded: bool = False
    """Whether the group that is loaded most is meant."""


def intents_of(pieces: Sequence[ForcePiece], chosen: Iterable[int], flyers: frozenset[int]) -> list[Intent]:
    """The orders that a plan asks for: landings first, because their cargo may not march away, aircraft last."""
    moves: dict[tuple[int, int, int, int, int], int] = {}
    landings: list[Intent] = []
    for piece, pick in zip(pieces, chosen, strict=True):
        if pick == STAY:
            continue
        option = piece.options[pick]
        if option.mode == LIFT:
            for area, kind in option.cargo:
                if area != NOBODY:
                    landings.append(Intent(verbs.LOADING, area, kind, piece.area, 1))
            if option.zone != piece.area:
                landings.append(Intent(verbs.MOVE, piece.area, piece.kind, option.zone, 1, loaded=True))
            landings += [Intent(verbs.UNLOADING, option.zone, kind, option.to, 1) for _, kind in option.cargo]
            continue
        verb = verbs.RAID if option.mode == RAID else verbs.MOVE
        key = verb, piece.area, piece.kind, option.to, option.via
        moves[key] = moves.get(key, 0) + piece.number
    plain = [Intent(verb, area, kind, to, count, via) for (verb, area, kind, to, via), count in moves.items()]
    return [
        *landings,
        *(each for each in plain if each.kind not in flyers),
        *(each for each in plain if each.kind in flyers),
    ]


def next_order(survey: Survey, intents: list[Intent]) -> int | None:
    """The number of the next legal order that the intents ask for; what cannot be ordered is dropped."""
    while intents:
        intent = intents.pop(0)
        fitting = [order for order in survey.orders if matches(order, intent)]
        if not fitting:
            continue
        exact = [order for order in fitting if order.via == intent.via] or fitting
        order = max(exact, key=lambda each: each.variant) if intent.loaded else exact[0]
        count = min(intent.number, order.most)
        if count < intent.number:
            intents.insert(0, intent._replace(number=intent.number - count))
        return order.number + count - 1
    return None


def matches(order: Possible, intent: Intent) -> bool:
    """Whether an order is what an intent means."""
    return (order.verb, order.area, order.kind, order.to) == (intent.verb, intent.area, intent.kind, intent.to)


NEEDED = 0.6
"""The strength that must stay with a threatened factory, as a share of what can attack it in one turn."""
Plan = list[int]
"""An option of every piece, or `STAY`."""


class WholeGamePlayer(core.Agent):
    """Plans each phase of a turn when it begins, and orders what the plan asks for as long as the rules allow it."""

    def manages(self, game: core.Game) -> bool:
        return plays_here(game)

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        if not plays_here(game):
            raise core.Unsupported(self, game, "it plays the whole game only (rules='full'), on boards of its family")
        self.ground = ground_of(game)
        self.planned: tuple[int, ...] = ()
        self.intents: list[Intent] = []

    def act(self, view: Any, clock: core.Clock) -> int:
        survey = Survey(self.ground, view.row)
        order = None
        if survey.fields["battle"] >= 0:
            return battle_order(survey).number
        if survey.phase in (COMBAT, NONCOMBAT):
            order = self.move_order(survey, clock)
        elif survey.phase in (PURCHASE, BID):
            order = self.purchase_order(survey)
        elif survey.phase in (PLACE, BID_PLACE):
            placing = self.placing(survey)
            order = None if placing is None else placed_order(placing, survey)
        elif survey.phase == RESEARCH:
            order = None
        else:
            return battle_order(survey).number
        done = next((each for each in survey.orders if each.verb == verbs.DONE), survey.orders[0])
        return done.number if order is None else order

    def move_order(self, survey: Survey, clock: core.Clock) -> int | None:
        """The next order of a phase of moves; None if all is ordered."""
        when = int(survey.fields["round"]), survey.mover, survey.phase
        if self.planned != when:
            self.planned = when
            pieces = find_pieces(survey)
            flyers = self.ground.world.units.aircraft
            chosen = self.plan(survey, pieces, clock)
            if survey.phase == COMBAT:  # what is no attack can wait until the battles are over
                chosen = [
                    pick if pick != STAY and survey.attackable(piece.options[pick].to) else STAY
                    for piece, pick in zip(pieces, chosen, strict=True)
                ]
            self.intents = intents_of(pieces, chosen, flyers)
            if survey.phase == NONCOMBAT:
                self.intents += returning_transports(survey)
        return next_order(survey, self.intents)

    def purchase_order(self, survey: Survey) -> int | None:
        """The next purchase; None if nothing more is bought."""
        bought = plain_purchase(survey)
        return None if bought is None else bought.number

    def placing(self, survey: Survey) -> Possible | None:
        """Where the next bought units are placed; None if none are left."""
        return plain_placing(survey)

    @abstractmethod
    def plan(self, survey: Survey, pieces: list[ForcePiece], clock: core.Clock) -> Plan:
        """What every piece does in a phase of moves."""


class GreedyFull(WholeGamePlayer):
    """Attacks wherever a battle is worth it in this turn alone, by its odds; others go to the front."""

    def plan(self, survey: Survey, pieces: list[ForcePiece], clock: core.Clock) -> Plan:
        if survey.phase == NONCOMBAT:
            return peaceful_plan(survey, pieces)
        return Attacks(survey, pieces).plan()


class SensibleFull(WholeGamePlayer):
    """Attacks where the odds are good and what is left can hold or is cheap, and holds what it must."""

    def plan(self, survey: Survey, pieces: list[ForcePiece], clock: core.Clock) -> Plan:
        if survey.phase == NONCOMBAT:
            return peaceful_plan(survey, pieces)
        return CarefulAttacks(survey, pieces).plan()


class Attacks:
    """Chooses attacks one after the other, the one that gains most first."""

    def __init__(self, survey: Survey, pieces: list[ForcePiece]) -> None:
        self.survey, self.pieces = survey, pieces
        self.kinds = survey.ground.world.units.kinds
        self.values = survey.area_values * survey.hostile

    def plan(self) -> Plan:
        """An option of every piece."""
        chosen = [STAY] * len(self.pieces)
        free = self.free_pieces()
        gains = {to: self.best_army(to, free) for to in self.targets()}
        while gains:
            to = max(gains, key=lambda each: gains[each][0])
            gain, numbers = gains.pop(to)
            if gain <= 0.0:
                break
            if not all(number in free for number in numbers):
                gains[to] = self.best_army(to, free)
                continue
            for number in numbers:
                chosen[number] = self.pieces[number].option_to(to)
                free.discard(number)
        return chosen

    def targets(self) -> list[int]:
        """What can be attacked."""
        found = {each.to for piece in self.pieces for each in piece.options if each.mode in (GO, LIFT)}
        return sorted(to for to in found if self.survey.attackable(to))

    def free_pieces(self) -> set[int]:
        """The pieces that may attack."""
        return set(range(len(self.pieces)))

    def best_army(self, to: int, free: set[int]) -> tuple[float, list[int]]:
        """The pieces whose attack on an area gains most, and what it gains."""
        going = [number for number in sorted(free) if self.pieces[number].option_to(to) != STAY]
        going.sort(key=lambda number: (self.kinds[self.pieces[number].kind].price, number))
        _, defence = battle_armies(self.survey, to)
        attack, best = np.zeros(len(self.kinds)), (0.0, list[int]())
        for count, number in enumerate(going, 1):
            piece = self.pieces[number]
            piece.join(attack, piece.options[piece.option_to(to)])
            best = max(best, (self.gain(to, attack, defence), going[:count]), key=lambda each: each[0])
        return best

    def gain(self, to: int, attack: Counts, defence: Counts) -> float:
        """What an attack is expected to gain in this turn."""
        return gain_of(battle_results(self.survey, attack, defence, to), self.values[to])


class CarefulAttacks(Attacks):
    """The same with an eye on what the enemy can do about it."""

    LEAST = 0.65
    """Attacks with smaller chances are not made."""

    def __init__(self, survey: Survey, pieces: list[ForcePiece]) -> None:
        super().__init__(survey, pieces)
        self.stations = Stations(survey)

    def free_pieces(self) -> set[int]:
        """All pieces but those that a threatened factory needs."""
        free = set(range(len(self.pieces)))
        for area in range(len(self.survey.ground.world.areas)):
            threat = self.stations.threat[area]
            if not self.survey.has_factory(area) or threat <= 0.0:
                continue
            spare = self.stations.guard[area] - NEEDED * threat
            here = [number for number in free if self.pieces[number].area == area]
            here.sort(key=lambda number: -self.kinds[self.pieces[number].kind].attack)
            for number in here:
                piece = self.pieces[number]
                strength = piece.number * self.kinds[piece.kind].defence
                if self.kinds[piece.kind].domain == "air":
                    continue  # aircraft come back
                if strength > spare:
                    free.discard(number)
                else:
                    spare -= strength
        return free

    def gain(self, to: int, attack: Counts, defence: Counts) -> float:
        """What an attack is expected to gain after the enemy's answer."""
        results = battle_results(self.survey, attack, defence, to)
        if results[WIN] < self.LEAST:
            return -1.0
        gain = gain_of(results, self.values[to])
        land = np.array([kind.domain == "land" for kind in self.kinds])
        prices, strengths = np.array([k.price for k in self.kinds]), np.array([k.defence for k in self.kinds])
        staying = attack * land * results[LEFT]
        threat = self.stations.threat[to]
        danger = threat / (threat + (staying * strengths).sum() + 1.0)
        return gain - float(danger**3 * (staying * prices).sum())


def peaceful_plan(survey: Survey, pieces: list[ForcePiece]) -> Plan:
    """Every piece goes where it is placed best after the battles."""
    stations = Stations(survey)
    near = stations.near
    chosen = []
    for piece in pieces:
        here = -9.0 if piece.must else stations.score(piece.area, piece.kind)
        scores = [
            -99.0 if survey.attackable(each.to)
            else near[each.to] + 1.0 if each.mode == LIFT
            else stations.score(each.to, piece.kind)
            for each in piece.options
        ]  # fmt: skip
        best = int(np.argmax(scores))
        chosen.append(best if scores[best] > here + 1e-9 else STAY)
    return chosen


def returning_transports(survey: Survey) -> list[Intent]:
    """Empty transports go where land units wait for them, if no enemy ships are near."""
    world = survey.ground.world
    kinds, found = world.units.kinds, []
    land = list(world.units.land & world.units.fighting)
    waiting = np.zeros(len(world.areas))
    for area in survey.own_factories:
        waiting[area] = 1.0 + survey.own[area][land].sum()
    pull = np.zeros(len(world.areas))
    for zone in range(len(world.areas)):
        if world.sea[zone]:
            pull[zone] = max((waiting[to] for to in world.ways[zone] if not world.sea[to]), default=0.0)
    for order in survey.orders:
        if order.verb == verbs.MOVE and kinds[order.kind].room and order.variant == 0:
            score = sail_score(survey, order.to, pull)
            if score > sail_score(survey, order.area, pull) + 1e-6:
                found.append((score, Intent(order.verb, order.area, order.kind, order.to, order.most)))
    best: dict[int, tuple[float, Intent]] = {}
    for score, intent in found:
        if intent.area not in best or score > best[intent.area][0]:
            best[intent.area] = score, intent
    return [intent for _, intent in best.values()]


def sail_score(survey: Survey, zone: int, pull: Counts) -> float:
    """How good a zone is for an empty transport: near to waiting units."""
    air = np.array(survey.ground.world.air[zone])
    return float((pull / (1.0 + air) ** 2).max())
