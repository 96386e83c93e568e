"""The learner of rounds: its kernels against plain Python, its symmetries, and what it learns to predict."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kibitz_lab.models.rounds import experts, mixing
from kibitz_lab.models.rounds.tables import MIXERS, RoundTables, longer_tables, new_tables, symmetries

RPS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
DILEMMA = np.array([[3.0, 0.0], [5.0, 1.0]])
UNEVEN = np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 1.0]])


def learner(own: NDArray[np.float64], other: NDArray[np.float64], rounds: int = 200) -> RoundTables:
    return new_tables(own, other, np.full((own.size, own.shape[1]), 1.0 / own.shape[1]), rounds)


def watch(tables: RoundTables, rounds: list[tuple[int, int]], played: int = 0) -> RoundTables:
    for mine, theirs in rounds:
        mixing.predict_other(tables, played)
        mixing.learn_round(tables, played, mine, theirs)
        played += 1
    mixing.predict_other(tables, played)
    return tables


def drawn_rounds(seed: int, count: int, own: int, other: int) -> list[tuple[int, int]]:
    rng = np.random.default_rng(seed)
    return [(int(rng.integers(own)), int(rng.integers(other))) for _ in range(count)]


def test_rock_paper_scissors_has_three_symmetries_and_the_dilemma_one() -> None:
    assert len(symmetries(RPS, -RPS)[0]) == 3
    assert len(symmetries(DILEMMA, DILEMMA.T)[0]) == 1
    pennies = np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert [each.tolist() for each in symmetries(pennies, -pennies)] == [[[0, 1], [1, 0]], [[0, 1], [1, 0]]]


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=10)
def test_symmetries_leave_payoffs_as_they_are(seed: int) -> None:
    rng = np.random.default_rng(seed)
    own, other = (rng.integers(0, 2, size=(3, 2)).astype(float) for _ in range(2))
    for first, second in zip(*symmetries(own, other), strict=True):
        for payoffs in (own, other):
            assert np.array_equal(payoffs[first][:, second], payoffs)


def chain_by_hand(tables: RoundTables, rounds: list[tuple[int, int]], columns: int) -> list[float]:
    """The chain in plain Python: counts by the last rounds as tuples."""
    counts: dict[tuple[tuple[int, int], ...], list[float]] = {}
    trust = [0.5] * (tables.depth + 1)
    for played, (_, theirs) in enumerate([*rounds, (0, 0)]):
        past, shares, links = tuple(rounds[:played]), [1.0 / columns] * columns, []
        for length in range(1, min(tables.depth, played) + 1):
            seen = counts.get(past[-length:])
            if seen is None:
                break
            prior = experts.CHAIN_PRIOR if length == 1 else experts.LINK_PRIOR
            own = [(count + prior * share) / (sum(seen) + prior) for count, share in zip(seen, shares, strict=True)]
            links.append((length, own, shares))
            shares = [share + trust[length] * (each - share) for each, share in zip(own, shares, strict=True)]
        if played == len(rounds):
            return shares
        for length, own, before in links:
            mixed = before[theirs] + trust[length] * (own[theirs] - before[theirs])
            kept = trust[length] * own[theirs] / mixed
            trust[length] = min(max(kept, experts.LEAST_TRUST), experts.MOST_TRUST)
        for length in range(min(tables.depth, played) + 1):
            seen = counts.setdefault(past[len(past) - length :], [0.0] * columns)
            seen[:] = [each * experts.CHAIN_MEMORY for each in seen]
            seen[theirs] += 1.0
    raise AssertionError("unreachable")


@pytest.mark.parametrize("own", [DILEMMA, RPS, UNEVEN])
def test_the_chain_is_the_one_written_in_plain_python(own: NDArray[np.float64]) -> None:
    rounds = drawn_rounds(3, 60, *own.shape)
    tables = watch(learner(own, own.copy()), rounds)
    assert tables.shares[-1].tolist() == pytest.approx(chain_by_hand(tables, rounds, own.shape[1]))


def test_logistic_mixtures_are_softmaxes_of_weighted_logarithms_and_learn_by_their_gradient() -> None:
    tables = watch(learner(RPS, -RPS), drawn_rounds(5, 50, 3, 3))
    logs = np.log(np.maximum(tables.shares, mixing.LEAST))
    logs -= logs.mean(axis=1, keepdims=True)
    before = tables.weights.copy()
    for mixer in range(MIXERS):
        values = np.exp(before[mixer, tables.sets[mixer]] @ logs)
        assert tables.finals[mixer] == pytest.approx(values / values.sum())
    chosen, predicted = tables.sets.copy(), tables.finals.copy()
    mixing.learn_round(tables, 50, 0, 2)
    for mixer, rate in enumerate(mixing.RATES):
        missed = np.eye(3)[2] - predicted[mixer]
        assert tables.weights[mixer, chosen[mixer]] == pytest.approx(
            before[mixer, chosen[mixer]] + rate * logs @ missed
        )


def test_renamed_actions_are_predicted_alike() -> None:
    rounds = drawn_rounds(11, 120, 3, 3)
    relative = [number for number, context in enumerate(learner(RPS, -RPS).contexts) if context[3]]
    one = watch(learner(RPS, -RPS), rounds)
    two = watch(learner(RPS, -RPS), [((mine + 1) % 3, (theirs + 1) % 3) for mine, theirs in rounds])
    for number in relative:
        slow = 5 * number
        assert one.shares[slow].tolist() == pytest.approx(np.roll(two.shares[slow], -1).tolist())


@pytest.mark.parametrize(
    "habit",
    [
        lambda mine, theirs, played: played % 3,
        lambda mine, theirs, played: (mine[-1] + 1) % 3 if mine else 0,
        lambda mine, theirs, played: (mine[-2] + theirs[-1]) % 3 if played > 1 else 0,
        lambda mine, theirs, played: int(np.argmax(np.bincount(mine or [0], minlength=3)) + 1) % 3,
    ],
    ids=["a cycle", "beats my last", "two rounds", "beats my favourite"],
)
def test_habits_are_learnt(habit) -> None:  # type: ignore[no-untyped-def]
    rng, tables = np.random.default_rng(2), learner(RPS, -RPS)
    mine: list[int] = []
    theirs: list[int] = []
    hits = 0
    for played in range(200):
        guess = mixing.predict_other(tables, played)
        theirs.append(int(habit(mine, theirs, played)))
        mine.append(int(rng.integers(3)))
        hits += played >= 100 and guess == theirs[-1]
        mixing.learn_round(tables, played, mine[-1], theirs[-1])
    assert hits >= 90


def test_longer_tables_remember_what_was_learnt() -> None:
    rounds = drawn_rounds(1, 30, 3, 3)
    short, long = learner(RPS, -RPS), learner(RPS, -RPS)
    watch(short, rounds)
    watch(long, rounds)
    assert watch(longer_tables(short), rounds, 30).predictions == pytest.approx(watch(long, rounds, 30).predictions)
