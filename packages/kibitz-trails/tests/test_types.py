"""The belief over negotiators: exact Bayes, strangers, and who is kept out of it."""

from math import log
from statistics import fmean
from typing import NamedTuple

import pytest
from trail_positions import start

from kibitz import core
from kibitz.core.errors import Unsupported
from kibitz.core.insight import UNKNOWN
from kibitz.core.match.play import play
from kibitz.core.records.replay import replaying
from kibitz.core.registry import make_agent, make_game, make_model, spec_of
from kibitz.core.seeds import stream
from kibitz.core.wording import sentence
from kibitz_trails.agents.negotiator import Negotiator
from kibitz_trails.agents.population import PDA19, STRANGERS
from kibitz_trails.models.types import ALIKE, Identity, PredictedNegotiator, Types
from kibitz_trails.rules import ANSWER
from kibitz_trails.situation import History

FEW = "strategies=(trails.honest, trails.always_renege, trails.tit_for_tat)"
MOVES = ("offer 3 yellow for 3 gray", "accept", "send nothing | send nothing", "stay | stay")


class Choice(NamedTuple):
    """A choice: the number of options, what was predicted of it, and the weight of chance before and after it."""

    options: int
    given: float
    before: float
    after: float


def watching(spec: str, *moves: str, seat: int | None = None) -> Types:
    """The model after it has watched some moves on DD."""
    model = make_model(spec)
    assert isinstance(model, Types)
    model.begin(make_game("trails"), seat, stream(0, "types"))
    for transition in transitions(*moves):
        model.observe(transition)
    return model


def transitions(*moves: str) -> list[core.Transition]:
    """The events of some moves on DD."""
    state, found = start(), []
    for ply, move in enumerate(moves):
        before, player = state.clone(), state.current_player()
        words = move.split(" | ")
        players = state.game.movers(state)
        actions = tuple(state.string_to_action(seat, word) for seat, word in zip(players, words, strict=True))
        state.step(actions)
        found.append(core.Transition(ply, player, actions, before, state.clone()))
    return found


def by_hand(name: str, player: int, slips: float) -> float:
    """How likely a negotiator would have done what *player* did in `MOVES`, slips included."""
    agent, stranger = make_agent(name), PredictedNegotiator()
    assert isinstance(agent, Negotiator)
    history, likely = History(), 1.0
    for one in (agent, stranger):
        one.begin(make_game("trails"), player, stream(0, "by hand"))
    for transition in transitions(*MOVES):
        action = transition.action_of(player)
        if action is not None:
            agent.history = stranger.history = history
            meant, strange = (one.policy(transition.before).probability(action) for one in (agent, stranger))
            likely *= (1.0 - slips) * meant + slips * strange
        history.observe(transition)
    return likely


def test_the_belief_is_bayes_by_hand() -> None:
    model = watching(f"trails.types({FEW}, unknown=0.0, slips=0.1)", *MOVES)
    names = ("trails.honest", "trails.always_renege", "trails.tit_for_tat")
    likely = {name: by_hand(name, 1, 0.1) for name in names}
    for name in names:
        assert model.belief(1)[name] == pytest.approx(likely[name] / sum(likely.values()))
    assert model.belief(1)["trails.always_renege"] > 0.8
    assert "trails.always_renege" in sentence(model.explain(1), "Ben")


def test_a_promise_kept_tells_the_honest_from_the_cheat() -> None:
    kept = watching(f"trails.types({FEW})", *MOVES[:2], "send 3 yellow | send 3 gray")
    assert kept.belief(1)["trails.always_renege"] < 0.05
    assert kept.belief(1)["trails.honest"] == pytest.approx(kept.belief(1)["trails.tit_for_tat"], rel=1e-6)


def test_one_whom_nobody_explains_is_a_stranger() -> None:
    odd = "offer 1 red for 1 green"
    model = watching(f"trails.types({FEW})", odd, "reject", "pass", "send nothing | send nothing")
    assert model.belief(0)[UNKNOWN] > 0.5
    assert "none of the known strategies" in sentence(model.explain(0), "Ann")


def test_a_player_judges_the_other_one_only() -> None:
    model = watching(f"trails.types({FEW})", *MOVES, seat=1)
    assert model.belief(1)["trails.honest"] == pytest.approx(0.9 / 3)
    assert model.belief(0)["trails.always_renege"] > 0.6


def test_forecasts_count_on_strangers_more_than_the_belief_does() -> None:
    few, many = (watching(f"trails.types({FEW}, unknown={share})", *MOVES) for share in (0.1, 0.3))
    assert few.belief(1)[UNKNOWN] < many.belief(1)[UNKNOWN]
    assert few.cautious_shares(1) == pytest.approx(many.marginal(1))
    for moves in (MOVES[:1], MOVES[:2]):
        few, many = (watching(f"trails.types({FEW}, unknown={share})", *moves) for share in (0.1, 0.3))
        state = transitions(*moves)[-1].after
        for action, share in many.predict(state, 1).top(3):
            assert few.predict(state, 1).probability(action) == pytest.approx(share)


def test_some_strangers_play_like_somebody_known_all_the_time() -> None:
    told = Identity.before_choices([0.3, 0.2, 0.5])
    for _ in range(3):
        told = told.after([0.8, 0.4, 0.2])
    known = [0.3 * 0.8**3, 0.2 * 0.4**3]
    strange = (1.0 - ALIKE) * 0.5 * 0.2**3 + ALIKE * 0.5 * (0.6 * 0.8**3 + 0.4 * 0.4**3)
    assert told.probabilities() == pytest.approx([each / (sum(known) + strange) for each in (*known, strange)])
    for _ in range(100):
        told = told.after([1.0, 0.1, 0.1])
    assert told.probabilities()[-1] == pytest.approx(ALIKE / (1.0 + ALIKE))


def test_who_did_what_nobody_known_does_stays_a_stranger() -> None:
    model = watching("trails.types")
    record = play("trails", ["trails.half_keeper", "trails.tit_for_tat"], seed=3)
    for moment in replaying(record):
        if moment.event is not None:
            model.observe(moment.event.transition(None, "test"))
    assert model.evidence[0].choices > 50
    assert model.marginal(0)[-1] < 0.5
    assert model.belief(0)[UNKNOWN] > 0.95


def test_what_nobody_does_says_nothing_and_drift_forgets() -> None:
    told = Identity.before_choices([0.5, 0.4, 0.1], drift=1.0).after([0.9, 0.1, 0.3])
    assert told.after([0.0, 0.0, 0.0]) is told
    assert told.after([1.0, 1.0, 1.0]).probabilities() == pytest.approx([0.5, 0.4, 0.1])
    assert Identity.before_choices([0.0, 1.0]).after([1.0, 0.2]).probabilities() == pytest.approx([0.0, 1.0])


def test_a_belief_that_is_recalled_is_the_next_prior() -> None:
    first = watching(f"trails.types({FEW})", *MOVES)
    second = watching(f"trails.types({FEW})")
    second.recall(1, first.remember(1))
    assert second.belief(1)["trails.always_renege"] > 0.6
    assert second.belief(1) == pytest.approx(dict(zip(second.labels, second.marginal(1), strict=True)))
    assert second.answer_trust[1].chance < watching(f"trails.types({FEW})").answer_trust[1].chance


@pytest.fixture(scope="module")
def random_matches() -> list[list[Choice]]:
    """The choices of a random player in each of three matches."""
    found = []
    for seed in range(3):
        model = make_model("trails.types")
        assert isinstance(model, Types)
        model.begin(make_game("trails"), None, stream(seed))
        rows = []
        for moment in replaying(play("trails", ["random", "trails.tit_for_tat"], seed=seed)):
            event = moment.event
            action = dict(event.choices()).get(0) if event is not None else None
            if event is None:
                continue
            view = event.before.view(None, "test")
            options = len(view.legal_actions(0)) if action is not None else 0
            trust = (model.answer_trust if view.phase == ANSWER else model.trust)[0]
            chance = trust.before_choice()
            given = model.predict(view, 0).probability(action) if options > 1 else 1.0
            model.observe(event.transition(None, "test"))
            if options > 1:
                rows.append(Choice(options, given, chance, trust.chance))
        found.append(rows)
    return found


def test_what_is_learned_of_trust_is_what_was_predicted(random_matches: list[list[Choice]]) -> None:
    for options, given, chance, after in (each for rows in random_matches for each in rows):
        assert after == pytest.approx(chance / options / given)


def test_a_random_player_is_predicted_nearly_as_well_as_by_chance(random_matches: list[list[Choice]]) -> None:
    losses = [-log(given * options) for rows in random_matches for options, given, _, _ in rows]
    assert len(losses) > 20
    assert fmean(losses) < 0.15


def test_strangers_are_kept_out_of_the_belief_and_of_its_training() -> None:
    model = watching("trails.types")
    assert model.labels == [*(str(spec_of(make_agent(name))) for name in PDA19), UNKNOWN]
    assert not set(model.labels) & set(STRANGERS)
    made = model.strangers[0].predictors.learned.made["command"]
    assert not any(f"--play {name} " in f"{made} " for name in STRANGERS)
    assert "--play trails.tit_for_tat " in made


def test_it_watches_no_other_game() -> None:
    with pytest.raises(Unsupported, match="Colored Trails only"):
        make_model("trails.types").begin(make_game("pennies"), None, stream(0, "types"))
