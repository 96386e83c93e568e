"""A stranger is learned while watched: predictions add up, and nothing grows without bound."""

from collections.abc import Callable, Sequence
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz import core
from kibitz.core.kernels import python_twin
from kibitz.core.kit.compiled import words_of
from kibitz.core.match.play import playing
from kibitz.core.registry import kit_of, make_agent, make_game
from kibitz.models.strangers import Stranger, new_stranger
from kibitz.models.strangers.choices import ChoiceLearner, Successors, look_at_replies, reply_finder, successors_of
from kibitz.models.strangers.sequences import MOST_CONTEXTS, SequenceLearner
from kibitz.models.strangers.stranger import Erring, Mixer, Switcher


class Round(core.State):
    """Any number of actions, again and again; what was done is not kept."""

    def __init__(self, actions: Sequence[int], key: core.Key = 0) -> None:
        self.actions, self.seen = actions, key

    def current_player(self) -> int:
        return 0

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        return self.actions

    def apply_action(self, action: int) -> None:
        """Change nothing."""

    def returns(self) -> list[float]:
        return [0.0, 0.0]

    def key(self) -> core.Key:
        return self.seen


class Rounds(core.Game):
    """A game of rounds."""

    def __init__(self, actions: core.Count = 2) -> None:
        self.actions = actions

    def new_initial_state(self) -> Round:
        return Round(range(self.actions))


def watch(stranger: Stranger, actions: Sequence[int], legal: Sequence[int], start: int = 0) -> list[float]:
    """The probability of each action before it was learned."""
    found, view = [], Round(legal)
    for ply, action in enumerate(actions, start):
        found.append(stranger.learn(view, action))
        stranger.observe(core.Transition(ply, 0, (action,), view, view))
    return found


@given(st.lists(st.integers(0, 4), max_size=30), st.lists(st.integers(0, 9), min_size=1, max_size=10, unique=True))
@settings(deadline=None, max_examples=40)
def test_predictions_add_up_and_are_what_learning_returns(past: list[int], legal: list[int]) -> None:
    stranger = new_stranger(Rounds(5), 0, 2)
    policies = [core.Distribution.certain(0, range(5)), core.Distribution({1: 0.5}, range(5), 0.5)]
    view = Round(range(5))
    for ply, action in enumerate(past):
        stranger.learn(view, action, policies)
        stranger.observe(core.Transition(ply, 0, (action,), view, view))
    here = Round(sorted(legal))
    asked = [core.Distribution.uniform(here.actions)] * 2
    predicted = stranger.predict(here, asked)
    assert predicted.total() == pytest.approx(1.0)
    for action in legal:
        assert stranger.copy().learn(here, action, asked) == pytest.approx(predicted.probability(action))


def test_an_alternating_player_is_foreseen() -> None:
    assert min(watch(new_stranger(Rounds(), 0), [0, 1] * 20, range(2))[20:]) > 0.85


def test_a_player_who_answers_the_other_is_foreseen() -> None:
    rng, stranger, found, last = np.random.default_rng(0), new_stranger(Rounds(), 0), [], 0
    view = Round(range(2))
    for ply in range(60):
        own, other = 1 - last, int(rng.integers(2))
        found.append(stranger.learn(view, own))
        stranger.observe(core.Transition(ply, core.SIMULTANEOUS, (own, other), view, view))
        last = other
    assert np.mean(found[30:]) > 0.85


def test_a_player_who_bets_by_their_card_is_foreseen() -> None:
    """What they do depends on what they see, here the key of the view; on its own each action is a coin toss."""
    rng, stranger, found = np.random.default_rng(0), new_stranger(Rounds(), 0), []
    for ply in range(80):
        card = int(rng.integers(3))
        view = Round(range(2), card)
        action = int(card == 2)
        found.append(stranger.learn(view, action))
        stranger.observe(core.Transition(ply, 0, (action,), view, view))
    assert np.mean(found[40:]) > 0.85


def test_a_random_player_is_predicted_nearly_as_well_as_by_chance() -> None:
    rng = np.random.default_rng(1)
    found = watch(new_stranger(Rounds(), 0), rng.integers(2, size=100).tolist(), range(2))
    assert -np.log(found).mean() < np.log(2.0) + 0.03


def mean_shares(make: Callable[[], object], likely: Callable[[int], list[float]], choices: int) -> list[float]:
    learner = make()
    for number in range(choices):
        learner.update(np.array(likely(number)))  # type: ignore[attr-defined]
    return learner.shares().tolist()  # type: ignore[attr-defined,no-any-return]


def test_the_rate_of_errors_is_inferred() -> None:
    """Two strategies of ten actions; every fourth choice is an error, which strategies never make."""
    shares = mean_shares(lambda: Erring(0, 2), lambda n: [0.0 if n % 4 == 0 else 1.0, 0.0, 0.1], 80)
    assert shares[0] == pytest.approx(0.75, abs=0.06)
    assert shares[1] < 0.01


def test_the_shares_of_a_mixer_are_inferred() -> None:
    shares = mean_shares(lambda: Mixer(0, 2), lambda n: [1.0, 0.0, 0.1] if n % 3 else [0.0, 1.0, 0.1], 90)
    assert shares[:2] == pytest.approx([2 / 3, 1 / 3], abs=0.06)


def test_a_switcher_is_followed() -> None:
    shares = mean_shares(lambda: Switcher(0, 2), lambda n: [1.0, 0.0, 0.1] if n < 30 else [0.0, 1.0, 0.1], 35)
    assert shares[1] > 0.8


@pytest.mark.needs("lab")
def test_who_likes_a_feature_is_foreseen_in_new_positions() -> None:
    """A player who looks one ply ahead, with weights that no known strategy has."""
    game = make_game("pawns")
    agents = [make_agent("alphabeta(depth=1, weights=[0, -10, 1000, 0, 0, 0])"), "random"]
    gains = []
    for seed in range(3):
        learner = new_stranger(game, 0).learners[-1]
        assert isinstance(learner, ChoiceLearner)
        for moment in playing(game, agents, seed=seed, max_plies=60):
            if moment.event is not None and moment.event.player == 0:
                told = moment.event.transition(0)
                likely = learner.learn(told.before, told.actions[0], ())
                gains.append(np.log(likely * len(told.before.legal_actions(0))))
    assert np.mean(gains) > 0.4


def test_a_forced_action_teaches_nothing() -> None:
    stranger = new_stranger(Rounds(), 0)
    assert watch(stranger, [3] * 5, [3]) == [1.0] * 5
    assert stranger.weights == stranger.prior


@pytest.mark.long
def test_ten_thousand_actions_and_events_stay_small() -> None:
    stranger, legal = new_stranger(Rounds(), 0), list(range(10_000))
    assert stranger.predict(Round(legal)).total() == pytest.approx(1.0)
    watch(stranger, np.random.default_rng(2).integers(10_000, size=300).tolist(), legal)
    assert stranger.predict(Round(legal)).total() == pytest.approx(1.0)
    learner = next(each for each in stranger.learners if isinstance(each, SequenceLearner))
    size = 0
    for start in range(0, 3000, 1000):
        watch(stranger, np.random.default_rng(start).integers(40, size=1000).tolist(), range(40), start)
        assert len(learner.tables) <= MOST_CONTEXTS
        before, size = size, sum(len(each.counts) for each in learner.tables.values())
    assert size < 1.5 * before


def test_copies_are_independent() -> None:
    stranger = new_stranger(Rounds(), 0)
    watch(stranger, [0, 1] * 5, range(2))
    copied = stranger.copy()
    before = stranger.predict(Round(range(2))).probability(0)
    watch(copied, [1] * 10, range(2))
    assert stranger.predict(Round(range(2))).probability(0) == before
    watch(stranger, [0, 0, 0], range(2))
    assert copied.predict(Round(range(2))).probability(1) > 0.7


def test_a_choice_moves_the_weights_by_a_newton_step() -> None:
    rng = np.random.default_rng(3)
    learner = ChoiceLearner(0, Successors(("a", "b", "c"), lambda view, actions: rng.normal(size=(len(actions), 3))))
    for key in range(5):
        view, means, precisions = Round(range(5), key), learner.means, learner.precisions
        weighed = learner.weigh(learner.look(view, range(5))[1])
        exponentials = np.exp(means @ weighed.apart.T)
        assert weighed.plain == pytest.approx(exponentials / exponentials.sum(axis=1, keepdims=True))
        assert weighed.shares.sum(axis=1) == pytest.approx([1.0] * 3)
        assert (np.ptp(weighed.shares, axis=1) <= np.ptp(weighed.plain, axis=1)).all()
        learner.learn(view, 2, [])
        for prior, shares in enumerate(weighed.plain):
            curvature = np.cov(weighed.apart.T, aweights=shares, bias=True)
            assert learner.precisions[prior] == pytest.approx(precisions[prior] + curvature)
            step = np.linalg.solve(learner.precisions[prior], weighed.apart[2] - shares @ weighed.apart)
            assert learner.means[prior] == pytest.approx(means[prior] + step)


@pytest.mark.needs("lab")
@pytest.mark.long
@pytest.mark.parametrize("name", ["pawns(size=4, base_size=1)", "breakthrough(rows=4, columns=3)"])
def test_the_kernel_finds_the_replies_that_the_rules_allow(name: str) -> None:
    game = make_game(name)
    successors, features = successors_of(game), kit_of(game).features
    kernels, beaten = kit_of(game).kernels, 0
    assert successors is not None
    for moment in (each for seed in (0, 7) for each in islice(playing(game, ["random", "random"], seed=seed), 30)):
        state = moment.state
        legal = [] if state.is_terminal() else list(state.legal_actions())
        if legal:
            found = successors.find_replies(state, legal)
            assert found == pytest.approx(reply_finder(features.scores)(state, legal))
            given = words_of(state), np.array(legal), state.current_player(), np.empty(64, np.int64)
            plain = np.empty_like(found)
            with np.errstate(over="ignore"):
                python_twin(look_at_replies)(kernels.legal, kernels.play, kernels.scores, *given, plain)
            assert plain == pytest.approx(found)
            beaten += int(np.abs(found[:, -1]).sum())
    assert beaten, "somebody could win at once"
