"""Builds the information-set table of a game: every history once, refused before memory is gone."""

from array import array
from collections.abc import Callable, Sequence
from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np

from kibitz import core
from kibitz.core.errors import BadGame
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz.core.specs import constructor_parameters
from kibitz_lab.extensive.table import (
    Ends,
    InformationTable,
    Ints,
    Memory,
    Sets,
    Token,
    Tree,
    is_zero_sum_pair,
    memory_key,
)

LIMIT = 1_000_000
"""The most histories by default: about half a minute of building, and up to a gigabyte."""
WALKS, WALKED = 500, 20_000
"""The random matches, and the most events in them, from which the size of a game is estimated."""
LARGEST = 300.0 * log(10.0)
"""The logarithm of a size at which a random match need not go on."""
SURE = 3.0
"""The standard errors by which an estimate must exceed the limit."""
CLEAR = 3, log(1000.0)
"""So many matches are enough if each indicates a game that is larger than the limit by this factor."""
REPORT_EVERY = 10_000
"""How often progress is reported, in histories."""


class Estimate:
    """The size of a game by random matches (Knuth 1975), and whether anybody ever acts without knowing all."""

    def __init__(self, game: core.Game, limit: int = LIMIT) -> None:
        rng, events = stream(0, "histories", repr(game)), 0
        logs: list[float] = []
        self.simultaneous = False
        while len(logs) < WALKS and events < WALKED:
            length, found = self._walk(game, rng, WALKED - events)
            events += length
            logs.append(found)
            if len(logs) == CLEAR[0] and min(logs) > log(limit) + CLEAR[1]:
                break
        top = max(logs)
        sizes = [exp(each - top) for each in logs]
        mean = sum(sizes) / len(sizes)
        error = sqrt(sum((each - mean) ** 2 for each in sizes) / len(sizes) ** 2)
        self.logarithm = top + log(mean)
        """That of the mean, which is right on average."""
        self.least = max(top + log(max(mean - SURE * error, exp(-LARGEST))), sum(logs) / len(logs))
        """A lower estimate: a bound of the mean, or the mean logarithm, which is too low on average."""

    def _walk(self, game: core.Game, rng: core.Rng, most: int) -> tuple[int, float]:
        """The events of a random match, and the logarithm of the histories that its branching indicates."""
        state, product, total = game.new_initial_state(), 0.0, 0.0
        for event in range(min(most, game.max_plies)):
            current = state.current_player()
            self.simultaneous |= current == core.SIMULTANEOUS
            if current == core.CHANCE:
                options: list[Sequence[int]] = [[action for action, _ in state.chance_outcomes()]]
            else:
                options = [state.legal_actions(player) for player in game.movers(state)]
            if not options or total > LARGEST:
                return event + 1, total
            for legal in options:
                product += log(len(legal))
                total = max(total, product) + log(1.0 + exp(-abs(total - product)))
            state.step([legal[int(rng.random() * len(legal))] for legal in options])
        return min(most, game.max_plies), total

    def words(self) -> str:
        """`about 9,400 histories`."""
        if self.logarithm > LARGEST:
            return "more than 10^300 histories"
        size = exp(self.logarithm)
        if size >= 1e15:
            return f"about 10^{self.logarithm / log(10.0):.0f} histories"
        return f"about {float(f'{size:.1e}'):,.0f} histories"


def build_table(
    game: str | core.Game,
    *,
    limit: int = LIMIT,
    report: Callable[[str], None] | None = None,
) -> InformationTable:
    """The information-set table of a game that ends; raises BadGame if it has more than *limit* histories.

    Players may move in turn or at once, and any number of them; matches are cut off at the game's `max_plies`. A
    zero-sum game of two players in which everyone always knows everything is refused, as it needs no information sets.
    """
    made = make_game(game)
    size = Estimate(made, limit)
    if not _needs_table(made, size):
        raise BadGame(made, "everyone sees everything in it; solve it by search or without --method")
    if size.least > log(limit):
        raise BadGame(made, f"it has {size.words()}, but the limit is {limit:,}; {_way_out(made)}")
    return _Builder(made, limit, size, report).build()


def fits_table(game: core.Game, limit: int) -> bool:
    """Whether a table of the game makes sense and seems to have no more than *limit* histories."""
    size = Estimate(game, limit)
    return _needs_table(game, size) and size.least <= log(limit)


def _needs_table(game: core.Game, size: Estimate) -> bool:
    return game.hidden or size.simultaneous or not is_zero_sum_pair(game)


def _way_out(game: core.Game) -> str:
    sizes = [name for name in constructor_parameters(type(game)) if type(getattr(game, name)) is int]
    smaller = f"choose smaller options ({', '.join(sizes)}), " if sizes else ""
    return f"{smaller}give a higher limit (--limit), or play it with an agent that needs no table, such as mcts"


class History(NamedTuple):
    """A history to expand, and what each player knows and did so far."""

    node: int
    state: core.State
    chosen: tuple[int, ...]
    """The actions of those who have chosen already, if all move at once."""
    moments: tuple[int, ...]
    sequences: tuple[int, ...]
    chance: float
    """The probability that chance does its part to reach it."""
    ply: int


class _Builder:
    """Walks through all histories and collects the arrays of the table."""

    def __init__(self, game: core.Game, limit: int, size: Estimate, report: Callable[[str], None] | None) -> None:
        self.game, self.limit, self.size, self.report = game, limit, size, report
        everyone = range(game.players)
        self.memories: list[Memory] = [{} for _ in everyone]
        self.words: list[list[tuple[int, str]]] = [[(0, "")] for _ in everyone]
        """For each moment of a player: the one before it, and the last event in words."""
        self.moments: list[dict[int, int]] = [{} for _ in everyone]
        self.first, self.parents = [array("q") for _ in everyone], [array("q") for _ in everyone]
        self.views: list[list[core.State]] = [[] for _ in everyone]
        self.actions: list[list[list[int]]] = [[] for _ in everyone]
        self.sequences = [1] * game.players
        self.movers, self.children, self.counts, self.sets = (array("q") for _ in range(4))
        self.chances, self.returns = array("d"), array("d")
        self.end_sequences, self.end_chances = array("q"), array("d")

    def build(self) -> InformationTable:
        """Expand every history, the one found last first."""
        nobody = (0,) * self.game.players
        waiting = [History(self._add(1), self.game.new_initial_state(), (), nobody, nobody, 1.0, 0)]
        while waiting:
            waiting += reversed(self._expand(waiting.pop()))
        return self._table()

    def _add(self, count: int) -> int:
        """Make room for siblings; return the first."""
        first = len(self.movers)
        if first + count > self.limit:
            about = f" ({self.size.words()} by random matches)"
            raise BadGame(self.game, f"it has more than {self.limit:,} histories{about}; {_way_out(self.game)}")
        if self.report is not None and (first + count) // REPORT_EVERY > first // REPORT_EVERY:
            self.report(f"{first + count:,} histories listed")
        for numbers in (self.movers, self.children, self.counts, self.sets):
            numbers.extend([0] * count)
        self.chances.extend([1.0] * count)
        return first

    def _expand(self, at: History) -> list[History]:
        """Describe one history; return its children."""
        state, current = at.state, at.state.current_player()
        if current == core.TERMINAL or at.ply >= self.game.max_plies:
            self._end(at)
            return []
        mover = len(at.chosen) if current == core.SIMULTANEOUS else current
        self.movers[at.node] = mover
        found: list[History] = []
        if mover == core.CHANCE:
            outcomes = state.chance_outcomes()
            for child, (action, probability) in enumerate(outcomes, self._place(at.node, len(outcomes))):
                self.chances[child] = probability
                after, seen = self._after(state, current, (action,), at.moments)
                found.append(History(child, after, (), seen, at.sequences, at.chance * probability, at.ply + 1))
            return found
        number = self.sets[at.node] = self._set(state, mover, at.moments[mover], at.sequences[mover])
        legal, sequence = self.actions[mover][number], self.first[mover][number]
        for place, child in enumerate(range(first := self._place(at.node, len(legal)), first + len(legal))):
            chosen = (*at.chosen, legal[place])
            own = (*at.sequences[:mover], sequence + place, *at.sequences[mover + 1 :])
            if current == core.SIMULTANEOUS and len(chosen) < self.game.players:
                found.append(at._replace(node=child, chosen=chosen, sequences=own))
            else:
                after, seen = self._after(state, current, chosen, at.moments)
                found.append(History(child, after, (), seen, own, at.chance, at.ply + 1))
        return found

    def _place(self, node: int, count: int) -> int:
        """Make room for the children of a node; return the first."""
        first = self._add(count)
        self.children[node], self.counts[node] = first, count
        return first

    def _end(self, at: History) -> None:
        """Describe a history that ended, or was cut off."""
        returns = at.state.returns() if at.state.is_terminal() else self.game.infinite_play(at.state)
        self.movers[at.node], self.children[at.node] = core.TERMINAL, len(self.end_chances)
        self.returns.extend(returns)
        self.end_sequences.extend(at.sequences)
        self.end_chances.append(at.chance)

    def _after(
        self, state: core.State, current: int, actions: tuple[int, ...], moments: tuple[int, ...]
    ) -> tuple[core.State, tuple[int, ...]]:
        """The state after an event, and what each player then knows; at the end that no longer matters."""
        after = state.clone()
        after.step(actions)
        if after.is_terminal():
            return after, moments
        seen = [
            self._moment(player, moment, event_token(self.game, state, after, current, actions, player), state)
            for player, moment in enumerate(moments)
        ]
        return after, tuple(seen)

    def _moment(self, player: int, before: int, token: Token, state: core.State) -> int:
        """The number of what *player* has seen after an event."""
        memory, key = self.memories[player], memory_key(self.game, before, token)
        found = memory.get(key)
        if found is None:
            found = memory[key] = len(memory) + 1
            self.words[player].append((before, self._event_words(token, state.view(player))))
        return found

    def _event_words(self, token: Token, view: core.State) -> str:
        """An event as a player saw it: `deal K`, or `?` for what they did not see."""
        mover, actions, _ = token
        movers = range(len(actions)) if mover == core.SIMULTANEOUS else (mover,)
        pairs = zip(movers, actions, strict=True)
        return "+".join("?" if action is None else view.action_to_string(who, action) for who, action in pairs)

    def _set(self, state: core.State, mover: int, moment: int, sequence: int) -> int:
        """The information set of the mover, among their own."""
        found = self.moments[mover].get(moment)
        if found is None:
            legal = state.legal_actions(mover)
            if len(self.movers) + len(legal) > self.limit:
                self._add(len(legal))  # refuses it
            found = self.moments[mover][moment] = len(self.views[mover])
            self.views[mover].append(state.view(mover))
            self.actions[mover].append(list(legal))
            self.parents[mover].append(sequence)
            self.first[mover].append(self.sequences[mover])
            self.sequences[mover] += len(legal)
        if self.parents[mover][found] != sequence:
            name, here = self.game.player_name(mover), str(self.views[mover][found]).rpartition("\n")[2]
            raise BadGame(self.game, f"{name} forgets what they did before ({here}); this method needs perfect recall")
        return found

    def _table(self) -> InformationTable:
        """The arrays, with the information sets and sequences of all players numbered together."""
        everyone = range(self.game.players)
        starts = np.concatenate([[0], np.cumsum([len(views) for views in self.views])]).astype(np.int64)
        empty = np.concatenate([[0], np.cumsum(self.sequences)]).astype(np.int64)
        first = np.concatenate([_ints(self.first[player]) + empty[player] for player in everyone])
        parents = np.concatenate([_ints(self.parents[player]) + empty[player] for player in everyone])
        actions = [legal for player in everyone for legal in self.actions[player]]
        counts = np.array([len(legal) for legal in actions], np.int64)
        movers, sets = _ints(self.movers), _ints(self.sets)
        returns = np.frombuffer(self.returns, np.float64).reshape(-1, self.game.players).copy()
        tree = Tree(
            movers=movers,
            children=_ints(self.children),
            counts=_ints(self.counts),
            sets=np.where(movers >= 0, sets + starts[np.maximum(movers, 0)], -1),
            chances=np.frombuffer(self.chances, np.float64).copy(),
            returns=returns,
        )
        ends = merge_ends(
            _ints(self.end_sequences).reshape(-1, self.game.players) + empty[:-1],
            returns,
            np.frombuffer(self.end_chances, np.float64),
        )
        moments = [
            {moment: number + int(starts[player]) for moment, number in self.moments[player].items()}
            for player in everyone
        ]
        return InformationTable(
            game=self.game,
            sets=Sets(first, first + counts, parents, starts, empty),
            ends=ends,
            tree=tree,
            views=[view for player in everyone for view in self.views[player]],
            actions=actions,
            events=self.words,
            memories=self.memories,
            moments=moments,
        )


def event_token(
    game: core.Game, before: core.State, after: core.State, current: int, actions: Sequence[int], player: int
) -> Token:
    """What *player* sees of an event between two full states."""
    if not game.hidden:
        return current, tuple(actions), after.key()
    movers = range(game.players) if current == core.SIMULTANEOUS else (current,)
    seen = tuple([before.seen_action(player, who, action) for who, action in zip(movers, actions, strict=True)])
    return current, seen, after.view(player).key()


def merge_ends(sequences: Ints, returns: np.ndarray, chances: np.ndarray) -> Ends:
    """The ends as rows with different sequences, sorted; payoffs of equal ones are added."""
    distinct, row = np.unique(sequences, axis=0, return_inverse=True)
    row = row.reshape(-1)
    payoffs = np.zeros((len(distinct), returns.shape[1]))
    np.add.at(payoffs, row, returns * chances[:, None])
    merged = np.zeros(len(distinct))
    np.add.at(merged, row, chances)
    return Ends(np.ascontiguousarray(distinct), payoffs, merged)


def _ints(numbers: "array[int]") -> Ints:
    return np.frombuffer(numbers, np.int64).copy() if len(numbers) else np.zeros(0, np.int64)
