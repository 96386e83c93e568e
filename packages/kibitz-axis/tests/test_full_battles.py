"""Facts of the whole game: battles, raids, dice and odds. Each test is named after its fact."""

import random
from fractions import Fraction

import pytest
from whole_game import (
    aboard,
    apply_roll,
    area,
    asked,
    battle_odds,
    can,
    cargo_of,
    changed,
    clear,
    count,
    fight,
    hits_of_dice,
    income,
    knowing,
    marked,
    mover,
    own,
    play,
    power,
    put,
    roll,
    start,
    throw,
    units_of,
)

from kibitz_axis.full.battles import start_battle
from kibitz_axis.full.economy import damage_area
from kibitz_axis.full.fire import Shot, attack_shots, defence_shots, gun_odds, hit_odds
from kibitz_axis.full.movement import item_to
from kibitz_axis.full.position import BATTLE, NOBODY, SUBMERGED, Stack
from kibitz_axis.full.units import (
    ARTILLERY,
    BATTLESHIP,
    BOMBER,
    CARRIER,
    DESTROYER,
    FIGHTER,
    GUN,
    HEAVY_BOMBERS,
    INFANTRY,
    ROCKETS,
    SUBMARINE,
    TRANSPORT,
)


def at_sea(attackers, defenders, **switches):
    """Japanese ships go from sea zone 32 to 31, where American ones are; the battle has begun."""
    empty = start("Japanese", **switches).with_stacks(())
    scene = put(put(empty, "Japanese", "Manchuria", "1 inf"), "Japanese", "SZ32", attackers)  # who stays has a turn
    scene = put(scene, "Americans", "SZ31", defenders)
    return fight(play(scene, f"{attackers} SZ32 > SZ31"))


def test_fact_25_a_fighter_goes_from_a_sunken_carrier_to_another():
    scene = put(start("Japanese"), "Americans", "SZ44", "1 carrier 1 fighter")
    scene = put(scene, "Japanese", "SZ45", "1 sub")
    battle = fight(play(scene, "2 sub SZ45 > SZ44"))
    battle = throw(battle, 1, 1)
    assert count(battle, "Americans", "SZ44", CARRIER) == 0
    battle = throw(battle, 1)
    battle = throw(play(battle, "stay", "fight on"), 1)
    assert battle.battle == NOBODY
    assert count(battle, "Japanese", "SZ44") == 0
    assert count(battle, "Americans", "SZ44") == 0
    assert count(battle, "Americans", "SZ52", FIGHTER) == 2


def test_fact_26_a_fighter_goes_from_a_sunken_carrier_to_land():
    scene = put(clear(start("Japanese"), "SZ9"), "Americans", "SZ9", "1 carrier 1 fighter")
    scene = put(scene, "Japanese", "SZ11", "1 sub")
    battle = throw(fight(play(scene, "1 sub SZ11 > SZ9")), 1)
    battle = play(throw(battle, 6), "submerge")
    assert battle.battle == NOBODY
    assert count(battle, "Americans", "Eastern Canada", FIGHTER) == 1
    assert count(battle, "Japanese", "SZ9", SUBMARINE) == 1


def test_fact_37_a_freed_area_goes_back_to_the_ally():
    scene = clear(own(start("Russians"), "Sinkiang", "Japanese"), "Sinkiang")
    scene = put(scene, "Japanese", "Sinkiang", "1 inf")
    battle = fight(play(scene, "2 inf Novosibirsk > Sinkiang"))
    battle = throw(throw(battle, 1, 1), 1)
    assert battle.owners[area("Sinkiang")] == power("Americans")
    assert count(battle, "Russians", "Sinkiang") == 1


def test_fact_38_a_gun_falls_with_its_area():
    scene = put(clear(start("British"), "French Indochina"), "Japanese", "French Indochina", "1 inf 1 aa gun")
    battle = fight(play(scene, "1 inf India > French Indochina"))
    battle = throw(throw(battle, 1), 6)
    assert battle.owners[area("French Indochina")] == power("British")
    assert count(battle, "British", "French Indochina", GUN) == 1


def raid_on_germany(**switches):
    return fight(play(start("British", **switches), "raid 1 bomber United Kingdom > Germany"))


def test_fact_39_guns_stop_a_raid():
    raid = raid_on_germany()
    after = throw(raid, 1)
    assert roll(after) is None
    assert after.money == raid.money
    assert not any(stack.kind == BOMBER for stack in units_of(after, "British"))


def test_fact_40_a_heavy_bomber_rolls_two_dice():
    scene = knowing(start("British"), "British", HEAVY_BOMBERS)
    raid = throw(fight(play(scene, "raid 1 bomber United Kingdom > Germany")), 4)
    assert throw(raid, 3, 3).money[power("Germans")] == 34


def test_fact_41_a_heavy_bomber_of_lhtr_takes_the_best_die_and_one_more():
    scene = knowing(start("British", lhtr=True), "British", HEAVY_BOMBERS)
    raid = throw(fight(play(scene, "raid 1 bomber United Kingdom > Germany")), 3)
    assert throw(raid, 3, 4).money[power("Germans")] == 35


def shots_of(fire, situation, *kinds):
    """The dice of units of Russia, such as three times a kind."""
    stacks = [Stack(area=0, power=0, kind=kind, count=count) for kind, count in kinds]
    return fire(situation.tables.setting, situation.position, stacks)


def test_fact_43_infantry_hits_with_1_and_defends_with_2():
    scene = start("Russians")
    defending = shots_of(defence_shots, scene, (INFANTRY, 1))
    attacking = shots_of(attack_shots, scene, (INFANTRY, 1))
    assert [hits_of_dice(defending, [face]) for face in (2, 3)] == [1, 0]
    assert [hits_of_dice(attacking, [face]) for face in (1, 2)] == [1, 0]


def test_fact_44_artillery_lifts_infantry():
    shots = shots_of(attack_shots, start("Russians"), (INFANTRY, 1), (ARTILLERY, 1))
    assert hits_of_dice(shots, [2, 2]) == 2


def test_fact_45_with_low_luck_three_infantry_hit_once():
    shots = shots_of(defence_shots, start("Russians"), (INFANTRY, 3))
    assert hit_odds(tuple(shots), low_luck=True) == ((1, 1.0),)


def test_fact_46_a_gun_hits_with_1():
    assert [hits_of_dice([Shot(1)], [face]) for face in (1, 2)] == [1, 0]
    assert dict(gun_odds(0, 1))[0, 1] == pytest.approx(1 / 6)


def test_fact_50_a_heavy_bomber_of_lhtr_hits_once():
    scene = knowing(start("Russians", lhtr=True), "Russians", HEAVY_BOMBERS)
    shots = shots_of(attack_shots, scene, (BOMBER, 1))
    assert [hits_of_dice(shots, faces) for faces in ([4, 3], [5, 3], [5, 6])] == [1, 1, 0]


def test_fact_51_submarines_sink_each_other():
    battle = throw(throw(at_sea("1 sub", "1 sub"), 1), 1)
    assert battle.battle == NOBODY
    assert not battle.at(area("SZ31"))


def test_fact_52_two_submarines_against_submarine_and_destroyer():
    battle = at_sea("2 sub", "1 sub 1 destroyer")
    battle = throw(throw(throw(battle, 1, 3), 1), 1)
    assert battle.battle == NOBODY
    assert count(battle, "Japanese", "SZ31") == 0
    assert count(battle, "Americans", "SZ31") == 1


def test_fact_53_the_victim_of_a_submarine_does_not_fire():
    battle = at_sea("1 transport 1 carrier", "1 sub")
    battle = throw(battle, 1)
    assert count(battle, "Japanese", "SZ31", TRANSPORT) == 0
    assert len(dict(roll(battle).odds)) == 2  # one die: the carrier's


def test_fact_54_destroyers_let_their_side_fire_before_it_loses():
    battle = throw(at_sea("1 carrier 1 destroyer", "2 sub"), 1, 6)
    assert count(battle, "Japanese", "SZ31", DESTROYER) == 1
    assert roll(battle).what == "fire"
    battle = throw(battle, 6, 6)
    assert count(battle, "Japanese", "SZ31", DESTROYER) == 0


def test_fact_55_a_battle_on_land_has_no_opening_fire():
    battle = fight(play(start("British"), "1 inf 1 tank Anglo Egypt > Libya"))
    assert roll(battle).what == "fire"
    battle = throw(throw(battle, 6, 6), 6, 6)
    assert asked(battle) == ["fight on", "retreat to Anglo Egypt"]


def landing_in_norway(fighter=False):
    scene = put(start("British"), "British", "SZ6", "1 battleship")
    scene = put(scene, "British", "SZ6", "1 transport", cargo=aboard("British", "2 inf"))
    scene = play(scene, "unload 2 inf SZ6 > Norway")
    return fight(play(scene, "1 fighter United Kingdom > Norway") if fighter else scene)


def test_fact_56_a_battleship_bombards_before_all_others_fire():
    battle = landing_in_norway()
    assert asked(battle) == ["bombard", "no bombardment"]
    battle = play(battle, "bombard")
    assert roll(battle).what == "bombardment"
    battle = throw(battle, 4)
    assert count(battle, "Germans", "Norway", INFANTRY) == 2
    assert roll(battle).what == "fire"
    assert not can(battle, "1 battleship SZ6 > SZ7")


def test_fact_57_only_aircraft_retreat_from_a_landing():
    battle = play(landing_in_norway(fighter=True), "no bombardment")
    battle = throw(throw(battle, 6, 6, 6), 6, 6, 6, 6)
    assert asked(battle) == ["fight on", "withdraw aircraft"]
    battle = play(battle, "withdraw aircraft")
    assert battle.battle != NOBODY
    assert count(battle, "British", "Norway", FIGHTER) == 1


def test_fact_58_aircraft_may_break_off():
    battle = fight(play(start("Germans"), "1 fighter Norway > SZ2"))
    battle = throw(throw(battle, 6), 6, 6)
    assert asked(battle) == ["fight on", "withdraw aircraft"]
    assert play(battle, "withdraw aircraft").battle == NOBODY


def test_fact_59_a_defending_submarine_may_submerge():
    battle = throw(throw(at_sea("1 battleship", "1 sub"), 6), 6)
    battle = play(battle, "fight on")
    assert mover(battle) == power("Americans")
    assert asked(battle) == ["submerge", "stay"]
    after = play(battle, "submerge")
    assert after.battle == NOBODY
    assert any(stack.marks & SUBMERGED for stack in after.at(area("SZ31")))


def test_fact_60_a_gun_alone_has_lost():
    scene = put(clear(start("British"), "French Indochina"), "Japanese", "French Indochina", "1 aa gun")
    after = fight(play(scene, "1 inf India > French Indochina"))
    assert after.owners[area("French Indochina")] == power("British")
    assert roll(after) is None


def test_fact_61_a_hundred_infantry_take_germany():
    scene = put(start("Russians"), "Russians", "Germany", "100 inf")
    dice = random.Random(1)
    for _ in range(20):
        battle = changed(scene.replace(phase=BATTLE), start_battle, area("Germany"))
        while battle.battle != NOBODY:
            rolled = roll(battle)
            if rolled is None:
                battle = play(battle, "fight on")
            else:
                results, chances = zip(*rolled.odds, strict=True)
                battle = apply_roll(battle, dice.choices(results, chances)[0])
        assert battle.owners[area("Germany")] == power("Russians")


def test_fact_62_transports_cannot_beat_submarines():
    scene = put(start("Americans").with_stacks(()), "Americans", "China", "1 inf")
    scene = put(scene, "Americans", "SZ32", "2 transport")
    scene = put(scene, "Germans", "SZ31", "2 sub")
    battle = fight(play(scene, "2 transport SZ32 > SZ31"))
    assert battle_odds(battle, "SZ31") == pytest.approx((0.0, 1.0, 0.0), abs=1e-9)


@pytest.mark.parametrize(
    ("attackers", "defenders", "odds"),
    [
        ("2 sub", "1 sub 1 destroyer", ("103/322", "4/7", "5/46")),
        ("1 sub 1 destroyer", "2 sub", ("4/7", "103/322", "5/46")),
        ("1 sub 1 destroyer", "1 sub", ("13/14", "1/28", "1/28")),
        ("2 sub", "1 battleship", ("11409/25921", "14512/25921", "0")),
        ("1 battleship", "2 destroyer", ("964/3025", "1537/3025", "524/3025")),
    ],
)
def test_battles_at_sea_have_their_exact_odds(attackers, defenders, odds):
    found = battle_odds(at_sea(attackers, defenders), "SZ31")
    assert found == pytest.approx(tuple(float(Fraction(each)) for each in odds), abs=1e-9)


def test_rockets_cost_the_owner_of_a_factory_at_most_its_value():
    scene = knowing(start("Germans"), "Germans", ROCKETS)
    fired = fight(scene)
    while "no rocket Germany" not in asked(fired):
        fired = play(fired, next(line for line in asked(fired) if line.startswith("no rocket")))
    fired = play(fired, "rocket Germany > United Kingdom")
    while roll(fired) is None:
        fired = play(fired, next(line for line in asked(fired) if line.startswith("no rocket")))
    assert throw(fired, 6).money[power("British")] == 24


def test_raids_are_limited_by_the_value_of_an_area_where_the_rules_say_so():
    limited = marked(start("British", lhtr=True), "raided", "Germany", 8)
    assert changed(limited, damage_area, area("Germany"), 6, works=False).money[power("Germans")] == 38
    free = marked(start("British"), "raided", "Germany", 8)
    assert changed(free, damage_area, area("Germany"), 6, works=False).money[power("Germans")] == 34


def test_a_capital_brings_all_the_money_of_its_owner():
    scene = clear(start("Germans"), "United Kingdom")
    scene = put(scene, "Germans", "SZ6", "1 transport", cargo=aboard("Germans", "1 inf"))
    after = fight(play(scene, "unload 1 inf SZ6 > United Kingdom"))
    assert after.money[power("Germans")] == 70
    assert after.money[power("British")] == 0
    assert income(after, power("British")) == 0
    assert count(after, "British", "SZ2", BATTLESHIP) == 1


def test_nobody_else_retreats_from_a_landing_when_the_landed_are_lost():
    scene = clear(put(start("British"), "British", "Karelia", "2 tank"), "SZ5", "Norway")
    scene = put(scene, "British", "SZ5", "1 transport", cargo=aboard("British", "1 inf"))
    scene = put(scene, "Germans", "Norway", "2 inf")
    battle = fight(play(scene, "unload 1 inf SZ5 > Norway", "2 tank Karelia > Norway"))
    battle = throw(throw(battle, 6, 6, 6), 1, 6)
    assert count(battle, "British", "Norway", INFANTRY) == 0
    assert battle.battle != NOBODY
    assert roll(battle) is not None


def test_landed_units_are_lost_with_the_battle_at_sea():
    scene = put(clear(start("British"), "SZ5"), "Germans", "SZ5", "1 destroyer")
    scene = put(scene, "British", "SZ6", "1 transport", cargo=aboard("British", "2 inf"))
    battle = fight(play(scene, "1 transport SZ6 > SZ5", "unload 2 inf SZ5 > Norway"))
    battle = throw(battle, 1)
    assert count(battle, "British", "Norway", INFANTRY) == 0
    assert battle.owners[area("Norway")] == power("Germans")


def test_cargo_stays_aboard_where_the_transport_retreats():
    scene = put(clear(start("British"), "SZ5"), "Germans", "SZ5", "1 destroyer")
    scene = put(scene, "British", "SZ6", "1 transport", cargo=aboard("British", "2 inf"))
    battle = fight(play(scene, "1 transport SZ6 > SZ5", "unload 2 inf SZ5 > Norway"))
    back = play(throw(battle, 6), "retreat to 6 Sea Zone")
    (transport,) = back.own_units(area("SZ6"), power("British"))
    assert [item_to(item) for item in transport.cargo] == [-1] * 4
    assert len(cargo_of(transport)) == 2
    assert transport.landed == -1


def test_an_allied_capital_that_is_freed_gets_its_areas_back():
    scene = own(own(start("Americans"), "United Kingdom", "Germans"), "Eastern Canada", "Americans")
    scene = put(clear(scene, "United Kingdom"), "Germans", "United Kingdom", "1 aa gun")
    scene = put(clear(scene, "SZ8"), "Americans", "SZ8", "1 transport", cargo=aboard("Americans", "1 inf"))
    after = fight(play(scene, "unload 1 inf SZ8 > United Kingdom"))
    assert after.owners[area("United Kingdom")] == power("British")
    assert after.owners[area("Eastern Canada")] == power("British")
    assert count(after, "British", "United Kingdom", GUN) == 1
    assert after.money == scene.money


def test_an_area_of_an_ally_without_a_capital_is_kept():
    scene = own(own(start("Russians"), "United Kingdom", "Germans"), "Persia", "Japanese")
    scene = clear(scene, "Persia")
    after = play(scene, "1 inf Caucasus > Persia")
    assert after.owners[area("Persia")] == power("Russians")


def test_a_destroyer_sunk_in_this_round_does_not_keep_submarines_from_submerging():
    battle = at_sea("1 carrier 1 destroyer", "1 sub")
    battle = throw(throw(battle, 1), 6, 6)
    assert count(battle, "Japanese", "SZ31", DESTROYER) == 0
    assert asked(play(battle, "fight on")) == ["submerge", "stay"]


def test_fighters_of_an_ally_sink_with_the_carrier_that_attacks():
    scene = put(clear(start("Japanese"), "SZ31", "SZ32"), "Japanese", "SZ32", "1 carrier")
    scene = put(put(scene, "Germans", "SZ32", "1 fighter"), "Americans", "SZ31", "1 battleship")
    battle = fight(play(scene, "1 carrier SZ32 > SZ31"))
    assert count(battle, "Germans", "SZ31", FIGHTER) == 1
    battle = throw(throw(battle, 6), 1)
    assert count(battle, "Japanese", "SZ31") == count(battle, "Germans", "SZ31") == 0


def test_guns_fire_once_at_aircraft_in_the_first_round():
    battle = fight(play(start("Germans"), "1 fighter Ukraine > Caucasus", "3 inf Ukraine > Caucasus"))
    assert roll(battle).what == "guns"
    battle = throw(battle, 1)
    assert count(battle, "Germans", "Caucasus", FIGHTER) == 0
    battle = throw(throw(battle, 6, 6, 6), *[6] * 5)
    assert roll(play(battle, "fight on")).what == "fire"


def test_a_battleship_takes_two_hits():
    battle = throw(throw(at_sea("1 battleship", "1 destroyer"), 6), 1)
    assert count(battle, "Japanese", "SZ31", BATTLESHIP) == 1
