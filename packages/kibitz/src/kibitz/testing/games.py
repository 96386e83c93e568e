"""`check_game`: the contract test of games."""

import warnings
from collections.abc import Sequence
from itertools import islice, product
from math import isfinite
from typing import Any

import msgspec

from kibitz import core
from kibitz.core import drawing
from kibitz.core.errors import IllegalAction
from kibitz.core.registry import bridged_entries, entries, kit_of, make_game, spec_of
from kibitz.core.seeds import stream
from kibitz.testing.leaks import check_leaks
from kibitz.testing.tables import check_table
from kibitz.testing.walks import first, pickle_copy, random_step, require, sample_actions, seat_name, walk

NEVER_LEGAL = (-1, 10**30)


class MissingDescription(UserWarning):
    """A game without `about`."""


def check_game(game: str | core.Game, *, walks: int = 12, plies: int = 120, seed: int = 0) -> None:
    """Test a game along random walks; of a registered one also the drawing and the table.

    The states are checked along *walks* walks, leaks along five times as many.

    >>> from kibitz.testing import check_game
    >>> check_game("dilemma(rounds=3)", walks=2)  # raises if it breaks the contract
    """
    made = make_game(game)
    kit = kit_of(made)
    if kit.words is None and spec_of(made).name in entries("game"):
        words = f"{made}: its kit has no words about it, so people read its docstrings instead"
        warnings.warn(words, MissingDescription, stacklevel=2)
    _check_declaration(made)
    rng = stream(seed, "check_game", repr(made))
    futures: dict[core.Key, Any] = {}
    for _ in range(walks):
        for state in walk(made, rng, plies):
            _check_state(made, state, rng, futures)
            for seat in (*range(made.players), None):
                _check_view(made, state, seat, rng)
    if made.hidden:
        check_leaks(made, walks=5 * walks, positions=170 * walks, seed=seed)
    if kit.drawing is not None:
        _check_drawings(made, kit.drawing, rng)
    if kit.table is not None:
        check_table(made, seed=seed)


def _check_declaration(game: core.Game) -> None:
    least, most = game.utility
    require(game.players >= 1, f"{game}: players is {game.players}")
    members = sorted(player for team in game.teams for player in team)
    require(members == list(range(game.players)), f"{game}: teams {game.teams} do not hold every player once")
    require(isfinite(least) and isfinite(most) and least < most, f"{game}: utility {game.utility} is no range")
    require(game.max_plies >= 1, f"{game}: max_plies is {game.max_plies}")
    one, other = game.new_initial_state(), game.new_initial_state()
    require(one is not other, f"{game}: new_initial_state returns the same object twice")
    require(one.key() == other.key(), f"{game}: two initial states have different keys")
    require(all(isinstance(game.player_name(p), str) for p in range(game.players)), f"{game}: player_name")
    if spec_of(game).name in (*entries("game"), *bridged_entries("game")):
        again = make_game(repr(game))
        require(repr(again) == repr(game), f"{game}: its repr makes {again!r} instead")


def _check_state(game: core.Game, state: core.State, rng: core.Rng, futures: dict[core.Key, Any]) -> None:
    where = f"{game} at {state.key()!r}"
    current = state.current_player()
    require(
        current in (core.CHANCE, core.SIMULTANEOUS, core.TERMINAL) or 0 <= current < game.players,
        f"{where}: current_player is {current}",
    )
    require(state.is_terminal() == (current == core.TERMINAL), f"{where}: is_terminal and current_player disagree")
    require(_is_plain(state.key()), f"{where}: keys hold ints, strings, bytes, None and tuples of them only")
    require(isinstance(str(state), str), f"{where}: str")
    _check_returns(game, state, where)
    if current == core.CHANCE:
        _check_chance(state, where)
    for player in game.movers(state):
        _check_actions(state, player, rng, where, game.action_bound)
    if current in (core.TERMINAL, core.CHANCE):
        for player in range(game.players):
            require(
                len(state.legal_actions(player)) == 0,
                f"{where}: no one is to move, but player {player} may",
            )
    if current != core.CHANCE:
        require(not state.chance_outcomes(), f"{where}: chance does not move, but there are chance_outcomes")
    for player in range(game.players):
        msgspec.json.encode(state.truth(player))
    _check_copies(game, state, rng, where)
    future = _future(game, state)
    require(futures.setdefault(state.key(), future) == future, f"{where}: another state of this key has another future")


def _check_returns(game: core.Game, state: core.State, where: str) -> None:
    least, most = game.utility
    for team in game.teams if state.is_terminal() else ():
        require(len({state.returns()[player] for player in team}) == 1, f"{where}: team {team} does not earn the same")
    for returns in (state.returns() if state.is_terminal() else game.infinite_play(state),):
        require(len(returns) == game.players, f"{where}: {len(returns)} returns for {game.players} players")
        inside = all(least - 1e-9 <= value <= most + 1e-9 for value in returns)
        require(inside, f"{where}: returns {returns} leave the declared range {game.utility}")
        require(not game.zero_sum or abs(sum(returns)) < 1e-9, f"{where}: returns {returns} of a zero-sum game")


def _check_chance(state: core.State, where: str) -> None:
    outcomes = list(state.chance_outcomes())
    actions = [action for action, _ in outcomes]
    total = sum(probability for _, probability in outcomes)
    require(outcomes, f"{where}: chance moves, but chance_outcomes is empty")
    require(actions == sorted(set(actions)), f"{where}: chance outcomes are not sorted and distinct")
    require(all(probability >= 0.0 for _, probability in outcomes), f"{where}: a negative chance probability")
    require(abs(total - 1.0) < 1e-9, f"{where}: the chance probabilities add up to {total}")
    _check_notation(state, core.CHANCE, actions, where)


def _check_actions(state: core.State, player: int, rng: core.Rng, where: str, bound: int | None) -> None:
    legal = state.legal_actions(player)
    require(len(legal) > 0, f"{where}: player {player} is to move but has no legal action")
    some = sample_actions(legal, rng)
    require(all(type(action) is int for action in some), f"{where}: actions are ints")
    require(some == sorted(set(some)), f"{where}: legal actions are not sorted and distinct")
    require(all(action in legal for action in some), f"{where}: a listed action is not `in` legal_actions")
    if bound is not None:
        require(all(action < bound for action in some), f"{where}: an action is not below action_bound, {bound}")
    require(not any(action in legal for action in NEVER_LEGAL), f"{where}: any number is `in` legal_actions")
    require(state.default_action(player) in legal, f"{where}: the default action of player {player} is not legal")
    _check_notation(state, player, some, where)


def _check_notation(state: core.State, player: int, actions: Sequence[int], where: str) -> None:
    texts = [state.action_to_string(player, action) for action in actions]
    require(len(set(texts)) == len(texts), f"{where}: two actions of player {player} have the same notation")
    for action, text in zip(actions, texts, strict=True):
        require(text == " ".join(text.split()) and text, f"{where}: notation {text!r} has odd white space")
        back = state.string_to_action(player, text)
        require(back == action, f"{where}: {text!r} is read back as {back}, not {action}")
    try:
        state.string_to_action(player, "no such move")
    except IllegalAction:
        return
    require(False, f"{where}: 'no such move' is read as a move")


def _check_copies(game: core.Game, state: core.State, rng: core.Rng, where: str) -> None:
    key, words, earned = state.key(), str(state), state.returns()
    require(pickle_copy(state, where).key() == key, f"{where}: pickling changes the state")
    if state.is_terminal():
        return
    copied = state.clone()
    actions = random_step(game, copied, rng)
    same = (state.key(), str(state), state.returns()) == (key, words, earned)
    require(same, f"{where}: playing on a clone changed the original")
    again = state.clone()
    again.step(actions)
    require(again.key() == copied.key(), f"{where}: the same actions lead to two different states")
    if state.current_player() != core.SIMULTANEOUS:
        child = state.child(actions[0])
        require(child.key() == copied.key(), f"{where}: child and apply_action disagree")
        require(state.key() == key, f"{where}: child changed its parent")


def _check_view(game: core.Game, state: core.State, seat: int | None, rng: core.Rng) -> None:
    where = f"{game} at {state.key()!r}, seen from {seat_name(seat)}"
    view, key = state.view(seat), state.key()
    require(view is not state, f"{where}: the view is the state itself")
    require(view.current_player() == state.current_player(), f"{where}: the view has another player to move")
    require(view.view(seat).key() == view.key(), f"{where}: the view of the view is another one")
    if not game.hidden:
        require(view.key() == key, f"{where}: nothing is declared hidden, but the view differs")
        for mover, some in _options(game, state):
            seen = [state.seen_action(seat, mover, action) for action in some]
            require(seen == some, f"{where}: nothing is declared hidden, but actions are")
    for mover, some in _options(game, state):
        if mover == seat:
            seen = [state.seen_action(seat, mover, action) for action in some]
            require(seen == some, f"{where}: a player does not see their own action")
            texts = [(state.action_to_string(mover, a), view.action_to_string(mover, a)) for a in some]
            require(all(one == other for one, other in texts), f"{where}: the view has another notation")
        if mover != core.CHANCE:
            known = view.legal_actions(mover)
            held = all(action in known for action in some)
            require(held, f"{where}: legal_actions({mover}) leaves out what player {mover} may do")
    if seat is not None and seat in game.movers(state):
        require(
            first(view.legal_actions(seat), 50) == first(state.legal_actions(seat), 50),
            f"{where}: the legal actions on the view are not those of the state",
        )
    full = view.complete(rng)
    require(full is not view, f"{where}: complete returns the view itself")
    require(full.view(seat).key() == view.key(), f"{where}: a completion of the view does not give the same view")
    for _ in range(20):
        if full.is_terminal():
            full.returns()
            break
        random_step(game, full, rng)
    require((state.key(), state.view(seat).key()) == (key, view.key()), f"{where}: playing on a view changed the state")


def _options(game: core.Game, state: core.State) -> list[tuple[int, list[int]]]:
    """Some actions of each mover, chance included."""
    if state.current_player() == core.CHANCE:
        return [(core.CHANCE, [action for action, _ in state.chance_outcomes()][:12])]
    return [(player, first(state.legal_actions(player), 12)) for player in game.movers(state)]


def _check_drawings(game: core.Game, draw: Any, rng: core.Rng) -> None:
    seats = (*range(game.players), None)
    for ply, state in enumerate(walk(game, rng, 40)):
        where = f"{game} at {state.key()!r}: drawing"
        for seat in seats:
            drawn = draw(state.view(seat))
            ids = [shape.id for shape in drawn.shapes]
            require(len(set(ids)) == len(ids), f"{where}: two shapes share an id")
            if seat == seats[ply % len(seats)]:  # writing a picture takes far longer than drawing it
                require(drawing.svg(drawn).startswith("<svg") and drawing.text(drawn), f"{where}: nothing to see")
            titles = {shape.id: shape.title for shape in drawn.shapes}
            for name in _pressed_shapes(drawn):
                require(bool(titles.get(name)), f"{where}: {name!r} can be pressed, but is no shape with a title")
            for actions in _drawn_actions(drawn):
                legal = any(each in state.legal_actions(player) for player in game.movers(state) for each in actions)
                require(legal, f"{where}: an input plays {actions[0]}, which is not legal")
            _check_notes(game, drawn, seat, f"{where} for {seat}", over=state.is_terminal())
        _check_previews(game, state, rng, where)


def _check_notes(game: core.Game, drawn: drawing.Drawing, seat: int | None, where: str, *, over: bool) -> None:
    """Notes are for players, one each, and during the game only the viewer's own secret is in the drawing."""
    players = [note.player for note in drawn.notes]
    require(len(set(players)) == len(players), f"{where}: two notes are for one player")
    require(set(players) <= set(range(game.players)), f"{where}: a note is for no player")
    if game.hidden and not over:
        told = [note.player for note in drawn.notes if note.secret and note.player != seat]
        require(not told, f"{where}: it tells the secret of player {told[:1]}")


def _check_previews(game: core.Game, state: core.State, rng: core.Rng, where: str) -> None:
    """What a choice would bring is said in words, of any choice, on the chooser's own view."""
    preview = kit_of(game).preview
    if preview is None:
        return
    for player in game.movers(state):
        view = state.view(player)
        legal = view.legal_actions(player)
        found = preview(view, player, legal[int(rng.random() * len(legal))])
        require(found is None or bool(found.words), f"{where}: a preview for player {player} has no words")


def _pressed_shapes(drawn: drawing.Drawing) -> list[str]:
    """The shapes that inputs begin and end at."""
    names = []
    for each in drawn.inputs:
        match each:
            case drawing.Click(shape):
                names.append(shape)
            case drawing.FromTo(source, target):
                names += [source, target]
    return names


def _drawn_actions(drawn: drawing.Drawing) -> list[tuple[int, ...]]:
    """Actions of every input; of each tuple one at least must be legal."""
    actions: list[tuple[int, ...]] = []
    for each in drawn.inputs:
        match each:
            case drawing.Click(_, action) | drawing.ChoiceButton(_, action):
                actions.append((action,))
            case drawing.FromTo(_, _, by_amount):
                actions += [(action,) for action in by_amount.values()]
            case drawing.Counters(ranges, bases):
                product = core.ProductActions(dict(ranges), bases)
                actions.append((product[0], product[-1]))
    return actions


def _future(game: core.Game, state: core.State) -> Any:
    """The visible parts of a state's future: what two states of one key must share."""
    options = [
        (player, [state.action_to_string(player, action) for action in some]) for player, some in _options(game, state)
    ]
    children = []
    for actions in islice(product(*(some[:4] for _, some in _options(game, state))), 8):
        child = state.clone()
        if not state.is_terminal():
            child.step(actions)
        children.append(child.key())
    ended = state.returns() if state.is_terminal() else None
    return state.current_player(), options, list(state.chance_outcomes()), ended, children


def _is_plain(key: object) -> bool:
    if isinstance(key, tuple):
        return all(map(_is_plain, key))
    return key is None or type(key) in (int, str, bytes, bool)
