"""`check_about` and `check_fields`: the contract tests of what a game says of itself, in words and by name."""

import re
from typing import Any

import msgspec

from kibitz import core
from kibitz.core.errors import IllegalAction
from kibitz.core.kit.about import MOST_WORDS, About, about_game
from kibitz.core.registry import entries, house_agents, kit_of, make_game, spec_of
from kibitz.core.seeds import stream
from kibitz.core.specs import parse_spec
from kibitz.testing.walks import require, sample_actions, seat_name, walk

RAW = re.compile(r"\(\(|\bNone\b|frozenset|array\(|<[a-z]")
"""What is in the repr of keys and objects and in no text for people."""


def check_about(game: str | core.Game, *, walks: int = 40, plies: int = 1500, seed: int = 0) -> None:
    """Test `about`: short, about every player and every agent of the game, with examples that can be played.

    Walks end as soon as every example was legal somewhere; along them every legal action has one of the forms.
    """
    made = make_game(game)
    about = about_game(made)
    if about is None:
        require(False, f"{made}: its kit has no words about it")
        return
    _check_words(made, about)
    rng = stream(seed, "check_about", repr(made))
    wanted = {example for form in about.actions for example in form.examples}
    for number in range(walks):
        for state in walk(made, rng, plies):
            _check_forms(made, about, state, rng)
            wanted -= {example for example in wanted if _is_legal(made, state, example)}
            if number and not wanted:
                return
    require(not wanted, f"{made}: these examples of ABOUT were never legal: {', '.join(sorted(wanted))}")


def _check_words(game: core.Game, about: About) -> None:
    count = len(about.rules.split())
    require(count <= MOST_WORDS, f"{game}: the rules have {count} words, more than {MOST_WORDS}")
    require(about.title and about.rules and about.secret, f"{game}: ABOUT needs a title, rules, and what is secret")
    require(re.fullmatch(r"[^.]+\.", about.goal), f"{game}: the goal is no single sentence: {about.goal!r}")
    require(len(about.players) == game.players, f"{game}: ABOUT names {len(about.players)} players")
    for player, words in enumerate(about.players):
        name = game.player_name(player)
        require(name in words, f"{game}: ABOUT calls player {player} {words!r}, but the name is {name!r}")
    for form in about.actions:
        known = form.examples or game.parameters()  # with other parameters an action may be rare
        require(known and form.meaning, f"{game}: the action {form.form!r} needs a meaning and an example")
        require(all(map(form.fits, form.examples)), f"{game}: an example of {form.form!r} has another form")
        require(not form.phase or form.phase in about.phases, f"{game}: ABOUT has no phase {form.phase!r}")
    name = spec_of(game).name
    agents = {agent.removeprefix(f"{name}.") for agent in house_agents(name)}
    require(about.minutes > 0, f"{game}: ABOUT says not how many minutes a match takes")
    require(agents == set(about.strategies), f"{game}: strategies {sorted(agents ^ set(about.strategies))}")
    for spec in about.opponents:
        found = parse_spec(spec).name in (*about.strategies, *entries("agent"))
        require(found, f"{game}: ABOUT suggests an opponent {spec!r} that is no agent")


def _check_forms(game: core.Game, about: About, state: core.State, rng: core.Rng) -> None:
    """Require that the actions of a state have one of the forms, and that its secrets are among the labels."""
    for player in game.movers(state):
        for action in sample_actions(state.legal_actions(player), rng)[:8]:
            notation = state.action_to_string(player, action)
            known = any(form.fits(notation) for form in about.actions)
            require(known, f"{game}: the action {notation!r} has none of the forms of ABOUT")
    for player in range(game.players):
        for label in state.truth(player).values():
            known = not isinstance(label, str) or label in about.labels
            require(known, f"{game}: ABOUT does not say what the label {label!r} means")


def _is_legal(game: core.Game, state: core.State, example: str) -> bool:
    """Whether a player may play the action that *example* means."""
    for player in game.movers(state):
        try:
            return state.string_to_action(player, example) in state.legal_actions(player)
        except IllegalAction:
            continue
    return False


def check_fields(game: str | core.Game, *, walks: int = 4, plies: int = 120, seed: int = 0) -> list[Any]:
    """Test `fields`, the text of views and what they know of their player's secrets; return all fields as plain values.

    Two views have the same fields and text exactly if they have the same key, also those of full states that differ in
    what is hidden. No text has the form of an object in memory.
    """
    made = make_game(game)
    fields = kit_of(made).fields
    if fields is None:
        require(False, f"{made}: its kit has no fields")
        return []
    board, kind = fields.types
    msgspec.convert(msgspec.to_builtins(fields.board(made)), board)
    rng = stream(seed, "check_fields", repr(made))
    found: dict[int | None, dict[core.Key, tuple[bytes, str]]] = {seat: {} for seat in (*range(made.players), None)}
    keys: dict[bytes, core.Key] = {}
    plain, paired = [], False
    for _ in range(walks):
        for state in walk(made, rng, plies):
            for seat, seen in found.items():
                view = state.view(seat)
                full = view.complete(rng)
                other = full.view(seat)
                paired |= other.key() == view.key() and full.key() != state.key()
                for each in (view, other) if other.key() == view.key() else (view,):
                    told, text = msgspec.json.encode(fields.view(each)), str(each)
                    where = f"{made} from {seat_name(seat)} at {view.key()!r}"
                    same = seen.setdefault(each.key(), (told, text)) == (told, text)
                    require(same, f"{where}: another view of this key has other fields or another text")
                    require(keys.setdefault(told, each.key()) == each.key(), f"{where}: another key has these fields")
                    require(not RAW.search(text) and text != repr(each.key()), f"{where}: its text is raw: {text}")
                known = seat is None or view.truth(seat) == state.truth(seat)
                require(known, f"{made}: the view of seat {seat} does not know the secrets of this player")
                plain.append(msgspec.json.decode(told))
                msgspec.convert(plain[-1], kind)
    require(paired or not made.hidden, f"{made}: no two states that look alike were compared; try more walks")
    return plain
