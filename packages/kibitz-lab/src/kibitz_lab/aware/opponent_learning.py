"""Learns how an opponent plays a small game with secrets from the ends of matches, and what they gave away.

A player often does not learn what the other held. So every end of the game that looks to the player like what they saw
counts, as likely as chance and the supposed strategies make it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz_lab.extensive import BehaviourPolicy, InformationTable, kernels, uniform_policy
from kibitz_lab.extensive.building import event_token
from kibitz_lab.extensive.policies import joint_actions
from kibitz_lab.extensive.table import Token, memory_key

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
EndObservation = tuple[int | None, Token]
"""What a player knew before the last event, and how they saw it."""
STRENGTHS = (1.0, 3.0, 10.0, 30.0, 100.0)
"""How many choices the larger group may count in a smaller one."""
GRADES = 5
"""How finely hands are told apart by how good they are."""
STEPS = 4
"""The steps of expectation maximisation each time; the next time goes on from there."""


class ObservedEnds:
    """The ends of a game by what one player has seen of them: chance's part, and everybody's sequences."""

    def __init__(self, table: InformationTable, player: int) -> None:
        self.chances: dict[EndObservation, Floats] = {}
        self.sequences: dict[EndObservation, Ints] = {}
        by_end: dict[EndObservation, list[tuple[float, tuple[int, ...]]]] = {}
        everyone = range(table.players)
        start = tuple(int(table.sets.empty[each]) for each in everyone)
        waiting = [History(table.game.new_initial_state(), (0,) * table.players, start, 1.0, 0)]
        while waiting:
            history = waiting.pop()
            for actions, chance, sequences in steps_from(table, history):
                after = history.state.clone()
                after.step(actions)
                event = table.game, history.state, after, history.state.current_player(), actions
                if after.is_terminal() or history.ply + 1 >= table.game.max_plies:
                    seen = history.moments[player], event_token(*event, player)
                    by_end.setdefault(seen, []).append((chance, sequences))
                else:
                    moments = tuple(
                        table.memories[who][memory_key(table.game, history.moments[who], event_token(*event, who))]
                        for who in everyone
                    )
                    waiting.append(History(after, moments, sequences, chance, history.ply + 1))
        for end, rows in by_end.items():
            self.chances[end] = np.array([chance for chance, _ in rows])
            self.sequences[end] = np.array([sequences for _, sequences in rows], np.int64)


class History(NamedTuple):
    """A history: its state, what each player saw and did, chance's part in it, and its length."""

    state: core.State
    moments: tuple[int, ...]
    sequences: tuple[int, ...]
    chance: float
    ply: int


def steps_from(table: InformationTable, history: History) -> Iterator[tuple[tuple[int, ...], float, tuple[int, ...]]]:
    """All that may happen next: the actions, chance's part so far, and everybody's sequences after it."""
    state = history.state
    odds = dict(state.chance_outcomes()) if state.current_player() == core.CHANCE else {}
    own = [(who, table.moments[who][history.moments[who]]) for who in table.game.movers(state)]
    for actions in joint_actions(table.game, state):
        chosen = list(history.sequences)
        for (who, number), action in zip(own, actions, strict=False):
            chosen[who] = int(table.sets.first[number]) + table.actions[number].index(action)
        yield actions, history.chance * odds.get(actions[0], 1.0), tuple(chosen)


class InfosetGroups:
    """The information sets of one player in ever smaller groups: those of a group are likely to be played alike.

    The groups are made by the legal actions; by how good the hand is as well; by what was done openly and how good the
    hand is; by what was done and the value of the hand, so that suits do not matter; and last every information set
    is a group of its own. How good a hand is: what it earns if everybody chooses at random, compared with the other
    hands in the same situation.
    """

    def __init__(self, table: InformationTable, player: int) -> None:
        sets, part = table.sets, table.sequences_of(player)
        numbers = table.sets_of(player)
        values, mass = random_values(table, player)
        open_moves = open_histories(table, player)
        grades = hand_grades(open_moves, values, mass)
        names: list[tuple[Any, ...]] = []
        for at, number in enumerate(numbers):
            legal, grade = tuple(table.actions[number]), grades[at]
            names.append(
                (
                    (legal,),
                    (legal, grade),
                    (open_moves[at], grade),
                    (open_moves[at], round(float(values[at]), 9)),
                    (number,),
                )
            )
        first, sizes = sets.first[numbers.start : numbers.stop] - part.start, [len(table.actions[n]) for n in numbers]
        self.cells: list[Ints] = []
        """The cell of each sequence at each level: a group and one of its actions."""
        self.groups: list[Ints] = []
        """The group of each sequence at each level."""
        for level in range(len(names[0])):
            cells: dict[Any, int] = {}
            groups: dict[Any, int] = {}
            cell, group = (np.zeros(part.stop - part.start, np.int64) for _ in range(2))
            for at, start in enumerate(first.tolist()):
                for action in range(sizes[at]):
                    cell[start + action] = cells.setdefault((names[at][level], action), len(cells) + 1)
                    group[start + action] = groups.setdefault(names[at][level], len(groups) + 1)
            self.cells.append(cell)  # the empty sequence has cell and group 0
            self.groups.append(group)

    def smooth(self, counts: Floats) -> Floats:
        """The probabilities that choices counted by sequence suggest: each group leans on the larger one that it is in.

        How much it does is chosen for each level by the likelihood of the counts (Dirichlet and multinomial).
        """
        probabilities: Floats = np.ones(len(counts))
        _, at, sizes = np.unique(self.groups[-1], return_inverse=True, return_counts=True)
        probabilities /= sizes[at]
        for cells, groups in zip(self.cells, self.groups, strict=True):
            counted: Floats = np.bincount(cells, counts).astype(np.float64)
            firsts = np.unique(cells, return_index=True)[1]  # one sequence of each cell
            lean, owners = probabilities[firsts], groups[firsts]
            totals: Floats = np.bincount(owners, counted).astype(np.float64)
            fits = [likelihood(counted, totals, lean, strength) for strength in STRENGTHS]
            strength = STRENGTHS[int(np.argmax(fits))]
            probabilities = ((counted + strength * lean) / (totals[owners] + strength))[cells]
        probabilities[0] = 1.0
        return probabilities


def likelihood(counted: Floats, totals: Floats, lean: Floats, strength: float) -> float:
    """The log-likelihood of counts if groups have probabilities near those they lean on (Dirichlet-multinomial)."""
    from scipy.special import gammaln

    own = gammaln(counted + strength * lean) - gammaln(strength * lean)
    return float(own.sum() - (gammaln(totals + strength) - gammaln(np.full(len(totals), strength))).sum())


def random_values(table: InformationTable, player: int) -> tuple[Floats, Floats]:
    """The value of each information set of *player* if everybody chooses at random, and how often it is reached."""
    sets, numbers = table.sets, table.sets_of(player)
    plans = np.concatenate([uniform_policy(table, each).plan() for each in range(table.players)])
    ends: Any = table.ends
    others = [each for each in range(table.players) if each != player]
    reach = np.prod([plans[ends.sequences[:, each]] for each in others], axis=0)
    values, mass = np.zeros(len(plans)), np.zeros(len(plans))
    np.add.at(values, ends.sequences[:, player], ends.payoffs[:, player] * reach)
    np.add.at(mass, ends.sequences[:, player], ends.chances * reach)
    means, reached = np.zeros(len(numbers)), np.zeros(len(numbers))
    for number in reversed(numbers):
        here = table.sequences_at(number)
        means[number - numbers.start], reached[number - numbers.start] = values[here].mean(), mass[here].mean()
        values[sets.parents[number]] += values[here].mean()
        mass[sets.parents[number]] += mass[here].mean()
    return means / np.maximum(reached, 1e-300), reached


def open_histories(table: InformationTable, player: int) -> list[tuple[Any, ...]]:
    """What players did before each information set of *player*, as far as they saw it, chance aside."""
    before = {after: (moment, token) for (moment, token), after in table.memories[player].items()}
    moves: dict[int, tuple[Any, ...]] = {}
    for start, number in table.moments[player].items():
        events, moment = [], start
        while moment:
            moment, (mover, actions, _) = before[moment]
            if mover != core.CHANCE:
                events.append((mover, actions))
        moves[number] = tuple(reversed(events))
    return [moves[number] for number in table.sets_of(player)]


def hand_grades(situations: list[tuple[Any, ...]], values: Floats, mass: Floats) -> list[int]:
    """How good each hand is in its situation, from 0 to GRADES - 1, by the part of the hands that are worse."""
    grades = [0] * len(situations)
    alike: dict[tuple[Any, ...], list[int]] = {}
    for at, situation in enumerate(situations):
        alike.setdefault(situation, []).append(at)
    for members in alike.values():
        within, weights = values[members].round(9), mass[members]
        for at, value in zip(members, within.tolist(), strict=True):
            below, equal = weights[within < value].sum(), weights[within == value].sum()
            grades[at] = min(GRADES - 1, int(GRADES * (below + equal / 2.0) / max(weights.sum(), 1e-300)))
    return grades


class LearnedStrategy:
    """The matches against one opponent by what was seen of them at the end, and the strategy that they suggest."""

    def __init__(self, table: InformationTable, player: int, levels: InfosetGroups) -> None:
        self.table, self.player, self.levels = table, player, levels
        self.seen: Counter[EndObservation] = Counter()
        part = table.sequences_of(player)
        sets, numbers = table.sets, table.sets_of(player)
        self.parents = np.zeros(part.stop - part.start, np.int64)
        """The sequence of this player before each of theirs."""
        for number in numbers:
            self.parents[
                table.sequences_at(number).start - part.start : table.sequences_at(number).stop - part.start
            ] = sets.parents[number] - part.start
        self.probabilities = levels.smooth(np.zeros(part.stop - part.start))

    @property
    def policy(self) -> BehaviourPolicy:
        """The strategy that the matches so far suggest."""
        return BehaviourPolicy(self.table, self.player, self.probabilities)

    def learn(self, ends: ObservedEnds, weights: Mapping[EndObservation, Floats]) -> None:
        """Find the strategy by expectation maximisation: hands that were not shown count as likely as it makes them.

        *weights* is the part of chance and of everybody else in each end.
        """
        first = int(self.table.sets.empty[self.player])
        rows = [ends.sequences[seen][:, self.player] - first for seen in self.seen]
        sequences = np.concatenate(rows)
        groups = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        chances = np.concatenate([weights[seen] for seen in self.seen])
        times = np.array(list(self.seen.values()), np.float64)
        for _ in range(STEPS):
            likely = chances * self.policy.plan()[sequences]
            total = np.bincount(groups, likely)
            likely *= (times / np.maximum(total, 1e-300))[groups]
            counts: Floats = np.bincount(sequences, likely, len(self.probabilities)).astype(np.float64)
            for sequence in range(len(counts) - 1, 0, -1):  # what led there was chosen as often
                counts[self.parents[sequence]] += counts[sequence]
            counts[0] = 0.0
            self.probabilities = self.levels.smooth(counts)


def given_away(table: InformationTable, policy: BehaviourPolicy) -> Floats:
    """What the opponent of *policy* gives away on the way to each of their sequences, compared with their best reply.

    The sum over a match is, on average, what the policy earns above its worst return: the gifts of Ganzfried and
    Sandholm (2015), for games with secrets.
    """
    sets, other = table.sets, 1 - policy.player
    probabilities = np.ones(int(sets.empty[-1]))
    probabilities[table.sequences_of(policy.player)] = policy.shares
    plan, values = np.zeros(len(probabilities)), np.zeros(len(probabilities))
    kernels.write_plan(tuple(table.sets), policy.player, probabilities, plan)
    kernels.write_payoffs(tuple(table.sets), tuple(table.ends), other, plan, values)
    kernels.respond(tuple(table.sets), other, values, probabilities)
    mass = np.zeros(len(probabilities))
    ends: Any = table.ends
    np.add.at(mass, ends.sequences[:, other], ends.chances * plan[ends.sequences[:, policy.player]])
    for number in reversed(table.sets_of(other)):
        mass[sets.parents[number]] += mass[sets.first[number]]
    lost = np.zeros(len(probabilities))
    for number in table.sets_of(other):
        here = slice(int(sets.first[number]), int(sets.last[number]))
        reach = mass[sets.first[number]]
        gaps = (values[here].max() - values[here]) / reach if reach > 0.0 else np.zeros(here.stop - here.start)
        lost[here] = lost[sets.parents[number]] + gaps
    return lost
