"""The answers a program may give in a state: an action, or a mixture of actions with simple shares.

Where some action is right, no mixture is needed. Elsewhere the solver's own mixture is rounded to the simplest shares
that are still right, and as few different mixtures as possible cover all such states.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from kibitz_solve import matrix_game
from kibitz_solve.programs.lessons import WHOLES, Flags, Floats, Lesson, Situation, round_shares, share_text

Mix: TypeAlias = tuple[tuple[str, float], ...]
"""Actions with their shares, in the game's order; shares are above 0 and add up to 1."""

TRIED = 4
"""How many of the simplest right mixtures of every state are considered."""


def label_of(mix: Mix) -> str:
    """The label of an answer.

    >>> label_of((("F", 1.0),)), label_of((("F", 0.999), ("R", 0.001))), label_of((("N", 1 / 3), ("S", 2 / 3)))
    ('F', 'F 99.9 %, R 0.1 %', 'N 1/3, S 2/3')
    """
    if len(mix) == 1:
        return mix[0][0]
    return ", ".join(f"{action} {share_text(share)}" for action, share in mix)


def answers_of(lesson: Lesson) -> dict[str, Mix]:
    """By label, a set of answers that suffices for every state, actions first."""
    actions = dict.fromkeys(action for situation in lesson.situations for action in situation.actions)
    mixes: list[Mix] = [((action, 1.0),) for action in actions]
    for number, situation in enumerate(lesson.situations):
        lesson.tell(f"choosing answers: {number:,} of {len(lesson.situations):,} kinds of states")
        mixes += covering(lesson, situation, mixes)
    return {label_of(mix): mix for mix in mixes}


def covering(lesson: Lesson, situation: Situation, known: Sequence[Mix]) -> list[Mix]:
    """The fewest mixtures that give every state of a situation a right answer, where no known answer is right."""
    open_ = np.flatnonzero(~right_table(lesson, situation, known).any(axis=0))
    rest = situation.only(open_)
    candidates = list(dict.fromkeys(mix for index in range(len(open_)) for mix in simple_mixtures(lesson, rest, index)))
    return cover(candidates, right_table(lesson, rest, candidates))


def simple_mixtures(lesson: Lesson, situation: Situation, index: int) -> list[Mix]:
    """The simplest mixtures that are right in one state; if none is, the solver's own."""
    best = np.asarray(matrix_game(situation.matrices[index]).row)
    alone = situation.only(np.array([index]))
    found: list[Mix] = []
    for whole in WHOLES:
        found += [mix_of(alone.actions, each) for each in round_shares(best, whole) if lesson.right(alone, each)[0]]
        if len(found) >= TRIED:
            break
    return found or [mix_of(situation.actions, best)]


def mix_of(actions: Sequence[str], shares: Floats) -> Mix:
    """The actions that have a share."""
    return tuple((action, share) for action, share in zip(actions, shares.tolist(), strict=True) if share > 0.0)


def right_where(lesson: Lesson, situation: Situation, mix: Mix) -> Flags:
    """In which states of a situation an answer is right; in none if one of its actions is not legal."""
    given = dict(mix)
    if not given.keys() <= set(situation.actions):
        return np.zeros(len(situation.nodes), np.bool_)
    return lesson.right(situation, np.array([given.get(action, 0.0) for action in situation.actions]))


def right_table(lesson: Lesson, situation: Situation, mixes: Sequence[Mix]) -> Flags:
    """By answer and state, whether it is right."""
    table = np.zeros((len(mixes), len(situation.nodes)), np.bool_)
    for index, mix in enumerate(mixes):
        table[index] = right_where(lesson, situation, mix)
    return table


def cover(candidates: list[Mix], right: Flags) -> list[Mix]:
    """Greedy cover: repeatedly the candidate that is right in most of the remaining states, the first of equals."""
    chosen = []
    while right.any():
        index = int(right.sum(axis=1).argmax())
        chosen.append(candidates[index])
        right = right & ~right[index]
    return chosen


def right_answers(lesson: Lesson, answers: Mapping[str, Mix]) -> tuple[list[int], Flags]:
    """The states in which the player has a choice, and by state and answer whether it is right."""
    nodes, tables = [], []
    for situation in lesson.situations:
        nodes += situation.nodes.tolist()
        tables.append(right_table(lesson, situation, list(answers.values())).T)
    return nodes, np.concatenate(tables)


def right_actions(lesson: Lesson, situation: Situation) -> Flags:
    """By action and state of a situation, whether it is right on its own."""
    return np.array([lesson.right(situation, alone) for alone in np.eye(len(situation.actions))])


def matters(lesson: Lesson) -> Flags:
    """Whether some legal action is wrong, for the states in the order of the situations."""
    return np.concatenate([~right_actions(lesson, situation).all(axis=0) for situation in lesson.situations])
