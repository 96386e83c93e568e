"""The slice and its kernels: against the network spelt out, and against pyAgrum."""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kibitz.core.errors import MissingPackage
from kibitz.core.seeds import kernel_stream
from kibitz_lab.learn.assignment import best_assignment
from kibitz_lab.learn.discretisation import Discretisation
from kibitz_lab.learn.example_tables import cases_text
from kibitz_lab.learn.slice_filter import WAITING, SliceFilter
from kibitz_lab.learn.slice_learning import (
    EMSettings,
    count_slice,
    game_posteriors,
    learn_slice,
    observed_priors,
    run_em,
)
from kibitz_lab.learn.slices import (
    MISSING,
    Floats,
    Ints,
    Rows,
    Slice,
    SliceLayout,
    load_pyagrum,
    row_starts,
    slice_network,
    uniform_slice,
)

gum = load_pyagrum()
NAMES = ("F1", "F2", "F3")
SMALL = SliceLayout((2, 3, 2), own=2, latent=2)


def random_slice(layout: SliceLayout, seed: int) -> Slice:
    rng = np.random.default_rng(seed)
    made = uniform_slice(layout)
    tables = rng.random(layout.cells) + 0.05
    for layer in range(layout.layers):
        for feature in range(len(layout.features)):
            table = layout.table(tables, feature, layer)
            table /= table.sum(axis=1, keepdims=True)
    first = tuple(rng.dirichlet([1.0] * states) for states in layout.features)
    latent, own = rng.dirichlet([2.0] * layout.latent), rng.dirichlet([2.0] * layout.own)
    return made._replace(tables=tables, first=first, latent=latent, own=own)


def random_rows(layout: SliceLayout, count: int, seed: int, group: int = 1) -> Rows:
    rng = np.random.default_rng(seed)
    before, after = (np.stack([rng.integers(0, n, count) for n in layout.features], 1) for _ in range(2))
    own, layer = rng.integers(0, layout.own, count), rng.integers(0, layout.layers, count)
    starts = np.arange(0, count + 1, group)
    return Rows(before, after, own, layer, np.full(count, MISSING), starts)


def slice_likelihood(model: Slice, before: Ints, after: Ints, own: int, layer: int) -> Floats:
    """Π_k C_k[before_k, own, s, after_k] for every latent state s."""
    weights = np.ones(model.layout.latent)
    for feature in range(len(model.layout.features)):
        weights *= model.table(feature, layer)[before[feature], after[feature], own]
    return weights


def evidence_probability(model: Slice, states: Ints, own: int, layers: Sequence[int], lag: int) -> float:
    """P(e) of a window: *states* holds the first *lag* positions, then one position per slice, a row each."""
    joint = model.latent * model.own[own]
    for place in range(lag):
        for feature, prior in enumerate(model.first):
            joint = joint * prior[states[place, feature]]
    for number, layer in enumerate(layers):
        joint = joint * slice_likelihood(model, states[number], states[number + lag], own, layer)
    return float(joint.sum())


def evidence(states: NDArray[np.int64], own: int, lag: int) -> dict[str, str]:
    """The names of the states in the chained network: the first positions are the unbound inputs."""
    found = {"S_own": f"own{own}"}
    for place, row in enumerate(states):
        for name, state in zip(NAMES, row, strict=True):
            node = f"{name}_past_{place + 1}" if place < lag else f"{name}_{place - lag + 1}"
            found[node] = f"s{state}"
    return found


@settings(max_examples=12)
@given(
    st.integers(0, 10**6), st.integers(1, 5), st.sampled_from([1, 2]), st.sampled_from([1, 2]), st.sampled_from([0, 1])
)
def test_probability_of_any_number_of_slices_is_the_networks(
    seed: int, count: int, lag: int, layers: int, first_layer: int
) -> None:
    layout = SMALL._replace(layers=layers)
    model = random_slice(layout, seed)
    rng = np.random.default_rng(seed)
    states = np.stack([rng.integers(0, n, count + lag) for n in layout.features], 1)
    turns = [(first_layer + number) % layers for number in range(count)]
    found = evidence_probability(model, states, 1, turns, lag)
    network = slice_network(model, NAMES, count, lag, first_layer % layers)
    seen = evidence(states[: lag + count], 1, lag)
    seen = {name: state for name, state in seen.items() if name in network.names()}
    if count >= lag:  # else some of the first positions are no node
        engine = gum.LazyPropagation(network)
        engine.setEvidence(seen)
        engine.makeInference()
        assert engine.evidenceProbability() == pytest.approx(found, rel=1e-9)


def walk(layout: SliceLayout, plies: int, seed: int) -> NDArray[np.float64]:
    """Scores whose states are their values."""
    rng = np.random.default_rng(seed)
    return np.stack([rng.integers(0, n, plies + 1) for n in layout.features], 1).astype(float)


def plain_states(layout: SliceLayout) -> list[Discretisation]:
    pairs = zip(NAMES, layout.features, strict=True)
    return [Discretisation.from_values(name, np.arange(states)) for name, states in pairs]


@pytest.mark.long
@given(
    st.integers(0, 10**6),
    st.integers(0, 4),
    st.sampled_from([1, 2]),
    st.sampled_from([1, 2]),
    st.sampled_from([None, 0, 1]),
)
@settings(max_examples=25)
def test_the_filter_multiplies_up_to_the_probability_of_the_window(
    seed: int, window: int, lag: int, layers: int, own: int | None
) -> None:
    layout = SMALL._replace(layers=layers)
    model, scores = random_slice(layout, seed), walk(layout, 7, seed)
    watching = SliceFilter(model, plain_states(layout), 1, own=own, window=window, lag=lag)
    watching.begin(scores[0])
    for ply in range(1, 8):
        found = watching.advance(scores[ply], (ply + 1) % 2)
        first = max(1, ply - window + 1) if window else 1

        def joint(last: int, first: int = first) -> float:
            past = [0] * lag + list(range(8))  # what lies before the start is like it
            total = 0.0
            for each in [own] if own is not None else range(layout.own):
                weights = model.latent * (1.0 if own is not None else model.own[each])
                for row in range(first, last + 1):
                    before, after = scores[past[row]].astype(int), scores[row].astype(int)
                    layer = int(layers == 2 and (row + 1) % 2 == 1)
                    for feature in range(3):
                        weights = weights * model.table(feature, layer)[before[feature], after[feature], each]
                total += weights.sum()
            return float(total)

        assert found == pytest.approx(joint(ply) / joint(ply - 1), rel=1e-12)
    assert watching.belief().sum() == pytest.approx(1.0)
    assert watching.impossible == 0


@pytest.mark.parametrize("window", [0, 1, 4])
@pytest.mark.parametrize("lag", [1, 2])
def test_a_skipped_position_changes_no_belief_and_is_the_past_of_the_next(window: int, lag: int) -> None:
    model, scores = random_slice(SMALL, 7), walk(SMALL, 9, 7)
    watching = SliceFilter(model, plain_states(SMALL), 1, window=window, lag=lag)
    watching.begin(scores[0])
    watching.skip(scores[1])
    fresh = SliceFilter(model, plain_states(SMALL), 1, window=window, lag=lag)
    fresh.begin(scores[1])
    for ply in (2, 3, 4):
        assert watching.likelihoods(list(scores), ply % 2) == fresh.likelihoods(list(scores), ply % 2)
        assert watching.advance(scores[ply], ply % 2) == fresh.advance(scores[ply], ply % 2)
    assert watching.evidence(0) == fresh.evidence(0)
    before, spoken = watching.belief(), watching.evidence(0)
    watching.skip(scores[5])
    watching.skip(scores[6])
    assert watching.belief().tolist() == before.tolist()
    assert watching.evidence(0) == spoken, "the slices before it are what they were"
    assert watching.row == 3
    held = watching.path[watching.row, 3 + watching.columns :].reshape(len(watching.owns), -1)
    expected = sum(
        (share * np.prod([model.table(f)[int(scores[6][f]), int(scores[7][f]), own] for f in range(3)], axis=0)).sum()
        for own, share in enumerate(held)
    )
    assert watching.likelihoods([scores[7]], 0) == pytest.approx([expected], rel=1e-12)


@pytest.mark.parametrize("window", [0, 4])
def test_the_evidence_of_a_long_game_is_that_of_all_slices_and_takes_no_more_memory(window: int) -> None:
    model, scores = random_slice(SMALL, 3), walk(SMALL, 2 * WAITING + 9, 3)
    watching = SliceFilter(model, plain_states(SMALL), 1, window=window, lag=1)
    watching.begin(scores[0])
    expected = np.zeros((len(scores) - 1, 3))
    for ply in range(1, len(scores)):
        watching.advance(scores[ply], ply % 2)
        assert len(watching.steps) <= (window or WAITING)
        for feature in range(3):
            shares = model.table(feature)[int(scores[ply - 1][feature]), int(scores[ply][feature])].mean(axis=0)
            expected[ply - 1, feature] = np.log(shares[0] / shares.mean())
    assert watching.evidence(0) == pytest.approx(expected[-window:].sum(axis=0).tolist())


def test_siblings_with_equal_states_are_equally_likely_to_the_last_bit() -> None:
    coarse = [Discretisation(name, (0.5,)) for name in NAMES]
    watching = SliceFilter(random_slice(SliceLayout((2, 2, 2), 3, 4), 5), coarse, 1)
    watching.begin((0.0, 1.0, 0.0))
    watching.advance((0.7, 0.2, 0.0), 0)
    rng = np.random.default_rng(1)
    found: dict[tuple[bool, ...], set[float]] = {}
    children = rng.random((200, 3))
    for scores, likelihood in zip(children, watching.likelihoods(list(children), 1), strict=True):
        found.setdefault(tuple(scores >= 0.5), set()).add(likelihood)
    assert len(found) == 8
    assert all(len(values) == 1 for values in found.values())


def test_what_cannot_happen_tells_nothing_and_breaks_nothing() -> None:
    model = random_slice(SMALL, 3)
    model.table(0)[0, 1] = 0.0
    watching = SliceFilter(model, plain_states(SMALL), 1, own=0)
    watching.begin((0.0, 0.0, 0.0))
    before = watching.belief()
    assert watching.advance((1.0, 0.0, 0.0), 0) == 0.0
    assert watching.impossible == 1
    assert watching.belief() == pytest.approx(before)
    assert watching.advance((1.0, 1.0, 0.0), 1) == 0.0  # the first feature was 0 two positions ago
    assert watching.advance((1.0, 1.0, 1.0), 0) > 0.0
    assert watching.belief().sum() == pytest.approx(1.0)


def cases_of(rows: Rows) -> list[dict[str, str | None]]:
    found: list[dict[str, str | None]] = []
    for before, after, own in zip(rows.before, rows.after, rows.own, strict=True):
        row: dict[str, str | None] = {"S_own": f"own{own}", "S_opp": None}
        for feature, name in enumerate(NAMES):
            row |= {f"{name}_past_1": f"s{before[feature]}", f"{name}_1": f"s{after[feature]}"}
        found.append(row)
    return found


@pytest.mark.parametrize("iterations", [1, 3])
def test_em_is_pyagrums_from_the_same_start(iterations: int, tmp_path: Path) -> None:
    layout = SliceLayout((3, 4, 2), own=2, latent=3)
    rows, start = random_rows(layout, 30, 6), random_slice(layout, 7)
    template = slice_network(start, NAMES)
    cases = cases_of(rows)
    names = list(cases[0])
    (tmp_path / "rows.csv").write_text(cases_text(names, [[case[name] for name in names] for case in cases]))
    learner = gum.BNLearner(str(tmp_path / "rows.csv"), template, ["?"])
    learner.useSmoothingPrior(0.1)
    learner.useEM(1e-12, 0.0)
    learner.EMsetMaxIter(iterations)
    learner.EMdisableEpsilon()
    learner.EMdisableMinEpsilonRate()
    theirs = learner.learnParameters(template, False)
    ours = run_em(
        start._replace(own=observed_priors(layout, rows, 0.1).own, first=observed_priors(layout, rows, 0.1).first),
        rows,
        EMSettings(iterations=iterations, tolerance=-1.0),
    )
    network = slice_network(ours.model, NAMES)
    for name in network.names():
        assert theirs.cpt(name).names == network.cpt(name).names
        assert theirs.cpt(name).toarray() == pytest.approx(network.cpt(name).toarray(), abs=1e-9)


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 2.0])
@pytest.mark.parametrize("group", [1, 10])
def test_the_likelihood_never_decreases(smoothing: float, group: int) -> None:
    layout = SliceLayout((4, 3, 5), own=2, latent=3)
    settings = EMSettings(iterations=60, tolerance=0.0, smoothing=smoothing, restarts=2)
    found = learn_slice(layout, random_rows(layout, 200, 8, group), settings, kernel_stream(3, "em"))
    assert len(found.likelihoods) > 5
    assert (np.diff(found.likelihoods) >= -1e-9).all()
    for feature in range(3):
        assert found.model.table(feature).sum(axis=1) == pytest.approx(np.ones((layout.features[feature], 2, 3)))


def drawn_games(model: Slice, games: int, length: int, seed: int) -> tuple[Rows, NDArray[np.int64]]:
    """Rows drawn from a slice, one latent state a game, and which it was."""
    rng = np.random.default_rng(seed)
    layout, features = model.layout, range(len(model.layout.features))
    before, after, owns, truths = [], [], [], []
    for _ in range(games):
        truth, own = rng.choice(layout.latent, p=model.latent), rng.choice(layout.own, p=model.own)
        truths.append(truth)
        now = np.array(
            [rng.choice(states, p=prior) for states, prior in zip(layout.features, model.first, strict=True)]
        )
        for _ in range(length):
            new = [rng.choice(layout.features[k], p=model.table(k)[now[k], :, own, truth]) for k in features]
            before.append(now)
            after.append(np.array(new))
            owns.append(own)
            now = after[-1]
    count = games * length
    starts = np.arange(0, count + 1, length)
    blank = np.zeros(count, np.int64)
    return Rows(np.array(before), np.array(after), np.array(owns), blank, blank + MISSING, starts), np.array(truths)


@pytest.mark.long
def test_em_finds_the_strategies_of_games_it_is_not_told() -> None:
    layout = SliceLayout((3, 3, 2), own=1, latent=2)
    rows, truths = drawn_games(random_slice(layout, 11), 120, 20, 1)
    found = learn_slice(layout, rows, EMSettings(), kernel_stream(1, "find"))
    posteriors = game_posteriors(found.model, rows, rows.starts)
    shares = np.array([[posteriors[truths == truth, state].sum() for truth in (0, 1)] for state in (0, 1)])
    names = best_assignment(shares)
    right = sum(names[state] == truth for state, truth in zip(posteriors.argmax(axis=1), truths, strict=True))
    assert right >= 115


def test_the_best_of_several_starts_is_kept_and_comes_again() -> None:
    layout = SliceLayout((3, 3, 2), own=2, latent=3)
    rows = random_rows(layout, 150, 9)
    heard: list[float] = []
    found = learn_slice(
        layout, rows, EMSettings(restarts=4), kernel_stream(1, "em"), lambda start, iterations, at: heard.append(at)
    )
    assert len(set(heard)) > 1
    assert found.likelihoods[-1] == max(heard)
    again = learn_slice(layout, rows, EMSettings(restarts=4), kernel_stream(1, "em"))
    assert (again.model.tables == found.model.tables).all()


def test_given_strategies_are_counted() -> None:
    layout = SliceLayout((2, 2), own=1, latent=2)
    rows = Rows(
        np.array([[0, 0], [0, 1], [1, 0], [0, 0]]),
        np.array([[1, 0], [0, 1], [1, 0], [1, 1]]),
        np.zeros(4, np.int64),
        np.zeros(4, np.int64),
        np.array([0, 0, 1, 0]),
        row_starts(4),
    )
    model = count_slice(layout, rows, smoothing=0.0)
    assert model.latent.tolist() == [0.75, 0.25]
    assert model.table(0)[0, :, 0, 0].tolist() == pytest.approx([1 / 3, 2 / 3])
    assert model.table(0)[0, :, 0, 1].tolist() == [0.5, 0.5]  # never seen
    assert model.table(1)[0, :, 0, 0].tolist() == [0.5, 0.5]
    learned_so = run_em(uniform_slice(layout), rows, EMSettings(iterations=1, smoothing=0.0))
    assert learned_so.model.tables.tolist() == pytest.approx(model.tables.tolist())


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 10**6))
def test_the_assignment_is_the_best(rows: int, columns: int, seed: int) -> None:
    optimize = pytest.importorskip("scipy.optimize", reason="scipy is not installed")
    scores = np.random.default_rng(seed).random((rows, columns))
    chosen = best_assignment(scores)
    taken = [column for column in chosen if column >= 0]
    assert len(set(taken)) == len(taken) == min(rows, columns)
    ours = sum(scores[row, column] for row, column in enumerate(chosen) if column >= 0)
    best = scores[optimize.linear_sum_assignment(scores, maximize=True)].sum()
    assert ours == pytest.approx(best)


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=60))
def test_few_values_are_states_of_their_own(values: list[int]) -> None:
    found = Discretisation.from_values("f", np.array(values, float), most=19)
    assert found.size == len(set(values))
    assert [found.values[found.state(value)] for value in values] == values
    for unseen in (-100.0, 100.0, 0.3):
        state = found.state(unseen)
        assert abs(found.values[state] - unseen) == min(abs(value - unseen) for value in values)


@settings(max_examples=20)
@given(st.lists(st.integers(-999, 999), min_size=20, max_size=120, unique=True))
def test_many_values_become_intervals_of_about_equal_weight(eighths: list[int]) -> None:
    values = [number / 8 for number in eighths]
    found = Discretisation.from_values("f", np.array(values), most=16)
    states = found.states(values)
    assert states.tolist() == [found.state(value) for value in values]
    if len(values) > 16:
        assert found.size <= 16
        assert np.bincount(states).max() <= len(values) / 16 + 1
    assert (np.diff(found.states(sorted(values))) >= 0).all()


def test_rounding_errors_make_no_states_and_heavy_values_have_their_own() -> None:
    rng = np.random.default_rng(0)
    values = np.concatenate([np.zeros(400), [1e-15, -1e-15] * 50, rng.normal(0.0, 5.0, 900).round()])
    found = Discretisation.from_values("f", values)
    assert found.size == 16
    assert found.state(1e-15) == found.state(-1e-15) == found.state(0.0)
    assert {float(value) for value in values.round(9) if found.state(value) == found.state(0.0)} == {0.0}
    few = Discretisation.from_values("f", [0.0, 1e-15, 1.0])
    assert few.values == (0.0, 1.0)


@pytest.mark.parametrize("ending", [".net", ".bif", ".bifxml"])
def test_slices_are_exchanged_as_files(ending: str, tmp_path: Path) -> None:
    network = slice_network(random_slice(SMALL, 3), NAMES, 3)
    gum.saveBN(network, str(tmp_path / f"slices{ending}"))
    found = gum.loadBN(str(tmp_path / f"slices{ending}"))
    assert (found.names(), found.sizeArcs()) == (network.names(), network.sizeArcs())


def test_without_pyagrum_one_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyagrum", None)
    with pytest.raises(MissingPackage, match=r"pip install 'kibitz\[networks\]'"):
        slice_network(random_slice(SMALL, 3), NAMES)
