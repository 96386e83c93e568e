"""The campaigner: estimates, routes, plans by card, and what the choice model expects of such players."""

from collections import Counter

import numpy as np
import pytest

import kibitz
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz_risk import phases
from kibitz_risk.campaigns.campaigner import NOWHERE, PLANNED, Campaigner, ExpectedOrders
from kibitz_risk.game import Risk, State
from kibitz_risk.models.decisions import place_of
from kibitz_risk.models.features import CAMPAIGNS, campaign_features

SIX = "risk(players=6, missions=continents, cards=fixed, board='dom-luca82')"


def states_in_play(game: str, agents: list[str], seed: int, every: int) -> list[State]:
    """Some states of a match in which orders of campaigners are due."""
    moments = kibitz.playing(game, agents, seed=seed, max_plies=1500)
    planned = (each.state.clone() for each in moments if isinstance(each.state, State) and each.state.phase in PLANNED)
    return list(planned)[::every]


def test_the_card_decides_where_a_campaigner_sets_up() -> None:
    """With the weight of the card its armies gather in or beside one of the card's continents."""
    game = make_game(SIX)
    assert isinstance(game, Risk)
    stood: Counter[bool] = Counter()
    for seed in range(3):
        for moment in kibitz.playing(game, ["campaigner"] * 6, seed=seed):
            state = moment.state
            assert isinstance(state, State)
            if state.phase == phases.PLACE:
                break
        for player, mission in enumerate(state.missions):
            place = max(state.territories_of(player), key=lambda each: state.armies[each])
            near = {place, *state.board.neighbours[place]}
            named = game.mission_deck[mission].named_continents
            stood[any(state.board.territories[each].continent in named for each in near)] += 1
    assert stood[True] >= 16  # of 18


def test_what_is_expected_of_a_campaigner_is_what_it_does() -> None:
    """Each card's order, found from shared plans, is that of an agent who plays for the card."""
    game = "risk(players=4, cards=fixed)"
    checked = 0
    for state in states_in_play(game, ["campaigner", "mission", "campaigner(w=4)", "heuristic"], seed=5, every=23):
        player = state.current_player()
        expected = ExpectedOrders(state.view(None), player)
        for weight in (3.0, 120.0):
            agent = Campaigner(w=weight)
            agent.begin(state.game, player, stream(1, "campaigner"))
            agent.character = agent.character._replace(nerve=0.5)
            for agent.meant in state.game.mission_deck:
                place = place_of(state, agent.choice(state, state.legal_actions(player)))
                assert expected.place(agent.meant, weight) == (NOWHERE if place is None else place)
                checked += 1
    assert checked > 300


def test_campaign_features_mark_one_territory_for_each_card_and_weight_at_most() -> None:
    for state in states_in_play(SIX, ["campaigner"] * 6, seed=2, every=97):
        found = campaign_features(state.view(None), state.current_player())
        assert found.shape == (6, 42, len(CAMPAIGNS) + 1)
        assert set(np.unique(found)) <= {0.0, 1.0}
        assert found.sum(axis=1).max() <= 1.0
        assert (found[:, :, -1] == found[0, :, -1]).all()  # without a card all cards are the same


def test_slips_and_whims_make_players_differ_from_match_to_match() -> None:
    state = states_in_play(SIX, ["campaigner"] * 6, seed=2, every=60)[0]
    player, chosen = state.current_player(), set()
    for seed in range(12):
        agent = make_agent("risk.campaigner(w=1, whims=2)")
        agent.begin(state.game, player, stream(seed, "campaigner"))
        chosen.add(agent.policy(state.view(player)).sample(stream(0, "certain")))
    assert len(chosen) > 1
    slipping = make_agent("risk.campaigner(slips=0.3)")
    slipping.begin(state.game, player, stream(1, "campaigner"))
    shares = slipping.policy(state.view(player))
    legal = state.legal_actions(player)
    assert shares.top(1)[0][1] == pytest.approx(0.7 + 0.3 / len(legal))
    assert all(shares.probability(action) > 0.0 for action in legal)


@pytest.mark.long
def test_campaigners_end_their_games_and_beat_conquerors() -> None:
    won: Counter[str] = Counter()
    agents = ["campaigner", "heuristic", "mission(w=100)"]
    for seed in range(9):
        turned = agents[seed % 3 :] + agents[: seed % 3]
        record = kibitz.play("risk(players=3)", turned, seed=seed, max_plies=6000)
        assert record.ending is not None
        assert any(record.ending.returns)
        won[turned[record.ending.returns.index(1.0)]] += 1
    assert won["campaigner"] >= 5
