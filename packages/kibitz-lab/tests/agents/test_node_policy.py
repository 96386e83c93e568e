"""One tree for every policy: the compiled search, the Python one and the definitions agree wherever they are asked."""

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz import core
from kibitz.core.registry import make_game, make_model
from kibitz.core.seeds import stream
from kibitz_lab.search.asymmetric import Asymmetric
from kibitz_lab.search.game_tree import TreeSearch
from kibitz_lab.search.node_policy import NodePolicy
from kibitz_lab.search.opponent_agent import OpponentModelAgent
from kibitz_lab.search.searcher import evaluation_of
from kibitz_lab.search.settings import Settings

FIELDS = ("action", "value", "line", "values", "predicted", "named", "complete")
SMALL = make_game("pawns(size=5, pawns=2)")

searches = st.builds(
    Settings,
    depth=st.integers(1, 5),
    sort=st.booleans(),
    table=st.booleans(),
    history=st.booleans(),
    win_value=st.sampled_from(["mate", "features"]),
    noise_seed=st.sampled_from([None, 5]),
    margin=st.sampled_from([0.0, 1.0, float("inf")]),
    nodes=st.sampled_from([1 << 62, 200]),
)
asymmetric = st.builds(
    lambda **options: Asymmetric(model=make_model("lots"), **options),
    deeper=st.integers(0, 2),
    unlikely_depth=st.sampled_from([None, 1, 3]),
    rule=st.sampled_from(["mass(mass=0.5)", "max_ratio(max_pr=0.4)", "random_like(rule=mass)"]),
)


def random_state(seed: int, plies: int) -> core.State:
    """A position of a small board after some random moves."""
    rng, state = stream(seed, "position"), SMALL.new_initial_state()
    for _ in range(plies):
        child = state.child(int(rng.choice(state.legal_actions())))
        if child.is_terminal():
            break
        state = child
    return state


@pytest.mark.long
@given(asymmetric, searches, st.integers(0, 1000), st.integers(0, 12))
@settings(max_examples=40)
def test_python_and_compiled_trees_find_the_same(
    agent: OpponentModelAgent, options: Settings, seed: int, plies: int
) -> None:
    state = random_state(seed, plies)
    agent.begin(SMALL, state.current_player(), stream(1, "agent"))
    fast = agent.searcher.search(state, options, agent.vector)
    search = agent.searcher.make_search(options, agent.vector)
    search.compiled, search.history = None, defaultdict(int)
    slow = search.root(state)
    assert [getattr(fast, name) for name in FIELDS] == [getattr(slow, name) for name in FIELDS]
    assert fast.nodes == slow.nodes or not fast.complete


@pytest.mark.long
@given(searches, st.integers(0, 1000), st.integers(0, 12))
@settings(max_examples=20)
def test_a_policy_that_changes_nothing_is_alpha_beta_wherever_it_is_settled(
    options: Settings, seed: int, plies: int
) -> None:
    class Unsettled(NodePolicy):
        """Expects the worst, but is asked everywhere."""

        def is_settled(self, node: object, own: bool) -> bool:
            return False

    state = random_state(seed, plies)
    evaluation = evaluation_of(SMALL)

    def evaluate(each: core.State) -> float:
        return evaluation.evaluate(each, evaluation.check_weights(None))

    settled, unsettled = (TreeSearch(options, evaluate, policy).root(state) for policy in (None, Unsettled()))
    if settled.complete and unsettled.complete:
        assert settled.value == unsettled.value
