"""The choice learner: a player chooses what looks best after it, by weights that are learned from their choices.

The probability of an action is proportional to exp(w · x), where x are the numbers of the position after it
(`successors_of`). The weights, and with them how sharply the player chooses, have a normal distribution. A choice moves
its mean by one Newton step and adds the curvature to its precision (Laplace's method, one choice at a time). The
prediction allows for what is not known of the weights (MacKay 1992). Players who hardly care and players who choose
sharply start from narrow and wide priors; Bayes' rule weighs these against each other.

How the position after each legal action looks to the player who moves, and what the other can make of it, are also
numbers that the strategies of `dbn` weigh.
"""

from collections.abc import Callable, Sequence
from math import pi
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.kernels import are_compiled, kernel, kernel_address, kernel_at
from kibitz.core.kit.compiled import FIRST_WON, GOES_ON, LEGAL, PLAY, SCORES, SECOND_WON, CompiledGame, words_of
from kibitz.core.registry import kit_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST = 64
"""The most actions that are looked at; of more, this many at equal distances."""
WINS = "a win at once"
legal_at, play_at, scores_at = kernel_at(LEGAL), kernel_at(PLAY), kernel_at(SCORES)


Find = Callable[[core.State, Sequence[int]], Floats]


class Successors:
    """Which numbers there are, and what they are in the positions after actions; those found last are kept."""

    def __init__(self, names: tuple[str, ...], compute: Find, replies: Find | None = None) -> None:
        self.names, self.compute, self.replies = names, compute, replies
        self.last: tuple[core.Key, Sequence[int], Floats] | None = None

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    def find(self, view: core.State, actions: Sequence[int]) -> Floats:
        """A row per action, as player 0 sees it; the last number is 1 for a win and -1 for a loss at once."""
        key = view.key()
        if self.last is None or self.last[0] != key or self.last[1] != actions:
            self.last = key, actions, self.compute(view, actions)
        return self.last[2]

    def find_replies(self, view: core.State, actions: Sequence[int]) -> Floats:
        """A row per action: what the other can make of each feature by one reply, as player 0 sees it.

        First the least that they can leave to the mover, then the most, both equal to the feature if the game is over;
        last whether they can win at once, which is -1 if the mover is player 0 and 1 if not.
        """
        assert self.replies is not None, "only features are looked at after replies"
        return self.replies(view, actions)


def successors_of(game: core.Game) -> Successors | None:
    """What a game's features, evaluation or heuristics say about successors; None if it offers none that fit.

    They must be of one player against another, with open information and one mover at a time: else the position after
    an action is not known.
    """
    kit = kit_of(game)
    if game.players != 2 or game.hidden:
        return None
    if type(game.new_initial_state()).apply_actions is not core.State.apply_actions:  # all move at once
        return None
    if kit.features is not None:
        features, kernels = kit.features, kit.kernels
        names, count, scores = (*features.names, WINS), len(features.names), features.scores
        if kernels is None or kernels.scores is None:
            return Successors(names, finder(scores, count), reply_finder(scores))
        replies = compiled_replies(kernels, count, reply_finder(scores))
        return Successors(names, compiled_finder(kernels, count), replies)
    if kit.evaluation is not None:
        evaluation = kit.evaluation
        weights = evaluation.check_weights(None)
        return Successors(
            ("value", WINS), finder(lambda state: (evaluation.evaluate(state, weights),), 1, until_end=True)
        )
    if kit.heuristics is not None:
        heuristic = next(iter(kit.heuristics.values()))
        return Successors(
            ("value", WINS), finder(lambda state: (sum(heuristic.bounds(state)) / 2.0,), 1, until_end=True)
        )
    return None


def finder(scores: Callable[[core.State], Sequence[float]], count: int, until_end: bool = False) -> Find:
    """The numbers of positions one by one; if *until_end*, the scores of positions where the game is over are 0."""

    def find(view: core.State, actions: Sequence[int]) -> Floats:
        found = np.zeros((len(actions), count + 1))
        for row, action in enumerate(actions):
            child = view.child(action)
            over = child.is_terminal()
            found[row, count] = np.sign(child.returns()[0]) if over else 0.0
            if not (over and until_end):
                found[row, :count] = scores(child)
        return found

    return find


def compiled_finder(kernels: CompiledGame, count: int) -> Find:
    """The numbers of positions by the game's kernels."""
    value = {FIRST_WON: 1.0, SECOND_WON: -1.0}

    def find(view: core.State, actions: Sequence[int]) -> Floats:
        found = np.zeros((len(actions), count + 1))
        words, child = words_of(view), np.empty(kernels.words, np.uint64)
        for row, action in zip(found, actions, strict=True):
            row[count] = value.get(kernels.play(words, action, child), 0.0)
            kernels.scores(child, row[:count])
        return found

    return find


def reply_finder(scores: Callable[[core.State], Sequence[float]]) -> Find:
    """What the other can make of positions, one by one."""

    def find(view: core.State, actions: Sequence[int]) -> Floats:
        mover, rows = view.current_player(), []
        for action in actions:
            child = view.child(action)
            replies = [] if child.is_terminal() else [child.child(each) for each in child.legal_actions()]
            after = np.array([scores(each) for each in replies or [child]], dtype=np.float64)
            ends = [after.min(axis=0), after.max(axis=0)]
            beaten = any(each.is_terminal() and each.returns()[1 - mover] > 0.0 for each in replies)
            loss = (2.0 * mover - 1.0) if beaten else 0.0
            rows.append([*ends[mover], *ends[1 - mover], loss])
        return np.array(rows)

    return find


@kernel("int64(int64, int64, int64, uint64[:], int64[:], int64, int64[:], float64[:, ::1])")
def look_at_replies(
    legal_kernel: Any,
    play_kernel: Any,
    scores_kernel: Any,
    state: NDArray[np.uint64],
    actions: Ints,
    mover: int,
    replies: Ints,
    found: Floats,
) -> int:
    """Write a row of numbers for each of *actions*. Twin of `reply_finder`; *replies* is a buffer."""
    legal, play, scores = legal_at(legal_kernel), play_at(play_kernel), scores_at(scores_kernel)
    count = (found.shape[1] - 1) // 2
    least, most = (0, count) if mover == 0 else (count, 0)  # of player 0's numbers
    child, reply = np.empty_like(state), np.empty_like(state)
    child[:], reply[:] = state, state
    numbers = np.empty(count)
    for row in range(len(actions)):
        over = play(state, actions[row], child) != GOES_ON
        options = 0 if over else legal(child, replies)
        found[row, 2 * count] = 0.0
        for number in range(max(options, 1)):
            if options > 0:
                outcome = play(child, replies[number], reply)
                if outcome == 2 - mover:  # the other has won
                    found[row, 2 * count] = 2.0 * mover - 1.0
                scores(reply, numbers)
            else:
                scores(child, numbers)
            for feature in range(count):
                value = numbers[feature]
                if number == 0 or value < found[row, least + feature]:
                    found[row, least + feature] = value
                if number == 0 or value > found[row, most + feature]:
                    found[row, most + feature] = value
    return len(actions)


def compiled_replies(kernels: CompiledGame, count: int, plain: Find) -> Find:
    """What the other can make of positions, by the game's kernels once they are compiled."""
    asked = kernels.legal, kernels.play, kernels.scores

    def find(view: core.State, actions: Sequence[int]) -> Floats:
        if not are_compiled(look_at_replies, *asked):
            return plain(view, actions)
        found = np.empty((len(actions), 2 * count + 1))
        replies = np.empty(kernels.most_actions, np.int64)
        mover = view.current_player()
        legal, play, scores = map(kernel_address, asked)
        look_at_replies(legal, play, scores, words_of(view), np.array(actions), mover, replies, found)
        return found

    return find


WIDTHS = (0.4, 1.2, 3.6)
"""The standard deviations of weights in the priors, for features in their usual differences."""


class WeighedActions(NamedTuple):
    """Actions by their features: how far each is from the mean, the sizes of that, and their shares for each prior."""

    apart: Floats
    size: Floats
    plain: Floats
    """By the mean weights alone."""
    shares: Floats


class ChoiceLearner:
    """A softmax over how the positions after the legal actions look to the player."""

    def __init__(self, player: int, successors: Successors) -> None:
        self.player, self.successors = player, successors
        count, widths = len(successors.names), len(WIDTHS)
        self.means = np.zeros((widths, count))
        self.precisions = np.stack([np.eye(count) / width**2 for width in WIDTHS])
        self.covariances = np.stack([np.eye(count) * width**2 for width in WIDTHS])
        self.weights = np.full(widths, 1.0 / widths)
        self.spread, self.varied = np.zeros(count), np.zeros(count)
        """The sum of each feature's mean differences between actions, and at how many choices it differed at all."""

    def copy(self) -> Self:
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)  # arrays are replaced, never changed
        return copied

    def observe(self, transition: core.Transition) -> None:
        """Learn nothing: the position holds all that counts."""

    def look(self, view: core.State, legal: Sequence[int]) -> tuple[list[int], Floats]:
        """The actions looked at, and the numbers of each."""
        count = len(legal)
        looked = list(legal) if count <= MOST else [legal[place * count // MOST] for place in range(MOST)]
        numbers = self.successors.find(view, looked)
        return looked, numbers if self.player == 0 else -numbers

    def weigh(self, numbers: Floats) -> WeighedActions:
        """The actions with these numbers, weighed by what is known of the weights."""
        apart = numbers - numbers.mean(axis=0)
        size = np.abs(apart).mean(axis=0)
        usual = (self.spread + size) / np.maximum(self.varied + (size > 0.0), 1.0)
        apart /= np.where(usual > 0.0, usual, 1.0)
        values = self.means @ apart.T
        values -= values.max(axis=1, keepdims=True)
        plain = softmax(values)
        around = apart - (plain @ apart)[:, None]
        doubt = (plain * (around @ self.covariances * around).sum(axis=2)).sum(axis=1, keepdims=True)
        return WeighedActions(apart, size, plain, softmax(values / np.sqrt(1.0 + pi / 8.0 * doubt)))

    def predict(self, view: core.State, policies: Sequence[core.Distribution]) -> core.Distribution:
        legal = view.legal_actions(self.player)
        if len(legal) == 1:
            return core.Distribution.uniform(legal)
        looked, numbers = self.look(view, legal)
        part = len(looked) / len(legal)
        mixed = (self.weights @ self.weigh(numbers).shares) * part
        return core.Distribution(dict(zip(looked, mixed.tolist(), strict=True)), legal, 1.0 - part)

    def learn(self, view: core.State, action: int, policies: Sequence[core.Distribution]) -> float:
        legal = view.legal_actions(self.player)
        if len(legal) == 1:
            return 1.0
        looked, numbers = self.look(view, legal)
        if action not in looked:
            return 1.0 / len(legal)
        chosen, weighed = looked.index(action), self.weigh(numbers)
        likely = self.weights * weighed.shares[:, chosen]
        total = float(likely.sum())
        self.weights = likely / total
        around = weighed.apart - (weighed.plain @ weighed.apart)[:, None]
        self.precisions = self.precisions + (weighed.plain[:, :, None] * around).transpose(0, 2, 1) @ around
        self.covariances = np.asarray(np.linalg.inv(self.precisions), np.float64)
        self.means = self.means + (self.covariances @ around[:, chosen, :, None])[:, :, 0]
        self.spread, self.varied = self.spread + weighed.size, self.varied + (weighed.size > 0.0)
        return total * len(looked) / len(legal)


def softmax(values: Floats) -> Floats:
    """Shares in proportion to the exponentials of values of at most 0, in every row."""
    found = np.exp(values)
    found /= found.sum(axis=1, keepdims=True)
    return found
