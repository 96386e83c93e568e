"""Plays games, and tournaments of all strategies, as rows of the study."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import msgspec
import numpy as np

from kibitz import core
from kibitz.agents.search.alphabeta import AlphaBeta
from kibitz.agents.search.opponent_agent import OpponentModelAgent
from kibitz.agents.search.settings import Noise
from kibitz.core.match.play import play
from kibitz.core.registry import make_game
from kibitz.core.registry.specs import constructor_parameters, spec_text
from kibitz.core.seeds import derived_seed
from kibitz.games.pawns.agents import TABLE
from kibitz.models.dbn.positions import Positions, scores_of
from kibitz.studies.blocks import Block, Cell, Table
from kibitz.studies.pawns.thesis import STRATEGIES
from kibitz.studies.results import Results
from kibitz.studies.sentences import join_names
from kibitz.studies.study import Case, Row, Settings, cross_factors

NOISE: Noise = "leaf"
"""How ties are broken: every leaf gets a random number below the smallest difference of two values."""
PLAIN = "plain"
Player = Callable[[str], AlphaBeta]
"""Makes the player of a strategy."""
Step = tuple[core.State, int]
"""A position and the move made there."""


def plain_player(weights: Sequence[float], case: Case) -> AlphaBeta:
    """Alpha-beta with these weights, and the depth and win value of a case."""
    return AlphaBeta(depth=case["depth"], noise=NOISE, win_value=case["wins"], weights=tuple(weights))


def plain_tournament(case: Case) -> Row:
    """Every strategy as black against every one as white, both with plain search."""
    return {"games": tournament(lambda strategy: plain_player(TABLE[strategy], case), case)}


def tournament_cases(settings: Settings, seed: int, players: Sequence[str], repeats: int) -> list[Case]:
    """Cases in which black plays by *players*; the same repeat has the same seed for all of them."""
    factors = {"wins": settings["wins"], "player": players, "depth": [settings["depth"]]}
    return cross_factors(factors, repeats=repeats, seed=seed, paired=["player"])


def tournament(black_player: Player, case: Case) -> list[Row]:
    """Every strategy as black, played by *black_player*, against every one as white with plain search."""
    return [
        {
            "black": black,
            "white": white,
            **play_game(
                black_player(black), plain_player(TABLE[white], case), derived_seed(case["seed"], "game", black, white)
            ),
        }
        for black, white in product(STRATEGIES, repeat=2)
    ]


def play_game(black: core.Agent, white: core.Agent, seed: int) -> Row:
    """A game: its result for black, its moves, the cost of both players' searches, and how good predictions were."""
    record = play("pawns", [black, white], seed=seed)
    assert record.ending is not None, "a game that was played has ended"
    moves = [[entry for entry in record.entries if entry.player == player] for player in range(2)]
    row: dict[str, Any] = {
        "result": record.ending.returns[0],
        "moves": " ".join(entry.actions[0] for entry in record.entries),
        "searches": [len(own) for own in moves],
        "nodes": [black.searched, white.searched],
        "seconds": [round(sum(sum(entry.seconds) for entry in own), 4) for own in moves],
    }
    for agent in (black, white):
        if isinstance(agent, OpponentModelAgent):
            row["tally"] = msgspec.to_builtins(agent.opponent.tally)
    return row


def moves_of(row: Row) -> list[Row]:
    """Who played what in the games of a tournament."""
    return [{name: game[name] for name in ("black", "white", "moves")} for game in row["games"]]


def steps(game: core.Game, moves: str) -> list[Step]:
    """Every position of a game with the move made there; the final position with -1."""
    state, found = game.new_initial_state(), []
    for move in moves.split():
        action = state.string_to_action(state.current_player(), move)
        found.append((state, action))
        state = state.child(action)
    return [*found, (state, -1)]


def positions(row: Row) -> Positions:
    """A game of a row as numbers for a network to learn from."""
    game = make_game("pawns")
    find = scores_of(game)[1]
    line = steps(game, row["moves"])
    scores = np.array([find(state) for state, _ in line])
    return Positions(scores, tuple(state.current_player() for state, _ in line[:-1]), (row["black"], row["white"]))


def conditions(results: Results) -> Iterator[Block]:
    """The rules and options that all games of the study share."""
    game, settings = make_game("pawns"), results.settings
    options = {name: getattr(game, name) for name in constructor_parameters(type(game))}
    rows: list[tuple[Cell, ...]] = [("rules", name, spec_text(value)) for name, value in options.items()]
    rows += [
        ("search", "depth", settings["depth"]),
        ("search", "ties", f"noise='{NOISE}': a random number in ]-.5, .5[ on every leaf"),
        ("search", "order", "children by their value, with a transposition table and history, which keep the value"),
        ("search", "wins", join_names([f"`{wins}`: {WINS[wins]}" for wins in settings["wins"]])),
        ("search", "asymmetric", "two plies more below likely moves, no fewer below others"),
        ("network", "slices, lag", "4 slices, each feature after the one two positions before, as in Table 8.1"),
        ("network", "DSum", "euclid; features of more than 16 values as about 16 intervals"),
        ("network", "learned from", f"{settings['learned']} tournaments of its own for each win value"),
    ]
    yield Table(("of", "option", "value"), rows, "Rules and options. The thesis leaves most options of the rules open.")


WINS = {
    "features": "a win is worth its features only, as in the listings of the thesis",
    "mate": "a win is worth more than any features, the sooner the more",
}
