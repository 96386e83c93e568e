"""The agent `automata`: plays games of units, whatever their size, as strong and as varied as it is told."""

import pytest

from kibitz import core, make_game, play
from kibitz.core.errors import BadSpec
from kibitz.core.registry import make_agent
from kibitz.core.seeds import stream


@pytest.mark.long
def test_it_finds_the_plan_of_the_third_scenario() -> None:
    for record in (play("axis(scenario=s3)", ["automata", "random"], seed=seed) for seed in range(3)):
        orders = [entry.actions[0] for entry in record.entries if entry.player == 0]
        assert all("stays" in order for order in orders[:5])
        assert all("G > M" in order for order in orders[5:10])


@pytest.mark.long
def test_it_catches_the_robber_of_another_game() -> None:
    """Two cops win on a grid, and four turns of look ahead are enough."""
    game = "cops(graph=grid, size=3, cops=2, turns=8)"
    caught = sum(play(game, ["automata(depth=3)", "runner"], seed=seed).ending.returns[0] for seed in range(4))
    assert caught == 4.0
    alone = [play(game, ["random", "runner"], seed=seed).ending.returns[0] for seed in range(12)]
    assert sum(alone) < 6.0


def test_strength_is_how_long_it_learns() -> None:
    weak, strong = make_agent("automata(strength=0.1)"), make_agent("automata")
    rounds = [tier.rounds for agent in (weak, strong) for tier in agent.tiers()]  # type: ignore[attr-defined]
    assert rounds == [40, 20, 400, 200]


def test_without_a_table_no_turn_takes_forever() -> None:
    """Three tiers of 400 rounds would take 64 million turns of the rules; each gets the same share of fewer."""
    long, short = make_agent("automata(depth=3, rounds=(400,))"), make_agent("automata(depth=2, rounds=(60, 20))")
    assert [tier.rounds for tier in long.tiers(4000)] == [15, 15, 15]  # type: ignore[attr-defined]
    assert [tier.rounds for tier in short.tiers(4000)] == [60, 20]  # type: ignore[attr-defined]


@pytest.mark.long
def test_a_clock_ends_learning_by_playing() -> None:
    """Every look at the clock takes a second, of which seven tenths of 10 may be used."""
    game = make_game("axis(scenario=revised)")
    agent = make_agent("automata(depth=1, rounds=(500,))")
    agent.begin(game, 0, stream(1, "clock"))
    seconds = iter(range(1000))
    agent.act(game.new_initial_state(), core.Clock(10.0, now=lambda: float(next(seconds)), started=0.0))
    assert 2 <= len(agent.found.tried) <= 8  # type: ignore[attr-defined]


def test_games_without_units_are_refused() -> None:
    with pytest.raises(core.Unsupported, match="does not list its units"):
        play("pawns", ["automata", "random"])


@pytest.mark.parametrize("spec", ["automata(kind=cat)", "automata(depth=0)", "automata(rounds=(0,))"])
def test_bad_parameters_are_named(spec: str) -> None:
    with pytest.raises(BadSpec):
        make_agent(spec)


def test_a_span_must_be_one() -> None:
    with pytest.raises(BadSpec, match="from 3 to 1 is not a range"):
        play("axis", ["automata(span=(3, 1))", "random"])
