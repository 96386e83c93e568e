"""Situations of the whole game, made and played in words: who stands where, orders as typed, dice as thrown."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from kibitz.core.errors import NotUnderstood
from kibitz_axis.full import dice, turn
from kibitz_axis.full.battles import BOMBARDMENT, SNEAK_ATTACK, SNEAK_DEFENCE
from kibitz_axis.full.board import read_world
from kibitz_axis.full.economy import earn, raider_count
from kibitz_axis.full.fire import HEAVY_DICE, Odds, Shot, aimed_aircraft, raid_damage, roll_odds, volley
from kibitz_axis.full.landing import list_stranded
from kibitz_axis.full.losses import strength
from kibitz_axis.full.movement import cargo_item, item_kind
from kibitz_axis.full.notation import order_text, read_area, read_orders
from kibitz_axis.full.orders import Order, number_of, order_of_number
from kibitz_axis.full.position import (
    BATTLE,
    COMBAT,
    MOST_CARGO,
    NOBODY,
    OVER,
    PLACE,
    Position,
    Stack,
    first_position,
    work_of,
)
from kibitz_axis.full.rules_options import read_rules
from kibitz_axis.full.stacks import add_units, knows, movement_left, sort_stacks
from kibitz_axis.full.tables import WorldRules
from kibitz_axis.full.units import HEAVY_BOMBERS
from kibitz_axis.units import read_army

WORLD = read_world("revised")
POWERS = [power.name for power in WORLD.powers]


class Roll(NamedTuple):
    """Dice that are rolled now: what for, and how likely each result is."""

    what: str
    odds: Odds


def hits_of_dice(shots: Iterable[Shot], faces: Iterable[int]) -> int:
    """The hits of dice rolled in the order of the shots."""
    rolled, found = iter(faces), 0
    for shot in shots:
        struck = sum(next(rolled) <= shot.strength for _ in range(shot.dice))
        found += min(1, struck) if shot.best else struck
    return found


class Scene:
    """A position of a board, which is not changed; its fields are those of the position."""

    def __init__(self, tables: WorldRules, position: Position) -> None:
        self.tables, self.position = tables, position

    def __getattr__(self, name: str) -> Any:
        return getattr(self.position, name)

    def replace(self, **fields: Any) -> "Scene":
        """The same with other fields."""
        position = self.position.copy()
        for name, value in fields.items():
            setattr(position, name, value)
        return Scene(self.tables, position)

    def at(self, where: int) -> list[Stack]:
        return [stack for stack in self.stacks if stack.area == where]

    def own_units(self, where: int, owner: int) -> list[Stack]:
        return [stack for stack in self.at(where) if stack.power == owner]

    def with_stacks(self, stacks: Iterable[Stack]) -> "Scene":
        """The same with other units."""
        position = self.position.copy()
        del position.stacks[:]
        for stack in stacks:
            add_units(position, stack, stack.count)
        return Scene(self.tables, position)

    def map_units(self, change: Callable[[Stack], object]) -> "Scene":
        """The same with every stack changed."""
        position = self.position.copy()
        for stack in position.stacks:
            change(stack)
        sort_stacks(position)
        return Scene(self.tables, position)


# The rules, applied to scenes.


def changed(scene: Scene, rule: Callable[..., Any], *arguments: Any, works: bool = True) -> Scene:
    """What a rule makes of a scene."""
    position = scene.position.copy()
    rule(scene.tables.setting, position, *arguments, *((work_of(scene.tables.world),) if works else ()))
    return Scene(scene.tables, position)


def advance(scene: Scene) -> Scene:
    return changed(scene, turn.advance)


def apply_order(scene: Scene, order: Order, count: int = 0) -> Scene:
    return changed(scene, turn.play_order, number_of(order, count))


def apply_roll(scene: Scene, result: int) -> Scene:
    return changed(scene, turn.play_result, result)


def mover(scene: Scene) -> int:
    setting, position = scene.tables.setting, scene.position
    return turn.player_to_move(setting, position)


def current_orders(scene: Scene) -> list[Order]:
    """What may be ordered now, sorted."""
    setting, position, work = scene.tables.setting, scene.position, work_of(scene.tables.world)
    if scene.phase == OVER or mover(scene) == turn.CHANCE:
        return []
    turn.list_orders(setting, position, work)
    pairs = sorted(zip(work.order[: work.orders], work.most[: work.orders], strict=True))
    return [order_of_number(first)[0]._replace(most=most) for first, most in pairs]


def roll(scene: Scene) -> Roll | None:
    """The dice that are rolled now, if any."""
    setting, position = scene.tables.setting, scene.position
    rolled = dice.what_is_rolled(setting, position)
    if rolled == dice.NO_ROLL:
        return None
    steps = {BOMBARDMENT: "bombardment", SNEAK_ATTACK: "submarines", SNEAK_DEFENCE: "submarines"}
    names = (
        "",
        "research",
        "overflight",
        "guns",
        steps.get(position.step, "fire"),
        "guns at raiders",
        "raid",
        "rocket",
    )
    return Roll(names[rolled], roll_odds(setting, position))


def battle_areas(scene: Scene) -> list[int]:
    """The areas where battles are to be fought."""
    setting, position = scene.tables.setting, scene.position
    areas = [0] * len(scene.tables.world.areas)
    return areas[: turn.list_battles(setting, position, areas)]


def stranded_aircraft(scene: Scene, owner: int) -> list[Stack]:
    """The aircraft of a power that have no place where they are."""
    setting, position, work = scene.tables.setting, scene.position, work_of(scene.tables.world)
    found = []
    for where in range(len(scene.tables.world.areas)):
        list_stranded(setting, position, where, owner, work)
        found += work.stacks.copy()
    return found


def income(scene: Scene, owner: int) -> int:
    """What a power earns at the end of its turn."""
    return changed(scene, earn, owner, works=False).money[owner] - scene.money[owner]


def has_technology(scene: Scene, owner: str, technology: int) -> bool:
    return knows(scene.position, power(owner), technology)


def values(scene: Scene, owner: str, kind: int) -> tuple[int, int, int]:
    """Attack, defence and movement of a unit of a power."""
    setting, position = scene.tables.setting, scene.position
    unit = Stack(area=0, power=power(owner), kind=kind, count=1)
    fights = [strength(setting, position, unit, side) for side in (0, 1)]
    return fights[0], fights[1], movement_left(setting, position, unit)


# Words.


def area(name: str) -> int:
    """The number of an area."""
    number = read_area(WORLD, name)
    assert number is not None, name
    return number


def power(name: str) -> int:
    """The number of a power."""
    return POWERS.index(name)


def start(mover: str, phase: int = COMBAT, **switches: Any) -> Scene:
    """The initial scene, in a phase of a power's turn."""
    tables = WorldRules(WORLD, read_rules(switches))
    return Scene(tables, first_position(WORLD, tables.rules)).replace(mover=power(mover), phase=phase, purse=0)


def put(scene: Scene, owner: str, where: str, army: str, **fields: Any) -> Scene:
    """More units in an area."""
    here = {"area": area(where), "power": power(owner)}
    new = [Stack(**here, **fields, kind=kind, count=n) for kind, n in enumerate(read_army(army)) if n]
    return scene.with_stacks([*scene.stacks, *new])


def clear(scene: Scene, *where: str) -> Scene:
    """Areas without units."""
    gone = {area(name) for name in where}
    return scene.with_stacks([stack for stack in scene.stacks if stack.area not in gone])


def own(scene: Scene, where: str, owner: str) -> Scene:
    """An area that belongs to another power."""
    owners = list(scene.owners)
    owners[area(where)] = power(owner)
    return scene.replace(owners=owners)


def marked(scene: Scene, field: str, where: str, value: int = 1) -> Scene:
    """A scene with a mark on an area: `taken`, `fought`, `factories` or `raided`."""
    marks = list(getattr(scene, field))
    marks[area(where)] = value
    return scene.replace(**{field: marks})


def fight(scene: Scene) -> Scene:
    """The battle phase."""
    return advance(scene.replace(phase=BATTLE))


def knowing(scene: Scene, owner: str, technology: int) -> Scene:
    """A power with a technology."""
    known = list(scene.known)
    known[power(owner)] |= 1 << technology
    return scene.replace(known=known)


def buy(scene: Scene, army: str, factories: int = 0) -> Scene:
    """A power that has bought units and places them."""
    return scene.replace(bought=[*read_army(army), factories], phase=PLACE)


def aboard(owner: str, army: str) -> list[int]:
    """Units on a transport since an earlier turn."""
    kinds = [kind for kind, n in enumerate(read_army(army)) for _ in range(n)]
    items = [cargo_item(power(owner), kind, 0, NOBODY) for kind in kinds]
    return [*items, *[0] * (MOST_CARGO - len(items))]


def cargo_of(stack: Stack) -> list[int]:
    """The kinds of units aboard."""
    return [item_kind(item) for item in stack.cargo if item]


def can(scene: Scene, line: str) -> bool:
    """Whether a line is legal as a whole."""
    try:
        play(scene, line)
    except NotUnderstood:
        return False
    return True


def play(scene: Scene, *lines: str) -> Scene:
    """What lines of orders lead to."""
    for line in lines:
        for order, count in read_orders(scene.tables, scene.position, line, current_orders(scene)):
            fresh = next((o for o in current_orders(scene) if o._replace(most=0) == order._replace(most=0)), None)
            if fresh is None or fresh.most < count:
                raise NotUnderstood(line, order_words(scene, order, count), "not after the order before it")
            scene = apply_order(scene, fresh, count)
    return scene


def order_words(scene: Scene, order: Order, count: int) -> str:
    return order_text(WORLD, scene.phase, order, count)


def asked(scene: Scene) -> list[str]:
    """The orders without numbers that may be given now."""
    return [order_words(scene, order, 0) for order in current_orders(scene) if not order.most]


def throw(scene: Scene, *faces: int) -> Scene:
    """What dice lead to, thrown in the order in which units fire; their number must be right."""
    rolled = roll(scene)
    assert rolled is not None, "no dice are rolled now"
    expected, result = _meaning(scene, rolled.what, faces)
    assert len(faces) == expected, f"{rolled.what}: {expected} dice, not {len(faces)}"
    assert result in dict(rolled.odds), f"{result} is not a result of {rolled}"
    return apply_roll(scene, result)


def _meaning(scene: Scene, what: str, faces: tuple[int, ...]) -> tuple[int, int]:
    """How many dice are rolled, and what these mean."""
    setting, position = scene.tables.setting, scene.position
    if what == "research":
        return position.dice, faces.count(6)
    if what in ("overflight", "guns at raiders"):
        return sum(aimed_aircraft(setting, position, dice.what_is_rolled(setting, position))), faces.count(1)
    if what == "raid":
        rolled = HEAVY_DICE if knows(position, position.mover, HEAVY_BOMBERS) else 1
        bombers, value = raider_count(position, position.raid), setting.value[position.raid]
        groups = [faces[n * rolled : (n + 1) * rolled] for n in range(bombers)]
        return rolled * bombers, sum(raid_damage(bool(setting.lhtr), value, group) for group in groups)
    if what == "rocket":
        target = next(each.target for each in scene.rockets if each.target != NOBODY)
        return 1, min(faces[0], setting.value[target])
    if what == "guns":
        fighters, bombers = aimed_aircraft(setting, position, dice.BATTLE_GUNS)
        hits = faces[:fighters].count(1), faces[fighters:].count(1)
        return fighters + bombers, dice.MOST_DIGIT * hits[0] + hits[1] if fighters and bombers else sum(hits)
    firing = volley(setting, position)
    return sum(shot.dice for shot in firing), hits_of_dice(firing, faces)


def count(scene: Scene, owner: str, where: str, kind: int | None = None) -> int:
    """How many units (of a kind) a power has in an area."""
    units = scene.own_units(area(where), power(owner))
    return sum(stack.count for stack in units if kind is None or stack.kind == kind)


def units_of(scene: Scene, owner: str) -> list[Stack]:
    """The units of a power, cargo aside."""
    return [stack for stack in scene.stacks if stack.power == power(owner)]


def next_turn_of(scene: Scene, mover: str) -> Scene:
    """The same units in a later turn of a power, in its combat moves."""
    for _ in POWERS:
        scene = changed(scene, turn.next_turn, works=False)
        if scene.mover == power(mover):
            break
    return scene.replace(phase=COMBAT)


def battle_odds(scene: Scene, where: str) -> tuple[float, float, float]:
    """How likely the attacker, the defender, and nobody is left, fought to the end without retreat or submerging."""
    known: dict[Any, list[tuple[Any, float]]] = {}
    waiting, ways, ended = [scene], {_key(scene): 1.0}, [0.0, 0.0, 0.0]
    while waiting:
        each = waiting.pop()
        if _key(each) not in known:
            known[_key(each)] = []
            for after, share in _outcomes(each):
                goes_on = after.battle != NOBODY
                known[_key(each)].append((_key(after) if goes_on else _winner(after, where), share))
                waiting += [after] if goes_on else []
    while sum(ways.values()) > 1e-12:
        following: dict[Any, float] = {}
        for key, chance in ways.items():
            for reached, share in known[key]:
                if isinstance(reached, int):
                    ended[reached] += chance * share
                else:
                    following[reached] = following.get(reached, 0.0) + chance * share
        ways = following
    return ended[0], ended[1], ended[2]


def _winner(scene: Scene, where: str) -> int:
    """0 if attackers are left, 1 if only defenders are, 2 if nobody is."""
    here = area(where)
    return 0 if scene.own_units(here, scene.mover) else 1 if scene.at(here) else 2


def _key(scene: Scene) -> Any:
    """What tells scenes of a battle apart, whichever round it is."""
    return scene.replace(battle_round=0).position.key()


def _outcomes(scene: Scene) -> Iterator[tuple[Scene, float]]:
    rolled = roll(scene)
    if rolled is not None:
        for result, chance in rolled.odds:
            yield apply_roll(scene, result), chance
        return
    words = asked(scene)
    yield play(scene, "stay" if "stay" in words else "fight on" if "fight on" in words else words[0]), 1.0
