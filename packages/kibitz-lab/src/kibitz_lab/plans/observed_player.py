"""Plan recognition in games: the plan library of a game, and a recogniser that observes one player."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Self

import msgspec

from kibitz import core
from kibitz.core.errors import BadPlan
from kibitz.core.kit.plans import Describe, GamePlans, Observation
from kibitz.core.registry import kit_of, spec_of
from kibitz_lab.plans import limits
from kibitz_lab.plans.assumptions import Assumptions
from kibitz_lab.plans.formats.files import read_library
from kibitz_lab.plans.formats.text_form import parse_text
from kibitz_lab.plans.library import PlanLibrary
from kibitz_lab.plans.recogniser import Recogniser


def plans_of(
    game: core.Game,
    who: object,
    library: str | PlanLibrary = "",
    describe: Describe | None = None,
    player: int = 0,
) -> tuple[PlanLibrary, Describe]:
    """A game's library for *player*, or another one, and its names of the actions; Unsupported if there is none.

    Another library may be a file, its text, or an object, for any game. Unless *describe* is given, its actions are
    named as the game's own library does, or else as players write them (`notation`).
    """
    own = None if describe is not None else offered_plans(game, who, player, needed=not library)
    if isinstance(library, str) and library:
        library = read_own(library, game, who)
    if own is None:
        assert library
        return library, describe or notation(library)
    if not library:
        return own
    strange = [action for action in own[0].actions if action not in library.actions]
    if strange:
        raise core.Unsupported(who, game, f"{library.name} does not know its action {strange[0]!r}")
    return library, own[1]


def read_own(library: str, game: core.Game, who: object) -> PlanLibrary:
    """A library from its text, or from a file; Unsupported if it cannot be read."""
    try:
        return _parse_library(library, "library") if "\n" in library else read_library(Path(library))
    except BadPlan as error:
        raise core.Unsupported(who, game, str(error)) from None


def notation(library: PlanLibrary) -> Describe:
    """Names actions as players write them: `take 2` is the action of that name, `move(a1, b2)` one with values."""

    def describe(view: core.State, player: int, actions: Sequence[int]) -> list[Observation]:
        return [observed_text(view.action_to_string(player, action), library) for action in actions]

    return describe


def observed_text(text: str, library: PlanLibrary) -> Observation:
    """What the text of an action is in a library; an action of its own if it is none of the library's."""
    name, bracket, rest = text.partition("(")
    symbol = library.actions.get(name)
    if text in library.actions or symbol is None or not bracket:
        return Observation(text)
    values = tuple(value.strip() for value in rest.removesuffix(")").split(","))
    return Observation(name, values) if len(values) == len(symbol.parameters) else Observation(text)


def offered_plans(game: core.Game, who: object, player: int, *, needed: bool) -> tuple[PlanLibrary, Describe] | None:
    """The plan library that a game offers for *player*; None, or Unsupported if it is *needed*, if there is none."""
    offered: GamePlans | Callable[[core.Game], GamePlans | None] | None = kit_of(game).plans
    if offered is None:
        if not needed:
            return None
        raise core.Unsupported(who, game, "it comes with no plan library; give one")
    if callable(offered):
        offered = offered(game)
    if offered is None:
        if not needed:
            return None
        raise core.Unsupported(who, game, "there are no plans with these options")
    text = offered.text if isinstance(offered.text, str) else offered.text[player]
    return _parse_library(text, f"plans of {spec_of(game).name}"), offered.describe


@cache
def _parse_library(text: str, source: str) -> PlanLibrary:
    return parse_text(text, source)


def only(library: PlanLibrary, goals: Sequence[str]) -> PlanLibrary:
    """The same library for a player whose goals are known."""
    return msgspec.structs.replace(library, goals=dict.fromkeys(goals, 1.0 / len(goals)))


class ObservedPlayer:
    """Observes and predicts one player's actions as steps of plans."""

    def __init__(self, library: PlanLibrary, describe: Describe, assumptions: Assumptions, beam: int) -> None:
        self.describe, self.assumptions = describe, assumptions
        self.begun = Recogniser(library, assumptions, beam=beam)
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
        planned = 1.0 - self.assumptions.slip
        shares = {
            each: planned * weight / total / described.count(each)
            for each, weight in zip(distinct, weights, strict=True)
        }
        slip = self.assumptions.slip / len(legal)
        named = {action: shares[each] + slip for action, each in zip(legal, described, strict=True)}
        return core.Distribution(named, legal)
