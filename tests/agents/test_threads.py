"""Searches on several cores: alpha-beta finds what one thread finds, Monte Carlo search what its shares find alone."""

import copy
from itertools import pairwise

import pytest

from kibitz.agents.search.alphabeta import AlphaBeta, root_distribution
from kibitz.agents.search.compiled_search import CompiledSearch
from kibitz.agents.search.mcts import root_shares
from kibitz.agents.search.mcts.agent import MCTS
from kibitz.agents.search.mcts.root_shares import ShareProcess, ShareProcesses
from kibitz.agents.search.settings import Settings
from kibitz.agents.search.threaded_search import ThreadedSearch
from kibitz.core.abilities import ability
from kibitz.core.clocks import Clock
from kibitz.core.errors import BadSpec
from kibitz.core.game import State
from kibitz.core.match.play import play, playing
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz.server.access.policy import allowed_spec

SWITCHES = (
    {},
    {"margin": 1.0},
    {"margin": float("inf")},
    {"noise_seed": 9},
    {"sort": False},
    {"win_value": "features"},
)


def positions(game: str, count: int) -> list[State]:
    """Positions of random games, some plies in."""
    return [[each.state for each in playing(game, ["random", "random"], seed=seed)][8] for seed in range(count)]


@pytest.mark.long
@pytest.mark.parametrize("game", ["pawns", "breakthrough"])
@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_threads_find_the_move_and_the_values_of_one(game: str, switches: dict[str, float]) -> None:
    kernels, weights = ability(game, "KERNELS"), ability(game, "EVALUATION").check_weights(None)
    one, three = CompiledSearch(kernels), ThreadedSearch(kernels, 3)
    for state in positions(game, 4):
        settings = Settings(depth=5, **switches)  # type: ignore[arg-type]
        alone, beside = one.search(state, settings, weights), three.search(state, settings, weights)
        assert (beside.action, beside.value, beside.line[0]) == (alone.action, alone.value, alone.action)
        if settings.margin:
            legal = state.legal_actions()
            chosen = [root_distribution(found.values, 0.0, legal).named for found in (beside, alone)]
            assert chosen[0] == chosen[1]


def test_a_search_of_threads_gives_up_beyond_its_nodes() -> None:
    search = ThreadedSearch(ability("pawns", "KERNELS"), 2)
    weights = ability("pawns", "EVALUATION").check_weights(None)
    start = make_game("pawns").new_initial_state()
    assert not search.search(start, Settings(depth=9, nodes=500), weights).complete
    assert search.search(start, Settings(depth=5), weights).complete  # what was given up leaves nothing behind


def test_matches_are_the_same_with_threads() -> None:
    for noise in ("root", "leaf", "none"):
        agents = [AlphaBeta(depth=5, noise=noise, threads=threads) for threads in (1, 2)]  # type: ignore[arg-type]
        records = [play("pawns(size=5)", [agent, "s1(depth=1)"], seed=3) for agent in agents]
        assert records[0].ending == records[1].ending
    again = copy.deepcopy(agents[1]).searcher
    assert isinstance(again, ThreadedSearch)
    assert again.threads == 2


def test_budgets_of_nodes_are_kept_by_one_thread() -> None:
    assert isinstance(begun(AlphaBeta(nodes=100, threads=2)).searcher, CompiledSearch)


def begun(agent: AlphaBeta) -> AlphaBeta:
    agent.begin(make_game("pawns"), 0, stream(1, "agent", 0))
    return agent


class NoProcesses(ShareProcesses):
    def take(self) -> None:
        return None


class DyingProcesses(ShareProcesses):
    """Processes that are killed as soon as they are taken."""

    def take(self) -> ShareProcess | None:
        found = super().take()
        if found is not None:
            found.process.kill()
            found.process.wait()
        return found


@pytest.mark.long
@pytest.mark.parametrize("game", ["pawns", "kuhn(players=2)", "dilemma(rounds=5)"])
def test_shares_are_the_same_wherever_they_are_played(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for processes in (ShareProcesses(), NoProcesses(), DyingProcesses()):
        monkeypatch.setattr(root_shares, "PROCESSES", processes)
        found.append(play(game, [MCTS(simulations=60, threads=2), "random"], seed=5).ending)
        for process in processes.free:
            process.close()
    assert all(one == other for one, other in pairwise(found))


def test_shares_add_up_to_the_simulations() -> None:
    agent = make_agent("mcts(simulations=40, threads=2)")
    assert isinstance(agent, MCTS)
    agent.begin(make_game("pawns"), 0, stream(1, "agent", 0))
    agent.act(agent.game.new_initial_state(), Clock())
    assert agent.found is not None
    assert agent.found.simulations == 40
    assert sum(agent.found.visits.values()) == 40


def test_requests_get_one_thread() -> None:
    with pytest.raises(BadSpec, match="threads"):
        allowed_spec("mcts(threads=2)")
