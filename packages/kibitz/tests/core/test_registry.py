"""Games, agents and models are found by name, ours and other people's."""

import subprocess
import sys
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from kibitz.core.errors import BadSpec, BrokenPlugin, UnknownName, Unsupported
from kibitz.core.match.play import play
from kibitz.core.registry import (
    entries,
    find,
    house_agents,
    kit_of,
    make_agent,
    make_game,
    make_model,
)
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


def in_package(member: str, spec: str, why: str) -> object:
    return pytest.param(spec, why, marks=pytest.mark.needs(member))


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
        ("rps(goal=frist)", "goal=frist: expected first, ever, tie or points; did you mean 'first'?"),
        in_package("solve", "big-match(discount=0)", "expected a number above 0 and of at most 1"),
        in_package("axis", "axis(low_luck=maybe)", "low_luck=maybe: expected true, false or None"),
        in_package("axis", "axis(span=[nan, 1])", r"span\[0\]='nan': expected a number"),
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


@pytest.mark.needs("solve")
def test_of_several_games_in_a_folder_each_has_its_own_agents() -> None:
    assert house_agents("guan") == ["guan.patient"]
    assert house_agents("purgatory") == []
    assert repr(make_agent("patient(haste=0.5)", "guan")) == "guan.patient(haste=0.5)"
    with pytest.raises(UnknownName):
        make_agent("patient", "purgatory")
    with pytest.raises(Unsupported, match="belongs to another game"):
        play("bear-brawl", ["guan.patient", "random"])


PLUGIN = """
from kibitz.plugins import GameKit, Plugin

plugin = Plugin(
    games={
        "coin-toss": GameKit(game="other_games.coin:Coin", agents={"lucky": "other_games.coin:Lucky"}),
        "gone": GameKit(game="no_such_module:Game", drawing="other_games.coin:draw"),
        "dilemma": GameKit(game="other_games.coin:Coin"),
    },
    agents={"wrong": "other_games.coin:State"},
)
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
    (package / "__init__.py").write_text(PLUGIN)
    (package / "coin.py").write_text(COIN)
    entry_points = textwrap.dedent("""
        [kibitz.plugins]
        broken = no_such_package:plugin
        others = other_games:plugin
        wrong = other_games:GameKit
        """)
    with installed_package(tmp_path, "other_games", entry_points):
        yield tmp_path
    for name in [name for name in sys.modules if name.startswith("other_games")]:
        del sys.modules[name]


@pytest.mark.filterwarnings("ignore:.*is (ignored|registered as)")
@pytest.mark.filterwarnings("ignore::kibitz.testing.games.MissingDescription")
def test_other_packages_register_by_entry_points(installed: Path) -> None:
    from kibitz.testing import check_agent, check_game

    assert "coin-toss" in entries("game")
    check_game("coin-toss")
    check_agent("coin-toss.lucky", ["coin-toss"])
    assert play("coin-toss", ["lucky"]).ending.returns == [1.0]


def test_a_broken_plugin_is_named_and_stops_nobody_else(installed: Path) -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert entries("game")["dilemma"].target.startswith("kibitz.games")
    told = [str(each.message) for each in found]
    assert any("broken is registered as no_such_package:plugin but cannot be loaded" in words for words in told)
    assert any("wrong is registered as other_games:GameKit" in words for words in told)
    assert any("has the name 'dilemma' already" in words for words in told)
    with pytest.raises(BrokenPlugin, match="gone is registered as no_such_module:Game"):
        make_game("gone")
    with pytest.raises(BrokenPlugin, match="no agent class"):
        make_agent("wrong")
    with pytest.raises(BrokenPlugin, match="drawing of no_such_module:Game is registered"):
        _ = kit_of("gone").drawing
    assert repr(make_game("pennies")) == "pennies"


@pytest.mark.needs("lab", "solve", "risk", "axis", "trails")
def test_every_kit_loads_what_it_names() -> None:
    loaded = 0
    for name in entries("game"):
        kit = kit_of(name)
        for field, given in list(vars(kit).items()):
            if field not in ("game", "agents", "models", "words") and given is not None:
                assert not isinstance(getattr(kit, field), str)
                loaded += 1
    assert loaded > 100


@pytest.mark.needs("lab", "solve", "risk", "axis", "trails")
def test_naming_games_imports_none_of_them() -> None:
    """Nor does one field of one kit import what the others name."""
    code = """
import sys
from kibitz.core.registry import entries, kit_of
assert len(entries("game")) > 20 and len(entries("agent")) > 80
assert kit_of("kuhn").odds is None and kit_of("kuhn").drawing
found = [name for name in sys.modules if name.startswith("kibitz.games.") and name.count(".") > 2]
assert not [name for name in found if not name.startswith("kibitz.games.kuhn.")], found
assert "numba" not in sys.modules and not [name for name in found if name.endswith("plan_library")]
"""
    subprocess.run([sys.executable, "-c", code], check=True)
