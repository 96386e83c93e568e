"""Every game says what it is, in words and by name, for any parameters; a program can rely on what it is told."""

from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from kibitz import core
from kibitz.core.errors import BrokenPlugin, ContractBroken
from kibitz.core.insight import UNKNOWN
from kibitz.core.kit.about import ActionForm, about_game, described_game, first_opponents, label_words
from kibitz.core.kit.positions import Fields
from kibitz.core.registry import UNREGISTERED, entries, kit_of, make_game, make_model, spec_of
from kibitz.core.seeds import stream
from kibitz.games.kuhn import view as kuhn
from kibitz.remote import messages
from kibitz.testing import check_game
from kibitz.testing.descriptions import check_about, check_fields
from kibitz.testing.games import MissingDescription

GAMES = sorted(name for name, entry in entries("game").items() if entry.target.startswith("kibitz"))
VARIANTS = [
    "axis(scenario='front')",
    "breakthrough(rows=4, columns=3)",
    "duel(distance=2, shells=[1, 0])",
    "kuhn(players=6)",
    "pawns(base=cells, adjacency=king)",
    "rps(goal=tie, rounds=3)",
    "trails(visibility=hidden_chips)",
]
SLOW = [
    "axis(scenario='revised')",
    "risk(mode=capital, setup=draft, fortify=unlimited, cards=italian)",
    "risk(mode=domination, territories=30, cards=fixed, players=2, fortify=connected)",
    "risk(players=6, victory=turn-end, blow=any)",
]
"""Variants with the largest views."""
LONG = ("breakthrough", "pawns", "risk", "trails")
"""Games with long matches and large views."""


def validator(shape: dict[str, Any]) -> Draft202012Validator:
    """Tests values against a part of the published schema."""
    return Draft202012Validator({"$defs": messages.schema()["$defs"], **shape})


SPECS = [
    *(pytest.param(name, marks=pytest.mark.long) if name in LONG else name for name in GAMES),
    *(pytest.param(each, marks=pytest.mark.long) for each in VARIANTS),
    *(pytest.param(each, marks=pytest.mark.slow) for each in SLOW),
]


@pytest.mark.parametrize("spec", SPECS)
def test_game_says_what_it_is_in_words(spec: str) -> None:
    check_about(spec)


@pytest.mark.parametrize("spec", SPECS)
def test_views_are_told_by_name_as_the_schema_says_and_show_what_the_key_shows(spec: str) -> None:
    game = make_game(spec)
    shapes = messages.schema()["games"][spec_of(game).name]
    views = check_fields(game, walks=2, plies=400 if spec in SLOW else 120 if game.hidden else 40)
    tests = validator(shapes["view"])
    for told in views[:: max(1, len(views) // 50)]:
        tests.validate(told)
    fields = kit_of(game).fields
    assert fields is not None
    validator(shapes["board"]).validate(msgspec.json.decode(msgspec.json.encode(fields.board(game))))


def test_the_words_follow_the_parameters() -> None:
    two, six = (about_game(make_game(f"kuhn(players={count})")) for count in (2, 6))
    assert two is not None
    assert six is not None
    assert (len(two.players), list(two.labels)) == (2, ["Q", "K", "A"])
    assert (len(six.players), list(six.labels)) == (6, list("89TJQKA"))


@pytest.mark.parametrize(
    ("spec", "model"), [("trails", "trails.types"), ("risk", "risk.explanations"), ("kuhn", "strategy_filter")]
)
def test_all_that_a_model_believes_can_be_put_into_words(spec: str, model: str) -> None:
    game, made = make_game(spec), make_model(model)
    made.begin(game, None, stream(1, "test"))
    labels = {label for player in range(game.players) for label in made.belief(player)} - {UNKNOWN}
    assert len(labels) > 3
    words = {label: label_words(game, label) for label in labels}
    assert all(words.values())
    assert len(set(words.values())) == len(labels)


def test_labels_that_mean_nothing_have_no_words() -> None:
    game = make_game("kuhn")
    assert label_words(game, "kuhn.rock") == "puts a chip in only with the best card"
    assert label_words(game, "random") == "plays any legal action, all equally likely"
    assert label_words(game, "nonesuch") is None
    assert label_words(game, "a label (of ours") is None


def test_a_game_that_does_not_say_what_it_is_is_described_by_its_docstrings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.core.kit.about.kit_of", lambda game: UNREGISTERED)
    game = make_game("cops")
    about = described_game(game)
    assert about.title == "Cops"
    assert about.goal.startswith("Cops and robber on a graph")
    assert about.strategies["chaser"] == label_words(game, "cops.chaser")
    assert list(first_opponents(game)) == ["pursuit", "runner", "chaser"]
    assert list(first_opponents(make_game("soccer"))) == ["mcts", "random"]


def test_a_game_that_fails_to_say_what_it_is_is_named_and_can_be_played_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(game: core.Game) -> None:
        raise TypeError("no title")

    monkeypatch.setitem(vars(kit_of("kuhn")), "word_values", fail)
    with pytest.raises(BrokenPlugin, match=r"kuhn.*kuhn:words.toml.*no title"):
        about_game(make_game("kuhn"))
    assert described_game(make_game("kuhn")).title == "Kuhn"


def test_a_game_that_does_not_say_what_it_is_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kit_of("pennies"), "words", None)
    with pytest.warns(MissingDescription, match="has no words"):
        check_game("pennies", walks=1, plies=4)


def told_about(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    """Make Kuhn poker say something else of itself."""
    monkeypatch.setitem(vars(kit_of("kuhn")), "word_values", lambda game: {**kuhn.word_values(game), **changes})


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"rules": "word " * 201}, "more than 200"),
        ({"goal": "Win. Or lose."}, "no single sentence"),
        ({"players": ("player 0",)}, "names 1 players"),
        ({"players": ("Ann", "Ben", "Cleo")}, "the name is 'player 0'"),
        ({"strategies": {}}, "strategies"),
        ({"labels": {}}, "does not say what the label"),
        ({"minutes": 0}, "how many minutes"),
        ({"opponents": {"nonesuch": "Nobody."}}, "'nonesuch' that is no agent"),
        ({"actions": (ActionForm("pass", "", ("pass",)),)}, "needs a meaning"),
        ({"actions": (ActionForm("pass", "no chip", ("pass",)),)}, "'bet' has none of the forms"),
        ({"actions": (ActionForm("<move>", "a chip or none", ("raise",)),)}, "never legal: raise"),
    ],
)
def test_what_a_game_says_of_itself_is_tested(
    changes: dict[str, Any], complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told_about(monkeypatch, **changes)
    with pytest.raises(ContractBroken, match=complaint):
        check_about("kuhn", walks=3)


class Told(msgspec.Struct):
    """What a careless game tells of Kuhn poker."""

    cards: list[int]


def all_cards(state: Any) -> Told:
    return Told([*state.cards, *state.game.new_initial_state().cards])


def no_cards(state: Any) -> Told:
    return Told([])


@pytest.mark.parametrize("view", [all_cards, no_cards])
def test_fields_that_tell_less_than_the_key_are_found(view: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(kit_of("kuhn")), "fields", Fields(kuhn.board, view))
    with pytest.raises(ContractBroken, match="another key has these fields"):
        check_fields("kuhn")


def test_fields_that_tell_more_than_the_key_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []

    def counted(state: Any) -> Told:
        told.append(0)
        return Told([*state.cards, len(told)])

    monkeypatch.setitem(vars(kit_of("kuhn")), "fields", Fields(kuhn.board, counted))
    with pytest.raises(ContractBroken, match="has other fields"):
        check_fields("kuhn")
