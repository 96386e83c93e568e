"""`check_lockstep`: tests that a game's compiled twin plays exactly like its readable rules."""

from kibitz import core
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz.testing.walks import random_step, require, sample_actions


def check_lockstep(game: str, *, walks: int = 12, plies: int = 300, seed: int = 0) -> None:
    """Play the fast and the reference state of a registered game side by side, and compare every answer."""
    compare_games(make_game(game, fast=False), make_game(game), walks=walks, plies=plies, seed=seed)


def compare_games(reference: core.Game, fast: core.Game, *, walks: int = 12, plies: int = 300, seed: int = 0) -> None:
    """Require two implementations of one game to agree along random walks."""
    rng = stream(seed, "check_lockstep", repr(reference))
    for _ in range(walks):
        slow, quick = reference.new_initial_state(), fast.new_initial_state()
        for _ in range(plies):
            _compare(reference, slow, quick, rng)
            if slow.is_terminal():
                break
            quick.step(random_step(reference, slow, rng))


def _compare(game: core.Game, slow: core.State, quick: core.State, rng: core.Rng) -> None:
    where = f"{game} at {slow.key()!r}: fast and reference state differ in"
    require(slow.current_player() == quick.current_player(), f"{where} current_player")
    require(slow.is_terminal() == quick.is_terminal(), f"{where} is_terminal")
    require(slow.key() == quick.key(), f"{where} key ({quick.key()!r})")
    require(str(slow) == str(quick), f"{where} str")
    require(slow.returns() == quick.returns(), f"{where} returns")
    require(list(slow.chance_outcomes()) == list(quick.chance_outcomes()), f"{where} chance_outcomes")
    for player in game.movers(slow):
        own, other = slow.legal_actions(player), quick.legal_actions(player)
        require(len(own) == len(other), f"{where} the number of legal actions")
        some = sample_actions(own, rng)
        require(all(action in other for action in some), f"{where} legal_actions")
        texts = [(slow.action_to_string(player, a), quick.action_to_string(player, a)) for a in some]
        require(all(one == two for one, two in texts), f"{where} notation")
    for seat in (*range(game.players), None):
        require(slow.view(seat).key() == quick.view(seat).key(), f"{where} view({seat})")
    for player in range(game.players):
        require(slow.truth(player) == quick.truth(player), f"{where} truth({player})")
