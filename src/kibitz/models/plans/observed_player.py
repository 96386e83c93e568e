"""Plan recognition in games: what a game offers as PLANS, and a recogniser that observes one player."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, Self

import msgspec

from kibitz import core
from kibitz.core.abilities import ability
from kibitz.core.errors import BadPlan
from kibitz.core.registry import entries, has_ability, spec_of
from kibitz.models.plans import limits
from kibitz.models.plans.assumptions import Assumptions
from kibitz.models.plans.formats.files import read_library
from kibitz.models.plans.formats.text_form import parse_text
from kibitz.models.plans.library import Observation, PlanLibrary
from kibitz.models.plans.recogniser import Recogniser

Describe = Callable[[core.State, int, Sequence[int]], list[Observation]]
"""Translates a player's actions on a view into the library's names."""


class GamePlans(NamedTuple):
    """What a game offers as PLANS: a library in the text form, and the library's names of its actions.

    If they depend on the game's options, PLANS is a function of the game that returns this, or None for no plans.
    """

    text: str
    describe: Describe


def plans_of(game: core.Game, who: object, path: str = "") -> tuple[PlanLibrary, Describe]:
    """The library of a game, or another one with the same actions from a file; Unsupported if there is none."""
    name = spec_of(game).name
    if name not in entries("game") or not has_ability(name, "PLANS"):
        raise core.Unsupported(who, game, "it comes with no plan library (PLANS)")
    offered: GamePlans | Callable[[core.Game], GamePlans | None] | None = ability(name, "PLANS")
    if callable(offered):
        offered = offered(game)
    if offered is None:
        raise core.Unsupported(who, game, "there are no plans with these options")
    own = _parse_library(offered.text, f"plans of {name}")
    if not path:
        return own, offered.describe
    try:
        library = read_library(Path(path))
    except BadPlan as error:
        raise core.Unsupported(who, game, str(error)) from None
    strange = [action for action in own.actions if action not in library.actions]
    if strange:
        raise core.Unsupported(who, game, f"{path} does not know its action {strange[0]!r}")
    return library, offered.describe


@cache
def _parse_library(text: str, source: str) -> PlanLibrary:
    return parse_text(text, source)


def only(library: PlanLibrary, goals: Sequence[str]) -> PlanLibrary:
    """The same library for a player whose goals are known."""
    return msgspec.structs.replace(library, goals=dict.fromkeys(goals, 1.0 / len(goals)))


class ObservedPlayer:
    """Observes and predicts one player's actions as steps of plans."""

    def __init__(self, library: PlanLibrary, describe: Describe, story: Assumptions, beam: int) -> None:
        self.describe, self.story = describe, story
        self.begun = Recogniser(library, story, beam=beam)
        self.recogniser = self.begun.clone()
        self.seen = 0
        self.restarts = 0

    def clone(self) -> Self:
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        copied.recogniser = self.recogniser.clone()
        return copied

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.clone()

    def observe(self, view: core.State, player: int, action: int) -> None:
        """Process an action; start again if the player fits no plan any more."""
        legal = view.legal_actions(player)
        possible = self.describe(view, player, legal) if len(legal) <= limits.LEGAL_ACTIONS else None
        (seen,) = self.describe(view, player, [action])
        self.recogniser.observe(seen, possible=possible)
        self.seen += 1
        if not self.recogniser.is_explained:
            self.recogniser = self.begun.clone()
            self.restarts += 1

    def predict_next(self, view: core.State, player: int) -> core.Distribution:
        """The prediction: pending actions if they are legal, and with a small probability any action."""
        legal = view.legal_actions(player)
        if len(legal) > limits.LEGAL_ACTIONS or not legal:
            return core.Distribution.uniform(legal)
        described = self.describe(view, player, legal)
        distinct = list(dict.fromkeys(described))
        weights = self.recogniser.likelihoods(distinct, self.recogniser.pending(possible=described))
        total = sum(weights)
        if total <= 0.0:
            return core.Distribution.uniform(legal)
        planned = 1.0 - self.story.slip
        shares = {
            each: planned * weight / total / described.count(each)
            for each, weight in zip(distinct, weights, strict=True)
        }
        slip = self.story.slip / len(legal)
        named = {action: shares[each] + slip for action, each in zip(legal, described, strict=True)}
        return core.Distribution(named, legal)
