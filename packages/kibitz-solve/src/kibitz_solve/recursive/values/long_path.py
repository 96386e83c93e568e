"""The discounted path of a few states in hundreds of digits, where play waits in many ways one after another.

What a discount of eta leaves of a value is a power of it, and where states wait for one another the power may be a
tenth or a thirtieth. With integers for numbers eta falls to 1e-280, so that even a hundredth would leave little.
"""

import numpy as np

from kibitz_lab.equilibria.matrices import Basis, ExactGame, solve_integers
from kibitz_solve.recursive.building.recursive_game import Floats, RecursiveGame
from kibitz_solve.recursive.values import fixed_point
from kibitz_solve.recursive.values.fixed_point import ExactValue
from kibitz_solve.recursive.values.kernels import Marks
from kibitz_solve.recursive.values.operators import Deadline
from kibitz_solve.recursive.values.path import DiscountedPath

MOST_NODES = 300
"""More would take too long."""
LEAST_ETA, FIRST_RATIO = 1e-280, 8.0
"""Where the path ends, and by how much eta falls at first."""
STEPS, NEAR = 25, 60
"""The most steps at one eta; the residual to accept is `2**-NEAR` eta."""
SPARE_BITS = 120
"""Bits beyond those of eta twice: equations whose play ends with a chance of eta lose that many."""


class LongPath(DiscountedPath):
    """The values of the nodes that are not *fixed* along the path; *value_of* says what the others are worth."""

    smallest_ratio, largest_ratio = 1.025, 1e3

    def __init__(
        self, game: RecursiveGame, fixed: Marks, value_of: ExactValue, start: Floats, eta: float, deadline: Deadline
    ) -> None:
        super().__init__(eta, FIRST_RATIO, deadline)
        self.game = game
        self.active = [int(node) for node in np.flatnonzero(fixed[: game.live] == 0)]
        self.index = {node: index for index, node in enumerate(self.active)}
        self.start, self.value_of, self.bits = start, value_of, 0
        self.values: dict[int, int] = {}
        """What every node that matters is worth, in units of `2**-bits`."""
        self.bases: dict[int, Basis] = {}
        self.games: dict[int, ExactGame] = {}
        self.tables = {node: self._table(node) for node in self.active if node < game.choices}
        self.outcomes = {node: self._outcomes(node) for node in self.active if node >= game.choices}

    def can_begin(self) -> bool:
        """Whether the nodes are few, the rules simple enough (no payoffs on the way, no chance move after another), and
        the first point is found.
        """
        nested = any(after in self.outcomes for nodes, _ in self.outcomes.values() for after in nodes)
        if not 0 < len(self.active) <= MOST_NODES or nested or len(self.game.structure.stage):
            return False
        self._set_precision(self.eta)
        return self.move_to(self.eta)

    def move_to(self, eta: float) -> bool:
        """Newton's method at a discount, from the last values, which stay if it fails."""
        self._set_precision(eta)
        loss = fixed_point.to_fixed(eta, self.bits)
        values = self.values.copy()
        least, most = (fixed_point.to_fixed(bound, self.bits) for bound in self.game.bounds)
        for _ in range(STEPS):
            if self.deadline.has_passed():
                return False
            games, residuals = self._residuals(values, loss)
            if max(abs(each) for each in residuals) << NEAR <= loss:
                self.eta, self.values, self.games = eta, values, games
                return True
            moves, leaving = self._chain(games, loss)
            step = fixed_point.chain_values(moves, leaving, residuals, self.bits)
            if step is None:
                return False
            for node, change in zip(self.active, step, strict=True):
                values[node] = min(max(values[node] + change, least), most)
        return False

    def doubles(self) -> Floats:
        """The values as doubles; those of nodes that do not matter are 0."""
        values = np.zeros(self.game.nodes)
        for node, value in self.values.items():
            values[node] = value / (1 << self.bits)
        return values

    def mixes(self, player: int) -> Floats:
        """A player's strategy at the active states."""
        starts = self.game.mix_starts(player)
        mixes = np.zeros(starts[-1])
        for state, game in self.games.items():
            weights = game.rows if player == 0 else game.columns
            for action, weight in zip(game.basis[player], weights, strict=True):
                mixes[starts[state] + action] = weight / game.total
        return mixes

    def matrix(self, state: int, values: dict[int, int]) -> list[list[int]]:
        """The matrix behind a state."""
        return [[values[after] for after in row] for row in self.tables[state]]

    def mean(self, move: int, values: dict[int, int]) -> int:
        """What a chance move is worth, rounded down."""
        nodes, odds = self.outcomes[move]
        return sum(chance * values[after] for after, chance in zip(nodes, odds, strict=True)) // sum(odds)

    def _table(self, state: int) -> list[list[int]]:
        structure = self.game.structure
        after = structure.successors[structure.first[state] : structure.first[state + 1]].tolist()
        width = int(structure.columns[state])
        return [after[begin : begin + width] for begin in range(0, len(after), width)]

    def _outcomes(self, move: int) -> tuple[list[int], list[int]]:
        """The nodes after a chance move, and whole numbers in the ratio of their odds."""
        structure, number = self.game.structure, move - self.game.choices
        entries = slice(int(structure.chance_first[number]), int(structure.chance_first[number + 1]))
        ratios = [odds.as_integer_ratio() for odds in structure.chance_odds[entries].tolist()]
        common = max((each[1] for each in ratios), default=1)  # powers of 2
        return structure.chance_successors[entries].tolist(), [up * (common // down) for up, down in ratios]

    def _set_precision(self, eta: float) -> None:
        """As many bits as an eta needs."""
        bits = int(-2.0 * np.log2(eta)) + SPARE_BITS
        if bits <= self.bits:
            return
        if not self.values:
            self.values = {node: fixed_point.to_fixed(float(self.start[node]), bits) for node in self.active}
        else:
            self.values = {node: self.values[node] << bits - self.bits for node in self.active}
        reached = {after for table in self.tables.values() for row in table for after in row}
        reached |= {after for nodes, _ in self.outcomes.values() for after in nodes}
        for node in reached - self.index.keys():
            self.values[node] = self.value_of(node, bits)
        self.bits = bits

    def _residuals(self, values: dict[int, int], loss: int) -> tuple[dict[int, ExactGame], list[int]]:
        """The solved matrices of all states, and how much every active node would change."""
        games, residuals = {}, []
        for node in self.active:
            if node in self.outcomes:
                residuals.append(self.mean(node, values) - values[node])
                continue
            game = solve_integers(self.matrix(node, values), self.bases.get(node))
            self.bases[node] = game.basis
            value = game.value // game.total
            games[node] = game
            residuals.append(value - (loss * value >> self.bits) - values[node])
        return games, residuals

    def _chain(self, games: dict[int, ExactGame], loss: int) -> tuple[list[dict[int, int]], list[int]]:
        """The probabilities with which play moves between active nodes, and those with which it leaves them."""
        moves: list[dict[int, int]] = [{} for _ in self.active]
        leaving = [0 if node in self.outcomes else loss for node in self.active]
        for index, node in enumerate(self.active):
            for after, chance in self._transitions(node, games):
                if after not in self.index:
                    leaving[index] += chance
                elif after != node:
                    moves[index][self.index[after]] = moves[index].get(self.index[after], 0) + chance
        return moves, leaving

    def _transitions(self, node: int, games: dict[int, ExactGame]) -> list[tuple[int, int]]:
        """What follows a node, and with which chance, if both players mix as in the solution of its matrix."""
        if node in self.outcomes:
            nodes, odds = self.outcomes[node]
            return [(after, (chance << self.bits) // sum(odds)) for after, chance in zip(nodes, odds, strict=True)]
        table, game, (chosen, across) = self.tables[node], games[node], games[node].basis
        rows = [(share << self.bits) // game.total for share in game.rows]
        columns = [(share << self.bits) // game.total for share in game.columns]
        return [
            (table[row][column], share * other >> self.bits)
            for row, share in zip(chosen, rows, strict=True)
            for column, other in zip(across, columns, strict=True)
        ]
