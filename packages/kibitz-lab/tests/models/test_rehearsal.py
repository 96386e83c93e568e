"""The model `rehearsal`: agents that do not say what they will do are seated in the player's place, and tried."""

import pytest

from kibitz import core, make_game
from kibitz.core.match.play import play
from kibitz.core.registry import make_model
from kibitz.core.seeds import stream

TEAMS = "rehearsal(agents=(automata, automata(kind=tsetlin), axis.defender), rehearsals=5)"


def begun(spec: str, game: str) -> core.Model:
    model = make_model(spec)
    model.begin(make_game(game), None, stream(1, "model"))
    return model


@pytest.mark.long
def test_it_tells_a_team_from_a_defender() -> None:
    beliefs = []
    for player in ("automata", "axis.defender"):
        record = play("axis(scenario=s3)", [player, "random"], models=[TEAMS], seed=2)
        (believed,) = record.entries[-1].beliefs.values()
        beliefs.append(believed[0])
    assert max(beliefs[0], key=beliefs[0].get) == "automata"
    assert max(beliefs[1], key=beliefs[1].get) == "axis.defender"


@pytest.mark.long
def test_a_learner_is_foretold_by_how_it_learns() -> None:
    """In the third scenario every unit of a sure team waits, then attacks."""
    model = begun("rehearsal(agents=(automata,), unknown=0)", "axis(scenario=s3)")
    state = make_game("axis(scenario=s3)").new_initial_state()
    for _ in range(5):
        stays = state.legal_actions()[0]
        assert model.predict(state, 0).probability(stays) >= 0.9
        after = state.child(stays)
        model.observe(core.Transition(0, 0, (stays,), state, after))
        state = after


def test_the_rest_of_a_turn_agrees_with_what_was_seen_of_it() -> None:
    """Two twins who split: where the first goes, the second does not."""
    model = begun("rehearsal(agents=(automata,), rehearsals=20, unknown=0, slip=0)", "axis(scenario=s1)")
    state = make_game("axis(scenario=s1)").new_initial_state()
    south, north = 0, 1
    assert 0.0 < model.predict(state, 0).probability(north) < 1.0
    after = state.child(north)
    model.observe(core.Transition(0, 0, (north,), state, after))
    assert model.predict(after, 0).probability(south) == pytest.approx(1.0)


def test_rehearsed_agents_remember_the_match() -> None:
    """Pavlov and grim play alike until one of them is cheated and gets away with defecting."""
    cast = "rehearsal(agents=[dilemma.pavlov, dilemma.grim], rehearsals=2)"
    players = ["dilemma.pavlov", "random_table(by=history, memory=2, sharpness=3.0, seed=5)"]
    record = play("dilemma(rounds=20)", players, models=[cast], seed=1)
    (believed,) = record.entries[-1].beliefs.values()
    assert believed[0]["dilemma.pavlov"] > 0.9
