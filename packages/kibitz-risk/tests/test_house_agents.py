"""House agents: lawful, in character, and stronger than chance."""

import numpy as np
import pytest
from ring import played, spec

import kibitz
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz_risk import phases
from kibitz_risk.actions import ends
from kibitz_risk.agents import Constrained, Deceptive, OnMission, Situation
from kibitz_risk.game import Risk, State
from kibitz_risk.planning import FAR


def test_constrained_attacks_lead_to_the_mission() -> None:
    game = make_game("risk(missions=continents)")
    assert isinstance(game, Risk)
    checked = 0
    for moment in kibitz.playing(game, ["constrained"] * 3, seed=4):
        event = moment.event
        if event is None or not isinstance(event.before.state, State) or event.before.state.phase != phases.ATTACK:
            continue
        before, action = event.before.state, event.actions[0]
        if action == phases.END_ATTACK:
            continue
        sight = Situation(before.view(before.mover), before.mover)
        _, to = ends(action, len(before.owners))
        goals, _ = Constrained().goals(sight)
        missing = [place for place, goal in enumerate(goals) if goal and before.owners[place] != before.mover]
        far = sight.distances(missing, by_foes=True)
        nearest = min(far[place] for place in sight.mine)
        assert goals[to] or far[to] == nearest - 1
        checked += 1
    assert checked > 20


def test_distances_keep_to_one_way_borders_and_may_avoid_own_territories() -> None:
    state = make_game(spec(players=2, mode="domination")).new_initial_state()
    assert isinstance(state, State)
    state.owners, state.armies = [0, 0, 1, 1, 1, 0], [1] * 6
    sight = Situation(state, 0)
    assert sight.distances([3]) == [1, 2, 1, 0, 1, 2]
    assert sight.distances([0]) == [0, 1, 2, 3, 2, 1]
    assert sight.distances([2], by_foes=True) == [2, 1, 0, 1, 2, 3]
    assert sight.distances([]) == [FAR] * 6


@pytest.mark.long
def test_a_deceiver_changes_his_card() -> None:
    game = make_game("risk(missions=continents)")
    assert isinstance(game, Risk)
    agent = make_agent("risk.deceptive(turns=2)")
    assert isinstance(agent, Deceptive)
    agent.begin(game, 0, stream(1, "deceiver"))
    cards = []
    others = [make_agent("risk.heuristic") for _ in range(2)]
    for moment in kibitz.playing(game, [agent, *others], seed=2):
        state = moment.state
        assert isinstance(state, State)
        if state.phase == phases.PLACE and state.mover == 0:
            cards.append(agent.card(Situation(state.view(0), 0)))
        if len(cards) > 12:
            break
    own = game.mission_deck[state.missions[0]]
    assert cards[0] != own
    assert cards[-1] == own


def test_a_card_about_armies_is_won_by_placing_them() -> None:
    """Four territories are held, one army in each of two: with two more the card is done."""
    state = played(
        "first 0; mission 2; mission 1; deal Old Town; deal Hill-Top; deal Mill; deal Marsh; deal Ford; deal Quay",
        "; ".join(["set Ford; set Hill-Top"] * 5),
        players=2,
        cards="fixed",
    )
    state.owners = [*state.owners[:3], 0, *state.owners[4:]]
    agent = make_agent("risk.mission")
    assert isinstance(agent, OnMission)
    agent.begin(state.game, 0, stream(1, "player"))
    for _ in range(2):
        state.apply_action(agent.policy(state.view(0)).top(1)[0][0])
    assert state.is_terminal()
    assert state.returns()[0] == 1.0


@pytest.mark.long
def test_who_cannot_see_the_draws_of_a_deceiver_recognises_them_all_the_same() -> None:
    """A copy draws otherwise, so what it expects must not depend on its own draws."""
    game = make_game("risk(missions=continents)")
    agent = make_agent("risk.deceptive")
    copies = [make_agent("risk.deceptive") for _ in range(2)]
    for number, copy in enumerate(copies):
        copy.begin(game, 0, stream(number, "copy"))
    given, options = [], []
    for moment in kibitz.playing(game, [agent, *(make_agent("risk.heuristic") for _ in range(2))], seed=3):
        event = moment.event
        if event is None:
            continue
        view = event.before.view(0, "test")
        for player, action in event.choices():
            legal = view.legal_actions(0) if player == 0 else ()
            if len(legal) > 1:
                shares = [copy.policy(view.clone()).probability(action) for copy in copies]
                assert shares[0] == shares[1]
                given.append(shares[0])
                options.append(len(legal))
        for copy in copies:
            copy.observe(event.transition(0, "test"))
        if len(given) > 60:
            break
    gain = np.mean(np.log(given) + np.log(options))
    assert gain > 1.5


@pytest.mark.long
def test_a_spectator_learns_the_card_that_a_player_follows() -> None:
    game = make_game("risk")
    for name in ("mission(w=100)", "constrained"):
        copy = make_agent(f"risk.{name}")
        copy.begin(game, 0, stream(1, "copy"))
        assert isinstance(copy, OnMission)
        right, total = 0.0, 0
        agents = [make_agent(f"risk.{each}") for each in (name, "heuristic", "heuristic")]
        for moment in kibitz.playing(game, agents, seed=3, max_plies=400):
            event = moment.event
            for player, action in event.choices() if event is not None else ():
                view = event.before.view(None, "test")
                if player == 0 and len(view.legal_actions(0)) > 1:
                    right += copy.policy(view).probability(action)
                    total += 1
            if event is not None:
                copy.observe(event.transition(None, "test"))
        assert right / total > 0.9
        own = moment.state.missions[0]
        assert copy.posterior[own] > 1.0 / len(game.mission_deck)
