"""The compiled asymmetric tree is the Python one: same values, nodes, lines and predictions."""

import pytest

from kibitz import core
from kibitz.agents.search.asymmetric import Asymmetric
from kibitz.agents.search.compiled_search import compiled_rule
from kibitz.agents.search.settings import Settings
from kibitz.core.match.play import play, playing
from kibitz.core.registry import make_game, make_model
from kibitz.core.seeds import stream
from kibitz.models.likely import MaxRatio, RandomLike, pessimistic_ratios

NAMES = ("action", "value", "line", "nodes", "depth", "values", "complete", "predicted", "named")


def watched(rule: str, seed: int, plies: int, **parameters: object) -> tuple[Asymmetric, core.State]:
    """An agent that has watched so much of a game, and where it stands."""
    moments = list(playing("pawns", ["s4(depth=2)", "s2(depth=2)"], seed=seed, max_plies=plies))
    moments = [moment for moment in moments if not moment.state.is_terminal()]
    state = moments[-1].state
    agent = Asymmetric(model=make_model("dbn"), rule=rule, **parameters)  # type: ignore[arg-type]
    agent.begin(make_game("pawns"), state.current_player(), stream(1, "x"))
    for moment in moments[1:]:
        assert moment.event is not None
        agent.observe(moment.event.transition(agent.player))
    return agent, state


@pytest.mark.long
@pytest.mark.parametrize("rule", ["seen_before", "max_ratio(max_pr=0.4)", "mass(mass=0.5)"])
@pytest.mark.parametrize(
    "parameters", [{}, {"deeper": 3}, {"unlikely_depth": 2}, {"deeper": 0}, {"unlikely_depth": 5}], ids=str
)
def test_compiled_and_python_trees_are_twins(rule: str, parameters: dict[str, object]) -> None:
    predicted = 0
    for seed, plies in ((1, 9), (2, 14)):
        agent, state = watched(rule, seed, plies, **parameters)
        for depth in (1, 2, 3):
            for settings in ({}, {"noise_seed": 3}, {"margin": 1.0}, {"table": False, "history": False}):
                search = Settings(depth=depth, **settings)  # type: ignore[arg-type]
                assert agent.searcher.compiled is not None  # type: ignore[attr-defined]
                fast = agent.searcher.search(state, search, agent.vector)
                slow = agent.searcher.make_search(search, agent.vector).root(state)  # type: ignore[attr-defined]
                for name in NAMES:
                    assert getattr(fast, name) == getattr(slow, name), (name, depth, settings)
                predicted += fast.named  # type: ignore[attr-defined]
        assert not agent.opponent.fault
    assert predicted


def test_what_cannot_be_compiled_is_searched_in_python() -> None:
    assert compiled_rule(RandomLike(MaxRatio()), 10) is None
    record = play("pawns", ["asymmetric(model=dbn, depth=2, rule='random_like(rule=mass)')", "random"], max_plies=6)
    assert record.ending.strikes == (0, 0)


def test_ranks_are_the_rules_ratios() -> None:
    made = compiled_rule(MaxRatio(0.5), 8)
    assert made is not None
    shares = [0.4, 0.1, 0.1, 0.3, 0.05, 0.05]
    for ratio, share in zip(pessimistic_ratios(shares), shares, strict=True):
        rank = sum(other >= share for other in shares)
        assert made[0][rank, len(shares)] == (ratio < 0.5)
