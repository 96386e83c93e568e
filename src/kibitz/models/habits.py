"""`Habits`: what a player likes and avoids, in words; models need it to describe a player who fits no strategy.

Every choice is compared with the other legal actions: which kind it is of (the forms of `ABOUT`), and where the game
has `FEATURES`, what the position after it is like. A habit is a difference that chance does not explain.
"""

from collections import defaultdict, deque
from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

from kibitz import core
from kibitz.core.abilities import ability
from kibitz.core.abilities.about import ActionForm, about_game
from kibitz.core.abilities.evaluation import Features
from kibitz.core.registry import entries, has_ability, spec_of

WAITING = 200
"""The most choices that wait to be compared; older ones are left out."""
COMPARED = 24
"""The most other actions that a choice is compared with; of more, every n-th."""
LEAST = 6
"""The fewest choices that make a habit."""
UNLIKELY = 3.0
"""The standard deviations by which a habit differs from chance at least."""
STRONG = 0.25
"""The least difference that is worth saying: of a share, or of a feature in standard deviations."""
NAMED = 3


class Tally(NamedTuple):
    """Sums over choices: how far each was from chance, the variance by chance, and how many there were."""

    excess: float = 0.0
    variance: float = 0.0
    choices: int = 0

    def plus(self, excess: float, variance: float) -> "Tally":
        """The sums with one more choice."""
        return Tally(self.excess + excess, self.variance + variance, self.choices + 1)

    @property
    def strength(self) -> float:
        """How far the choices are from chance, in standard deviations; 0 if too few or too near."""
        if self.choices < LEAST or self.variance <= 0.0 or abs(self.excess) / self.choices < STRONG:
            return 0.0
        found = self.excess / sqrt(self.variance)
        return found if abs(found) >= UNLIKELY else 0.0


class Habits:
    """The habits of one player. A choice costs next to nothing; the comparison waits until `words` are wanted."""

    def __init__(self, game: core.Game, player: int) -> None:
        self.game, self.player = game, player
        self.waiting: deque[tuple[core.State, int]] = deque(maxlen=WAITING)
        self.forms: dict[ActionForm, Tally] = defaultdict(Tally)
        self.features: dict[int, Tally] = defaultdict(Tally)

    def add(self, view: core.State, action: int) -> None:
        """Add a choice on *view*, which is not stepped."""
        self.waiting.append((view, action))

    def words(self) -> list[str]:
        """The strongest habits."""
        self.compare_choices()
        offered = features_of(self.game)
        found = []
        if offered is not None and offered.habits:
            for feature, tally in self.features.items():
                found.append((tally.strength, offered.habits[feature][tally.strength < 0.0]))
        if not any(strength for strength, _ in found):
            found += [(tally.strength, form_words(form, tally.strength)) for form, tally in self.forms.items()]
        clear = sorted((each for each in found if each[0]), key=lambda each: (-round(abs(each[0]), 6), each[1]))
        mirrored = {-strength for strength, _ in clear if strength > 0.0}  # rarely one of two kinds is often the other
        named = [words for strength, words in clear if strength not in mirrored]
        return list(dict.fromkeys(named))[:NAMED]

    def compare_choices(self) -> None:
        """Compare every waiting choice with the other legal actions."""
        about = about_game(self.game) if self.waiting else None
        offered = features_of(self.game)
        while self.waiting:
            view, action = self.waiting.popleft()
            legal = view.legal_actions(self.player)
            if len(legal) < 2 or action not in legal:
                continue
            others = legal[:: len(legal) // COMPARED + 1]
            if about is not None:
                self.compare_forms(view, action, others, about.actions)
            if offered is not None:
                self.compare_features(view, action, others, offered)

    def compare_forms(self, view: core.State, action: int, others: Sequence[int], forms: Sequence[ActionForm]) -> None:
        """Count of which kind a choice was, and how likely by chance."""
        kinds = [form_of(view.action_to_string(self.player, each), forms) for each in others]
        chosen = form_of(view.action_to_string(self.player, action), forms)
        for kind in {each for each in kinds if each is not None}:
            share = kinds.count(kind) / len(kinds)
            if share < 1.0:
                self.forms[kind] = self.forms[kind].plus((kind == chosen) - share, share * (1.0 - share))

    def compare_features(self, view: core.State, action: int, others: Sequence[int], offered: Features) -> None:
        """Count how far the position after a choice is from those after the other actions, feature by feature."""
        sign = 1.0 if self.player == 0 else -1.0  # features are player 0's minus player 1's
        around = sign * np.array([offered.scores(view.child(each)) for each in others])
        found = sign * np.array(offered.scores(view.child(action)))
        means, spreads = around.mean(axis=0), around.std(axis=0)
        for feature in np.flatnonzero(spreads > 0.0).tolist():
            excess = float((found[feature] - means[feature]) / spreads[feature])
            self.features[feature] = self.features[feature].plus(excess, 1.0)

    def __deepcopy__(self, memo: dict[int, object]) -> "Habits":
        copied = Habits(self.game, self.player)
        copied.waiting, copied.forms, copied.features = self.waiting.copy(), self.forms.copy(), self.features.copy()
        return copied


def features_of(game: core.Game) -> Features | None:
    """The features that a game offers."""
    name = spec_of(game).name
    found: Features | None = None
    if name in entries("game") and has_ability(name, "FEATURES"):
        found = ability(name, "FEATURES")
    return found


def form_of(notation: str, forms: Sequence[ActionForm]) -> ActionForm | None:
    """The kind of action that a notation is of."""
    return next((form for form in forms if form.fits(notation)), None)


def form_words(form: ActionForm, strength: float) -> str:
    """A habit of choosing a kind of action often or rarely, in plain words.

    >>> form_words(ActionForm("<square>x<square>", "a piece takes one of the other player's", ()), -4.0)
    "rarely moves so that a piece takes one of the other player's"
    >>> form_words(ActionForm("attack <from>><to>", "attack a neighbouring territory", ()), 4.0)
    'often chooses to attack a neighbouring territory'
    """
    often = "often" if strength > 0.0 else "rarely"
    if "<" not in form.form:
        return f"{often} plays {form.form}"
    meaning = form.meaning.split(";")[0]
    if meaning.split()[0] in ("a", "an", "the"):
        return f"{often} moves so that {meaning}"
    return f"{often} chooses to {meaning.split(',')[0]}"
