"""The game of offers: nothing is lost in dividing, and huge pools stay cheap."""

from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.match.play import play
from kibitz.core.registry import make_game
from kibitz.games.offers.rules import ACCEPT, Offers, State
from kibitz.testing import check_game, perft


@given(st.tuples(*[st.integers(1, 9)] * 3), st.data())
def test_what_is_divided_adds_up_to_the_pool(pool: tuple[int, int, int], data: st.DataObject) -> None:
    game = Offers(pool=pool)
    state = game.new_initial_state()
    for favourite in data.draw(st.tuples(st.integers(0, 2), st.integers(0, 2))):
        state.apply_action(favourite)
    state.apply_action(data.draw(st.sampled_from(state.legal_actions())))
    assert tuple(map(sum, zip(state.share(0), state.share(1), strict=True))) == pool
    state.apply_action(ACCEPT)
    assert state.returns() == [state.worth(player, state.share(player)) for player in (0, 1)]


def test_the_proposer_gives_and_the_other_gets() -> None:
    state = make_game("offers").new_initial_state()
    assert isinstance(state, State)
    for action in ("likes books", "likes hats"):
        state.apply_action(state.string_to_action(-1, action))
    state.apply_action(state.string_to_action(0, "give 2 hats"))
    assert (state.share(0), state.share(1)) == ((3, 0, 1), (0, 2, 0))
    state.apply_action(state.string_to_action(1, "accept"))
    assert state.returns() == [10.0, 6.0]


def test_later_agreements_are_worth_less_and_none_is_worth_nothing() -> None:
    sheets = ["scripted(moves=['give nothing', 'accept'])", "scripted(moves=['reject', 'give 3 books 2 hats 1 balls'])"]
    later = play("offers", sheets, seed=1)
    assert later.ending.plies == 6
    assert later.ending.returns[1] == 0.0
    assert later.ending.returns[0] in {0.9 * worth for worth in (12.0, 10.0, 8.0)}
    never = play("offers(rounds=2)", ["scripted(moves=['give nothing'])"] * 2, seed=1)
    assert never.ending.returns == [0.0, 0.0]


def test_a_pool_of_billions_of_divisions_is_played_like_a_small_one() -> None:
    check_game("offers(pool=[2000, 3000, 4000])", walks=3)


def test_perft_is_unchanged() -> None:
    assert perft("offers(pool=[1, 1, 1], rounds=2)", 6) == [1, 3, 9, 72, 144, 576, 1152]
