"""Lowered expectations: levels, hopes and advice, on random games and on Right Turn."""

import levels_by_hand
import numpy as np
import pytest
from games_by_hand import guan, random_game, right_turn
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kibitz.core.errors import BadGame
from kibitz_solve import (
    LoweredSolution,
    RecursiveGame,
    best_response,
    brink,
    build_game,
    cooperation,
    expand_game,
    expected_rounds,
    graph_sets,
    lower_expectations,
    lowerable,
    policy_values,
    recursive_game,
    solve,
)
from kibitz_solve.recursive.strategies.lowered import HOPELESS, slipping
from kibitz_solve.recursive.values.kernels import settle_chance

pytestmark = pytest.mark.long

seeds = st.integers(0, 10_000)
chances = st.sampled_from([0.0, 0.4])
payoffs = st.sampled_from([(0.0, 1.0), (0.0, 0.0, 0.0, 1.0), (0.0, 0.3, 0.0, 1.0)])


TOSS = {"toss": [["won", "lost"], ["lost", "won"]]}


def games(seed: int, signs: tuple[float, ...], chance: float, states: int = 7) -> RecursiveGame:
    return random_game(np.random.default_rng(seed), signs, chance, states)


def corridor() -> RecursiveGame:
    """Three steps to a win, which player 1 can refuse anywhere; and a state that only leads to itself."""
    steps = {"a": [["a", "b"]], "b": [["b", "c"]], "c": [["c", "won"]], "lost": [["lost"]]}
    return recursive_game(steps, {"won": 1.0})


@settings(max_examples=30)
@given(seeds, payoffs, chances)
def test_the_alpha_expansion_adds_nothing(seed: int, signs: tuple[float, ...], chance: float) -> None:
    """Erratum 9: from where nothing can be won, the states that can be won cannot be reached by force either."""
    game = games(seed, signs, chance)
    winnable = graph_sets(game).positive
    bigger = expand_game(game, winnable)
    assert (graph_sets(bigger).positive[: game.nodes] == winnable).all()
    values = solve(bigger).high[: game.live]
    assert (values[winnable[: game.live] == 0] <= 1e-12).all()


@settings(max_examples=10)
@given(seeds, payoffs, chances)
def test_levels_and_distances_are_those_of_the_definition(seed: int, signs: tuple[float, ...], chance: float) -> None:
    game = games(seed, signs, chance)
    found = lower_expectations(solve(game, width=1e-3), width=1e-3)
    by_hand, together = levels_by_hand.levels(game), levels_by_hand.rounds_together(game)
    assert found.levels[: game.choices].tolist() == [by_hand.get(node, HOPELESS) for node in range(game.choices)]
    rounds = [cooperation(game).rounds(node) for node in range(game.live)]
    assert rounds == [together.get(node) for node in range(game.live)]
    assert all((found.levels[node] == HOPELESS) == (rounds[node] is None) for node in range(game.choices))


@settings(max_examples=10)
@given(seeds, payoffs, chances)
def test_advice_is_given_everywhere_and_costs_nothing(seed: int, signs: tuple[float, ...], chance: float) -> None:
    game = games(seed, signs, chance)
    solution = solve(game, width=1e-4)
    found = lower_expectations(solution, width=1e-4)
    for player, sign in ((0, 1.0), (1, -1.0)):
        shares = found.policy(player).shares
        sums = np.add.reduceat(shares, game.mix_starts(player)[:-1])
        assert sums == pytest.approx(np.ones(game.choices))
        assert shares.min() >= 0.0
        earned = sign * best_response(game, shares, player).values
        assert (earned >= sign * solution.guarantee(player) - 1e-6).all()


@settings(max_examples=10)
@given(seeds, chances, st.sampled_from([0.01, 0.3]))
@example(seed=255, chance=0.4, slip=0.01)  # some answers make play last 10**10 rounds, but pay for it
@example(seed=70, chance=0.4, slip=0.01)  # an action of share 10**-14 makes play last 10**16 rounds
@example(seed=124, chance=0.0, slip=0.3)  # one of 10**-7: what is proved is 10**-4 below what is computed
def test_hopes_are_fulfilled_against_every_answer(seed: int, chance: float, slip: float) -> None:
    """By what the best answers bring; a proof in doubles falls short the more, the longer an answer makes play."""
    game = games(seed, (0.0, 0.0, 0.0, 1.0), chance)
    found = lower_expectations(solve(game, width=1e-4), slip=slip, width=1e-4)
    for level in range(1, int(found.levels.max()) + 1):
        covered = ((found.levels >= 0) & (found.levels < level)).astype(np.uint8)
        slippery = slipping(game, covered, brink(game, covered), slip)
        here = np.flatnonzero(found.levels[: game.choices] == level)
        brought = best_response(slippery.game, found.policy(0).shares, 0)
        conceded = best_response(slippery.game, found.policy(1).shares[slippery.columns], 1)
        assert (found.hopes[0][here] > 0.0).all()
        assert (brought.values[here] >= found.hopes[0][here] - 1e-3).all()  # some hopes are limits without a strategy
        assert (conceded.values[here] <= found.hopes[1][here] + 1e-6).all()
        assert (brought.guaranteed <= brought.values + 1e-6).all()
        assert (conceded.guaranteed >= conceded.values - 1e-6).all()


@settings(max_examples=10)
@given(seeds, chances)
def test_on_a_brink_nobody_errs_of_his_own_accord(seed: int, chance: float) -> None:
    game = games(seed, (0.0, 0.0, 1.0), chance)
    found = lower_expectations(solve(game, width=1e-3), width=1e-3)
    for node in np.flatnonzero(found.brinks):
        behind = found.levels_behind(game.states.name(int(node)))
        mistakes = ((behind >= 0) & (behind < found.levels[node])).any(axis=0)
        assert mistakes.any()
        assert found.policy(1).at(int(node))[mistakes].sum() == 0.0


@settings(max_examples=10)
@given(seeds, chances, st.sampled_from([0.01, 0.3]))
def test_a_slip_takes_the_place_of_what_was_chosen(seed: int, chance: float, slip: float) -> None:
    """Behind every pair on the brink: the pair itself, or one of the mistakes in its row, all alike."""
    game = games(seed, (0.0, 0.0, 1.0), chance)
    covered = graph_sets(game).positive
    near = brink(game, covered)
    slippery = slipping(game, covered, near, slip).game
    for node in np.flatnonzero(near):
        after = np.array(levels_by_hand.matrix(game, int(node)))
        mistakes = covered[after].any(axis=0)
        values = np.random.default_rng(seed).random(game.nodes)
        wider = np.concatenate([values[: game.live], np.empty(slippery.live - game.live), values[game.live :], [1.0]])
        settle_chance(slippery.structure.arrays, wider, 0.0)
        settled = np.concatenate([wider[: game.live], values[game.live :]])
        expected = (1.0 - slip) * settled[after][:, ~mistakes] + slip * settled[after][:, mistakes].mean(axis=1)[
            :, None
        ]
        assert slippery.matrix(int(node), wider) == pytest.approx(expected)


def test_hopes_count_what_follows_where_no_mistake_is_made() -> None:
    """Two ways to wait for a slip: one that is over if it does not come, and one that can be had again and again."""
    game = recursive_game(
        {"ring": [["lost", "won"], ["ring", "won"]], "once": [["lost", "won"]]}, {"won": 1.0, "lost": 0.0}
    )
    found = lower_expectations(solve(game), slip=0.25)
    assert found.hope("once") == pytest.approx((0.25, 0.25), abs=1e-6)
    assert found.hope("ring") == pytest.approx((1.0, 1.0), abs=1e-6)
    assert found.strategy("ring", 0) == {"0": 0.0, "1": 1.0}


def test_a_corridor_is_one_level_a_step() -> None:
    found = lower_expectations(solve(corridor()))
    assert [found.level(state) for state in ("c", "b", "a", "lost")] == [1, 2, 3, HOPELESS]
    assert [found.together.distance(state) for state in ("c", "b", "a", "lost")] == [1, 2, 3, None]
    assert found.sizes() == {1: 1, 2: 1, 3: 1, HOPELESS: 1}
    assert found.strategy("a", 1) == {"0": 1.0, "1": 0.0}, "player 1 stays where he is safe"


def test_payoffs_of_any_size_are_hoped_for_alike() -> None:
    game = recursive_game({"a": [["lost", "much", "little"]]}, {"lost": 0.0, "much": 7.0, "little": 0.1})
    found = lower_expectations(solve(game), slip=0.25)
    assert found.hope("a") == pytest.approx((0.25, 0.25), abs=1e-6)


def test_states_may_count_what_they_are_worth() -> None:
    """p' = v: with 1 for all that may be won, a slip into a coin toss is as good as one into a win."""
    game = recursive_game(
        {**TOSS, "brink": [["lost", "toss"], ["lost", "won"]], "far": [["brink"]]}, {"won": 1.0, "lost": 0.0}
    )
    solution = solve(game)
    alike, by_value = (lower_expectations(solution, slip=0.25, by_value=each) for each in (False, True))
    assert (alike.levels == by_value.levels).all()
    assert alike.hope("brink") == pytest.approx((0.25, 0.25), abs=1e-6)
    assert alike.hope("toss") == (1.0, 1.0)
    assert by_value.hope("toss") == pytest.approx((0.5, 0.5), abs=1e-6)
    for state in ("brink", "far"):
        assert by_value.hope(state) == pytest.approx((0.25, 0.25), abs=1e-6)
    assert by_value.strategy("brink", 0) == {"0": 0.0, "1": 1.0}
    only = recursive_game({**TOSS, "brink": [["lost", "toss"]]}, {"won": 1.0, "lost": 0.0})
    assert lower_expectations(solve(only), slip=0.25, by_value=True).hope("brink") == pytest.approx((0.125, 0.125))


@settings(max_examples=10)
@given(seeds, payoffs, chances)
def test_expanded_by_its_values_a_game_is_worth_what_it_was(seed: int, signs: tuple[float, ...], chance: float) -> None:
    game = games(seed, signs, chance)
    solution = solve(game, width=1e-6)
    bigger = expand_game(game, graph_sets(game).positive, solution.high)
    assert solve(bigger, width=1e-6).high[: game.live] == pytest.approx(solution.high[: game.live], abs=1e-5)


def test_a_game_that_is_over_needs_no_advice() -> None:
    assert lower_expectations(solve(recursive_game({}, {"won": 1.0}))).sizes() == {}


def test_right_turn_has_the_expansions_of_the_facts() -> None:
    game = build_game("right-turn(radius=60)")
    winnable = graph_sets(game).positive
    near = brink(game, winnable)
    assert (winnable[: game.choices].sum(), near.sum()) == (33, 62)
    beta = graph_sets(expand_game(game, near | winnable)).positive[: game.choices]
    assert beta.sum() == 13_988
    together = cooperation(game)
    within = [together.distance((x, y)) for x in range(-20, 21) for y in range(-20, 21) if max(abs(x), abs(y)) > 1]
    assert max(filter(None, within)) == 14
    assert (together.distances[: game.choices] == 1).sum() == 62


def test_the_edge_of_right_turn_takes_four_more_levels() -> None:
    """Where the monkey can step off the board; from the last two cells every move leads off it or to the other."""
    game = build_game("right-turn(radius=60)")
    covered, sizes = graph_sets(game).positive, []
    while (near := brink(game, covered)).any():
        wider = graph_sets(expand_game(game, near | covered)).positive[: game.nodes]
        sizes.append(int(wider[: game.choices].sum()) - int(covered[: game.choices].sum()))
        covered = wider
    assert sizes == [13_955, 373, 140, 124, 5]
    left = [game.states.state(node).key() for node in np.flatnonzero(covered[: game.choices] == 0)]
    assert left == [(60, 59), (60, 60)]
    off = game.live + int(np.flatnonzero(game.high == 0.0)[0])
    after = [
        game.structure.successors[slice(*game.structure.first[node : node + 2])] for node in map(game.states.node, left)
    ]
    assert [set(nodes.tolist()) for nodes in after] == [{game.states.node((60, 60)), off}, {off}]


@pytest.fixture(scope="module")
def orc() -> LoweredSolution:
    return lower_expectations(solve(right_turn(7)))


def test_where_only_a_mistake_helps_the_orc_lurks(orc: LoweredSolution) -> None:
    """Against a monkey who slips once in a hundred times he wins from where the plain solution walks away."""
    plain, game = solve(right_turn(7)), orc.game
    shares = np.diff(game.mix_starts(1))
    slipping_monkey = 0.99 * orc.policy(1).shares + 0.01 * np.repeat(1.0 / shares, shares)
    lost = orc.levels[: game.choices] == 1
    caught = [
        policy_values(game, each.policy(0).shares, slipping_monkey)[: game.choices][lost] for each in (plain, orc)
    ]
    most = best_response(game, slipping_monkey, 1).values[: game.choices][lost]
    assert caught[0].mean() < 0.05 * most.mean()
    assert caught[1].mean() > 0.9 * most.mean()


def test_the_monkey_fights_for_time_where_he_is_lost(orc: LoweredSolution) -> None:
    """In the cells that are lost in the limit alone he keeps up the threat: the plain solution has him run north."""
    plain = solve(right_turn(7))
    assert plain.strategy((-2, -1), 1) == {"0": 1.0, "1": 0.0, "2": 0.0, "3": 0.0}
    shares = orc.strategy((-2, -1), 1)
    assert 0.9 < shares["1"] < 1.0
    assert 0.0 < shares["0"] < 0.1


def test_wins_are_quick_and_losses_slow() -> None:
    game = build_game("bear-brawl(hero_hp=3, bear_hp=3, radius=6)")
    found, needed = lower_expectations(solve(game)), expected_rounds(game).expected
    for node in np.flatnonzero(found.levels[: game.choices] == 0):
        left = game.matrix(int(node), np.minimum(needed, 1e6))
        assert (found.policy(0).at(int(node)) @ left).max() <= needed[node] - 1.0 + 1e-9
        assert (left @ found.policy(1).at(int(node))).min() >= needed[node] - 1.0 - 1e-9


def test_what_has_no_meaning_is_refused() -> None:
    with pytest.raises(BadGame, match="slip"):
        lower_expectations(solve(guan()), slip=1.5)
    with pytest.raises(BadGame, match="survival"):
        lower_expectations(solve(guan(-1.0)))
    with pytest.raises(BadGame, match="on the way"):
        lower_expectations(solve(recursive_game({"a": [["end"]]}, {"end": 1.0}, stage={"a": [[1.0]]})))
    with pytest.raises(BadGame, match="outside"):
        lowerable(build_game("bear-brawl(hero_hp=1, bear_hp=1, radius=2, edge=unbounded)"))
