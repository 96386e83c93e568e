"""The plan library of the whole game: what a power is up to, by where its orders go and what it buys.

For a power every area belongs to the theatre of the nearest capital of its enemies. A plan repeats orders that serve
it, and strays at times: Kremlin, Sealion, Pacific and so on go for a capital, `stack and trade` fights for what lies
between.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from kibitz import core
from kibitz.games.axis.full import orders as verbs
from kibitz.games.axis.full.board import World
from kibitz.games.axis.full.game import FullState
from kibitz.games.axis.full.notation import order_of_number
from kibitz.games.axis.full.orders import Order
from kibitz.games.axis.full.situation import Situation
from kibitz.games.axis.rules import Axis
from kibitz.models.plans.library import Observation
from kibitz.models.plans.observed_player import GamePlans

NAMES = {
    "Russia": "Kremlin",
    "Germany": "Berlin",
    "United Kingdom": "Sealion",
    "Japan": "Pacific",
    "Eastern United States": "Washington",
}
"""What players call the plan to take a capital."""
TRADE = "stack and trade"
SERVES, HELPS = 4.0, 2.0
"""How much likelier an order is that serves a plan, or helps it, than any other."""
ENDS = 0.001
"""How likely a plan ends with an order; every plan must end."""
OTHER = "wait"
BRANCHES = ("land units", "ships", "aircraft", "other things")
MOVES = {"land": "march to", "sea": "sail to", "air": "fly to"}


def plans(game: core.Game) -> GamePlans | None:
    """The plans of a game; None in the land scenarios."""
    if not isinstance(game, Axis) or game.rules != "full" or not theatres(game.world):
        return None
    return GamePlans(library_text(tuple(theatres(game.world)), across_water(game.world)), describe)


def theatres(world: World) -> dict[str, int]:
    """The capitals that plans are about, by name."""
    return {world.areas[capital].name: capital for capital in world.capitals if capital >= 0}


def theatre_of(world: World, area: int, power: int) -> str:
    """The nearest capital of a power's enemies to an area; of equally near ones the first."""
    found = theatres(world)
    hostile = [name for name, place in found.items() if not world.friendly[power][world.capitals.index(place)]]
    return min(hostile or found, key=lambda name: world.air[found[name]][area])


def across_water(world: World) -> tuple[str, ...]:
    """The capitals to which no way leads by land from most others."""
    found = theatres(world)
    near = {name: sum(world.marches[place][other] < 99 for other in found.values()) for name, place in found.items()}
    return tuple(name for name, count in near.items() if count <= 1)


@lru_cache(maxsize=16)
def library_text(capitals: tuple[str, ...], overseas: tuple[str, ...]) -> str:
    """The library in the text form: a goal for every capital, one for trading, an action for every kind of order."""
    goals = {NAMES.get(name, f"take {name}"): name for name in capitals} | {TRADE: ""}
    lines = ["library axis", *(f'goal "{goal}"' for goal in goals)]
    for goal, target in goals.items():
        weights = dict(action_weights(capitals, target, target in overseas))
        total = sum(weights.values())
        rules = [
            rule
            for action, weight in weights.items()
            for rule in (
                f'"{action}" "{goal}" : ordered [{(1.0 - ENDS) * weight / total!r}]',
                f'"{action}" [{ENDS * weight / total!r}]',
            )
        ]
        lines.append(f'"{goal}" -> ' + "\n    | ".join(rules))
    return "\n".join(lines) + "\n"


def action_weights(capitals: Sequence[str], target: str, overseas: bool) -> Iterator[tuple[str, float]]:
    """How likely every action is under a plan, compared with each other."""
    yield OTHER, 1.0
    for name in capitals:
        goes_there = name == target
        for verb in ("attack in", "raid"):
            yield f"{verb} {name}", SERVES if goes_there else HELPS if not target and verb != "raid" else 1.0
        for domain, verb in MOVES.items():
            helps = domain != ("land" if overseas else "sea")
            yield f"{verb} {name}", (SERVES if helps else HELPS) if goes_there else 1.0
        yield f"land in {name}", SERVES if goes_there and overseas else HELPS if goes_there else 1.0
    for branch in BRANCHES:
        wanted = "ships" if overseas else "land units"
        yield f"buy {branch}", HELPS if branch == wanted else 1.0


def describe(view: core.State, player: int, actions: Sequence[int]) -> list[Observation]:
    """Orders by what they do and in whose theatre."""
    assert isinstance(view, FullState)
    return [Observation(order_action(view.situation, order_of_number(action)[0])) for action in actions]


def order_action(situation: Situation, order: Order) -> str:
    """An order as an action of the library."""
    world = situation.world
    if order.verb == verbs.BUY:
        kind = world.units.kinds[order.kind]
        branches = {"land": "land units", "sea": "ships", "air": "aircraft"}
        return f"buy {'other things' if kind.gun or kind.factory else branches[kind.domain]}"
    if order.verb == verbs.RAID or order.verb == verbs.FIRE_ROCKET:
        return f"raid {theatre_of(world, order.to, situation.mover)}"
    if order.verb not in (verbs.MOVE, verbs.LOADING, verbs.UNLOADING) or order.to < 0:
        return OTHER
    power = situation.mover
    where = theatre_of(world, order.to, power)
    if order.verb == verbs.UNLOADING:
        return f"land in {where}"
    hostile = bool(situation.enemies(order.to, power))
    if hostile or (not world.sea[order.to] and not situation.is_friendly(order.to, power)):
        return f"attack in {where}"
    domain = "sea" if order.verb == verbs.LOADING else world.units.kinds[order.kind].domain
    return f"{MOVES[domain]} {where}"
