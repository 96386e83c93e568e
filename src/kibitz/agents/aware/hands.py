"""What a match of a small game with secrets showed: who may have held what, what a choice gave away, how one plays.

A player often does not learn what the other held. So every end of the game that looks to the player like what they saw
counts, as likely as chance and the supposed strategies make it.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.solve.extensive import BehaviourPolicy, InformationTable, kernels
from kibitz.solve.extensive.building import event_token
from kibitz.solve.extensive.policies import joint_actions
from kibitz.solve.extensive.table import Token

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Seen = tuple[int | None, Token]
"""What a player knew before the last event, and how they saw it."""
SMOOTHING = 3.0
"""How many choices the prior counts in each information set."""


class EndsSeen:
    """The ends of a game by what one player has seen of them: chance's part, and everybody's sequences."""

    def __init__(self, table: InformationTable, player: int) -> None:
        self.chances: dict[Seen, Floats] = {}
        self.sequences: dict[Seen, Ints] = {}
        found: dict[Seen, list[tuple[float, tuple[int, ...]]]] = {}
        everyone = range(table.players)
        start = tuple(int(table.sets.empty[each]) for each in everyone)
        waiting = [Place(table.game.new_initial_state(), (0,) * table.players, start, 1.0, 0)]
        while waiting:
            place = waiting.pop()
            for actions, chance, sequences in steps_from(table, place):
                after = place.state.clone()
                after.step(actions)
                event = table.game, place.state, after, place.state.current_player(), actions
                if after.is_terminal() or place.ply + 1 >= table.game.max_plies:
                    seen = place.moments[player], event_token(*event, player)
                    found.setdefault(seen, []).append((chance, sequences))
                else:
                    moments = tuple(
                        table.memories[who][place.moments[who], event_token(*event, who)] for who in everyone
                    )
                    waiting.append(Place(after, moments, sequences, chance, place.ply + 1))
        for end, rows in found.items():
            self.chances[end] = np.array([chance for chance, _ in rows])
            self.sequences[end] = np.array([sequences for _, sequences in rows], np.int64)


class Place(NamedTuple):
    """A history: its state, what each player saw and did, chance's part in it, and its length."""

    state: core.State
    moments: tuple[int, ...]
    sequences: tuple[int, ...]
    chance: float
    ply: int


def steps_from(table: InformationTable, place: Place) -> Iterator[tuple[tuple[int, ...], float, tuple[int, ...]]]:
    """All that may happen next: the actions, chance's part so far, and everybody's sequences after it."""
    state = place.state
    odds = dict(state.chance_outcomes()) if state.current_player() == core.CHANCE else {}
    own = [(who, table.moments[who][place.moments[who]]) for who in table.game.movers(state)]
    for actions in joint_actions(table.game, state):
        chosen = list(place.sequences)
        for (who, number), action in zip(own, actions, strict=False):
            chosen[who] = int(table.sets.first[number]) + table.actions[number].index(action)
        yield actions, place.chance * odds.get(actions[0], 1.0), tuple(chosen)


class ChoiceCounts:
    """How often one opponent chose each action in each of their information sets, as far as it can be known."""

    def __init__(self, table: InformationTable, player: int) -> None:
        self.table, self.player = table, player
        self.counts: Floats = np.zeros(int(table.sets.empty[-1]))
        self.matches = 0

    def learn(self, sequences: Ints, weights: Floats) -> None:
        """Take note of a match that ended with one of these sequences of the opponent, as likely as these weights."""
        sets, owner = self.table.sets, self.player
        leads = np.repeat(sets.parents, sets.last - sets.first)
        firsts = np.concatenate([np.arange(a, b) for a, b in zip(sets.first, sets.last, strict=True)])
        before = dict(zip(firsts.tolist(), leads.tolist(), strict=True))
        for sequence, weight in zip(sequences.tolist(), weights.tolist(), strict=True):
            while sequence != int(sets.empty[owner]):
                self.counts[sequence] += weight
                sequence = before[sequence]
        self.matches += 1

    def policy(self, prior: BehaviourPolicy) -> BehaviourPolicy:
        """The strategy that the counts suggest, smoothed towards *prior*."""
        sets, part = self.table.sets, self.table.sequences_of(self.player)
        shares = self.counts[part] + SMOOTHING * prior.shares
        shares[0] = 1.0
        for number in self.table.sets_of(self.player):
            here = slice(int(sets.first[number]) - part.start, int(sets.last[number]) - part.start)
            shares[here] /= shares[here].sum()
        return BehaviourPolicy(self.table, self.player, shares)


def given_away(table: InformationTable, policy: BehaviourPolicy) -> Floats:
    """What the opponent of *policy* gives away on the way to each of their sequences, compared with their best reply.

    The sum over a match is, on average, what the policy earns above its worst return: the gifts of Ganzfried and
    Sandholm (2015), for games with secrets.
    """
    sets, other = table.sets, 1 - policy.player
    shares = np.ones(int(sets.empty[-1]))
    shares[table.sequences_of(policy.player)] = policy.shares
    plan, worth = np.zeros(len(shares)), np.zeros(len(shares))
    kernels.write_plan(table.set_arrays, policy.player, shares, plan)
    kernels.write_payoffs(table.set_arrays, table.end_arrays, other, plan, worth)
    kernels.respond(table.set_arrays, other, worth, shares)
    mass = np.zeros(len(shares))
    ends: Any = table.ends
    np.add.at(mass, ends.sequences[:, other], ends.chances * plan[ends.sequences[:, policy.player]])
    for number in reversed(table.sets_of(other)):
        mass[sets.parents[number]] += mass[sets.first[number]]
    lost = np.zeros(len(shares))
    for number in table.sets_of(other):
        here = slice(int(sets.first[number]), int(sets.last[number]))
        reach = mass[sets.first[number]]
        gaps = (worth[here].max() - worth[here]) / reach if reach > 0.0 else np.zeros(here.stop - here.start)
        lost[here] = lost[sets.parents[number]] + gaps
    return lost
