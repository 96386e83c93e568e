"""The board after events have changed it: prices, kinds of units, areas, and who is friendly with whom."""

from msgspec.structs import replace

from kibitz.games.axis.full.board import World
from kibitz.games.axis.full.events.book import Change, EventBook
from kibitz.games.axis.full.units import UnitSet

LAID_OUT = ("sea", "ways", "by_land", "by_sea", "air", "marches", "numbers", "folded_numbers", "canal_land")
"""What a board works out from its areas, and keeps while none of them opens or closes."""
REMEMBERED = 64
"""How many changed boards a board remembers."""


def with_change(changes: tuple[Change, ...], *fresh: Change) -> tuple[Change, ...]:
    """Changes with later ones, which take the place of those about the same."""
    found = {change[:3]: change[3] for change in (*changes, *fresh)}
    return tuple(sorted((*key, value) for key, value in found.items()))


def changed_world(world: World, changes: tuple[Change, ...]) -> World:
    """The board after changes; *world* is the one of the start."""
    if not changes:
        return world
    boards: dict[tuple[Change, ...], World] = world.__dict__.setdefault("changed boards", {})
    if changes not in boards:
        if len(boards) >= REMEMBERED:
            del boards[next(iter(boards))]
        boards[changes] = _make_board(world, changes)
    return boards[changes]


def first_world(world: World) -> World:
    """The board of the start that a board was changed from."""
    found: World = world.__dict__.get("first world", world)
    return found


def _make_board(world: World, changes: tuple[Change, ...]) -> World:
    book = world.book
    assert book is not None
    kinds, areas, made = list(world.units.kinds), list(world.areas), dict(world.makes)
    pacts = {(one, other): friends for one, other, friends in world.pacts}
    for what, which, field, value in changes:
        if what == "kind":
            old = getattr(kinds[which], field)
            kinds[which] = replace(kinds[which], **{field: type(old)(value)})
        elif what == "area" and field == "makes":
            made[which] = value
        elif what == "area":
            areas[which] = replace(areas[which], **{field: type(getattr(areas[which], field))(value)})
        elif what == "relation":
            pacts[which, int(field)] = book.types[value] == "allied"
    changed = replace(
        world,
        areas=tuple(areas),
        units=UnitSet(tuple(kinds)),
        makes=tuple(sorted(made.items())),
        offers=_offers(world, book, changes),
        pacts=tuple((*pair, friends) for pair, friends in sorted(pacts.items())),
    )
    if not any(change[::2] == ("area", "closed") for change in changes):
        changed.__dict__.update({name: getattr(world, name) for name in LAID_OUT})
    changed.__dict__["first world"] = world
    return changed


def _offers(world: World, book: EventBook, changes: tuple[Change, ...]) -> tuple[tuple[int, ...], ...]:
    """Of every power what it pays for each kind: its list may be another, and lists may have changed."""
    lists, buys_from = [list(each) for each in book.frontiers], list(book.buys_from)
    for what, which, field, value in changes:
        if what == "rule":
            lists[which][int(field)] = value
        elif what == "offer":
            buys_from[which] = value
    none = (0,) * len(world.units.kinds)
    return tuple(tuple(lists[number]) if number >= 0 else none for number in buys_from) or world.offers
