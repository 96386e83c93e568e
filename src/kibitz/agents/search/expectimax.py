"""The agent `expectimax` (Michie 1966): minimax that averages over chance, for games of dice and open cards.

Values are player 0's and come from the game's EVALUATION. A terminal state is worth its evaluation plus, with win value
`mate`, its share of the largest return, from -1 to 1, times WIN + WIN_SOONER for every move that is left of the search.
So in a game without chance that is won or lost, this is `reference.minimax` to the last digit; in a game with chance,
odds decide, and winning a move sooner is worth about 1 % of them. With `features` a terminal state is worth its
evaluation alone.

The depth counts moves of players. Chance is not a move: the search averages over it wherever it occurs, at the horizon
too, so that a move is judged by what its dice bring. As in `alphabeta`, root moves less than 1 apart count as equal.
"""

from collections.abc import Sequence

from kibitz import core
from kibitz.agents.search.alphabeta import AlphaBeta
from kibitz.agents.search.reference import Evaluate, GaveUp, key_hash, tie_noise
from kibitz.agents.search.searcher import Searcher, require_searchable, why_unsearchable
from kibitz.agents.search.settings import WIN, WIN_SOONER, Depth, Noise, SearchResult, Settings, WinValue
from kibitz.core.abilities.compiled import evaluator


class Expectimax(AlphaBeta):
    """Looks *depth* moves ahead without pruning and averages over chance; *weights* are those of the game's evaluation.

    *nodes*, *noise*, *win_value*, *strength* and *variety* are those of `alphabeta`.
    """

    def __init__(
        self,
        depth: Depth = 2,
        nodes: core.Count | None = None,
        weights: tuple[float, ...] | None = None,
        noise: Noise = "root",
        win_value: WinValue = "mate",
        strength: core.Probability = 1.0,
        variety: core.Probability = 0.0,
    ) -> None:
        super().__init__(
            depth=depth,
            nodes=nodes,
            weights=weights,
            noise=noise,
            win_value=win_value,
            strength=strength,
            variety=variety,
        )

    def manages(self, game: core.Game) -> bool:
        return not why_unsearchable(game, chance=True)

    def searcher_in(self, game: core.Game) -> Searcher:
        require_searchable(self, game, chance=True, teams=True)
        return ExpectimaxSearch(self, game)


class ExpectimaxSearch:
    """Searches positions of one game for one agent."""

    def __init__(self, agent: core.Agent, game: core.Game) -> None:
        self.agent, self.game = agent, game

    def search(self, state: core.State, settings: Settings, weights: Sequence[float]) -> SearchResult:
        """Look *settings.depth* moves ahead from *state*; every root move gets its exact value."""
        search = _Search(self.agent, self.game, settings, evaluator(self.game, weights))
        try:
            return search.root(state)
        except GaveUp:
            return SearchResult(-1, 0.0, (), search.nodes, settings.depth, {}, complete=False)


class _Search:
    """One search: its table of positions, its count of nodes. A node is an action or outcome visited."""

    def __init__(self, agent: core.Agent, game: core.Game, settings: Settings, evaluate: Evaluate) -> None:
        self.agent, self.game, self.settings, self.evaluate = agent, game, settings, evaluate
        self.known: dict[tuple[core.Key, int], tuple[float, tuple[int, ...]]] = {}
        self.first_side = frozenset(game.teams[0])
        self.largest = max(abs(bound) for bound in game.utility) or 1.0
        self.nodes = 0

    def root(self, state: core.State) -> SearchResult:
        """Every move of the player to move, with its value for that player."""
        sign = 1.0 if state.current_player() in self.first_side else -1.0
        values, lines = {}, {}
        for action in state.legal_actions():
            value, lines[action] = self.value(self.child(state, action), self.settings.depth - 1)
            values[action] = sign * value
        best = max(values, key=values.__getitem__)
        return SearchResult(best, values[best], (best, *lines[best]), self.nodes, self.settings.depth, values)

    def value(self, state: core.State, left: int) -> tuple[float, tuple[int, ...]]:
        """Player 0's value with *left* moves to go, and the best moves until the next chance event."""
        # 1. A leaf is worth its evaluation.
        mover = state.current_player()
        if mover == core.TERMINAL or (left == 0 and mover != core.CHANCE):
            return self.leaf(state, left), ()
        # 2. Was it searched before, to the same depth?
        here = (state.key(), left)
        if here in self.known:
            return self.known[here]
        # 3. Average over chance; a player takes the best move.
        found = self.average(state, left) if mover == core.CHANCE else self.best(state, mover, left)
        # 4. Remember.
        self.known[here] = found
        return found

    def average(self, state: core.State, left: int) -> tuple[float, tuple[int, ...]]:
        """The expected value over chance outcomes. Lines end here."""
        value = 0.0
        for outcome, probability in state.chance_outcomes():
            value += probability * self.value(self.child(state, outcome), left)[0]
        return value, ()

    def best(self, state: core.State, mover: int, left: int) -> tuple[float, tuple[int, ...]]:
        """The value of the mover's best action, and the line that begins with it."""
        if mover == core.SIMULTANEOUS:
            raise core.Unsupported(self.agent, self.game, "its players move simultaneously; mcts plays such games")
        sign = 1.0 if mover in self.first_side else -1.0
        top = -float("inf")
        line: tuple[int, ...] = ()
        for action in state.legal_actions():
            value, below = self.value(self.child(state, action), left - 1)
            if sign * value > top:
                top, line = sign * value, (action, *below)
        return sign * top, line

    def leaf(self, state: core.State, left: int) -> float:
        """Player 0's value of a state that is not expanded."""
        value = self.evaluate(state)
        if self.settings.win_value == "mate" and state.is_terminal():
            value += state.returns()[0] / self.largest * (WIN + WIN_SOONER * left)
        if self.settings.noise_seed is not None:
            value += tie_noise(key_hash(state), self.settings.noise_seed)
        return value

    def child(self, state: core.State, action: int) -> core.State:
        """The state after *action*, counted as a node; gives up when there are too many."""
        self.nodes += 1
        if self.nodes > self.settings.nodes:
            raise GaveUp
        return state.child(action)
