"""The fields of the whole game: those of a game, which never change, of a position, and of what orders are found in."""

from kibitz.core.kernels.structs import Struct, ints, lists, number, rows, size
from kibitz_axis.full.board import World
from kibitz_axis.full.rules_options import FullRules

NOBODY = -1
FAR = 99
SPENT = 99
"""The movement spent by units that may not move any more in this turn."""
BID, BID_PLACE, RESEARCH, PURCHASE, COMBAT, BATTLE, NONCOMBAT, PLACE, OVER = range(9)
PHASES = (
    "bid",
    "placing of the bid",
    "research",
    "purchase",
    "combat moves",
    "battles",
    "other moves",
    "placing of units",
    "over",
)
SUBMERGED, RAIDING, WITHDRAWN, WAS_IN_BATTLE, LOADED_LATE, UNLOADED_EARLY = 1, 2, 4, 8, 16, 32
"""What is marked on units until the turn ends: out of sight, on a raid, out of its battle, was in a battle; of
transports: loaded after the battles, unloaded before them."""
MOST_CARGO = 4
"""The most units on one transport, whatever its room."""
ON_LAND, IN_AIR, AT_SEA, ANY, SUBMARINES, DESTROYERS, SUPPORTERS, GUNS, FIGHTING = range(9)
"""Domains, and other groups of kinds; see `belongs`."""
DOMAINS = {"land": ON_LAND, "air": IN_AIR, "sea": AT_SEA}
FEW_STACKS = 1500
MOST_DOOMED, MOST_PLACED, MOST_ROCKETS, MOST_OVERFLOWN = 200, 250, 100, 8
MOST_ROUTES, MOST_DECKS, MOST_ORDERS = 700, 120, 6_000
BITS = 62
"""The zones that one number of a set of zones tells of."""


class Stack(Struct):
    """Equal units in one area: nothing tells one from another. They are kept in the order of these fields."""

    area: int = number(bits=16)
    power: int = number(bits=8)
    kind: int = number(bits=16)
    spent: int = number(bits=8)
    """The movement spent in this turn."""
    came: int = number(NOBODY, bits=16)
    """The area they were in before this one, in this turn: where they may retreat to."""
    damage: int = number(bits=8)
    marks: int = number(bits=8)
    landed: int = number(NOBODY, bits=16)
    """The area into which a transport has unloaded in this turn."""
    cargo: list[int] = ints(MOST_CARGO, bits=32)
    """The units aboard, see `cargo_item`; 0 where there is none."""
    count: int = number(bits=32)


class Placed(Struct):
    """Units that were placed in this turn."""

    kind: int = 0
    area: int = 0
    count: int = 0


class Rocket(Struct):
    """A rocket of a gun and the area it is fired at, `NOBODY` if the gun holds fire or has fired."""

    gun: int = 0
    target: int = 0


class Traits(Struct):
    """A kind of unit; see `units.Kind`."""

    price: int
    attack: int
    defence: int
    move: int
    domain: int
    hits: int
    blitz: int
    supports: int
    supported: int
    submarine: int
    destroyer: int
    bombards: int
    raids: int
    gun: int
    factory: int
    room: int
    load: int
    deck: int
    berth: int
    fights: int
    flyer: int
    """Its place among the aircraft, or `NOBODY`."""


class Setting(Struct):
    """The board and the rules of a game."""

    areas: int = size()
    powers: int = size()
    friends: int = size()
    """The powers, and at the end nobody."""
    kind_count: int = size()
    turns: int = size()
    flyer_count: int = size()
    canals: int = size()
    sides: int
    zone_words: int
    """The numbers of a set of zones."""
    research: int
    low_luck: int
    lhtr: int
    cities: int
    """How many cities win."""
    rounds: int
    sea: list[int] = ints(areas)
    zone_number: list[int] = ints(areas, default=NOBODY)
    ways: list[list[int]] = lists(areas)
    by_land: list[list[int]] = lists(areas)
    by_sea: list[list[int]] = lists(areas)
    air: list[list[int]] = ints(areas, areas)
    value: list[int] = ints(areas)
    city: list[int] = ints(areas)
    first_owner: list[int] = ints(areas)
    limits: list[int] = ints(areas)
    capitals: list[int] = ints(powers)
    friendly: list[list[int]] = ints(powers, friends)
    side: list[int] = ints(powers)
    bids: list[int] = ints(powers)
    prices: list[list[int]] = ints(powers, kind_count)
    order: list[int] = ints(turns)
    flyers: list[int] = ints(flyer_count)
    kinds: list[Traits] = rows(Traits, kind_count)
    canal_ends: list[list[int]] = ints(canals, 2)
    canal_land: list[list[int]] = lists(canals)


class Position(Struct):
    """Units, owners, money and technologies, whose turn and phase it is, and what is under way."""

    areas: int = size()
    powers: int = size()
    kind_count: int = size()
    room: int = size()
    round: int = 1
    mover: int = 0
    phase: int = RESEARCH
    purse: int = 0
    """What is left of the bid that is being spent."""
    winner: int = NOBODY
    """The side that has won."""
    technology: int = NOBODY
    dice: int = 0
    """The technology and the dice that are being rolled for; without dice, the one that works when the turn is over."""
    raid: int = NOBODY
    """The area whose raid has passed the guns, and now rolls for damage."""
    battle: int = NOBODY
    """The area of the battle that is being fought."""
    battle_round: int = 0
    step: int = 0
    hits: list[int] = ints(2)
    """Hits that have yet to be taken by attackers and defenders."""
    sneaked: int = 0
    """Whether these are hits of submarines, which only ships can take."""
    screened: list[int] = ints(2)
    """Whether each side had a destroyer when the round began."""
    bombards: int = 0
    landing: int = 0
    """Whether attackers came from the sea, so that none but aircraft may retreat."""
    doomed: list[Stack] = rows(Stack, MOST_DOOMED)
    """Units that were hit and still fire in this round."""
    overflight: list[Stack] = rows(Stack, 1)
    """Aircraft on their way at which guns have yet to fire, and the areas of these guns."""
    guns: list[int] = ints(MOST_OVERFLOWN, default=NOBODY)
    owners: list[int] = ints(areas, default=NOBODY)
    factories: list[int] = ints(areas)
    taken: list[int] = ints(areas)
    """Areas taken in this turn."""
    fought: list[int] = ints(areas)
    """Areas where a battle was fought in this turn."""
    raided: list[int] = ints(areas, default=NOBODY)
    """What raids and rockets have cost each area in this turn."""
    rockets: list[Rocket] = rows(Rocket, MOST_ROCKETS)
    money: list[int] = ints(powers)
    known: list[int] = ints(powers)
    """The technologies of each power, a bit for each."""
    bought: list[int] = ints(kind_count)
    placed: list[Placed] = rows(Placed, MOST_PLACED)
    stacks: list[Stack] = rows(Stack, room)


class Routes(Struct):
    """Ways of units: where to, through which hostile area, how long, and the area before the last."""

    count: int = 0
    to: list[int] = ints(MOST_ROUTES, bits=16)
    via: list[int] = ints(MOST_ROUTES, bits=16)
    length: list[int] = ints(MOST_ROUTES, bits=16)
    before: list[int] = ints(MOST_ROUTES, bits=16)


class Work(Struct):
    """The orders that were found, and what they are worked out in."""

    areas: int = size()
    zone_words: int = size()
    room: int = size()
    orders: int = 0
    """How many orders were found, and of each its number for one unit, and for how many units it may be given."""
    order: list[int] = ints(MOST_ORDERS)
    most: list[int] = ints(MOST_ORDERS)
    enemy: list[int] = ints(areas)
    """What the mover sees of every area: enemies, their destroyers, friends, and how far land is for aircraft."""
    screen: list[int] = ints(areas)
    friend: list[int] = ints(areas)
    land_distance: list[int] = ints(areas)
    deck_distance: list[int] = ints(areas)
    """How far every area is from a zone in which a carrier with room can be."""
    queue: list[int] = ints(areas)
    stamp: int = 0
    stamps: list[int] = ints(areas)
    """Areas seen in the search with this stamp."""
    needy: int = 0
    """Aircraft that need carriers: where each is, the movement it has left, and its berth."""
    needy_area: list[int] = ints(MOST_DECKS)
    needy_left: list[int] = ints(MOST_DECKS)
    needy_berth: list[int] = ints(MOST_DECKS)
    decks: int = 0
    """Carriers with room: the room of each, and the set of the zones it can be in."""
    rooms: list[int] = ints(MOST_DECKS)
    zones: list[list[int]] = ints(MOST_DECKS, zone_words)
    routes: list[Routes] = rows(Routes, 2)
    """Those of units that move, and those of carriers that come to aircraft."""
    stacks: list[Stack] = rows(Stack, room)
    new: list[Stack] = rows(Stack, 1)
    """Units that come onto the board, see `new_units`."""
    new_placed: list[Placed] = rows(Placed, 1)
    new_rocket: list[Rocket] = rows(Rocket, 1)


def stack_limit(world: World) -> int:
    """The room for stacks: several times those of the start, as units part and more are bought."""
    return max(FEW_STACKS, 500 + 4 * len(world.forces))


def setting_of(world: World, rules: FullRules) -> Setting:
    """The board and the rules of a game."""
    areas, powers, flyers = range(len(world.areas)), len(world.powers), world.units.flyers
    zones = [area for area in areas if world.sea[area]]
    canals = world.canals or ((0, 0, ()),)
    return Setting(
        areas=len(areas),
        powers=powers,
        friends=powers + 1,
        kind_count=len(world.units.kinds),
        turns=len(world.turns),
        flyer_count=len(flyers),
        canals=len(canals),
        sides=len(world.sides),
        zone_words=max(1, -(-len(zones) // BITS)),
        research=int(rules.research),
        low_luck=int(rules.low_luck),
        lhtr=int(rules.lhtr),
        cities=rules.winning_cities,
        rounds=rules.rounds,
        sea=[int(each) for each in world.sea],
        zone_number=[zones.index(area) if world.sea[area] else NOBODY for area in areas],
        ways=[list(each) for each in world.ways],
        by_land=[list(each) for each in world.by_land],
        by_sea=[list(each) for each in world.by_sea],
        air=[list(each) for each in world.air],
        value=[area.value for area in world.areas],
        city=[int(area.city) for area in world.areas],
        first_owner=[NOBODY if area.owner is None else area.owner for area in world.areas],
        limits=list(world.limits),
        capitals=list(world.capitals),
        friendly=[[int(each) for each in friends] for friends in world.friendly],
        side=[power.side for power in world.powers],
        bids=[rules.bids.get(power.name, 0) for power in world.powers],
        prices=[list(each) for each in world.prices],
        order=list(world.turns),
        flyers=list(flyers),
        kinds=[traits_of(world, kind) for kind in range(len(world.units.kinds))],
        canal_ends=[[one, other] for one, other, _ in canals],
        canal_land=[list(land) for _, _, land in canals],
    )


def traits_of(world: World, number: int) -> Traits:
    """A kind of unit as numbers."""
    kind, flyers = world.units.kinds[number], world.units.flyers
    others = {"domain": DOMAINS[kind.domain], "flyer": flyers.index(number) if number in flyers else NOBODY}
    return Traits(**{name: int(getattr(kind, name)) for name in Traits.FIELDS if name not in others}, **others)


def work_of(world: World) -> Work:
    """Room to work in for a game."""
    words = max(1, -(-sum(world.sea) // BITS))
    return Work(
        areas=len(world.areas),
        zone_words=words,
        room=stack_limit(world),
        routes=[Routes(), Routes()],
        new=[Stack()],
        new_placed=[Placed()],
        new_rocket=[Rocket()],
    )


def first_position(world: World, rules: FullRules) -> Position:
    """The start: units, owners and money of the board; a bid comes first where there is one."""
    bidders = [power for power in world.turns if rules.bids.get(world.powers[power].name)]
    return Position(
        areas=len(world.areas),
        powers=len(world.powers),
        kind_count=len(world.units.kinds),
        room=stack_limit(world),
        mover=bidders[0] if bidders else world.turns[0],
        phase=BID if bidders else RESEARCH,
        purse=rules.bids[world.powers[bidders[0]].name] if bidders else 0,
        owners=[NOBODY if area.owner is None else area.owner for area in world.areas],
        factories=[int(area.factory) for area in world.areas],
        money=list(world.money),
        stacks=[
            Stack(area=area, power=power, kind=kind, count=count)
            for (area, power, kind), count in sorted({each[:3]: each[3] for each in world.forces}.items())
        ],
    )
