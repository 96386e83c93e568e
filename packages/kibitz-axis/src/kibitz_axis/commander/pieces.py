"""Pieces and their options: the units of a power in parts that can go different ways, and where each part can go."""

from typing import NamedTuple

import numpy as np

from kibitz_axis.commander.kernels.fights import Counts
from kibitz_axis.commander.kernels.plans import GO, LIFT, RAID, STAY
from kibitz_axis.commander.kernels.positions import add_reach
from kibitz_axis.commander.survey import Possible, Survey
from kibitz_axis.full import orders as verbs
from kibitz_axis.full.movement import item_kind, item_power
from kibitz_axis.full.position import COMBAT, NOBODY

GROUP_COUNTS = (0, 1, 2, 3, 3, 3, 4)
"""Into how many parts a group of 0, 1, 2 … units is divided; larger ones like the last."""
MOST_OPTIONS, MOST_MOVES = 6, 4
"""The most places that a piece considers to attack, and to go to after the battles."""
NEEDED_DANGER = 0.3
"""The danger from which a city or a factory may need help."""
MOST_SHIPS = 8
"""The most transports that carry something in one phase."""


class Option(NamedTuple):
    """Something a piece can do."""

    to: int
    mode: int = GO
    via: int = NOBODY
    zone: int = NOBODY
    cargo: tuple[tuple[int, int], ...] = ()
    """Of a transport, the area (none: it is aboard) and kind of each unit that it lands."""


class ForcePiece(NamedTuple):
    """Units of one kind in one area that go together."""

    area: int
    kind: int
    number: int
    options: tuple[Option, ...]
    must: bool = False
    """Whether it may not stay, because it would be lost."""

    def option_to(self, to: int) -> int:
        """The number of the option that leads to an area, raids apart; `STAY` if none does."""
        return next((n for n, each in enumerate(self.options) if each.to == to and each.mode in (GO, LIFT)), STAY)

    def join(self, army: Counts, option: Option) -> None:
        """Add the units that fight where an option leads to an army."""
        if option.mode == LIFT:
            for _, kind in option.cargo:
                army[kind] += 1.0
        else:
            army[self.kind] += self.number


def group_sizes(count: int) -> list[int]:
    """The sizes of the pieces that a group of units is divided into: about the same, the larger ones first."""
    pieces = GROUP_COUNTS[min(count, len(GROUP_COUNTS) - 1)]
    return [count // pieces + (number < count % pieces) for number in range(pieces)]


def find_pieces(survey: Survey) -> list[ForcePiece]:
    """The pieces of a phase of moves, with options that are worth a thought.

    In the combat moves they may also go where they are wanted after the battles, so that plans are for whole turns.
    """
    combat = survey.phase == COMBAT
    kinds = survey.ground.world.units.kinds
    orders: dict[tuple[int, int], dict[tuple[int, int], Possible]] = {}
    for order in survey.orders:
        if order.verb not in (verbs.MOVE, verbs.RAID) or kinds[order.kind].room:
            continue
        if survey.attackable(order.to):
            if not combat or not kinds[order.kind].fights:
                continue
        elif kinds[order.kind].domain == "sea":
            continue
        by_target = orders.setdefault((order.area, order.kind), {})
        mode = RAID if order.verb == verbs.RAID else GO
        if (order.to, mode) not in by_target or order.via != NOBODY:
            by_target[order.to, mode] = order
    pieces = transport_pieces(survey)
    stations, values = Stations(survey), survey.area_values
    for (area, kind), by_target in orders.items():
        must = not combat and kinds[kind].domain == "air" and not can_stay(survey, area)
        options = [Option(to, mode, order.via) for (to, mode), order in by_target.items()]
        attacks = sorted((each for each in options if survey.attackable(each.to)), key=lambda each: -values[each.to])
        moves = [each for each in options if not survey.attackable(each.to)]
        options = [*attacks[:MOST_OPTIONS], *stations.best_options(area, kind, moves, must=must)]
        if options:
            sizes = group_sizes(int(survey.own[area, kind]))
            pieces += [ForcePiece(area, kind, size, tuple(options), must) for size in sizes]
    return pieces


def can_stay(survey: Survey, area: int) -> bool:
    """Whether aircraft may stay where they are."""
    taken = survey.fields["taken"][area]
    return not survey.ground.world.sea[area] and survey.control[area, survey.side] == 1.0 and not taken


class Stations:
    """Where units are well placed after the battles: near what they are to take, and safe or needed."""

    def __init__(self, survey: Survey) -> None:
        self.survey, world = survey, survey.ground.world
        self.near = survey.proximity[:, survey.side]
        self.threat = np.zeros(len(world.areas))
        for side in range(len(world.sides)):
            if side != survey.side:
                add_reach(survey.ground.board, survey.units, side, self.threat)
        defence = np.array([kind.defence for kind in world.units.kinds])
        self.guard = survey.units[:, survey.friends].sum(axis=1) @ defence
        self.danger = self.threat / (self.threat + self.guard + 1.0)
        values = survey.area_values
        self.stake = values / max(1.0, values.max())

    def score(self, area: int, kind: int) -> float:
        """How good a place is for a unit."""
        unit = self.survey.ground.world.units.kinds[kind]
        if unit.domain == "air":
            return float(0.3 * self.near[area] - self.danger[area])
        needed = self.stake[area] * min(1.0, self.threat[area] / (self.guard[area] + 1.0))
        exposed = self.danger[area] ** 2 * (1.0 - self.stake[area])
        return float(self.near[area] + 0.7 * needed - 0.3 * exposed)

    def in_need(self, area: int) -> bool:
        """Whether a place that counts may fall."""
        prize = self.survey.ground.world.areas[area].city or self.survey.has_factory(area)
        return bool(prize and self.danger[area] > NEEDED_DANGER)

    def best_options(self, area: int, kind: int, options: list[Option], *, must: bool) -> list[Option]:
        """The few options that may be better than to stay: places that may fall, then the best ones."""
        here = -9.0 if must else self.score(area, kind)
        scored = sorted(((self.score(each.to, kind), -each.to, each) for each in options), reverse=True)
        needed = [each for _, _, each in scored if self.in_need(each.to)][:MOST_MOVES]
        others = [each for score, _, each in scored if (score > here - 0.1 or must) and each not in needed]
        return [*needed, *others[: (MOST_OPTIONS if must else MOST_MOVES) - len(needed)]]


# Transports.


def transport_pieces(survey: Survey) -> list[ForcePiece]:
    """Transports with what they can bring ashore in one phase: to attack, or after the battles to a better place."""
    world, combat = survey.ground.world, survey.phase == COMBAT
    kinds = world.units.kinds
    sailing: dict[tuple[int, int], set[int]] = {
        (int(zone), int(kind)): set() for zone, kind in np.argwhere(survey.own > 0.0) if kinds[kind].room
    }
    loading: dict[tuple[int, int], set[int]] = {}
    for order in survey.orders:
        if order.verb == verbs.MOVE and kinds[order.kind].room and not survey.defended[order.to]:
            sailing[order.area, order.kind].add(order.to)
        elif order.verb == verbs.LOADING:
            loading.setdefault((order.to, order.kind), set()).add(order.area)
    found: list[ForcePiece] = []
    near = survey.proximity[:, survey.side]
    left = survey.own.copy()
    for (zone, kind), zones in sorted(sailing.items()):
        free = {(area, each): int(left[area, each]) for (to, each), areas in loading.items() if to == zone
                for area in areas}  # fmt: skip
        aboard = cargo_aboard(survey, zone, kind)
        for number in range(int(survey.own[zone, kind])):
            if len(found) >= MOST_SHIPS:
                break
            cargo = aboard[number] if number < len(aboard) and aboard[number] else best_cargo(survey, kind, free)
            if not cargo:
                continue
            options = landing_options(survey, zone, zones, cargo, near, combat=combat)
            if options:
                found.append(ForcePiece(zone, kind, 1, tuple(options)))
                for item in cargo:
                    if item in free:
                        free[item] -= 1
                        left[item] -= 1.0
    return found


def landing_options(
    survey: Survey, zone: int, zones: set[int], cargo: tuple[tuple[int, int], ...], near: Counts, *, combat: bool
) -> list[Option]:
    """The coasts on which a transport can land its cargo: hostile ones, or friendly ones that are nearer the front."""
    world = survey.ground.world
    options: dict[int, Option] = {}
    sources = {area for area, _ in cargo}
    here = max((near[area] for area in sources if area >= 0), default=0.0)
    for stop in sorted({zone, *zones}, key=lambda each: each != zone):
        for to in world.ways[stop]:
            if world.sea[to] or to in sources or to in options:
                continue
            better = near[to] > here + 0.02
            if (combat and survey.attackable(to)) or (better and survey.control[to, survey.side] == 1.0):
                options[to] = Option(to, LIFT, zone=stop, cargo=cargo)
    values = survey.area_values
    attacks = sorted((each for each in options.values() if survey.attackable(each.to)), key=lambda o: -values[o.to])
    moves = sorted((each for each in options.values() if not survey.attackable(each.to)), key=lambda o: -near[o.to])
    return [*attacks[:MOST_OPTIONS], *moves[: MOST_MOVES if combat else MOST_OPTIONS]]


def best_cargo(survey: Survey, kind: int, free: dict[tuple[int, int], int]) -> tuple[tuple[int, int], ...]:
    """What a transport loads: the strongest unit that fits, then what fits beside it."""
    kinds = survey.ground.world.units.kinds
    room = kinds[kind].room
    chosen: list[tuple[int, int]] = []
    for _ in range(2):
        fitting = [
            (kinds[each].attack + kinds[each].defence, -area, area, each)
            for (area, each), number in free.items()
            if number - sum(item == (area, each) for item in chosen) > 0
            and kinds[each].fights
            and kinds[each].load <= room
        ]
        if not fitting:
            break
        if not chosen and len(fitting) > 1:  # leave room for a second unit
            pairs = [each for each in fitting if room - kinds[each[3]].load >= min(kinds[e[3]].load for e in fitting)]
            fitting = pairs or fitting
        best = max(fitting)
        chosen.append((best[2], best[3]))
        room -= kinds[best[3]].load
    return tuple(chosen)


def cargo_aboard(survey: Survey, zone: int, kind: int) -> list[tuple[tuple[int, int], ...]]:
    """What the transports of the mover in a zone carry, one entry for each that carries something."""
    found = []
    for stack in survey.fields["stacks"][: survey.fields["stacks count"]]:
        if (stack["area"], stack["kind"], stack["power"]) == (zone, kind, survey.mover):
            items = stack["cargo"].tolist()
            own = tuple((NOBODY, item_kind(each)) for each in items if each and item_power(each) == survey.mover)
            if own:
                found += [own[:2]] * int(stack["count"])
    return found
