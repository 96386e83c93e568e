"""Games, agents and models are found by name, ours and other people's."""

import sys
import textwrap
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from kibitz.core import registry
from kibitz.core.abilities import ABILITIES, ability
from kibitz.core.errors import BadSpec, BrokenPlugin, UnknownName, Unsupported
from kibitz.core.match.play import play
from kibitz.core.registry import entries, find, has_ability, house_agents, make_agent, make_game, make_model, spec_of
from kibitz.core.registry.registry import load_ability
from kibitz.games.dilemma.agents import Generous
from other_package import installed_package


def test_a_made_thing_is_its_spec() -> None:
    for text in ("dilemma(rounds=7)", "kuhn", "offers(pool=[1, 2, 3], discount=0.5)"):
        assert repr(make_game(text)) == text
    filtered = "strategy_filter(strategies=[dilemma.grim, dilemma.generous(mercy=0.5)], drift=0.02)"
    assert repr(make_model(filtered)) == filtered
    assert repr(make_agent("scripted(moves=['defect'])")) == "scripted(moves=['defect'])"


def test_the_folder_may_be_left_out_where_the_game_is_known() -> None:
    assert repr(make_agent("grim", "dilemma")) == "dilemma.grim"
    assert repr(make_model("strategy_filter(strategies=[grim])", "dilemma")).endswith("[dilemma.grim])")
    with pytest.raises(UnknownName):
        make_agent("grim")


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [("dilema", "did you mean 'dilemma'"), ("zzz", "known: "), ("random", "is the name of an agent")],
)
def test_an_unknown_name_gets_advice(wrong: str, advice: str) -> None:
    with pytest.raises(UnknownName, match=advice):
        make_game(wrong)
    with pytest.raises(KeyError):
        find(wrong, "game")


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("dilemma(rounds=0)", "rounds=0: expected a whole number from 1 to 1,000,000"),
        ("dilemma(rounds=many)", "rounds=many: expected a whole number"),
        ("dilemma(rounds=2.5)", "rounds=2.5: expected a whole number"),
        ("dilemma(turns=3)", "no parameter 'turns'; known: noise, payoffs, rounds"),
        ("dilemma(round=3)", "did you mean 'rounds'?"),
        ("kuhn(players=9)", "players=9: expected a whole number from 2 to 6"),
        ("offers(pool=[1, 2])", "expected a list of 3"),
        ("offers(pool=[1, 0, 3])", r"pool\[1\]=0: expected a whole number"),
        ("offers(discount=1.5)", "expected a number from 0 to 1"),
        ("big-match(discount=0)", "expected a number above 0 and of at most 1"),
        ("pawns(first=blak)", "first=blak: expected black or white; did you mean 'black'?"),
        ("axis(low_luck=maybe)", "low_luck=maybe: expected true, false or None"),
        ("axis(span=[nan, 1])", r"span\[0\]='nan': expected a number"),
    ],
)
def test_parameters_are_checked_against_what_the_constructor_declares(spec: str, why: str) -> None:
    with pytest.raises(BadSpec, match=why):
        make_game(spec)


def test_a_nested_spec_must_be_of_the_kind_that_is_wanted() -> None:
    with pytest.raises(BadSpec, match=r"strategies\[0\]=human: expected a strategy"):
        make_model("strategy_filter(strategies=[human])")


def test_a_name_that_is_unknown_inside_a_spec_is_told_with_its_parameter() -> None:
    with pytest.raises(UnknownName, match=r"named 'dilemma.grin'; did you mean 'dilemma.grim'\? \(for strategies of"):
        make_model("strategy_filter(strategies=[dilemma.grin])")


def test_words_need_no_quotes_in_lists_either() -> None:
    assert repr(make_agent("scripted(moves=[defect, 'cooperate'])")) == "scripted(moves=['defect', 'cooperate'])"
    assert repr(make_game("axis(scenario=s3, low_luck=true)")) == "axis(scenario='s3', low_luck=True)"


def test_of_several_games_in_a_folder_each_has_its_own_agents() -> None:
    assert house_agents("guan") == ["guan.patient"]
    assert house_agents("purgatory") == []
    assert repr(make_agent("patient(haste=0.5)", "guan")) == "guan.patient(haste=0.5)"
    with pytest.raises(UnknownName):
        make_agent("patient", "purgatory")
    with pytest.raises(Unsupported, match="belongs to another game"):
        play("bear-brawl", ["guan.patient", "random"])


def test_abilities_are_found_or_those_who_have_them_are_named() -> None:
    assert has_ability("kuhn", "DRAWING")
    assert ability("kuhn", "DRAWING").__name__ == "draw"
    with pytest.raises(UnknownName, match="breakthrough, pawns"):
        ability("dilemma", "FAST")


def test_an_unregistered_class_goes_by_its_own_name() -> None:
    class Merciful(Generous):
        """Forgives a lot."""

    assert str(spec_of(Merciful(mercy=0.9))) == "Merciful(mercy=0.9)"


MANIFEST = """
GAMES = {"coin-toss": "other_games.coin:Coin"}
AGENTS = {"lucky": "other_games.coin:Lucky"}
"""
COIN = """
from kibitz import core

class State(core.State):
    def __init__(self, game, tossed=None): self.game, self.tossed = game, tossed
    def current_player(self): return core.TERMINAL if self.tossed is not None else 0
    def legal_actions(self, player=None): return (0, 1) if self.tossed is None else ()
    def apply_action(self, action): self.tossed = action
    def returns(self): return [float(self.tossed or 0)]
    def key(self): return self.tossed
    def action_to_string(self, player, action): return ("heads", "tails")[action]

class Coin(core.Game):
    "Tails wins."
    players, utility, zero_sum = 1, (0.0, 1.0), False
    def new_initial_state(self): return State(self)

class Lucky(core.Strategy):
    "Always tails."
    def policy(self, view): return core.Distribution.certain(1, view.legal_actions(self.player))
"""


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Path]:
    """Another package, installed with entry points, one of them broken."""
    package = tmp_path / "other_games"
    package.mkdir()
    (package / "__init__.py").write_text(MANIFEST)
    (package / "coin.py").write_text(COIN)
    entry_points = textwrap.dedent("""
        [kibitz.games]
        others = other_games
        gone = no_such_module:Game
        dilemma = other_games.coin:Coin
        [kibitz.agents]
        lucky_one = other_games.coin:Lucky
        wrong = other_games.coin:Coin
        """)
    with installed_package(tmp_path, "other_games", entry_points):
        yield tmp_path
    for name in [name for name in sys.modules if name.startswith("other_games")]:
        del sys.modules[name]


@pytest.mark.filterwarnings("ignore:.*is ignored")
@pytest.mark.filterwarnings("ignore::kibitz.testing.games.MissingDescription")
def test_other_packages_register_by_entry_points(installed: Path) -> None:
    from kibitz.testing import check_agent, check_game

    assert "coin-toss" in entries("game")
    check_game("coin-toss")
    check_agent("others.lucky", ["coin-toss"])
    assert play("coin-toss", ["lucky"]).ending.returns == [1.0]


@pytest.mark.filterwarnings("ignore:.*is ignored")
def test_a_broken_plugin_is_named_and_stops_nobody_else(installed: Path) -> None:
    with pytest.raises(BrokenPlugin, match="gone is registered as no_such_module:Game"):
        make_game("gone")
    with pytest.raises(BrokenPlugin, match="no agent class"):
        make_agent("wrong")
    assert repr(make_game("pennies")) == "pennies"


def test_a_name_that_is_taken_is_left_out_with_a_warning(installed: Path) -> None:
    with pytest.warns(UserWarning, match="has the name 'dilemma' already"):
        assert entries("game")["dilemma"].target.startswith("kibitz.games")


def test_every_ability_that_a_game_names_is_listed_and_loads() -> None:
    named = 0
    for game, entry in registry.entries("game").items():
        manifest = vars(import_module(entry.manifest)) if entry.manifest.startswith("kibitz.") else {}
        for name in (name for name in list(manifest) if name.isupper() and not name.startswith("_")):
            if name not in ("GAMES", "AGENTS", "MODELS", "TRAIN"):
                assert name in ABILITIES
                if registry.has_ability(game, name):
                    assert load_ability(game, name) is not None
                    named += 1
    assert named > 50
