"""`check_leaks`: tests that no view holds what its player may not see.

Two copies of a match are played side by side. While a seat sees the same of both, everything reachable from its two
views must be the same: attributes, text, legal actions, and completions drawn with the same random numbers.
"""

from typing import Any

from kibitz import core
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz.testing.walks import first, random_action, require, seat_name

Action = tuple[int, ...]


def check_leaks(
    game: str | core.Game, *, walks: int = 60, plies: int = 120, positions: int = 2000, seed: int = 0
) -> None:
    """Test the views of a game with hidden information, from every seat and as a spectator.

    Long games need fewer walks: no new one starts after *positions* were checked from a seat.
    """
    made = make_game(game)
    parted = False
    for seat in (*range(made.players), None):
        rng, looked_at = stream(seed, "check_leaks", repr(made), str(seat)), 0
        for _ in range(walks):
            if looked_at < positions:
                compared, differed = _side_by_side(made, seat, rng, plies)
                looked_at, parted = looked_at + compared, parted or differed
    parted |= made.infosets_in_views  # what such views hide may be how many moves were made
    require(parted, f"{made}: nothing was ever hidden from any seat in {walks} games; is `hidden` right?")


def _side_by_side(game: core.Game, seat: int | None, rng: core.Rng, plies: int) -> tuple[int, bool]:
    """Play two matches that look the same from *seat*; return the plies, and whether they ever differed."""
    left, right = game.new_initial_state(), game.new_initial_state()
    compared, parted = 0, False
    for _ in range(plies):
        if left.is_terminal() or right.is_terminal():
            break
        _check_hidden_effects(game, left, seat, rng)
        actions = _alike(game, left, right, seat, rng)
        if actions is None:
            break
        left.step(actions[0])
        right.step(actions[1])
        if left.view(seat).key() != right.view(seat).key():
            break  # the rules revealed something
        compared, parted = compared + 1, parted or left.key() != right.key()
        _compare(game, left, right, seat, rng)
    return compared, parted


def _check_hidden_effects(game: core.Game, state: core.State, seat: int | None, rng: core.Rng) -> None:
    """Require that actions that look the same from *seat* lead from one state to equal views."""
    actions = _alike(game, state, state, seat, rng)
    if actions is None:
        return
    views = []
    for chosen in actions:
        after = state.clone()
        after.step(chosen)
        views.append(after.view(seat))
    words = f"{game} at {state.key()!r}: {actions[0]} and {actions[1]} look the same from {seat_name(seat)}"
    require(views[0].key() == views[1].key(), f"{words}, but the views after them differ; see seen_action")


def _alike(
    game: core.Game, left: core.State, right: core.State, seat: int | None, rng: core.Rng
) -> tuple[Action, Action] | None:
    """Actions for both matches that look the same from *seat*, different ones if possible; None if there are none."""
    if left.current_player() == core.CHANCE:
        own = [action for action, _ in left.chance_outcomes()]
        others = [action for action, _ in right.chance_outcomes()]
        chosen = own[int(rng.random() * len(own))]
        seen = left.seen_action(seat, core.CHANCE, chosen)
        other = _seen_as(right, seat, core.CHANCE, seen, others, rng)
        return None if other is None else ((chosen,), (other,))
    pairs = []
    for player in game.movers(left):
        chosen = random_action(left, player, rng)
        candidates = first(right.legal_actions(player), 200)
        if chosen in right.legal_actions(player):
            candidates.append(chosen)
        other = _seen_as(right, seat, player, left.seen_action(seat, player, chosen), candidates, rng)
        if other is None:
            return None
        pairs.append((chosen, other))
    return tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)


def _seen_as(
    state: core.State, seat: int | None, player: int, seen: int | None, candidates: list[int], rng: core.Rng
) -> int | None:
    """One of *candidates* that *seat* would see as *seen*."""
    fitting = [action for action in candidates if state.seen_action(seat, player, action) == seen]
    return fitting[int(rng.random() * len(fitting))] if fitting else None


def _compare(game: core.Game, left: core.State, right: core.State, seat: int | None, rng: core.Rng) -> None:
    one, other = left.view(seat), right.view(seat)
    where = f"{game}: {left.key()!r} and {right.key()!r} look the same from {seat_name(seat)}"
    same = reachable(one) == reachable(other)
    require(same, f"{where}, but their views hold different things: {'' if same else _apart(one, other)}")
    require(str(one) == str(other), f"{where}, but print differently")
    for player in game.movers(one):
        same = first(one.legal_actions(player), 50) == first(other.legal_actions(player), 50)
        require(same, f"{where}, but player {player} has other legal actions on them")
    number = int(rng.random() * 2**32)
    completions = [view.complete(stream(number, "complete")).key() for view in (one, other)]
    require(completions[0] == completions[1], f"{where}, but complete() knows which is which")


def _apart(one: core.State, other: core.State) -> str:
    """The attributes in which two views differ."""
    names = sorted({*vars(one), *vars(other)})
    return ", ".join(n for n in names if reachable(vars(one).get(n)) != reachable(vars(other).get(n))) or "in depth"


def reachable(thing: Any, depth: int = 12) -> Any:
    """Everything reachable from an object through attributes and containers, as a value to compare."""
    if depth == 0 or thing is None or isinstance(thing, (int, float, str, bytes, core.Game, type)):
        return repr(thing)
    if isinstance(thing, dict):
        return sorted((repr(key), reachable(value, depth - 1)) for key, value in thing.items())
    if isinstance(thing, (list, tuple)):
        if all(type(item) is int for item in thing):
            return repr(thing)  # most values in states, and fast to compare
        return [reachable(item, depth - 1) for item in thing]
    if isinstance(thing, (set, frozenset)):
        return sorted(repr(reachable(item, depth - 1)) for item in thing)
    if hasattr(thing, "tobytes"):
        return thing.tobytes()
    slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    attributes = {**getattr(thing, "__dict__", {}), **{name: getattr(thing, name, None) for name in slots}}
    return type(thing).__name__, reachable(attributes, depth - 1)
