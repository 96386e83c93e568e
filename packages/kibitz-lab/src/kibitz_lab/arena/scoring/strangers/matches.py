"""The matches in which models are scored on strangers: who plays, from which seed, and which variants watch."""

from collections.abc import Sequence
from math import ceil
from typing import Any

import msgspec

from kibitz.core.agent import Model
from kibitz.core.errors import BadSpec, KibitzError
from kibitz.core.game import Game
from kibitz.core.match.options import check_count
from kibitz.core.match.watchers import Watcher, Watchers, make_watcher
from kibitz.core.registry import make_agent, make_game, spec_of
from kibitz.core.seeds import derived_seed, stream
from kibitz.core.specs import constructor_parameters
from kibitz.models.worlds import known_strategies
from kibitz_lab.arena.scoring.score_record import questions
from kibitz_lab.arena.sources import checked_agent

KNOWN, LEFT_OUT = "known", "left out"
AS_NAMED, EVEN = "as named", "even prior"
"""The variants: the model as the user named it, with a prior of one half for `unknown`; the third is LEFT_OUT."""
OPENINGS = (0, 2, 6)
MATCHES = 8
"""Matches of each stranger at each opening."""
MOST_PLIES = 200
HYPOTHESES = ("strategies", "agents")
"""The names of the parameter that holds a model's hypotheses; one of them allows leaving one out. If it is empty,
`strategies` stands for the model's `usual(game)` or all that come with the game, and `agents` for none."""
PRIOR = "unknown"
"""The name of the parameter that is the prior of an unknown player."""
HALF = 0.5


class Player(msgspec.Struct, frozen=True):
    """A player whom models are scored on; *kind* is KNOWN, or how a stranger was made."""

    name: str
    spec: str
    kind: str = "named"
    seed: int = 0

    @property
    def is_known(self) -> bool:
        """Whether the player follows a strategy of the library."""
        return self.kind == KNOWN


class PlayerTask(msgspec.Struct, frozen=True):
    """A match of one player against known ones, and the models that watch it."""

    game: str
    player: Player
    seat: int
    agents: tuple[str, ...]
    seed: int
    opening: int
    max_plies: int
    library: tuple[str, ...]
    """The strategies that the player and the models are compared with; none if that was done in other matches."""
    models: tuple[tuple[str, str, str], ...]
    """For each watcher: the model as the user named it, the variant, and the variant's spec."""


class MatchPlan(msgspec.Struct, frozen=True):
    """All matches of one game, and what cannot be asked of which model."""

    game: str
    models: tuple[str, ...]
    known: tuple[str, ...]
    players: tuple[Player, ...]
    openings: tuple[int, ...]
    tasks: tuple[PlayerTask, ...]
    notes: tuple[str, ...]


def plan_matches(
    game: str | Game,
    models: Sequence[str],
    known: Sequence[str],
    strangers: Sequence[Player],
    *,
    matches: int = MATCHES,
    openings: Sequence[int] = OPENINGS,
    seed: int = 0,
    max_plies: int | None = None,
) -> MatchPlan:
    """Plan *matches* of every stranger at every opening, and as many of all known players together.

    The same *seed* plays the same matches; a stranger's own seed keeps them apart.
    """
    rules = make_game(game)
    check_count("matches", matches)
    for opening in openings:
        check_count("opening", opening, least=0)
    watched = {watcher.seat for watcher in made_watchers(rules, models)}
    seats = [seat for seat in range(rules.players) if seat not in watched]
    if not seats:
        raise BadSpec(", ".join(models), "every seat has a model, so no seat is left for the players to be watched")
    name = spec_of(rules).name
    players = [Player(each, each, KNOWN, derived_seed(0, name, each) >> 32) for each in known]
    share = ceil(matches * len(strangers) / max(len(players), 1)) if strangers else matches
    variants, notes = variants_of(rules, models, known)
    tasks = []
    for opening in openings:
        for player in (*players, *strangers):
            chosen = chosen_variants(variants, player, opening, openings)
            for number in range(share if player.is_known else matches):
                own = derived_seed(seed, "stranger", player.name, player.seed, opening, number)
                rng = stream(own, "seats")
                drawn = [known[int(rng.random() * len(known))] for _ in range(rules.players)]
                seat = seats[number % len(seats)]
                drawn[seat] = player.spec
                compared = tuple(known) if opening == openings[0] else ()
                plies = min(MOST_PLIES if max_plies is None else max_plies, rules.max_plies)
                tasks.append(PlayerTask(repr(rules), player, seat, tuple(drawn), own, opening, plies, compared, chosen))
    return MatchPlan(
        repr(rules), tuple(models), tuple(known), (*players, *strangers), tuple(openings), tuple(tasks), tuple(notes)
    )


def made_watchers(game: Game, models: Sequence[str]) -> list[Watcher]:
    """The watchers of these models; raises if one of them answers no useful question."""
    if not models:
        raise BadSpec("--models", "name at least one model (kibitz models lists them)")
    found = [make_watcher(text, game) for text in models]
    for text, watcher in zip(models, found, strict=True):
        asked = questions(watcher.model)
        if not {"action", "strategy"} & set(asked):
            raise BadSpec(text, f"it answers {', '.join(asked)}; strangers are about strategy and action")
    return found


def check_watchers(game: Game, models: Sequence[str]) -> None:
    """Raise if one of the models cannot watch the game; call it before long work."""
    made_watchers(game, models)
    Watchers(game, models, seed=0)


Variants = dict[str, dict[str, str | None]]
"""The specs of each model's variants: by AS_NAMED, EVEN, and the label of the strategy that is left out."""


def variants_of(game: Game, models: Sequence[str], known: Sequence[str]) -> tuple[Variants, list[str]]:
    """The variants of every model, and notes about those that it does not have."""
    found: Variants = {}
    notes = []
    for text in models:
        own: dict[str, str | None] = {AS_NAMED: text, EVEN: with_even_prior(text, game)}
        own |= {label: without_strategy(text, game, label) for label in known}
        found[text] = own
        if own[EVEN] is None:
            notes.append(f"{text} has no parameter unknown: its own prior stands in for one half")
        if not any(own[label] for label in known):
            notes.append(f"{text} names no strategies that can be left out: it is scored on generated strangers only")
    return found, notes


def seat_text(text: str, game: Game) -> tuple[Model, str]:
    """The model of a watcher's text, and the part of the text that names its seat."""
    watcher = make_watcher(text, game)
    return watcher.model, "" if watcher.seat is None else f"@{watcher.seat}"


def with_even_prior(text: str, game: Game) -> str | None:
    """The model with a prior of one half that a player is unknown; None if it has no such parameter."""
    model, seat = seat_text(text, game)
    return changed_text(model, {PRIOR: HALF}) + seat if PRIOR in constructor_parameters(type(model)) else None


def without_strategy(text: str, game: Game, label: str) -> str | None:
    """The model without the strategy *label* among its hypotheses; None if it cannot be left out."""
    model, seat = seat_text(text, game)
    name = next((each for each in HYPOTHESES if each in constructor_parameters(type(model))), None)
    if name is None:
        return None
    held = tuple(getattr(model, name)) or (default_hypotheses(model, game) if name == "strategies" else ())
    left = tuple(each for each in held if str(spec_of(each)) != label)
    return changed_text(model, {name: left}) + seat if 0 < len(left) < len(held) else None


def default_hypotheses(model: Model, game: Game) -> tuple[Any, ...]:
    """The hypotheses of a model that names none: its own for this game, or the game's strategies."""
    usual = getattr(model, "usual", None)
    try:
        return tuple(usual(game)) if callable(usual) else known_strategies(game)
    except KibitzError:
        return ()


def changed_text(model: Model, changed: dict[str, Any]) -> str:
    """The spec of a model with some parameters changed."""
    return str(spec_of(type(model)(**{**model.parameters(), **changed})))


def chosen_variants(
    variants: Variants, player: Player, opening: int, openings: Sequence[int]
) -> tuple[tuple[str, str, str], ...]:
    """The watchers of a match: after openings, only those that the calibration needs."""
    found = []
    first = opening == openings[0]
    for text, own in variants.items():
        if first or player.is_known or own[EVEN] is None:
            found.append((text, AS_NAMED, text))
        if (even := own[EVEN]) is not None:
            found.append((text, EVEN, even))
        if first and player.is_known and (left := own.get(player.spec)) is not None:
            found.append((text, LEFT_OUT, left))
    return tuple(found)


def checked_strangers(game: Game, specs: Sequence[str]) -> list[Player]:
    """Strangers that the user names by their specs."""
    name = spec_of(game).name
    found = []
    for spec in specs:
        text = str(spec_of(checked_agent(make_agent(spec, name))))
        found.append(Player(text, text, "named", derived_seed(0, name, text) >> 32))
    return found
