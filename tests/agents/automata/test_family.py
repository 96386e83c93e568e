"""Learning automata: kernels are their references, and each kind does on bandits what is known of it."""

from statistics import mean

import numpy as np
import pytest
from scipy.special import betaincinv

from kibitz.agents.automata import kernels
from kibitz.agents.automata.automaton import Automaton
from kibitz.agents.automata.family import FAMILY
from kibitz.agents.automata.tier import KINDS, Kind, Tier
from kibitz.core.kernels.random import Draws
from kibitz.core.seeds import kernel_stream, stream

COINS = (0.3, 0.8, 0.5)
"""A bandit whose second arm is best."""
SLOW: dict[Kind, float] = {"tsetlin": 0.5, "krinsky": 0.4, "krylov": 0.4, "lrp": 0.45}
"""Kinds that never settle, and how often they hold the best arm at least."""


def made(kind: Kind, options: int, seed: int, **parameters: float) -> Automaton:
    """An automaton with luck of its own."""
    return FAMILY[kind](options, Tier(kind=kind, **parameters), Draws(kernel_stream(seed, "automaton")))  # type: ignore[arg-type]


def trained(automaton: Automaton, coins: tuple[float, ...], pulls: int, seed: int) -> Automaton:
    """An automaton after so many pulls of a bandit that pays 0 or 1."""
    luck = stream(seed, "bandit").random(pulls)
    for number in luck:
        chosen = automaton.choose()
        status = float(number < coins[chosen])
        automaton.learn(chosen, status, bool(status))
    return automaton


def test_the_family_has_every_kind() -> None:
    assert tuple(FAMILY) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_kernels_are_the_references(kind: Kind) -> None:
    options, seed, number = 3, 5, KINDS.index(kind)
    tier = Tier(kind=kind, rate=0.07, steps=30, tries=4)
    twin = FAMILY[kind](options, tier, Draws(kernel_stream(seed, "automaton")))
    words, memory = kernel_stream(seed, "automaton"), np.zeros((2, kernels.ROWS, kernels.WIDTH))
    memory[1, kernels.SETTINGS] = tier.numbers()
    kernels.begin(number, options, 1, memory, words)
    for status in stream(seed, "statuses").random(400):
        chosen = kernels.choose(number, options, 1, memory, words)
        assert chosen == twin.choose()
        status = float(0.5 * status + 0.2 * chosen)
        kernels.learn(number, options, 1, memory, chosen, status, status > 0.5, words)
        twin.learn(chosen, status, status > 0.5)
    assert kernels.top(number, options, 1, memory) == twin.top()
    assert kernels.surety(number, options, 1, memory) == pytest.approx(twin.surety(), abs=1e-9)
    assert not memory[0].any()


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_an_automaton_finds_the_best_arm(kind: Kind) -> None:
    steps = {"lri": {"rate": 0.03}, "dlri": {"steps": 40}}.get(kind, {})
    found = mean(trained(made(kind, 3, seed, **steps), COINS, 500, seed).top() == 1 for seed in range(40))
    assert found >= SLOW.get(kind, 0.9)


def test_tsetlin_with_two_actions_keeps_its_known_balance() -> None:
    """Depth 1 is a Markov chain of two states: it holds an arm in proportion to the other's penalties."""
    held = 0
    automaton = made("tsetlin", 2, 3, states=1, limiter=1.0)
    for number in stream(3, "coins").random(40_000):
        chosen = automaton.choose()
        held += chosen == 0
        automaton.learn(chosen, 0.0, bool(number < (0.8, 0.4)[chosen]))
    assert held / 40_000 == pytest.approx(0.6 / (0.6 + 0.2), abs=0.015)


def test_reward_penalty_keeps_its_known_balance() -> None:
    """L_RP's mean probabilities are in proportion to the other arm's penalties (Narendra & Thathachar 1989)."""
    automaton = made("lrp", 2, 4, rate=0.01)
    shares = []
    for number in stream(4, "coins").random(40_000):
        chosen = automaton.choose()
        automaton.learn(chosen, 0.0, bool(number < (0.8, 0.4)[chosen]))
        shares.append(automaton.p[0])  # type: ignore[attr-defined]
    assert mean(shares[2000:]) == pytest.approx(0.75, abs=0.03)


def test_reward_inaction_ends_in_one_option() -> None:
    automaton = trained(made("lri", 3, 1, rate=0.05), COINS, 4000, 1)
    assert automaton.surety() > 0.9999


@pytest.mark.long
def test_the_misprinted_bayesian_automata_learn_less() -> None:
    """Two arms of normal numbers 0.05 apart: the chapter's formula is far too sure of itself."""
    right: dict[Kind, int] = {"bla": 0, "bla6": 0, "bla2": 0}
    for kind in right:
        for seed in range(60):
            automaton = made(kind, 2, seed)
            for noise in stream(seed, "arms").normal(0.0, 0.2, 400):
                chosen = automaton.choose()
                automaton.learn(chosen, 0.5 + 0.05 * chosen + float(noise), reward=False)
            right[kind] += automaton.top() == 1
    assert right["bla"] >= 55
    assert right["bla2"] <= right["bla"] - 5
    assert right["bla2"] < right["bla6"]


def test_the_quantile_of_bayesian_pursuit_is_exact() -> None:
    for wins, losses in ((1.0, 1.0), (1.0, 11.0), (30.0, 20.0), (400.0, 3.0), (250.0, 750.0)):
        assert kernels.beta_95(wins, losses) == pytest.approx(betaincinv(wins, losses, 0.95), abs=1e-9)
