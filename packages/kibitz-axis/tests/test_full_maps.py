"""Map files of TripleA as whole games: every feature that real files have, in small ones written for it."""

import random
import socket
from pathlib import Path

import pytest
from side_by_side import compare_game

from kibitz.core.errors import BadDefinition
from kibitz.core.registry import make_game
from kibitz_axis.full.board import World
from kibitz_axis.full.game import FullState
from kibitz_axis.odds import BattleOdds
from kibitz_axis.triplea.map_file import read_map_world

pytestmark = pytest.mark.filterwarnings("ignore:.*not played")
PLAYERS = ("Red", "Blue", "Green")
UNITS = {
    "infantry": "movement=1 attack=1 defense=2 transportCost=2 artillerySupportable=true",
    "armour": "movement=2 attack=3 defense=3 transportCost=3 canBlitz=true",
    "heavy tank 2": "movement=1 attack=4 defense=4 transportCost=4",
    "fighter": "movement=4 attack=3 defense=4 isAir=true carrierCost=1",
    "bomber": "movement=6 attack=4 defense=1 isAir=true isStrategicBomber=true",
    "transport": "movement=2 attack=0 defense=1 isSea=true transportCapacity=5",
    "carrier": "movement=2 attack=1 defense=3 isSea=true carrierCapacity=2",
    "battleship": "movement=2 attack=4 defense=4 isSea=true canBombard=true isTwoHit=true",
    "aaGun": "movement=1 transportCost=3 isAA=true",
    "factory": "isFactory=true",
}
PRICES = {"infantry": 3, "armour": 5, "heavy tank 2": 7, "fighter": 10, "transport": 8, "factory": 15}
AREAS = ("Home", "Coast", "Isle", "Far", "Peak", "Box")
ZONES = ("Bay", "Ocean")
WAYS = "Home-Coast Coast-Bay Isle-Bay Isle-Ocean Bay-Ocean Far-Ocean Home-Peak Coast-Isle"
OWNERS = "Home=Red Coast=Red Coast=Blue Isle=Blue Far=Green Ocean=Green"
PLACED = (
    "infantry Home 3 Red;armour Home 2 Red;factory Home 1 Red;aaGun Home 1 Red;heavy tank 2 Home 1 Red;"
    "infantry Coast 1 Blue;fighter Isle 1 Blue;factory Isle 1 Blue;bomber Isle 1 Blue;infantry Isle 1 Red;"
    "transport Bay 1 Red;battleship Ocean 1 Green;carrier Ocean 1 Green;"
    "infantry Far 2 Green;factory Far 1 Green;infantry Peak 1 Neutral"
)


def map_text(
    alliances: str = "Red=One Blue=Two Green=Three",
    more: str = "",
    placed: str = PLACED,
    properties: str = "WW2V2=true",
) -> str:
    """A small map file with every part that files have."""
    lines = ['<?xml version="1.0"?>', '<!DOCTYPE game SYSTEM "game.dtd">', "<game>", '<info name="Small"/>', "<map>"]
    lines += [f'<territory name="{name}"/>' for name in AREAS]
    lines += [f'<territory name="{name}" water="true"/>' for name in ZONES]
    lines += [f'<connection t1="{one}" t2="{other}"/>' for one, other in (way.split("-") for way in WAYS.split())]
    lines += ["</map>", '<resourceList><resource name="PUs"/></resourceList>', "<playerList>"]
    lines += [f'<player name="{name}"/>' for name in PLAYERS]
    lines += [f'<alliance player="{a}" alliance="{b}"/>' for a, b in (pair.split("=") for pair in alliances.split())]
    lines += ["</playerList>", "<unitList>", *(f'<unit name="{name}"/>' for name in UNITS), "</unitList>"]
    steps = [f'<step name="{name.lower()}{step}" player="{name}"/>' for name in PLAYERS for step in ("Tech", "Move")]
    lines += ["<gamePlay><sequence>", *steps, "</sequence></gamePlay>", "<production>"]
    for name, price in PRICES.items():
        cost = f'<cost resource="PUs" quantity="{price}"/><result resourceOrUnit="{name}" quantity="1"/>'
        lines.append(f'<productionRule name="{name}">{cost}</productionRule>')
    bought = "".join(f'<frontierRules name="{name}"/>' for name in PRICES)
    lines += [f'<productionFrontier name="all">{bought}</productionFrontier>']
    lines += [f'<playerProduction player="{name}" frontier="all"/>' for name in PLAYERS]
    lines += ["</production>", "<attachmentList>"]
    lines += [attachment_text("unitAttachment", name, options) for name, options in UNITS.items()]
    lines += [
        attachment_text("territoryAttachment", "Home", "production=4 capital=Red victoryCity=1"),
        attachment_text("territoryAttachment", "Isle", "production=2 capital=Blue"),
        attachment_text("territoryAttachment", "Far", "production=3 capital=Green"),
        attachment_text("territoryAttachment", "Peak", "isImpassable=true"),
        attachment_text("canalAttachment", "Bay", "canalName=Cut landTerritories=Isle:Coast"),
        attachment_text("canalAttachment", "Ocean", "canalName=Cut landTerritories=Isle:Coast"),
        more,
        "</attachmentList>",
        "<initialize><ownerInitialize>",
        *(f'<territoryOwner territory="{a}" owner="{b}"/>' for a, b in (p.split("=") for p in OWNERS.split())),
        "</ownerInitialize><unitInitialize>",
    ]
    for each in placed.split(";"):
        *unit, where, number, owner = each.split()
        who = f' owner="{owner}"' if owner != "Neutral" else ""
        unit_name = " ".join(unit)
        lines.append(f'<unitPlacement unitType="{unit_name}" territory="{where}" quantity="{number}"{who}/>')
    money = "".join(f'<resourceGiven player="{name}" resource="PUs" quantity="20"/>' for name in PLAYERS)
    lines += ["</unitInitialize>", f"<resourceInitialize>{money}</resourceInitialize>", "</initialize>"]
    pairs = (pair.split("=") for pair in properties.split(";"))
    told = "".join(f'<property name="{name}" value="{value}"/>' for name, value in pairs)
    return "\n".join([*lines, f"<propertyList>{told}</propertyList>", "</game>"])


def attachment_text(name: str, to: str, options: str) -> str:
    """An attachment."""
    told = "".join(f'<option name="{p.split("=")[0]}" value="{p.split("=")[1]}"/>' for p in options.split())
    return f'<attachment name="{name}" attachTo="{to}">{told}</attachment>'


def write_map(folder: Path, text: str) -> Path:
    path = folder / "small.xml"
    path.write_text(text, encoding="utf-8")
    return path


def world_of(folder: Path, text: str) -> World:
    return read_map_world(write_map(folder, text))


def start_of(folder: Path, text: str):
    game = make_game(f"axis(scenario='{write_map(folder, text)}', rules=full, turns=3)")
    return game, game.new_initial_state()


def test_a_map_plays_as_it_is(tmp_path):
    game, state = start_of(tmp_path, map_text())
    world = game.world
    assert [power.name for power in world.powers] == list(PLAYERS)
    assert (len(world.sides), game.teams) == (3, ((0,), (1,), (2,)))
    assert world.areas[1].owner == 1, "of two owners the later counts"
    assert world.areas[7].owner == 2, "water may have an owner"
    assert world.areas[5].neighbours == (), "a box that no way leads to"
    assert world.canals == ((6, 7, (2, 1)),)
    assert world.money == (20, 20, 20)
    assert [(stack.power, stack.count) for stack in state.units_in(4)] == [(-1, 1)], "nobody owns them"
    rng = random.Random(3)
    while not state.is_terminal():
        outcomes = state.chance_outcomes()
        legal = state.legal_actions() if not outcomes else [outcome for outcome, _ in outcomes]
        action = legal[rng.randrange(len(legal))]
        player = state.current_player()
        if not outcomes:
            assert state.string_to_action(player, state.action_to_string(player, action)) == action
        state.apply_action(action)


def test_powers_that_share_an_alliance_are_a_team(tmp_path):
    game, _ = start_of(tmp_path, map_text("Red=One Blue=Two Green=One"))
    assert game.teams == ((0, 2), (1,))


def test_where_nobody_is_allied_or_all_are_everyone_plays_alone(tmp_path):
    assert len(world_of(tmp_path, map_text("")).sides) == 3
    text = map_text("Red=A Blue=A Green=A", placed=f"{PLACED};infantry Bay 2 Red")
    world = world_of(tmp_path, text)
    assert [power.side for power in world.powers] == [0, 1, 2]
    assert "one alliance of all: everyone plays alone" in world.notes
    assert "land units at sea" in world.notes


def test_a_canal_lies_between_all_zones_that_share_its_name(tmp_path):
    text = map_text(more=attachment_text("canalAttachment", "Lake", "canalName=Cut")).replace(
        "</map>", '<territory name="Lake" water="true"/><connection t1="Lake" t2="Ocean"/></map>', 1
    )
    assert world_of(tmp_path, text).canals == tuple((*pair, (2, 1)) for pair in ((6, 7), (6, 8), (7, 8)))


@pytest.mark.long
def test_any_number_of_kinds_of_aircraft_play_over_arrays(tmp_path):
    kinds = [f"fighter {number}" for number in range(9)]
    flies = "movement=4 attack=3 defense=4 isAir=true carrierCost=1"
    text = map_text(placed=PLACED + "".join(f";{kind} Isle 1 Blue" for kind in kinds))
    text = text.replace("</unitList>", "".join(f'<unit name="{kind}"/>' for kind in kinds) + "</unitList>", 1)
    added = "".join(attachment_text("unitAttachment", kind, flies) for kind in kinds)
    game, state = start_of(tmp_path, text.replace("<attachmentList>", f"<attachmentList>{added}", 1))
    assert isinstance(state, FullState)
    assert all(compare_game(game.world, seed) for seed in range(3))


def test_what_is_not_played_is_named_in_one_line(tmp_path):
    trigger = attachment_text("triggerAttachmentWin", "Red", "conditions=conditionX resource=PUs")
    objective = attachment_text("objectiveAttachmentX", "Red", "objectiveValue=5")
    template = '<attachment foreach="$who$" name="unitAttachment" attachTo="@who@"/>'
    path = write_map(tmp_path, map_text(more=trigger + objective + template, properties="WW2V2=true;Use Triggers=true"))
    with pytest.warns(UserWarning, match="not played: attachments: objective, .*trigger, .*templates"):
        read_map_world(path)


def test_a_map_is_a_whole_game_without_being_asked_for(tmp_path):
    game = make_game(f"axis(scenario='{write_map(tmp_path, map_text())}', turns=1)")
    assert isinstance(game.new_initial_state(), FullState)
    assert repr(make_game(repr(game))) == repr(game)


def test_all_units_of_a_map_may_be_asked_for_odds(tmp_path):
    odds = BattleOdds(scenario=str(write_map(tmp_path, map_text())))
    assert odds.odds("2 battleship vs 1 bb").attacker == BattleOdds().odds("2 bb vs 1 bb").attacker
    assert odds.odds("1 armour vs 1 inf").attacker > 0.5


MISTAKES = {
    "no XML": ("<map>", "<map", "no valid XML"),
    "an entity": ('"game.dtd">', '"game.dtd" [<!ENTITY bomb "x">]>', "declares an entity 'bomb'"),
    "unknown unit": ('unitType="armour"', 'unitType="tonk"', "line {line}: there is no unit 'tonk'; known: aaGun"),
    "negative": ('quantity="3" owner', 'quantity="-3" owner', "line {line}: quantity of <unitPlacement> is '-3'"),
    "too many": ('quantity="3" owner', 'quantity="5000" owner', "5,000 infantry, and 1,000 of a kind are played"),
    "unknown place": ('t2="Bay"', 't2="Bey"', "line {line}: there is no territory 'Bey'; did you mean 'Bay'"),
    "beside itself": ('t1="Home" t2="Coast"', 't1="Home" t2="Home"', "line {line}: 'Home' is connected to itself"),
    "unknown owner": ('"Isle" owner="Blue"', '"Isle" owner="Bleu"', "line {line}: there is no player 'Bleu'"),
    "attached to nothing": ('attachTo="armour"', 'attachTo="armor"', "line {line}: there is no unit 'armor'"),
    "water or not": ('water="true"', 'water="wet"', "line {line}: water of <territory> is 'wet', not true or false"),
    "twice": ('<territory name="Coast"/>', '<territory name="Home"/>', "line 7: <territory> 'Home' stands twice"),
    "no attribute": (' t2="Bay"', "", "<connection> has no attribute 't2'"),
    "no name": ('<territory name="Box"/>', '<territory name="B > x"/>', "'B > x' is no name for a territory"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_with_its_line(mistake, tmp_path):
    right, wrong, words = MISTAKES[mistake]
    text = map_text()
    assert right in text
    wrong_text = text.replace(right, wrong, 1)
    line = wrong_text[: wrong_text.index(wrong)].count("\n") + 1
    with pytest.raises(BadDefinition, match=words.replace("{line}", str(line))) as caught:
        world_of(tmp_path, wrong_text)
    assert "small.xml" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [("<game/>", "there is no <map><territory> in it; is it a TripleA map"), ("<plans/>", "the root is <plans>")],
)
def test_what_is_no_map_is_said(text, words, tmp_path):
    with pytest.raises(BadDefinition, match=words):
        world_of(tmp_path, text)


def test_the_document_type_is_never_fetched(tmp_path):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.settimeout(0.2)
        world_of(tmp_path, map_text().replace("game.dtd", f"http://127.0.0.1:{server.getsockname()[1]}/game.dtd"))
        with pytest.raises(TimeoutError):
            server.accept()


def test_ten_thousand_territories_are_too_many(tmp_path):
    many = "".join(f'<territory name="T{number}"/>' for number in range(10_000))
    with pytest.raises(BadDefinition, match="10,008 territories, and 2,000 are played at most") as refused:
        world_of(tmp_path, map_text().replace("<map>", f"<map>{many}", 1))
    assert "\n" not in str(refused.value)
