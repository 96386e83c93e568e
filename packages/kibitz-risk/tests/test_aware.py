"""The agent that acts on what others are after."""

from collections import Counter

import pytest

import kibitz
from kibitz import core
from kibitz.core.errors import Unsupported
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz.models.worlds import known_strategies
from kibitz_risk import phases
from kibitz_risk.actions import ends
from kibitz_risk.aware import WORLDS, Aware
from kibitz_risk.game import Risk, State
from kibitz_risk.position import Position

AFRICA, ASIA = 3, 4
CARD, OTHER = "Asia + Africa", "North America + Australia"


class Certain(core.Model):
    """Is sure of the card of one player, and knows nothing of the others."""

    answers = ("goal",)

    def __init__(self, card: str = CARD, holder: int = 1) -> None:
        self.card, self.holder = card, holder

    def observe(self, transition: core.Transition) -> None:
        """It knows already."""

    def belief(self, player: int) -> dict[str, float]:
        return {self.card: 1.0} if player == self.holder else {}


def nearly_won() -> State:
    """Player 1 lacks one territory of Asia and Africa; player 0 is to attack."""
    game = make_game("risk(players=3)")
    assert isinstance(game, Risk)
    state = game.new_initial_state()
    state.phase, state.missions = phases.ATTACK, (3, -1, -1)
    state.owners = [
        1 if each.continent in (AFRICA, ASIA) else 2 * (place % 2) for place, each in enumerate(game.map.territories)
    ]
    state.owners = [*state.owners[:25], 0, *state.owners[26:]]
    state.armies = [3 if owner else 6 for owner in state.owners]
    return state


def seated(state: State, **options: object) -> Aware:
    agent = Aware(**options)  # type: ignore[arg-type]
    agent.begin(state.game, 0, stream(0, "test"))
    return agent


def attacked(model: core.Model | None) -> int | None:
    """Whom the agent attacks, if anybody."""
    state = nearly_won()
    action = seated(state, model=model, trials=24).policy(state).top(1)[0][0]
    return None if action == phases.END_ATTACK else state.owners[ends(action, 42)[1]]


@pytest.mark.long
def test_who_is_near_to_his_card_is_hindered_and_who_is_no_threat_is_left_alone() -> None:
    assert attacked(Certain()) == 1
    assert attacked(Certain(OTHER)) == 2
    assert attacked(Certain(CARD, holder=2)) == 2


def worlds_missions(model: core.Model | None) -> list[tuple[int, ...]]:
    """The missions of all players in the worlds that are foreseen."""
    state = nearly_won()
    return [tuple(Position.view(row)["missions"].tolist()) for row in seated(state, model=model).worlds(state)]


def test_missions_are_drawn_from_what_is_believed_no_two_alike() -> None:
    deck = seated(nearly_won()).deck
    found = worlds_missions(Certain())
    assert len(found) == WORLDS
    assert all(own == 3 and len({own, first, second}) == 3 for own, first, second in found)
    held = Counter(first for _, first, _ in found)
    assert held[deck.index(CARD)] > 0.75 * WORLDS  # at times the other, of whom nothing is known, has drawn it before
    assert len({second for _, _, second in found}) > 5
    assert len({first for _, first, _ in worlds_missions(None)}) > 5


def test_a_model_that_says_nothing_of_goals_is_refused() -> None:
    with pytest.raises(Unsupported, match="does not say what a player is after"):
        kibitz.play("risk", ["risk.aware(model=strategy_filter)", "random", "random"], max_plies=5)


def test_models_suppose_it_only_if_it_is_named() -> None:
    supposed = known_strategies(make_game("risk"))
    assert "risk.mission" in map(repr, supposed)
    assert not any(isinstance(each, Aware) for each in supposed)


@pytest.mark.long
def test_games_with_the_learned_model_end() -> None:
    record = kibitz.play("risk", ["risk.aware(model=risk.choice, trials=2)", "mission", "constrained"], seed=2)
    assert record.ending is not None
    assert record.ending.reason == "terminal"
    assert not record.ending.faults
    assert repr(make_agent("risk.aware(model=risk.choice)")) == "risk.aware(model=risk.choice)"
