"""TripleA's game files: what is read, what is listed as not played, and the line of every mistake."""

import socket
import warnings
from pathlib import Path

import pytest

from kibitz import make_game
from kibitz.core.errors import BadDefinition
from kibitz.games.axis.board import Board
from kibitz.games.axis.odds import BattleOdds
from kibitz.games.axis.scenarios import load
from kibitz.games.axis.triplea import map_of, read_map
from kibitz.games.axis.xml_nodes import read_nodes
from kibitz.testing import check_game

GOOD = """<?xml version="1.0"?>
<!DOCTYPE game SYSTEM "http://127.0.0.1:{port}/game.dtd">
<game>
 <info name="Tiny" version="1"/>
 <map>
  <territory name="Land"/>
  <territory name="Coast"/>
  <territory name="Peak"/>
  <territory name="Bay" water="true"/>
  <connection t1="Land" t2="Coast"/>
  <connection t1="Coast" t2="Bay"/>
  <connection t1="Land" t2="Peak"/>
 </map>
 <playerList>
  <player name="Red" optional="false"/>
  <player name="Blue" optional="false"/>
  <alliance player="Red" alliance="Reds"/>
  <alliance player="Blue" alliance="Blues"/>
 </playerList>
 <unitList><unit name="infantry"/><unit name="armour"/><unit name="submarine"/><unit name="factory"/></unitList>
 <gamePlay><sequence>
  <step name="bluePurchase" delegate="purchase" player="Blue"/>
  <step name="blueCombatMove" delegate="move" player="Blue"/>
  <step name="redCombatMove" delegate="move" player="Red"/>
 </sequence></gamePlay>
 <production>
  <productionRule name="i">
   <cost resource="PUs" quantity="3"/><result resourceOrUnit="infantry" quantity="1"/>
  </productionRule>
  <productionRule name="a">
   <cost resource="PUs" quantity="5"/><result resourceOrUnit="armour" quantity="1"/>
  </productionRule>
 </production>
 <attachmentList>
  <attachment name="unitAttachment" attachTo="infantry" type="unitType">
   <option name="movement" value="1"/><option name="attack" value="1"/><option name="defense" value="2"/>
   <option name="artillerySupportable" value="true"/>
  </attachment>
  <attachment name="unitAttachment" attachTo="armour" type="unitType">
   <option name="movement" value="2"/><option name="attack" value="3"/><option name="defense" value="3"/>
   <option name="canBlitz" value="true"/><option name="fuelCost" value="2"/>
  </attachment>
  <attachment name="unitAttachment" attachTo="submarine" type="unitType">
   <option name="isSea" value="true"/>
  </attachment>
  <attachment name="unitAttachment" attachTo="factory" type="unitType">
   <option name="isFactory" value="true"/>
  </attachment>
  <attachment name="territoryAttachment" attachTo="Land" type="territory">
   <option name="production" value="4"/>
  </attachment>
  <attachment name="territoryAttachment" attachTo="Peak" type="territory">
   <option name="isImpassable" value="true"/>
  </attachment>
  <attachment name="techAttachment" attachTo="Red" type="player"><option name="rocket" value="true"/></attachment>
 </attachmentList>
 <initialize>
  <ownerInitialize>
   <territoryOwner territory="Land" owner="Red"/>
   <territoryOwner territory="Coast" owner="Blue"/>
  </ownerInitialize>
  <unitInitialize>
   <unitPlacement unitType="infantry" territory="Land" quantity="2" owner="Red"/>
   <unitPlacement unitType="factory" territory="Land" quantity="1" owner="Red"/>
   <unitPlacement unitType="armour" territory="Coast" quantity="1" owner="Blue"/>
   <unitPlacement unitType="submarine" territory="Bay" quantity="3" owner="Blue"/>
  </unitInitialize>
  <resourceInitialize><resourceGiven player="Red" resource="PUs" quantity="20"/></resourceInitialize>
 </initialize>
 <propertyList>
  <property name="Low Luck" value="true"/>
  <property name="Tech Development" value="true"/>
 </propertyList>
</game>
"""


def written(tmp_path: Path, text: str = GOOD) -> Path:
    path = tmp_path / "tiny.xml"
    path.write_text(text, encoding="utf-8")
    return path


def read(path: Path) -> Board:
    with pytest.warns(UserWarning, match="not played"):
        return read_map(path)


def test_a_map_becomes_a_board(tmp_path: Path) -> None:
    board = read(written(tmp_path))
    assert [power.name for power in board.powers] == ["Blue", "Red"]  # as they move
    assert [(unit.name, unit.attack, unit.defence, unit.cost, unit.move, unit.blitz) for unit in board.units] == [
        ("infantry", 1, 2, 3, 1, False),
        ("tank", 3, 3, 5, 2, True),
    ]
    assert board.forces == ((), (2, 0), (0, 1), (), (), (), (), ())
    land, coast, peak, bay = board.areas
    assert (land.value, land.factory, coast.neighbours, peak.closed, bay.sea) == (4, True, (0, 3), True, True)
    assert board.battle_rules.low_luck


def test_what_is_not_played_is_listed(tmp_path: Path) -> None:
    assert read(written(tmp_path)).unsupported == (
        "money of Red",
        "property Tech Development",
        "step bluePurchase",
        "submarine at sea",
        "techAttachment of Red",
        "unit option fuelCost",
    )


def test_everything_the_file_says_is_kept(tmp_path: Path) -> None:
    found = map_of(read_nodes(written(tmp_path)))
    assert found.money == {"Red": 20}
    assert sum(each.count for each in found.placements) == 7
    assert found.options["techAttachment", "Red"]["rocket"].get("value") == "true"


def test_it_is_played_like_any_scenario(tmp_path: Path) -> None:
    path = written(tmp_path)
    read(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        game = make_game(f"axis(scenario='{path}', turns=1)")
        check_game(game, walks=2)
    assert game.player_name(0) == "Blue"


def test_the_document_type_is_never_fetched(tmp_path: Path) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.settimeout(0.2)
        read(written(tmp_path, GOOD.replace("{port}", str(server.getsockname()[1]))))
        with pytest.raises(TimeoutError):
            server.accept()


MISTAKES = {
    "no XML": ("<map>", "<map", "line 6: no valid XML"),
    "not a game": ("<game>", "<!-- --><gume>", "no valid XML: mismatched tag"),
    "an entity": ('game.dtd">', 'game.dtd" [<!ENTITY bomb "x">]>', "declares an entity 'bomb'"),
    "unknown unit": ('unitType="armour"', 'unitType="tonk"', "line {line}: there is no unit 'tonk'; known: armour"),
    "negative count": ('quantity="2" owner', 'quantity="-2" owner', "line {line}: quantity of <unitPlacement> is '-2'"),
    "unknown territory": ('t2="Bay"', 't2="Bey"', "line 11: there is no territory 'Bey'; did you mean 'Bay'"),
    "unknown owner": (
        '"Coast" owner="Blue"',
        '"Coast" owner="Bleu"',
        "line {line}: there is no player 'Bleu'",
    ),
    "unknown step": (
        '"redCombatMove" delegate="move" player="Red"',
        '"r" delegate="m" player="R"',
        "line {line}: .*player 'R'",
    ),
    "attached to nothing": (
        'attachTo="armour"',
        'attachTo="armor"',
        "line {line}: there is no unit 'armor'; .*'armour'",
    ),
    "neither true nor false": (
        'name="canBlitz" value="true"',
        'name="canBlitz" value="yes"',
        "line {line}: value of .*'yes'",
    ),
    "water or not": ('water="true"', 'water="wet"', "line {line}: water of <territory> is 'wet', not true or false"),
    "whose units": (
        'quantity="2" owner="Red"',
        'quantity="2" owner="Rad"',
        "line {line}: there is no player 'Rad'",
    ),
    "too many": (
        'quantity="2" owner',
        'quantity="5000" owner',
        "line {line}: 5,000 .* and 200 are played at most",
    ),
    "disconnected": ('<connection t1="Land" t2="Peak"/>', "", "line 8: areas.Peak: disconnected"),
    "a unit in the sea": (
        'territory="Coast" quantity',
        'territory="Bay" quantity',
        "line {line}: 'armour' is a land unit",
    ),
    "units of the other side": ('quantity="2" owner="Red"', 'quantity="2" owner="Blue"', "Land: contradictory owners"),
    "twice": ('<territory name="Coast"/>', '<territory name="Land"/>', "line 7: <territory> 'Land' stands twice"),
    "no number": (
        'name="movement" value="2"',
        'name="movement" value="two"',
        "line {line}: value of <option> is 'two'",
    ),
    "no attribute": ('t2="Bay"', "", "line 11: <connection> has no attribute 't2'"),
    "one alliance": ('alliance="Blues"', 'alliance="Reds"', "there are 1 alliances"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_with_its_line(mistake: str, tmp_path: Path) -> None:
    right, wrong, said = MISTAKES[mistake]
    assert right in GOOD
    text = GOOD.replace(right, wrong, 1)
    line = text[: text.index(wrong)].count("\n") + 1
    with pytest.raises(BadDefinition, match=said.replace("{line}", str(line))) as caught:
        read_map(written(tmp_path, text))
    assert "tiny.xml" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<game/>", "line 1: there is no <map><territory> in it; is it a TripleA map?"),
        ("<plans/>", "line 1: the root is <plans>, not <game>"),
        (GOOD.replace("playerList", "playerLost"), "there is no <playerList><player> in it"),
    ],
)
def test_what_is_no_map_is_said(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(BadDefinition, match=said):
        read_map(written(tmp_path, text))


def test_units_that_nothing_is_said_of_are_listed_or_refused(tmp_path: Path) -> None:
    one = GOOD.replace('name="unitAttachment" attachTo="infantry"', 'name="supportAttachment" attachTo="infantry"')
    assert "unit infantry, which has no attachment" in read(written(tmp_path, one)).unsupported
    with pytest.raises(BadDefinition, match="no unit can ever move, so the game would be over at once"):
        read_map(written(tmp_path, GOOD.replace("unitAttachment", "supportAttachment").replace('Bay" q', 'Coast" q')))


def test_what_is_played_only_up_to_a_limit_is_listed(tmp_path: Path) -> None:
    board = read(written(tmp_path, GOOD.replace('name="attack" value="3"', 'name="attack" value="9"')))
    assert board.units[1].attack == 6
    assert "attack 9 of armour, but 6" in board.unsupported


def test_names_that_orders_cannot_be_written_with_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadDefinition, match="line 7: areas: 'Co > ast' is no name"):
        read_map(written(tmp_path, GOOD.replace('"Coast"', '"Co > ast"')))


def test_neutrals_may_own(tmp_path: Path) -> None:
    board = read(written(tmp_path, GOOD.replace('"Coast" owner="Blue"', '"Coast" owner="Neutral"')))
    assert board.areas[1].owner is None


ISLANDS = (
    GOOD.replace('<connection t1="Land" t2="Coast"/>', '<connection t1="Land" t2="Bay"/>')
    .replace('<unit name="submarine"/>', '<unit name="submarine"/><unit name="fighter"/>')
    .replace(
        "</attachmentList>",
        """<attachment name="unitAttachment" attachTo="fighter" type="unitType">
   <option name="movement" value="3"/><option name="isAir" value="true"/><option name="attack" value="3"/>
   <option name="defense" value="4"/></attachment></attachmentList>""",
    )
    .replace(
        "</unitInitialize>",
        '<unitPlacement unitType="fighter" territory="Land" quantity="1" owner="Red"/></unitInitialize>',
    )
)
"""Two islands from which only ships lead, and a fighter that reaches the other one but could not come back."""


def test_a_map_on_which_nothing_could_ever_happen_is_refused(tmp_path: Path) -> None:
    said = (
        "line 1: no unit can ever move, so the game would be over at once; ships would have to carry them, and are not"
    )
    with pytest.raises(BadDefinition, match=said):
        read_map(written(tmp_path, ISLANDS))
    flown = ISLANDS.replace('name="movement" value="3"', 'name="movement" value="4"')
    board = read(written(tmp_path, flown))  # there and back
    assert [power.name for power in board.powers] == ["Blue", "Red"]


VICTORY = """<property name="{condition}" value="true"/><property name="Reds {name}" value="{red}"/>
<property name="Blues {name}" value="{blue}"/><property name="Total Victory" value="false"/></propertyList>"""


def with_cities(condition: str, name: str, red: int, blue: int) -> str:
    """The tiny map with two cities and a condition under which they win."""
    properties = VICTORY.format(condition=condition, name=name, red=red, blue=blue)
    coast = '<attachment name="territoryAttachment" attachTo="Coast" type="territory">'
    city = '<option name="victoryCity" value="1"/>'
    return (
        GOOD.replace("</propertyList>", properties)
        .replace('<option name="production" value="4"/>', f'<option name="production" value="4"/>{city}')
        .replace("</attachmentList>", f"{coast}{city}</attachment></attachmentList>")
    )


@pytest.mark.parametrize(
    ("condition", "name", "wanted"),
    [("Projection of Power", "Projection of Power VCs", 2), ("Honorable Surrender", "Honorable Victory VCs", 1)],
)
def test_cities_win_as_the_map_says(condition: str, name: str, wanted: int, tmp_path: Path) -> None:
    board = read(written(tmp_path, with_cities(condition, name, wanted, wanted)))
    assert board.switches.victory == wanted
    assert not any("Victory" in each or "VCs" in each or "Power" in each for each in board.unsupported)


def test_cities_that_cannot_win_do_not(tmp_path: Path) -> None:
    never = with_cities("Projection of Power", "Projection of Power VCs", 3, 3)
    assert read(written(tmp_path, never)).switches.victory == 0  # there are two
    unequal = read(written(tmp_path, with_cities("Projection of Power", "Projection of Power VCs", 1, 2)))
    assert unequal.switches.victory == 0
    assert "Projection of Power, which asks for other numbers of cities of each side" in unequal.unsupported
    assert read(written(tmp_path)).switches.victory == 0


def test_all_units_of_a_map_may_be_asked_for_odds(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD.replace('<option name="isSea" value="true"/>', SUBMARINE))
    odds = BattleOdds(scenario=str(path)).odds("2 submarines vs 1 submarine")
    assert odds.attacker == BattleOdds().odds("2 sub vs 1 sub").attacker
    assert BattleOdds(scenario=str(path)).odds("2 armour vs 1 inf").attacker > 0.9


SUBMARINE = """<option name="isSea" value="true"/><option name="isSub" value="true"/>
<option name="attack" value="2"/><option name="defense" value="2"/>"""


def test_the_revised_map_has_what_the_facts_say(corpus: Path) -> None:
    """Where a user has TripleA's own file: ww2v2.xml in the folder of corpora."""
    path = corpus / "ww2v2.xml"
    if not path.is_file():
        pytest.skip("ww2v2.xml is not among the corpora")
    found = map_of(read_nodes(path))
    assert (len(found.territories), len(found.connections), sum(each.count for each in found.placements)) == (
        143,
        349,
        205,
    )
    assert found.money == {"Russians": 24, "Germans": 40, "British": 30, "Japanese": 30, "Americans": 42}
    assert read(path).switches.victory == load("revised").switches.victory == 9
