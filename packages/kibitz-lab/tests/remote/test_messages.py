"""What is written to bots is small, and holds nothing that their player may not see."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from checkout import ROOT
from kibitz import core
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz.games.dilemma.rules import State
from kibitz.remote import messages
from kibitz.testing.walks import walk


def choosing(spec: str) -> core.State:
    """The first position of a game in which player 0 chooses."""
    game = make_game(spec)
    return next(state for state in walk(game, stream(1, "test"), 50) if 0 in game.movers(state)).view(0)


class Wide(State):
    """A position with many actions that are no product."""

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        return range(600)

    def action_to_string(self, player: int, action: int) -> str:
        return f"square {action}"


@pytest.mark.parametrize(("pool", "listed"), [("[9, 4, 9]", 500), ("[9, 4, 10]", 0)])
def test_five_hundred_are_listed_and_one_more_is_not(pool: str, listed: int) -> None:
    assert len(messages.legal_message(choosing(f"offers(pool={pool})"), 0).actions) == listed


def test_a_product_is_told_by_its_factors_however_large() -> None:
    legal = messages.legal_message(choosing("offers(pool=[1000000, 1000000, 1000000])"), 0)
    assert legal.count == 1_000_001**3
    assert legal.verb == "give"
    assert legal.factors == [messages.Factor(name, 0, 1_000_000) for name in ("books", "hats", "balls")]
    assert len(msgspec.json.encode(legal)) < 300


def test_of_many_other_actions_the_first_are_listed() -> None:
    state = make_game("dilemma").new_initial_state()
    assert isinstance(state, State)
    legal = messages.legal_message(Wide(state.game), 0)
    assert legal.count == 600
    assert legal.actions == [f"square {number}" for number in range(500)]


def test_ranges_are_told_by_their_ends_and_hold_all_actions() -> None:
    game = make_game("risk")
    views = (state.view(state.current_player()) for state in walk(game, stream(1, "t"), 3000) if game.movers(state))
    view = next(view for view in views if len(view.legal_actions()) > messages.MOST_LISTED)
    legal = messages.legal_message(view, view.current_player())
    assert legal.actions == []
    told = [each.words.replace("#", str(n)) for each in legal.ranges for n in range(each.least, each.most + 1)]
    assert told == [view.action_to_string(view.current_player(), action) for action in view.legal_actions()]
    assert legal.count == len(told) > 500


def opening(spec: str, player: int = 0) -> tuple[Any, Any]:
    """The begin and the first act that a player is sent, decoded."""
    game = make_game(spec)
    dialogue = messages.Dialogue(game, player, stream(2, "test"))
    view = next(state for state in walk(game, stream(1, "test"), 300) if player in game.movers(state)).view(player)
    act = dialogue.act(view, None, None)
    return tuple(msgspec.json.decode(messages.encode_message(each)) for each in (dialogue.begin, act))


@pytest.mark.parametrize("spec", ["kuhn(players=2)", "trails", "risk", "axis(scenario='s3')", "matrix", "dilemma"])
def test_a_match_begins_with_all_that_a_stranger_needs(spec: str) -> None:
    begin, act = opening(spec)
    tests = Draft202012Validator({"$defs": messages.schema()["$defs"], "$ref": "#/$defs/from_kibitz"})
    for message in (begin, act):
        tests.validate(message)
    assert begin["about"]["rules"]
    assert begin["about"]["actions"][0]["examples"]
    assert begin["board"]
    assert "strategies" not in begin["about"]
    assert act["view"]["fields"]
    assert 0 in act["view"]["movers"]


def test_the_board_is_told_once_and_follows_the_parameters() -> None:
    begin, act = opening("trails(board='layers(rows=9, cols=4, missing=[1, 1])')")
    assert (len(begin["board"]["grid"]), len(begin["board"]["grid"][0])) == (9, 4)
    assert "grid" not in act["view"]["fields"]
    begin, _ = opening("dilemma(rounds=7)")
    assert begin["board"]["rounds"] == 7
    assert "choose 7 times" in begin["about"]["rules"]
    begin, _ = opening("risk(board=dom-luca82)")
    names = [each["name"] for each in begin["board"]["territories"]]
    middle_east = names.index("Middle East")
    assert middle_east not in begin["board"]["territories"][names.index("East Africa")]["neighbours"]


@pytest.mark.parametrize(("spec", "named"), [("kuhn", "card"), ("risk", "goal"), ("offers", "type")])
def test_players_are_told_their_own_secret_only(spec: str, named: str) -> None:
    (_, one), (_, other) = opening(spec, 0), opening(spec, 1)
    assert one["secret"][named] != other["secret"][named]
    assert other["secret"][named] not in msgspec.json.encode(one["view"]["fields"]).decode()
    assert opening("dilemma")[1].get("secret") is None


def test_the_schema_that_is_published_is_the_one_we_speak() -> None:
    published = ROOT / "docs" / "reference" / "messages.json"
    assert msgspec.json.decode(published.read_bytes()) == messages.schema()
