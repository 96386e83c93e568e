"""Players made of other strategies, and random tables."""

import pytest

from kibitz import core
from kibitz.agents.random_table import RandomTable
from kibitz.core.errors import BadSpec
from kibitz.core.match.play import play
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream

C, D = 0, 1


def begun(spec: str, game: str = "dilemma", player: int = 0) -> core.Strategy:
    agent = make_agent(spec, game)
    assert isinstance(agent, core.Strategy)
    agent.begin(make_game(game), player, stream(0, "test"))
    return agent


def moves(agents: list[str], game: str = "dilemma(rounds=8)", seat: int = 0) -> str:
    record = play(game, agents, seed=3)
    return "".join(entry.actions[seat][0] for entry in record.entries)


def test_noise_is_spread_over_all_actions() -> None:
    policy = begun("noisy(strategy=defector, rate=0.3)").policy(make_game("dilemma").new_initial_state())
    assert (policy.probability(C), policy.probability(D)) == (pytest.approx(0.15), pytest.approx(0.85))


def test_a_mixture_weighs_its_strategies() -> None:
    state = make_game("dilemma").new_initial_state()
    policy = begun("mixture(strategies=[defector, cooperator], shares=[0.25, 0.75])").policy(state)
    assert policy.probability(D) == pytest.approx(0.25)
    assert begun("mixture(strategies=[defector, cooperator])").policy(state).probability(D) == pytest.approx(0.5)


@pytest.mark.parametrize("shares", ["[0.5]", "[0, 0]"])
def test_shares_must_fit_the_strategies(shares: str) -> None:
    with pytest.raises(BadSpec, match="2 strategies need 2 shares"):
        begun(f"mixture(strategies=[defector, cooperator], shares={shares})")


def test_a_switcher_follows_each_strategy_for_a_while_and_the_last_to_the_end() -> None:
    assert moves(["switcher(strategies=[defector, cooperator, defector], every=2)", "cooperator"]) == "ddccdddd"


def test_every_strategy_of_a_switcher_has_seen_the_whole_match() -> None:
    assert moves(
        ["switcher(strategies=[cooperator, grim], every=4)", "switcher(strategies=[defector, cooperator])"]
    ) == ("ccccdddd")


def test_a_table_by_history_repeats_itself_where_history_does() -> None:
    table = begun("random_table(by=history, memory=1, sharpness=3, seed=5)")
    state = make_game("dilemma").new_initial_state()

    def after(*actions: int) -> float:
        table.observe(core.Transition(0, core.SIMULTANEOUS, actions, state, state))
        return table.policy(state).probability(C)

    found = {actions: after(*actions) for actions in ((C, C), (C, D), (D, C), (D, D))}
    assert len(set(found.values())) == 4
    assert all(after(*actions) == share for actions, share in found.items())


def test_a_table_is_the_same_in_both_seats() -> None:
    state = make_game("dilemma").new_initial_state()
    shares = []
    for player, actions in ((0, (C, D)), (1, (D, C))):
        table = begun("random_table(by=history, seed=7)", player=player)
        table.observe(core.Transition(0, core.SIMULTANEOUS, actions, state, state))
        shares.append(table.policy(state).probability(C))
    assert shares[0] == shares[1]


def test_a_table_by_view_depends_on_the_own_card_only() -> None:
    game = make_game("kuhn(players=2)")
    state = game.new_initial_state()
    for card in (10, 11):
        state.apply_action(next(action for action, _ in state.chance_outcomes() if action != card))
    other = state.copy_with(cards=tuple(reversed(state.cards)))
    table = RandomTable(seed=1)
    table.begin(game, 0, stream(0, "test"))
    first, second = (table.policy(each.view(0)).probability(1) for each in (state, other))
    assert first != second
    assert table.policy(state.view(0)).probability(1) == first
