"""What an order would bring: the exact odds of the battle that it leads to."""

from kibitz import core
from kibitz.core.kit.positions import Preview
from kibitz.games.axis.changes import add_armies
from kibitz.games.axis.rules import State
from kibitz.games.axis.units import Army


def preview(state: core.State, player: int, action: int) -> Preview | None:
    """The odds where the unit attacks, with all units already sent to the same area."""
    if not isinstance(state, State) or state.current_player() != player:
        return None
    board, to = state.board, action % len(state.board.areas)
    here, post = board.areas[to].name, state.posts[len(state.orders)]
    unit = board.units[post.kind].name
    if to == post.area:
        return Preview(f"The {unit} stays in {here}.")
    defenders = state.defenders(to)
    if not any(defenders):
        owner = state.owners[to]
        taken = owner is not None and board.powers[owner].side != board.powers[player].side
        words = f"takes {here}, worth {board.worth[to]} IPC, without a battle" if taken else f"goes to {here}"
        return Preview(f"The {unit} {words}.", good=True if taken else None)
    attackers = arriving_army(state, to, post.kind)
    won = sum(chance for own, other, chance in board.endings(attackers, defenders) if any(own) and not any(other))
    words = f"{army_words(state, attackers)} against {army_words(state, defenders)} in {here}: you win {won:.0%}."
    return Preview(words, f"{won:.0%}", won >= 0.5)


def arriving_army(state: State, to: int, kind: int) -> Army:
    """A unit of *kind*, and all units that were sent to an area before it."""
    areas, none = len(state.board.areas), (0,) * len(state.board.units)
    kinds = [kind]
    for post, order in zip(state.posts, state.orders, strict=False):
        if order % areas == to != post.area:
            kinds.append(post.kind)
    army: Army = none
    for each in kinds:
        army = add_armies(army, (*none[:each], 1, *none[each + 1 :]))
    return army


def army_words(state: State, army: Army) -> str:
    """An army in words: `2 infantry and 1 tank`."""
    counts = [f"{count} {unit.name}" for count, unit in zip(army, state.board.units, strict=True) if count]
    return " and ".join(filter(None, [", ".join(counts[:-1]), *counts[-1:]]))
