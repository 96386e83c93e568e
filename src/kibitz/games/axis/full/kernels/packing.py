"""A board and a situation as rows of numbers for the kernels, and a situation back from them."""

import numpy as np

from kibitz.games.axis.full.board import World
from kibitz.games.axis.full.kernels import layout as at
from kibitz.games.axis.full.kernels.layout import Words
from kibitz.games.axis.full.orders import MOST_CARGO
from kibitz.games.axis.full.rules_options import FullRules
from kibitz.games.axis.full.situation import NOBODY, Cargo, Engagement, Overflight, Situation, Stack

DOMAINS = {"land": at.ON_LAND, "air": at.IN_AIR, "sea": at.AT_SEA}


def fits_kernels(world: World) -> bool:
    """Whether a board is small enough for the kernels."""
    few = len(world.powers) < 60 and len(world.units.kinds) < 250
    small = len(world.areas) < 2000 and len(world.forces) < at.MOST_STACKS // 2
    return few and small and MOST_CARGO == at.MOST_CARGO


def stack_limit(world: World) -> int:
    """The room for stacks: several times those of the start, as units part and more are bought."""
    return min(at.MOST_STACKS, max(at.FEW_STACKS, 500 + 4 * len(world.forces)))


def board_words(world: World, rules: FullRules) -> Words:
    """The numbers that the kernels know a board and its rules by."""
    areas, powers, kinds = len(world.areas), len(world.powers), world.units.kinds
    zones = [area for area in range(areas) if world.sea[area]]
    head = [0] * at.BOARD_HEAD
    body: list[int] = []

    def put(where: int, numbers: "list[int] | tuple[int, ...]") -> None:
        head[where] = at.BOARD_HEAD + len(body)
        body.extend(int(number) for number in numbers)

    counts = (areas, powers, len(kinds), len(world.turns), len(world.units.flyers), len(world.canals), len(world.sides))
    head[: len(counts)] = counts
    head[at.ZONE_WORDS] = max(1, -(-len(zones) // 64))
    head[at.RESEARCH_ON], head[at.LOW_LUCK], head[at.LHTR] = rules.research, rules.low_luck, rules.lhtr
    head[at.CITIES], head[at.ROUNDS] = rules.winning_cities, rules.rounds
    put(at.SEA, world.sea)
    for start, listed, ways in (
        (at.WAYS_FROM, at.WAYS, world.ways),
        (at.LAND_FROM, at.BY_LAND, world.by_land),
        (at.SEA_FROM, at.BY_SEA, world.by_sea),
    ):
        put(start, np.cumsum([0, *map(len, ways)]).tolist())
        put(listed, [to for each in ways for to in each])
    put(at.AIR, [far for row in world.air for far in row])
    put(at.VALUE, [area.value for area in world.areas])
    put(at.CITY, [area.city for area in world.areas])
    put(at.FIRST_OWNER, [NOBODY if area.owner is None else area.owner for area in world.areas])
    put(at.CAPITALS, world.capitals)
    put(at.FRIENDLY, [friend for row in world.friendly for friend in row])
    put(at.SIDE, [power.side for power in world.powers])
    put(at.ORDER, world.turns)
    put(at.KIND_TABLE, [number for kind in range(len(kinds)) for number in kind_numbers(world, kind)])
    put(at.PRICES, [price for row in world.prices for price in row])
    put(at.LIMITS, world.limits)
    put(at.FLYER_LIST, world.units.flyers)
    put(at.CANAL_LIST, [number for one, other, land in world.canals for number in (one, other, len(land), *land)])
    put(at.BIDS, [rules.bids.get(power.name, 0) for power in world.powers])
    put(at.ZONE_NUMBER, [zones.index(area) if world.sea[area] else NOBODY for area in range(areas)])
    end = at.HEAD
    for part, length in (
        *((part, areas) for part in (at.OWNERS, at.FACTORIES, at.TAKEN, at.FOUGHT, at.RAIDED)),
        *((at.MONEY, powers), (at.KNOWN, powers), (at.BOUGHT, len(kinds))),
        *((at.ROCKET_LIST, 2 * at.MOST_ROCKETS), (at.PLACED_LIST, 3 * at.MOST_PLACED)),
        *((at.DOOMED_LIST, 2 * at.MOST_DOOMED * at.STACK), (at.STACKS, stack_limit(world) * at.STACK)),
    ):
        head[part] = end
        end += length
    return np.array([*head, *body, end], dtype=np.int64)


def kind_numbers(world: World, number: int) -> tuple[int, ...]:
    """What the kernels know of a kind of unit, in the order of its fields."""
    kind, flyers = world.units.kinds[number], world.units.flyers
    return (
        *(kind.price, kind.attack, kind.defence, kind.move, DOMAINS[kind.domain], kind.hits, kind.blitz),
        *(kind.supports, kind.supported, kind.submarine, kind.destroyer, kind.bombards, kind.raids, kind.gun),
        *(kind.factory, kind.room, kind.load, kind.deck, kind.berth, kind.fights),
        flyers.index(number) if number in flyers else NOBODY,
    )


# Situations.


def stack_words(stack: Stack) -> tuple[int, int, int, int]:
    """A stack in four words."""
    items = [(i.power + 1) << 20 | i.kind << 12 | int(i.fresh) << 11 | (i.to + 1) for i in stack.cargo]
    items += [0] * (MOST_CARGO - len(items))
    first = stack.area << 32 | (stack.power + 1) << 26 | stack.kind << 18 | stack.spent << 11 | (stack.came + 1)
    second = stack.damage << 17 | stack.marks << 11 | (stack.landed + 1)
    return first, second, items[0] << at.ITEM_BITS | items[1], items[2] << at.ITEM_BITS | items[3]


def stack_of(words: "list[int]") -> Stack:
    """A stack from its four words."""
    first, second, third, fourth = words[:4]
    items = (third >> at.ITEM_BITS, third & at.ITEM, fourth >> at.ITEM_BITS, fourth & at.ITEM)
    cargo = tuple(
        Cargo((item >> 20) - 1, item >> 12 & 255, bool(item >> 11 & 1), (item & 2047) - 1) for item in items if item
    )
    place = first >> 32, (first >> 26 & 63) - 1, first >> 18 & 255, first >> 11 & 127, (first & 2047) - 1
    return Stack(*place, second >> 17, second >> 11 & 63, (second & 2047) - 1, cargo)


def situation_words(board: Words, situation: Situation) -> Words:
    """A situation in numbers."""
    s = np.zeros(int(board[-1]), dtype=np.int64)
    s[at.ROUND], s[at.MOVER], s[at.PHASE] = situation.round, situation.mover, situation.phase
    s[at.PURSE], s[at.WINNER], s[at.RAID] = situation.purse, situation.winner, situation.raid
    s[at.TECHNOLOGY], s[at.DICE] = situation.research
    if situation.overflight is not None:
        s[at.OVER_NUMBER], s[at.OVER_COUNT] = situation.overflight.number, len(situation.overflight.areas)
        s[at.OVER_STACK : at.OVER_STACK + 4] = stack_words(situation.overflight.stack)
        s[at.OVER_AREAS : at.OVER_AREAS + len(situation.overflight.areas)] = situation.overflight.areas
    if situation.engagement is not None:
        put_battle(board, s, situation.engagement)
    areas = len(situation.owners)
    s[board[at.OWNERS] : board[at.OWNERS] + areas] = situation.owners
    s[board[at.RAIDED] : board[at.RAIDED] + areas] = NOBODY
    for part, listed in (
        (at.FACTORIES, situation.factories),
        (at.TAKEN, situation.taken),
        (at.FOUGHT, situation.fought),
    ):
        for area in listed:
            s[board[part] + area] = 1
    for area, damage in situation.raided:
        s[board[at.RAIDED] + area] = damage
    for part, numbers in (
        (at.MONEY, situation.money),
        (at.KNOWN, situation.technologies),
        (at.BOUGHT, situation.bought),
        (at.ROCKET_LIST, [number for pair in situation.rockets for number in pair]),
        (at.PLACED_LIST, [number for triple in situation.placed for number in triple]),
        (at.STACKS, [n for stack, count in situation.units for n in (*stack_words(stack), count)]),
    ):
        s[board[part] : board[part] + len(numbers)] = numbers
    s[at.ROCKETS], s[at.PLACED], s[at.UNITS] = len(situation.rockets), len(situation.placed), len(situation.units)
    return s


def put_battle(board: Words, s: Words, battle: Engagement) -> None:
    """Write the battle that is being fought."""
    s[at.BATTLE_AREA], s[at.BATTLE_ROUND], s[at.STEP] = battle.area + 1, battle.round, battle.step
    s[at.BATTLE_HITS : at.BATTLE_HITS + 2], s[at.SCREENED : at.SCREENED + 2] = battle.hits, battle.screened
    s[at.SNEAKED], s[at.BOMBARDING], s[at.LANDING] = battle.sneaked, battle.bombards, battle.landing
    for side, listed in enumerate(battle.doomed):
        s[at.DOOMED + side] = len(listed)
        numbers = [n for stack, count in listed for n in (*stack_words(stack), count)]
        base = board[at.DOOMED_LIST] + side * at.MOST_DOOMED * at.STACK
        s[base : base + len(numbers)] = numbers


def read_stacks(words: "list[int]", count: int) -> tuple[tuple[Stack, int], ...]:
    """Stacks with their numbers."""
    rows = (words[place : place + at.STACK] for place in range(0, count * at.STACK, at.STACK))
    return tuple((stack_of(row), row[4]) for row in rows)


def situation_of(world: World, rules: FullRules, board: Words, s: Words) -> Situation:
    """The situation that numbers mean."""
    areas = len(world.areas)
    told: list[int] = s.tolist()

    def part(where: int, length: int) -> list[int]:
        start = int(board[where])
        return told[start : start + length]

    over, rockets, placed = None, part(at.ROCKET_LIST, 2 * told[at.ROCKETS]), part(at.PLACED_LIST, 3 * told[at.PLACED])
    if told[at.OVER_NUMBER]:
        fired = told[at.OVER_AREAS : at.OVER_AREAS + told[at.OVER_COUNT]]
        over = Overflight(stack_of(told[at.OVER_STACK : at.OVER_STACK + 4]), told[at.OVER_NUMBER], tuple(fired))
    flags = (part(where, areas) for where in (at.FACTORIES, at.TAKEN, at.FOUGHT))
    factories, taken, fought = (tuple(area for area, on in enumerate(each) if on) for each in flags)
    return Situation(
        world,
        rules,
        read_stacks(part(at.STACKS, at.STACK * told[at.UNITS]), told[at.UNITS]),
        tuple(part(at.OWNERS, areas)),
        tuple(part(at.MONEY, len(world.powers))),
        factories,
        tuple(part(at.KNOWN, len(world.powers))),
        round=told[at.ROUND],
        mover=told[at.MOVER],
        phase=told[at.PHASE],
        bought=tuple(part(at.BOUGHT, len(world.units.kinds))),
        placed=tuple((placed[n], placed[n + 1], placed[n + 2]) for n in range(0, len(placed), 3)),
        taken=taken,
        fought=fought,
        research=(told[at.TECHNOLOGY], told[at.DICE]),
        overflight=over,
        engagement=read_battle_words(board, told) if told[at.BATTLE_AREA] else None,
        raid=told[at.RAID],
        raided=tuple((area, damage) for area, damage in enumerate(part(at.RAIDED, areas)) if damage >= 0),
        rockets=tuple((rockets[n], rockets[n + 1]) for n in range(0, len(rockets), 2)),
        purse=told[at.PURSE],
        winner=told[at.WINNER],
    )


def read_battle_words(board: Words, told: list[int]) -> Engagement:
    """The battle that is being fought."""
    doomed = []
    for side in range(2):
        base = int(board[at.DOOMED_LIST]) + side * at.MOST_DOOMED * at.STACK
        doomed.append(read_stacks(told[base : base + at.STACK * told[at.DOOMED + side]], told[at.DOOMED + side]))
    return Engagement(
        told[at.BATTLE_AREA] - 1,
        told[at.BATTLE_ROUND],
        told[at.STEP],
        (told[at.BATTLE_HITS], told[at.BATTLE_HITS + 1]),
        bool(told[at.SNEAKED]),
        (doomed[0], doomed[1]),
        (bool(told[at.SCREENED]), bool(told[at.SCREENED + 1])),
        bool(told[at.BOMBARDING]),
        bool(told[at.LANDING]),
    )
