"""Compares the tables of a saved solution with the rules of the game it names, state by state from the start."""

from fractions import Fraction

from kibitz import core
from kibitz.core.errors import KibitzError
from kibitz.core.registry import make_game
from kibitz_solve.verification.checks import Finding
from kibitz_solve.verification.solution_file import SavedSolution

MOST_STEPS = 300_000
"""The steps of the rules after which the comparison stops."""
NEAR = 1e-12
Distribution = dict[str, float]
"""The states and payoffs that follow, with their probabilities; a payoff is written `= 1.0`."""


def check_tables(saved: SavedSolution) -> Finding:
    """Whether the tables are those of the game that the file names."""
    what = f"tables of {saved.game}"
    try:
        game = make_game(saved.game)
        state = game.new_initial_state()
    except KibitzError as error:
        return Finding(what, 0, False, str(error))
    if saved.must_end or saved.stage.any():
        return Finding(what, 0, False, "the file adds payoffs on the way, or makes play end")
    return TableComparison(saved, game).run(what, state)


class TableComparison:
    """A walk through a game's states, each compared with the file's tables."""

    def __init__(self, saved: SavedSolution, game: core.Game) -> None:
        self.saved, self.game, self.steps = saved, game, 0
        self.nodes = {name: node for node, name in enumerate(saved.states)}
        self.waiting: list[core.State] = []
        self.seen: set[core.Key] = set()

    def run(self, what: str, start: core.State) -> Finding:
        compared = 0
        self._add_successors(start, 1.0, {})
        while self.waiting and self.steps < MOST_STEPS:
            state = self.waiting.pop()
            why = self._difference(state)
            if why:
                return Finding(what, compared, False, f"{why} in {_name(state)}")
            compared += 1
        return Finding(what if not self.waiting else f"{what}, the first states", compared, True)

    def _add_successors(self, state: core.State, odds: float, total: Distribution) -> None:
        """Add what follows from a state, chance moves resolved; states with a choice wait to be compared."""
        self.steps += 1
        if state.is_terminal():
            name = f"= {float(state.returns()[0])!r}"
        elif state.current_player() == core.CHANCE:
            for action, chance in state.chance_outcomes():
                if chance > 0.0:
                    self._add_successors(state.child(action), odds * chance, total)
            return
        else:
            name = _name(state)
            if state.key() not in self.seen:
                self.seen.add(state.key())
                self.waiting.append(state)
        total[name] = total.get(name, 0.0) + odds

    def _difference(self, state: core.State) -> str:
        """How the file differs from the rules in a state; empty if it does not."""
        node = self.nodes.get(_name(state))
        if node is None:
            return "the file lacks a state"
        saved = self.saved
        rows, columns = ([*self._actions(state, player)] for player in (0, 1))
        first, last = int(saved.first[node]), int(saved.first[node + 1])
        if (len(rows), len(columns)) != ((last - first) // int(saved.columns[node]), int(saved.columns[node])):
            return "another number of actions"
        pairs = [(row, column) for row in rows for column in columns]
        for entry, (row, column) in enumerate(pairs, first):
            after = state.clone()
            after.step([action for action in (row, column) if action is not None])
            expected: Distribution = {}
            self._add_successors(after, 1.0, expected)
            stored: Distribution = {}
            self._add_saved_successors(int(saved.successors[entry]), 1.0, stored)
            if not _near(expected, stored):
                return "other successors or payoffs"
        return ""

    def _actions(self, state: core.State, player: int) -> list[int | None]:
        return list(state.legal_actions(player)) if player in self.game.movers(state) else [None]

    def _add_saved_successors(self, node: int, odds: float, total: Distribution) -> None:
        saved = self.saved
        if node < saved.choices:
            name = saved.states[node]
        elif node >= saved.live:
            low, high = saved.end_low[node - saved.live], saved.end_high[node - saved.live]
            name = f"= {float(low) + saved.infinite_play!r}" if low == high else "outside"
        else:
            first, last = saved.chance_first[node - saved.choices : node - saved.choices + 2]
            for outcome in range(int(first), int(last)):
                after = int(saved.chance_successors[outcome])
                self._add_saved_successors(after, odds * float(saved.chance_odds[outcome]), total)
            return
        total[name] = total.get(name, 0.0) + odds


def _near(one: Distribution, other: Distribution) -> bool:
    """Whether two distributions are equal but for rounding."""

    def with_rounded_payoffs(exact: Distribution) -> Distribution:
        total: Distribution = {}
        for name, odds in exact.items():
            key = f"= {float(Fraction(name[2:]).limit_denominator(10**9)):.9g}" if name.startswith("= ") else name
            total[key] = total.get(key, 0.0) + odds
        return total

    first, second = with_rounded_payoffs(one), with_rounded_payoffs(other)
    return first.keys() == second.keys() and all(abs(first[name] - second[name]) <= NEAR for name in first)


def _name(state: core.State) -> str:
    """The name of a state in the file."""
    key = state.key()
    return key if isinstance(key, str) else repr(key)
