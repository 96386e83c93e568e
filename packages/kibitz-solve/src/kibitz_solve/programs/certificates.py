"""How good a program is: checked state by state, and certified against the best response to it.

*Fidelity* is the share of states in which its answer is right. That proves nothing about play: the *certificate* is
what the program earns against an opponent who knows it, found by solving that opponent's Markov decision process.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np

from kibitz.core.errors import BadProgram
from kibitz_solve import state_name
from kibitz_solve.programs.answers import matters, right_actions
from kibitz_solve.programs.learning import NEAR, bounds
from kibitz_solve.programs.lessons import Floats, Ints, Lesson, Situation
from kibitz_solve.programs.written_program import WrittenProgram, legal_shares

EXACT = 1e-9
"""A shortfall up to this size counts as rounding."""


class Violation(msgspec.Struct, frozen=True):
    """A state in which a program is wrong: its answer there, and what it loses or what would be right."""

    state: str
    said: str
    why: str


class Certificate(msgspec.Struct, frozen=True):
    """What checking a program in a game found."""

    game: str
    player: int
    what: str
    states: int
    """States in which the program was asked."""
    matter: int
    """States in which some answer would be wrong."""
    violations: list[Violation]
    """All states in which it is wrong."""
    start: tuple[float, float] | None = None
    """The value of the first state for the program's player: what this program guarantees, and what any could."""
    shortfall: float = 0.0
    """The most it loses, in any state, compared with optimal play from there."""
    worst: str = ""
    """The state of the largest shortfall."""
    short: int = 0
    """States in which it surely loses something, rounding aside."""
    mean_shortfall: float = 0.0

    @property
    def fidelity(self) -> float:
        """The share of states in which it is right."""
        return 1.0 - len(self.violations) / self.states if self.states else 1.0

    @property
    def exact(self) -> bool:
        """Whether the program is optimal in every state."""
        return self.shortfall <= EXACT

    def lines(self) -> list[str]:
        """The certificate as sentences."""
        right = self.states - len(self.violations)
        matter = f", of which {self.matter:,} matter" if self.matter < self.states else ""
        found = [f"On {self.game} it is right in {right:,} of {self.states:,} states{matter}."]
        if self.what == "actions":
            lost = "nothing" if self.exact else f"at most {self.shortfall:.4g}, at {self.worst}"
            where = f"; something in {self.short:,} state{'s' * (self.short > 1)}" if self.short else ""
            found.append(f"Certified against the best response, it loses {lost}{where}.")
            if self.start is not None:
                low, high = self.start
                found.append(f"From the start it earns at least {low:.8g}; no strategy earns more than {high:.8g}.")
        return found


def certify_program(written: WrittenProgram, lesson: Lesson) -> Certificate:
    """Check a program on every state of a solved game, and against the best response to it."""
    if lesson.player != written.player:
        raise BadProgram("the program", f"it plays player {written.player}, not player {lesson.player}")
    written.check(lesson.game, lesson.columns)
    labels = written.labels(lesson.columns)
    if written.what == "value":
        return checked_values(written, lesson, labels)
    mixes = np.ones(int(lesson.own.mix_starts(0)[-1]))
    states = 0
    wrong: list[Violation] = []
    for situation in lesson.situations:
        shares = program_shares(written, situation, labels)
        mixes[lesson.own.mix_starts(0)[situation.nodes][:, None] + np.arange(len(situation.actions))] = shares
        states += len(situation.nodes)
        wrong += violations(written, lesson, situation.only(np.flatnonzero(~lesson.right(situation, shares))), labels)
    lesson.tell("computing the best response to the program")
    lost = loss(lesson, lesson.response_to(mixes).guaranteed)
    matter = int(matters(lesson).sum())
    return Certificate(repr(lesson.game), lesson.player, written.what, states, matter, wrong, **lost)


def program_shares(written: WrittenProgram, situation: Situation, labels: Ints) -> Floats:
    """The shares that the program gives the actions of a situation, a row for every state."""
    meanings = [written.answers[str(label)] for label in written.program.labels]
    table = np.array([legal_shares(mix, situation.actions) for mix in meanings if isinstance(mix, dict)])
    shares: Floats = table[labels[situation.nodes]]
    return shares


def violations(written: WrittenProgram, lesson: Lesson, wrong: Situation, labels: Ints) -> Iterator[Violation]:
    """The wrong answers of a program, by state, and which actions would be right."""
    right = right_actions(lesson, wrong)
    for index, node in enumerate(wrong.nodes.tolist()):
        actions = [action for action, fits in zip(wrong.actions, right[:, index], strict=True) if fits]
        why = f"right: {', '.join(actions)}" if actions else "only mixtures are right"
        yield Violation(name(lesson, node), str(written.program.labels[labels[node]]), why)


def name(lesson: Lesson, node: int) -> str:
    """The name of a state."""
    return state_name(lesson.own.states.name(node))


def loss(lesson: Lesson, earned: Floats) -> dict[str, Any]:
    """What the program loses compared with optimal play, and what it earns from the start."""
    states = slice(len(lesson))
    short = np.maximum(lesson.high - earned, 0.0)[states]
    worst = int(short.argmax())
    return {
        "start": start_bounds(lesson, earned),
        "shortfall": float(short[worst]),
        "worst": name(lesson, worst),
        "short": int(((lesson.low - earned)[states] > EXACT).sum()),
        "mean_shortfall": float(short.mean()),
    }


def start_bounds(lesson: Lesson, earned: Floats) -> tuple[float, float] | None:
    """Lower and upper bound of the first state's value for the player; None if no table holds that state."""
    shift, start = lesson.own.infinite_play, lesson.start
    return None if start is None else (float(earned[start] + shift), float(lesson.high[start] + shift))


def checked_values(written: WrittenProgram, lesson: Lesson, labels: Ints) -> Certificate:
    """Check a program's values of states against the proved intervals."""
    meanings = np.array([written.answers[str(label)] for label in written.program.labels], np.float64)
    stated = meanings[labels]
    low, high = (np.array(bound) for bound in bounds(lesson))
    wrong = [
        Violation(name(lesson, node), f"{stated[node]:.8g}", f"worth {low[node]:.8g} to {high[node]:.8g}")
        for node in np.flatnonzero((stated < low - NEAR) | (stated > high + NEAR)).tolist()
    ]
    return Certificate(repr(lesson.game), lesson.player, written.what, len(lesson), len(lesson), wrong)
