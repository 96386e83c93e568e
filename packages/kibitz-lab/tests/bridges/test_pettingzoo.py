"""kibitz games as PettingZoo environments: PettingZoo's own tests, and what its tests do not look at."""

import contextlib
import io
import sys
from functools import partial

import numpy as np
import pytest

from kibitz.core.errors import BadSpec, MissingPackage
from kibitz.core.registry import entries, make_game
from kibitz_lab.bridges import pettingzoo

zoo = pytest.importorskip("pettingzoo.test")
pytestmark = pytest.mark.filterwarnings(  # it prefers observations without masks, and tells so of its own games
    "ignore:Observation is not a NumPy array", "ignore:Observation space for each agent probably should be"
)

SMALL = ("breakthrough", "dilemma", "kuhn", "goofspiel", "trails")
GAMES = [name if name in SMALL else pytest.param(name, marks=pytest.mark.slow) for name in entries("game")]


def episode(env, seed=None, most=2000):
    """The agents, actions and rewards of a random episode."""
    env.reset(seed=seed)
    found = []
    for agent in env.agent_iter(most):
        seen, reward, ended, cut, _ = env.last()
        action = None if ended or cut else int(env.action_space(agent).sample(seen["action_mask"]))
        found.append((agent, action, reward))
        env.step(action)
    return found


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_every_game_passes_the_tests_of_turn_environments(game: str) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        zoo.api_test(pettingzoo.env(game), num_cycles=20)
        zoo.seed_test(partial(pettingzoo.env, game), num_cycles=20)
        zoo.render_test(partial(pettingzoo.env, game))


@pytest.mark.parametrize("game", GAMES)
def test_every_game_passes_the_tests_of_parallel_environments(game: str) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        zoo.parallel_api_test(pettingzoo.parallel_env(game), num_cycles=20)
        zoo.parallel_seed_test(partial(pettingzoo.parallel_env, game), num_cycles=20)


@pytest.mark.parametrize("game", ["kuhn", "dilemma(rounds=5)", "offers", "pawns(size=5, base_size=1)"])
def test_rewards_add_up_to_the_returns(game: str) -> None:
    env = pettingzoo.env(game)
    for seed in range(5):
        total = dict.fromkeys(env.possible_agents, 0.0)
        for agent, _, reward in episode(env, seed):
            total[agent] += reward
        assert list(total.values()) == pytest.approx(env.episode.state.returns())


def test_an_episode_that_is_cut_off_pays_what_endless_play_is_worth() -> None:
    env = pettingzoo.env("bear-brawl(endless=0.5)", max_cycles=1)
    env.reset(seed=1)
    env.step(0)
    env.step(0)
    assert (env.rewards, set(env.truncations.values())) == ({"player_0": 0.5, "player_1": -0.5}, {True})


def test_the_mask_marks_exactly_the_legal_actions() -> None:
    env = pettingzoo.env("breakthrough")
    env.reset(seed=3)
    seen, *_ = env.last()
    assert np.flatnonzero(seen["action_mask"]).tolist() == list(env.episode.state.legal_actions())
    assert not env.observe("player_1")["action_mask"].any(), "who is not to move has no action"


def test_a_board_is_seen_as_planes() -> None:
    env = pettingzoo.env("breakthrough")
    env.reset()
    first, second, _ = env.observe("player_0")["observation"]
    assert first.tolist() == [[1] * 8] * 2 + [[0] * 8] * 6
    assert second.tolist() == [[0] * 8] * 6 + [[1] * 8] * 2


def test_an_illegal_action_is_replaced_by_the_default_and_reported() -> None:
    env = pettingzoo.env("breakthrough")
    env.reset()
    default = env.episode.state.default_action(0)
    env.step(191)
    assert env.infos["player_0"] == {"illegal": True}
    assert env.episode.state.key() == make_game("breakthrough").new_initial_state().child(default).key()


@pytest.mark.parametrize("game", ["risk", "trails"])
def test_games_with_too_many_actions_are_offered_by_index(game: str) -> None:
    env = pettingzoo.env(game, most=50)
    env.reset(seed=2)
    numbers = env.numbers
    assert numbers.listed
    for _ in range(30):
        seen, _, ended, cut, _ = env.last()
        if ended or cut:
            break
        legal = env.legal
        allowed = np.flatnonzero(seen["action_mask"])
        assert len(allowed) == min(50, len(legal))
        offered = [numbers.action(int(number), legal) for number in allowed]
        assert offered == sorted(set(offered))
        assert all(action in legal for action in offered)
        assert [numbers.number(action, legal) for action in offered] == allowed.tolist()
        env.step(int(allowed[-1]))
        assert not env.infos[env.possible_agents[0]]


def test_observations_do_not_depend_on_hidden_cards() -> None:
    env = pettingzoo.env("kuhn")
    seen: dict[tuple[int, ...], list[tuple[int, bytes]]] = {}
    for seed in range(60):
        env.reset(seed=seed)
        cards = env.episode.state.cards
        seen.setdefault(cards[:1], []).append((cards[1], env.observe("player_0")["observation"].tobytes()))
    assert max(len({other for other, _ in rows}) for rows in seen.values()) > 1, "the others' cards differ"
    assert all(len({array for _, array in rows}) == 1 for rows in seen.values())
    assert len({rows[0][1] for rows in seen.values()}) == len(seen), "one's own card is seen"


def test_who_chooses_second_sees_nothing_of_the_first_choice() -> None:
    arrays = []
    for first in (0, 1):
        env = pettingzoo.env("dilemma")
        env.reset(seed=1)
        env.step(first)
        arrays.append(env.observe("player_1")["observation"])
        env.step(0)
        arrays.append(env.observe("player_1")["observation"])
    assert np.array_equal(arrays[0], arrays[2])
    assert not np.array_equal(arrays[1], arrays[3]), "afterwards it is seen"


def test_one_seed_determines_all_episodes_that_follow() -> None:
    def cards(seed: int) -> list[tuple[int, ...]]:
        env = pettingzoo.env("kuhn")
        env.reset(seed=seed)
        found = []
        for _ in range(6):
            found.append(env.episode.state.cards)
            env.reset()
        return found

    assert cards(4) == cards(4)
    assert len(set(cards(4))) > 1
    assert cards(4) != cards(5)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"render_mode": "movie"}, "render_mode"), ({"max_cycles": 0}, "max_cycles")],
)
def test_bad_options_are_named(options: dict[str, object], words: str) -> None:
    with pytest.raises(BadSpec, match=words):
        pettingzoo.env("kuhn", **options)


def test_without_the_package_one_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "kibitz_lab.bridges.pettingzoo.environments", raising=False)
    with pytest.raises(MissingPackage, match="pip install 'kibitz\\[bridges\\]'"):
        pettingzoo.env("kuhn")
