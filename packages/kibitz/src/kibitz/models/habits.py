"""`Habits`: what a player likes and avoids, in words; models need it to describe a player who fits no strategy.

Every choice is compared with the other legal actions: which kind it is of (the forms of `about`), and where the game
has features, what the position after it is like. Where the same few actions come back, it is also compared with the
choices after other actions of the other player, or of their own. A habit is a difference that chance does not explain.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from copy import deepcopy
from math import log, sqrt
from typing import NamedTuple, TypeAlias

import numpy as np

from kibitz import core
from kibitz.core.kit.about import ActionForm, about_game
from kibitz.core.kit.numbers import Features
from kibitz.core.registry import kit_of

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
FEW_ACTIONS = 6
"""Replies are compared where there are at most so many legal actions."""
HARDLY_ANY = 20
"""With so many choices, and none of these habits, a player has none worth saying."""
NO_HABIT = "shows no clear habit"
Before: TypeAlias = tuple[str, str]
"""What was done before a choice, by the other player and by the same one; empty where it does not matter."""


class Done(NamedTuple):
    """An action of a player, on a view that is not stepped."""

    view: core.State
    player: int
    action: int

    @property
    def words(self) -> str:
        """The action in the game's notation."""
        return self.view.action_to_string(self.player, self.action)


class Choice(NamedTuple):
    """A choice, and what was done last before it by the player, and by the other of two."""

    view: core.State
    action: int
    own: Done | None = None
    other: Done | None = None


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
        self.waiting: deque[Choice] = deque(maxlen=WAITING)
        self.last: dict[int, Done] = {}
        """What each player did last, chosen or not."""
        self.compared = 0
        self.forms: dict[ActionForm, Tally] = defaultdict(Tally)
        self.features: dict[int, Tally] = defaultdict(Tally)
        self.replies = Replies()

    def observe(self, transition: core.Transition) -> None:
        """Add the player's choice, if they made one."""
        action = transition.action_of(self.player) if self.player in transition.movers else None
        if action is not None and transition.chose(self.player):
            other = self.last.get(1 - self.player) if self.game.players == 2 else None
            self.waiting.append(Choice(transition.before, action, self.last.get(self.player), other))
        for mover in transition.movers:
            done = transition.action_of(mover)
            if done is not None:
                self.last[mover] = Done(transition.before, mover, done)

    def words(self) -> list[str]:
        """The strongest habits; that there is none, if many choices show none."""
        self.compare_choices()
        found = self.clear_habits()
        return found or [NO_HABIT] * (self.compared >= HARDLY_ANY)

    def clear_habits(self) -> list[str]:
        """The strongest habits in words."""
        offered = kit_of(self.game).features
        found = []
        if offered is not None and offered.habits:
            for feature, tally in self.features.items():
                found.append((tally.strength, offered.habits[feature][tally.strength < 0.0]))
        if not any(strength for strength, _ in found):
            found += [(tally.strength, form_words(form, tally.strength)) for form, tally in self.forms.items()]
            found += self.replies.habits()
        clear = sorted((each for each in found if each[0]), key=lambda each: (-round(abs(each[0]), 6), each[1]))
        mirrored = {-strength for strength, _ in clear if strength > 0.0}  # rarely one of two kinds is often the other
        named = [words for strength, words in clear if strength not in mirrored]
        return list(dict.fromkeys(named))[:NAMED]

    def compare_choices(self) -> None:
        """Compare every waiting choice with the other legal actions."""
        about = about_game(self.game) if self.waiting else None
        offered = kit_of(self.game).features
        while self.waiting:
            choice = self.waiting.popleft()
            view, action = choice.view, choice.action
            legal = view.legal_actions(self.player)
            if len(legal) < 2 or action not in legal:
                continue
            self.compared += about is not None or offered is not None
            if about is not None and len(legal) <= FEW_ACTIONS:
                self.replies.add(choice, self.player)
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
        copied.last, copied.compared, copied.replies = self.last.copy(), self.compared, deepcopy(self.replies)
        return copied


class Replies:
    """How often a player chose each action after each one of the other player, of their own, and after both together.

    Only choices among the same legal actions are compared.
    """

    MOST = 100
    """The most situations that are told apart."""

    def __init__(self) -> None:
        self.chosen: dict[tuple[str, ...], list[dict[Before, Counter[str]]]] = {}
        """By the legal actions: what was chosen after each action of the other, of their own, and after each pair."""

    def add(self, choice: Choice, player: int) -> None:
        """Count a choice."""
        legal = tuple(choice.view.action_to_string(player, each) for each in choice.view.legal_actions(player))
        if legal not in self.chosen and len(self.chosen) == self.MOST:
            return
        own, other = choice.own and choice.own.words, choice.other and choice.other.words
        befores = (other and (other, ""), own and ("", own), own and other and (other, own))
        for before, counts in zip(befores, self.chosen.setdefault(legal, [{}, {}, {}]), strict=True):
            if before and (before in counts or len(counts) < FEW_ACTIONS**2):
                chosen = choice.view.action_to_string(player, choice.action)
                counts.setdefault(before, Counter())[chosen] += 1

    def habits(self) -> list[tuple[float, str]]:
        """How clearly the player chooses an action more often after another one than else, and that in words.

        What follows both players' actions together is said only where neither alone tells.
        """
        found = []
        for *single, pairs in self.chosen.values():
            found += [habit for counts in single for habit in reply_habits(counts)] or reply_habits(pairs)
        return found


def reply_habits(counts: Mapping[Before, Counter[str]]) -> list[tuple[float, str]]:
    """The actions that a player chooses more often after some actions than after the others."""
    whole: Counter[str] = sum(counts.values(), Counter())
    least = sqrt(UNLIKELY**2 + 2.0 * log(max(1, len(counts) * len(whole))))  # of many, some differ by chance
    found = []
    for before, chosen in counts.items():
        for action, count in chosen.items():
            clear = difference(count, chosen.total(), whole[action] - count, whole.total() - chosen.total())
            if clear >= least:
                found.append((clear, reply_words(before, action)))
    return found


def difference(here: int, of: int, elsewhere: int, of_others: int) -> float:
    """How far a share is above another one, in standard deviations; 0 if too few or too near.

    >>> round(difference(9, 10, 2, 10), 2), difference(3, 3, 0, 10)
    (3.15, 0.0)
    """
    if min(of, of_others) < LEAST or here / of - elsewhere / of_others < STRONG:
        return 0.0
    pooled = (here + elsewhere) / (of + of_others)
    return (here / of - elsewhere / of_others) / sqrt(pooled * (1.0 - pooled) * (1.0 / of + 1.0 / of_others))


def reply_words(before: Before, action: str) -> str:
    """A habit of choosing an action after another one of the other player, of their own, or after both.

    >>> reply_words(("defect", ""), "cooperate"), reply_words(("", "rock"), "rock")
    ('often answers defect with cooperate', 'often plays rock again')
    >>> reply_words(("defect", "cooperate"), "defect")
    'often plays defect after their own cooperate against defect'
    """
    other, own = before
    if not own:
        return f"often answers {other} with {action}"
    if not other:
        return f"often plays {action} again" if own == action else f"often plays {action} after their own {own}"
    return f"often plays {action} after their own {own} against {other}"


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
