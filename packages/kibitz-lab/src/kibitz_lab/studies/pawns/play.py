"""The work of the study of Pawns: tournaments of all strategies, networks learned from them, and Harmony* searches."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise, permutations, product
from typing import Any

import msgspec
import numpy as np

from kibitz import core
from kibitz.core.match.play import play
from kibitz.core.registry import make_game
from kibitz.core.seeds import derived_seed, stream
from kibitz_lab.games.pawns.agents import TABLE
from kibitz_lab.learn import harmony
from kibitz_lab.models.dbn.model import Dbn
from kibitz_lab.models.dbn.parameters import Parameters
from kibitz_lab.models.dbn.positions import Positions, scores_of
from kibitz_lab.models.dbn.training import fit_parameters
from kibitz_lab.models.lots import RandomLikelihoods
from kibitz_lab.search.alphabeta import AlphaBeta
from kibitz_lab.search.asymmetric import Asymmetric
from kibitz_lab.search.opponent import Tally, make_rule
from kibitz_lab.search.settings import Noise
from kibitz_lab.studies.study import Case, Row, unpack

NOISE: Noise = "leaf"
"""How ties are broken: every leaf gets a random number below the smallest difference of two values."""
BLACK, WHITE = 0, 1
SLICES = 4
NETWORKS: Mapping[str, Dbn] = {
    "one slice": Dbn(slices=SLICES, colours="one", latent_scope="row", lag=2, learning="em"),
    "two slices": Dbn(slices=SLICES, colours="each", latent_scope="row", lag=2, learning="em"),
    "one slice, a strategy per game": Dbn(slices=SLICES, colours="one", latent_scope="game", lag=2, learning="em"),
}
"""How each is learned: as in the thesis, with a slice for each colour as it proposes, and with the same latent strategy
throughout a game."""
THEIRS, RANDOM = "one slice", "random numbers"
RULES = {"seen before": "seen_before", "MAX_PR": "max_ratio(max_pr=0.3)"}
"""The thesis's rules for likely moves."""
PEDERSEN = harmony.HarmonySettings()
"""Memory, probabilities, width and grid of Harmony* as in the thesis."""


def plain_player(weights: Sequence[float], case: Case) -> AlphaBeta:
    """Alpha-beta with these weights, and the depth and win value of a case."""
    return AlphaBeta(depth=case["depth"], noise=NOISE, win_value=case["wins"], weights=tuple(weights))


def play_tournament(case: Case) -> Row:
    """Every strategy as black against every one as white with plain search."""
    games = []
    for black, white in product(TABLE, repeat=2):
        agents = black_player(black, case), plain_player(TABLE[white], case)
        games.append({"black": black, "white": white, **play_game(*agents, derived_seed(case["seed"], black, white))})
    return {"games": games}


def black_player(strategy: str, case: Case) -> AlphaBeta:
    """Plain search, or an asymmetric tree with the thesis's way of predicting if the case has a network."""
    if "network" not in case:
        return plain_player(TABLE[strategy], case)
    common: dict[str, Any] = {"noise": NOISE, "win_value": case["wins"], "weights": TABLE[strategy]}
    model = watcher(case["network"], strategy)
    return Asymmetric(model=model, depth=case["depth"], rule=RULES["seen before"], **common)


def play_game(black: core.Agent, white: core.Agent, seed: int) -> Row:
    """A game: its result for black, its moves, and the cost of both players' searches."""
    record = play("pawns", [black, white], seed=seed)
    assert record.ending is not None, "a game that was played has ended"
    moves = [[entry for entry in record.entries if entry.player == player] for player in range(2)]
    return {
        "result": record.ending.returns[0],
        "moves": " ".join(entry.actions[0] for entry in record.entries),
        "searches": [len(own) for own in moves],
        "nodes": [getattr(agent, "searched", 0) for agent in (black, white)],
        "seconds": [round(sum(sum(entry.seconds) for entry in own), 4) for own in moves],
    }


def steps(moves: str) -> list[tuple[core.State, int]]:
    """Every position of a game with the move made there; the final position with -1."""
    state, found = make_game("pawns").new_initial_state(), []
    for move in moves.split():
        action = state.string_to_action(state.current_player(), move)
        found.append((state, action))
        state = state.child(action)
    return [*found, (state, -1)]


def positions(game: Row) -> Positions:
    """A game as numbers for a network to learn from."""
    find = scores_of(make_game("pawns"))[1]
    line = steps(game["moves"])
    scores = np.array([find(state) for state, _ in line])
    return Positions(scores, tuple(state.current_player() for state, _ in line[:-1]), (game["black"], game["white"]))


def learn_network(case: Case) -> Row:
    """The parameters that EM finds from the games of a case, small enough to go with every later one."""
    games = [positions(game) for game in case["games"]]
    rng = stream(case["seed"], "learned")
    found = fit_parameters(NETWORKS[case["network"]], make_game("pawns"), games, rng, lambda said: None)
    return {"parameters": msgspec.to_builtins(found)}


def watcher(packed: bytes | None, own: str) -> core.Model:
    """The model of a player whose own strategy is *own*; without parameters it draws random numbers."""
    if packed is None:
        return RandomLikelihoods()
    model = Dbn(slices=SLICES, own=own)
    model.preset = unpack(packed, Parameters)
    return model


def predict_games(case: Case) -> list[Row]:
    """Black's predictions of white's moves with a network: how good the sets of each rule were, over a tournament."""
    tallies = {rule: Tally() for rule in RULES}
    for number, game in enumerate(case["games"]):
        rng = stream(case["seed"], case["network"], number)
        moves = list(predicted_moves(watcher(case["parameters"], game["black"]), game["moves"], rng))
        for name, text in RULES.items():
            rule = make_rule(text)
            rule.begin(rng)
            for weights, chosen in moves:
                tallies[name].count(rule.likely(weights), chosen)
                rule.observe_choice(weights, chosen)
    return [{"rule": rule, **msgspec.to_builtins(tally)} for rule, tally in tallies.items()]


def predicted_moves(model: core.Model, moves: str, rng: core.Rng) -> Iterator[tuple[list[float], int]]:
    """The predicted likelihood of each of white's moves, and the move played."""
    model.begin(make_game("pawns"), BLACK, rng)
    for ply, ((state, action), (after, _)) in enumerate(pairwise(steps(moves))):
        if state.current_player() == WHITE:
            legal = list(state.legal_actions(WHITE))
            yield model.likelihoods(state, WHITE), legal.index(action)  # type: ignore[attr-defined]
        model.observe(core.Transition(ply, state.current_player(), (action,), state, after))


def search_harmony(case: Case) -> Row:
    """The best strategy that a Harmony* search finds, by tournaments of its memory."""
    costs = partial(relative_costs, case)
    stage = harmony.first_stage(partial(costs, 0), PEDERSEN, case["seed"])
    for iteration in range(1, case["iterations"] + 1):
        stage = harmony.next_stage(stage, partial(costs, iteration), PEDERSEN, case["seed"])
    return {"best": stage.best}


def relative_costs(case: Case, iteration: int, vectors: Sequence[harmony.Vector]) -> list[float]:
    """Not-wins less wins of every vector in a tournament in which each pair meets once with either colour."""
    costs, seed = [0.0] * len(vectors), derived_seed(case["seed"], "tournament", iteration)
    for number, (black, white) in enumerate(permutations(range(len(vectors)), 2)):
        agents = plain_player(vectors[black], case), plain_player(vectors[white], case)
        result = play_game(*agents, derived_seed(seed, number))["result"]
        costs[black] += -1.0 if result > 0 else 1.0
        costs[white] += -1.0 if result < 0 else 1.0
    return costs


def meet_table(case: Case) -> Row:
    """The score of a strategy that was found against each of Table 10.1's with either colour."""
    own, points = plain_player(case["weights"], case), []
    for number, other in enumerate(TABLE.values()):
        theirs = plain_player(other, case)
        seeds = [derived_seed(case["seed"], number, colour) for colour in ("black", "white")]
        points += [play_game(own, theirs, seeds[0])["result"], -play_game(theirs, own, seeds[1])["result"]]
    return {"score": sum((1.0 + each) / 2.0 for each in points) / len(points)}
