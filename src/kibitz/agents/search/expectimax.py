"""The agent `expectimax` (Michie 1966): minimax that averages over chance, for games of dice and open cards.

Values are player 0's and come from the game's EVALUATION. A terminal state is worth its evaluation plus, with win value
`mate`, its share of the largest return, from -1 to 1, times WIN + WIN_SOONER for every move that is left of the search.
So in a game without chance that is won or lost, this is `game_tree.minimax` to the last digit; in a game with chance,
odds decide, and winning a move sooner is worth about 1 % of them. With `features` a terminal state is worth its
evaluation alone.

The depth counts moves of players. Chance is not a move: the search averages over it wherever it occurs, at the horizon
too, so that a move is judged by what its dice bring. As in `alphabeta`, root moves less than 1 apart count as equal.
"""

from collections.abc import Sequence

import msgspec

from kibitz import core
from kibitz.agents.search.alphabeta import AlphaBeta
from kibitz.agents.search.game_tree import TreeSearch
from kibitz.agents.search.searcher import Searcher, require_searchable, why_unsearchable
from kibitz.agents.search.settings import Depth, Noise, SearchResult, Settings, WinValue
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
        return ExpectimaxSearch(game)


class ExpectimaxSearch:
    """Searches positions of one game."""

    def __init__(self, game: core.Game) -> None:
        self.game = game

    def search(self, state: core.State, settings: Settings, weights: Sequence[float]) -> SearchResult:
        """Look *settings.depth* moves ahead from *state*; every root move gets its exact value."""
        plain = msgspec.structs.replace(settings, prune=False, sort=False, table=True)
        search = TreeSearch(plain, evaluator(self.game, weights), first_side=frozenset(self.game.teams[0]))
        search.averages, search.largest = True, max(abs(bound) for bound in self.game.utility) or 1.0
        found = search.root(state)
        return found if found.complete else msgspec.structs.replace(found, nodes=search.nodes)
