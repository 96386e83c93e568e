"""The networks that predict the opponent: learned from plain tournaments, and given to a player."""

from collections.abc import Mapping
from functools import lru_cache
from itertools import product

import msgspec
import zstandard

from kibitz import core
from kibitz.core.registry import make_game
from kibitz.core.seeds import derived_seed, stream
from kibitz.models.dbn.model import Dbn
from kibitz.models.dbn.parameters import Parameters
from kibitz.models.dbn.training import fit_parameters
from kibitz.models.lots import RandomLikelihoods
from kibitz.studies.pawns.games import positions
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Row

SLICES = 4
ONE, TWO, PER_GAME, RANDOM = "one slice", "two slices", "one slice, a strategy per game", "random numbers"
NETWORKS: Mapping[str, Dbn] = {
    ONE: Dbn(slices=SLICES, colours="one", latent_scope="row", lag=2, learning="em"),
    TWO: Dbn(slices=SLICES, colours="each", latent_scope="row", lag=2, learning="em"),
    PER_GAME: Dbn(slices=SLICES, colours="one", latent_scope="game", lag=2, learning="em"),
}
"""How each is learned: the thesis's, the one it proposes with a slice for each colour, and ours, in which the latent
strategy is the same throughout a game and not drawn again for every row of Table 8.1."""
SEEN, THRESHOLD = "seen before", "MAX_PR"
THEIRS = f"{ONE}, {SEEN}"
VARIANTS = {f"{network}, {rule}": (network, rule) for network in (ONE, TWO) for rule in (SEEN, THRESHOLD)} | {
    f"{RANDOM}, {SEEN}": (RANDOM, SEEN)
}
"""The five ways of predicting of ch. 13: the network and the rule for likely moves. The first is the thesis's."""


def network_cases(results: Results) -> list[Case]:
    """Each network with each win value, and the games it learns from, which are never used for judging."""
    settings, cases = results.settings, []
    for wins, network in product(settings["wins"], NETWORKS):
        rows = [
            row for row in results.rows("plain") if row["wins"] == wins and row["repeat"] >= settings["tournaments"]
        ]
        games = [{name: game[name] for name in ("black", "white", "moves")} for row in rows for game in row["games"]]
        seed = derived_seed(results.seed, "network", wins, network)
        cases.append({"wins": wins, "network": network, "seed": seed, "games": games})
    return cases


def learn_network(case: Case) -> Row:
    """The parameters that EM finds, and from how many moves."""
    games = [positions(game) for game in case["games"]]
    rng = stream(case["seed"], "learned")
    found = fit_parameters(NETWORKS[case["network"]], make_game("pawns"), games, rng, lambda said: None)
    return {"parameters": msgspec.to_builtins(found), "learned_from": sum(len(game.movers) for game in games)}


def packed_networks(results: Results, wins: str) -> dict[str, bytes]:
    """The parameters of all networks for one win value, small enough to go with every case."""
    rows = [row for row in results.rows("networks") if row["wins"] == wins]
    return {row["network"]: compress_parameters(row["parameters"]) for row in rows}


def compress_parameters(parameters: Row) -> bytes:
    """Parameters in the compact form of a row."""
    return zstandard.compress(msgspec.json.encode(parameters))


@lru_cache(maxsize=8)
def decompress_parameters(packed: bytes) -> Parameters:
    """The parameters from their compact form."""
    return msgspec.json.decode(zstandard.decompress(packed), type=Parameters)


def watcher(packed: bytes | None, own: str) -> core.Model:
    """The model of a player whose own strategy is *own*; without parameters it draws lots."""
    if packed is None:
        return RandomLikelihoods()
    model = Dbn(slices=SLICES, own=own)
    model.preset = decompress_parameters(packed)
    return model


def rule_text(rule: str, max_pr: float) -> str:
    """The spec of a rule."""
    return "seen_before" if rule == SEEN else f"max_ratio(max_pr={max_pr})"
