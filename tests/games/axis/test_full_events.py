"""Events of map files: conditions, triggers and objectives, in small files written for each feature."""

import pickle
import random
import warnings

import pytest
from tests.games.axis.test_full_maps import PLAYERS, map_text, write_map

from kibitz import core
from kibitz.core.errors import BadDefinition
from kibitz.core.registry import make_game
from kibitz.core.seeds import kernel_stream
from kibitz.games.axis.full.events.state import EventState
from kibitz.games.axis.full.game import initial_state
from kibitz.games.axis.full.scenario_files import judge_map
from kibitz.games.axis.full.situation import NOBODY

STEPS = ("Politics", "Tech", "Purchase", "CombatMove", "Battle", "NonCombatMove", "Place", "EndTurn")
PROPERTIES = "WW2V2=true;Use Triggers=true;Use Politics=true;National Objectives=true;Special=true"
FAR, HOME, ISLE, COAST = 3, 0, 2, 1


def option_line(text: str) -> str:
    """An option: `name=value` or `name=value*count`."""
    name, value = text.split("=", 1)
    value, _, count = value.partition("*")
    told = f' count="{count}"' if count else ""
    return f'<option name="{name}" value="{value}"{told}/>'


def attachment_line(name: str, to: str, *options: str) -> str:
    """An attachment of events, with its class, as files have it."""
    kind = "TriggerAttachment" if name.startswith("trigger") else "RulesAttachment"
    told = "".join(map(option_line, options))
    return f'<attachment name="{name}" attachTo="{to}" javaClass="x.{kind}" type="player">{told}</attachment>'


def event_text(*lines: str, initial: str = "", properties: str = PROPERTIES, more: str = "") -> str:
    """A small map with events, and all the steps of a turn."""
    text = map_text(more="\n".join(lines) + more, initial=initial, properties=properties)
    begin, end = text.index("<sequence>") + len("<sequence>"), text.index("</sequence>")
    steps = [f'<step name="{name.lower()}{step}" player="{name}"/>' for name in PLAYERS for step in STEPS]
    return f'{text[:begin]}{"".join(steps)}<step name="endRound"/>{text[end:]}'


def game_of(folder, text):
    path = write_map(folder, text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        game = make_game(f"axis(scenario='{path}', rules=full, turns=3)")
        assert game.world.areas
        return game


def situation_after(folder, turns, *lines, **more):
    """The situation when so many turns were passed without an order."""
    state = game_of(folder, event_text(*lines, **more)).new_initial_state()
    assert isinstance(state, EventState) == bool(state.situation.world.book)
    start = state.situation.mover, state.situation.round
    order = state.situation.world.turns
    wanted = order[turns % 3], 1 + turns // 3
    while (state.situation.mover, state.situation.round) != wanted and not state.is_terminal():
        outcomes = state.chance_outcomes()
        state.apply_action(outcomes[-1][0] if outcomes else min(state.legal_actions()))
    assert start == (order[0], 1)
    return state.situation


WHEN = "when=before:redCombatMove"


def names_of(situation, area):
    """Kinds and numbers of the units of an area."""
    names = situation.world.units.names
    return {(stack.power, names[stack.kind]): number for stack, number in situation.at(area)}


def test_units_appear_and_disappear(tmp_path):
    trigger = attachment_line(
        "triggerAttachmentArmy", "Red", "placement=Isle:infantry:fighter*2", "removeUnits=Home:armour*1", WHEN, "uses=1"
    )
    start = situation_after(tmp_path, 0, trigger)
    assert names_of(start, ISLE)[0, "infantry"] == 3
    assert names_of(start, ISLE)[0, "fighter"] == 2
    assert names_of(start, HOME)[0, "tank"] == 1
    assert start.events.uses == (0,)


def test_money_comes_after_the_turn_and_objectives_pay_while_they_are_met(tmp_path):
    lines = (
        attachment_line("triggerAttachmentLoan", "Red", "resource=PUs", "resourceCount=7"),
        attachment_line("objectiveAttachmentHome", "Blue", "objectiveValue=5", "directOwnershipTerritories=Isle"),
        attachment_line("objectiveAttachmentAll", "Green", "objectiveValue=5", "directOwnershipTerritories=map"),
    )
    plain = situation_after(tmp_path, 3)
    paid = situation_after(tmp_path, 3, *lines)
    assert [a - b for a, b in zip(paid.money, plain.money, strict=True)] == [7, 5, 0]


def test_lists_prices_and_relations_change(tmp_path):
    lines = (
        attachment_line("conditionAttachmentSecond", "Red", "turns=2-+"),
        attachment_line("triggerAttachmentRule", "Red", "productionRule=all:-infantry", WHEN),
        attachment_line(
            "triggerAttachmentPact", "Red", "conditions=conditionAttachmentSecond",
            "relationshipChange=Red:Blue:anyWar:default_allied", WHEN,
        ),
    )  # fmt: skip
    first, second = situation_after(tmp_path, 0, *lines), situation_after(tmp_path, 3, *lines)
    assert first.world.prices[0][0] == 0
    assert first.world.prices[0][1] == 5
    assert not first.world.friendly[0][1]
    assert second.world.friendly[0][1]
    assert second.world.friendly[1][0]
    assert not second.world.friendly[0][2]


def test_conditions_ask_how_long_a_relation_has_lasted(tmp_path):
    lines = (
        attachment_line("triggerPact", "Red", "relationshipChange=Red:Blue:anyWar:default_allied", WHEN, "uses=1"),
        attachment_line("conditionAttachmentOld", "Blue", "relationship=Red:Blue:anyAllied:1"),
        attachment_line(
            "triggerGift", "Blue", "conditions=conditionAttachmentOld", "purchase=infantry", "when=before:bluePurchase"
        ),
    )
    assert situation_after(tmp_path, 1, *lines).bought[0] == 0
    assert situation_after(tmp_path, 4, *lines).bought[0] == 1


def test_kinds_areas_and_owners_change(tmp_path):
    lines = (
        attachment_line(
            "triggerAttachmentTank", "Red", "unitType=infantry:armour", "unitProperty=attack*5",
            "unitProperty=isSuicide*true", WHEN,
        ),
        attachment_line("triggerAttachmentLand", "Red", "territories=Far", "territoryProperty=production*9", WHEN),
        attachment_line("triggerAttachmentGift", "Red", "changeOwnership=Far:Green:Red:false", WHEN),
        attachment_line("triggerAttachmentTech", "Red", "tech=heavyBomber:paratroopers", WHEN),
        attachment_line("triggerAttachmentUnits", "Red", "purchase=infantry*2", "when=before:redPurchase"),
    )  # fmt: skip
    start = situation_after(tmp_path, 0, *lines)
    assert [kind.attack for kind in start.world.units.kinds[:2]] == [5, 5]
    assert start.world.areas[FAR].value == 9
    assert start.owners[FAR] == 0
    assert start.technologies[0] == 1 << 5
    assert start.bought[0] == 2
    assert "triggers about the unit option isSuicide" in start.world.notes
    assert "technology paratroopers" in start.world.notes


@pytest.mark.parametrize(
    ("options", "met"),
    [
        ("directOwnershipTerritories=Home", True),
        ("directOwnershipTerritories=Home:Isle", False),
        ("directOwnershipTerritories=Home:Isle*1", True),
        ("directOwnershipTerritories=original", True),
        ("directOwnershipTerritories=enemy*1", False),
        ("alliedOwnershipTerritories=Home:Isle*2", False),
        ("directPresenceTerritories=Home unitPresence=infantry*3", True),
        ("directPresenceTerritories=Home unitPresence=infantry*4", False),
        ("enemyPresenceTerritories=Isle", True),
        ("enemyExclusionTerritories=Isle", False),
        ("directExclusionTerritories=Coast", True),
        ("enemySurfaceExclusionTerritories=Ocean", False),
        ("turns=1", True),
        ("turns=2-+", False),
        ("turns=2-+ invert=true", True),
        ("atWarPlayers=Blue:Green*2", True),
        ("atWarPlayers=Blue:Green", False),
        ("relationship=Red:Blue:anyWar", True),
        ("relationship=Red:Blue:anyAllied:1", False),
        ("relationship=Red:Blue:anyWar:1", False),
        ("techs=heavyBomber*1", False),
        ("gameProperty=Special", True),
        ("gameProperty=Missing", False),
        ("switch=false", False),
        ("isAI=true", False),
        ("isAI=false", True),
        ("players=Blue directOwnershipTerritories=Isle", True),
    ],
)
def test_conditions(options, met, tmp_path):
    lines = (
        attachment_line("conditionAttachmentIt", "Red", *options.split()),
        attachment_line("triggerAttachmentIt", "Red", "conditions=conditionAttachmentIt", "purchase=infantry*1", WHEN),
    )
    assert situation_after(tmp_path, 0, *lines).bought[0] == met


@pytest.mark.parametrize(
    ("kind", "met"), [("AND", False), ("OR", True), ("XOR", True), ("2", False), ("0-1", True), ("or", True)]
)
def test_conditions_are_joined(kind, met, tmp_path):
    lines = (
        attachment_line("conditionAttachmentYes", "Red", "turns=1"),
        attachment_line("conditionAttachmentNo", "Blue", "turns=9"),
        attachment_line(
            "conditionAttachmentBoth", "Red", "conditions=conditionAttachmentYes:conditionAttachmentNo",
            f"conditionType={kind}",
        ),
        attachment_line("triggerAttachmentIt", "Red", "conditions=conditionAttachmentBoth", "purchase=infantry", WHEN),
    )  # fmt: skip
    assert situation_after(tmp_path, 0, *lines).bought[0] == met


def test_triggers_pull_others_switch_conditions_and_win(tmp_path):
    lines = (
        attachment_line("conditionAttachmentOff", "Red", "switch=false"),
        attachment_line(
            "triggerAttachmentOn", "Red", "playerAttachmentName=RulesAttachment*conditionAttachmentOff",
            "playerProperty=switch*true", "activateTrigger=triggerAttachmentMoney:3:false:false:false:false",
            "when=after:blueEndTurn",
        ),
        attachment_line("triggerAttachmentMoney", "Red", "resource=PUs", "resourceCount=2", "when=before:nothing"),
        attachment_line("triggerWin", "Green", "conditions=conditionAttachmentOff", "victory=WON", "players=Green"),
    )  # fmt: skip
    plain, rich = situation_after(tmp_path, 2), situation_after(tmp_path, 2, *lines)
    assert rich.money[0] - plain.money[0] == 6
    over = situation_after(tmp_path, 9, *lines)
    assert over.winner == over.world.powers[2].side
    assert over.round == 2


def test_effects_happen_once_for_each_area_that_is_counted(tmp_path):
    lines = (
        attachment_line("conditionAttachmentEach", "Red", "directOwnershipTerritories=controlled*each"),
        attachment_line(
            "triggerAttachmentEach", "Red", "conditions=conditionAttachmentEach", "purchase=infantry*2", WHEN
        ),
    )
    situation = situation_after(tmp_path, 0, *lines)
    assert situation.bought[0] == 2 * situation.owners.count(0) == 2


def test_rounds_may_be_counted_from_a_later_one_and_steps_come_once(tmp_path):
    lines = (
        attachment_line("conditionAttachmentLate", "Red", "turns=66-66"),
        attachment_line("triggerLate", "Red", "conditions=conditionAttachmentLate", "purchase=armour", WHEN),
        attachment_line("triggerOnce", "Red", "resource=PUs", "resourceCount=9", "when=before:init"),
    )
    text = event_text(*lines).replace("<sequence>", '<sequence><step name="init" maxRunCount="1"/>', 1)
    game = game_of(tmp_path, text.replace("</gamePlay>", '<offset round="65"/></gamePlay>', 1))
    assert [condition.rounds for condition in game.world.book.conditions] == [((2, 2),)]
    assert [trigger.uses for trigger in game.world.book.triggers] == [-1, 1]
    assert game.new_initial_state().situation.money[0] == 29


CHANCES = (
    attachment_line("conditionAttachmentCoin", "Red", "chance=1:2"),
    attachment_line("conditionAttachmentNot", "Red", "conditions=conditionAttachmentCoin", "invert=true"),
    attachment_line("triggerAttachmentHeads", "Red", "conditions=conditionAttachmentCoin", "purchase=infantry", WHEN),
    attachment_line("triggerAttachmentTails", "Red", "conditions=conditionAttachmentNot", "purchase=armour", WHEN),
    attachment_line("triggerRare", "Blue", "chance=1:6", "placement=Isle:infantry*1", "when=before:bluePurchase"),
    attachment_line("triggerAttachmentPact", "Green", "relationshipChange=Red:Blue:any:default_allied", "chance=1:2",
                    "when=before:greenCombatMove"),
    attachment_line("triggerAttachmentWar", "Red", "relationshipChange=Red:Blue:any:default_war", "chance=1:2", WHEN),
    attachment_line("triggerFleet", "Green", "placement=Ocean:transport:fighter*2", "when=before:greenPurchase"),
    attachment_line("triggerAttachmentShips", "Blue", "placement=Bay:transport:carrier*1", "unitType=fighter",
                    "unitProperty=movement*6", "territories=Coast", "territoryProperty=isImpassable*true",
                    "when=after:blueBattle"),
)  # fmt: skip


def test_dice_are_rolled_once_for_a_condition_and_all_that_need_it(tmp_path):
    state = game_of(tmp_path, event_text(*CHANCES)).new_initial_state()
    assert state.current_player() == core.CHANCE
    assert state.chance_outcomes() == [(0, 0.5), (1, 0.5)]
    assert state.action_to_string(core.CHANCE, 1) == "conditionAttachmentCoin: yes"
    for result in (0, 1):
        after = state.clone()
        after.apply_action(result)
        after.apply_action(0)
        assert after.situation.bought[:2] == ((0, 1), (1, 0))[result]


@pytest.mark.parametrize("seed", range(6))
def test_events_over_arrays_and_by_the_readable_rules_are_the_same(seed, tmp_path):
    game = game_of(tmp_path, event_text(*CHANCES))
    fast, plain, rng = game.new_initial_state(), initial_state(game), random.Random(seed)
    while not plain.is_terminal():
        outcomes = plain.chance_outcomes()
        assert (fast.current_player(), fast.chance_outcomes()) == (plain.current_player(), outcomes)
        legal = [outcome for outcome, _ in outcomes] or list(plain.legal_actions())
        assert outcomes or sorted(fast.legal_actions()) == sorted(legal)
        action = rng.choice(legal)
        before = fast.key()
        fast.apply_action(action)
        plain.apply_action(action)
        assert fast.key() == plain.key()
        if rng.random() < 0.1:
            fast.undo_action(0, action)
            assert fast.key() == before
            fast.apply_action(action)
        if rng.random() < 0.02:
            fast, plain = pickle.loads(pickle.dumps(fast)), pickle.loads(pickle.dumps(plain))
            assert fast.key() == plain.key()
    assert fast.is_terminal()
    assert fast.returns() == plain.returns()


def test_whole_games_play_out_with_events(tmp_path):
    for seed in range(5):
        state = game_of(tmp_path, event_text(*CHANCES)).new_initial_state()
        state.play_out(kernel_stream(seed, "events"))
        assert state.is_terminal()
        assert min(number for _, number in state.situation.units) > 0
        assert min(state.situation.money) >= 0


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["triggerAttachmentX Red placement=Nowhere:infantry*1"], "there is no territory 'Nowhere'"),
        (["triggerAttachmentX Red placement=Isle:elephant*1"], "there is no unit 'elephant'"),
        (["triggerAttachmentX Red conditions=conditionAttachmentY purchase=infantry"], "there is no condition"),
        (["triggerAttachmentX Red teleport=Isle purchase=infantry"], "triggers with the option 'teleport'"),
        (["triggerAttachmentX Grey purchase=infantry"], "there is no player 'Grey'"),
        (["triggerAttachmentX Red frontier=none"], "there is no production frontier 'none'"),
        (["triggerAttachmentX Red activateTrigger=triggerY:1"], "there is no trigger 'triggerY'"),
        (["triggerAttachmentX Red relationshipChange=Red"], "names no two players"),
        (
            ["conditionAttachmentA Red conditions=conditionAttachmentA", "triggerAttachmentX Red purchase=infantry"],
            "lead back to themselves",
        ),
        (
            ["conditionAttachmentA Red relationship=Red", "triggerAttachmentX Red purchase=infantry"],
            "names no two players and a relation",
        ),
    ],
)
def test_events_that_cannot_be_played_are_refused_with_their_line_or_left_out(lines, why, tmp_path):
    text = event_text(*(attachment_line(*line.split()) for line in lines))
    with pytest.raises(BadDefinition, match=f"line [0-9]+: it has events that cannot be played: .*{why}"):
        game_of(tmp_path, text).new_initial_state()
    assert judge_map(tmp_path / "small.xml", False, 1).verdict == "does not play"
    verdict = judge_map(tmp_path / "small.xml", True, 3)
    assert (verdict.verdict, verdict.rounds) == ("plays in part", 3)


def test_a_deep_chain_of_conditions_is_refused(tmp_path):
    lines = [attachment_line("conditionAttachment0", "Red", "turns=1")]
    lines += [
        attachment_line(f"conditionAttachment{n}", "Red", f"conditions=conditionAttachment{n - 1}")
        for n in range(1, 300)
    ]
    lines.append(attachment_line("triggerX", "Red", "conditions=conditionAttachment299", "purchase=infantry"))
    with pytest.raises(BadDefinition, match="nested deeper"):
        game_of(tmp_path, event_text(*lines)).new_initial_state()
    assert judge_map(tmp_path / "small.xml", True, 1).verdict == "plays in part"


def test_what_users_choose_is_left_out_and_told(tmp_path):
    told = option_line("relationshipChange=Red:Blue:War")
    text = event_text(more=f'<attachment name="politicalActionAttachmentWar" attachTo="Red">{told}</attachment>')
    write_map(tmp_path, text)
    verdict = judge_map(tmp_path / "small.xml", False, 3)
    assert (verdict.verdict, verdict.rounds) == ("plays in part", 3)
    assert "political actions" in verdict.missing


def test_triggers_that_only_tell_something_leave_the_rules_as_they_are(tmp_path):
    told = attachment_line("triggerAttachmentTold", "Red", "notification=Hail", "support=x", WHEN)
    game = game_of(tmp_path, event_text(told))
    assert game.world.book is None
    assert game.new_initial_state().situation.events is None
    assert game.new_initial_state().situation.owners[5] == NOBODY
