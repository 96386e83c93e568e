"""Sentences of the rules of the whole game that no numbered fact covers, each as a small situation."""

import pytest
from whole_game import (
    WORLD,
    aboard,
    area,
    asked,
    buy,
    can,
    clear,
    count,
    current_orders,
    fight,
    income,
    knowing,
    marked,
    next_turn_of,
    order_words,
    own,
    play,
    power,
    put,
    roll,
    start,
    throw,
    values,
)

from kibitz_axis.full.position import NOBODY, NONCOMBAT, PLACE, PURCHASE, RESEARCH, SPENT, SUBMERGED
from kibitz_axis.full.rules_options import read_rules
from kibitz_axis.full.transports import cargo_count
from kibitz_axis.full.units import (
    BOMBARDMENT,
    CARRIER,
    FIGHTER,
    GUN,
    HEAVY_BOMBERS,
    INFANTRY,
    JETS,
    LONG_RANGE,
    ROCKETS,
    SUBMARINE,
    SUPER_SUBMARINES,
    TANK,
    TRANSPORT,
)


def orders(situation):
    """What may be ordered, in words."""
    return [order_words(situation, order, order.most) for order in current_orders(situation)]


# The order of things, and money.


def test_powers_move_in_their_order_and_cities_count_after_the_last():
    assert [WORLD.powers[number].name for number in WORLD.turns] == [
        "Russians",
        "Germans",
        "British",
        "Japanese",
        "Americans",
    ]
    nine = [a.name for a in WORLD.areas if a.city][:9]
    scene = start("British", PLACE)
    for name in nine:
        scene = own(scene, name, "British")
    later = play(scene, "done placing")
    assert later.winner == -1
    last = play(scene.replace(mover=power("Americans")), "done placing")
    assert WORLD.sides[last.winner] == "Allies"


def test_a_technology_is_named_first_and_works_in_the_same_turn():
    scene = throw(play(start("Germans", RESEARCH), "research 2 dice long range aircraft"), 6, 6)
    assert scene.phase == PURCHASE
    assert scene.money[power("Germans")] == 30
    assert values(scene, "Germans", FIGHTER)[2] == 6
    assert values(scene, "Japanese", FIGHTER)[2] == 4  # no effect on allies


def test_a_technology_works_after_the_turn_where_the_rules_say_so():
    scene = throw(play(start("Germans", RESEARCH, lhtr=True), "research 1 dice jet power"), 6)
    assert values(scene, "Germans", FIGHTER)[1] == 4
    after = play(scene.replace(phase=PLACE, bought=[0] * len(scene.bought)), "done placing")
    assert values(after, "Germans", FIGHTER)[1] == 5
    assert (after.technology, after.dice) == (-1, 0)


def test_tournament_rules_switch_what_their_file_switches():
    assert [read_rules({"lhtr": lhtr}).winning_cities for lhtr in (False, True)] == [9, 10]
    assert read_rules({"lhtr": True, "cities": 8}).winning_cities == 8
    below = [knowing(start("Germans", lhtr=lhtr), "Germans", SUPER_SUBMARINES) for lhtr in (False, True)]
    assert [values(scene, "Germans", SUBMARINE)[1] for scene in below] == [2, 3]


@pytest.mark.parametrize(
    ("technology", "kind", "attack", "defence", "move"),
    [
        (JETS, FIGHTER, 3, 5, 4),
        (SUPER_SUBMARINES, SUBMARINE, 3, 2, 2),
        (LONG_RANGE, FIGHTER, 3, 4, 6),
        (LONG_RANGE, 4, 4, 1, 8),
        (HEAVY_BOMBERS, 4, 4, 1, 6),
    ],
)
def test_technologies_change_their_units_only(technology, kind, attack, defence, move):
    germans = knowing(start("Germans"), "Germans", technology)
    assert values(germans, "Germans", kind) == (attack, defence, move)
    assert values(germans, "Germans", TANK) == (3, 3, 2)


def test_who_lost_its_capital_buys_researches_and_earns_nothing_but_moves():
    scene = own(start("British", RESEARCH), "United Kingdom", "Germans")
    assert orders(scene) == ["done research"]
    assert orders(scene.replace(phase=PURCHASE)) == ["done purchase"]
    assert income(scene, power("British")) == 0
    assert can(scene.replace(phase=3 + 1), "1 destroyer SZ15 > SZ34")


def test_money_is_kept_and_areas_taken_in_this_turn_pay():
    scene = clear(start("Germans"), "Karelia")
    before = income(scene, power("Germans"))
    after = play(scene, "1 inf Eastern Europe > Karelia")
    assert income(after, power("Germans")) == before + WORLD.areas[area("Karelia")].value
    ended = play(after.replace(phase=PLACE), "done placing")
    assert ended.money[power("Germans")] == 40 + income(after, power("Germans"))


# Moves on land.


def test_armour_goes_on_through_what_was_taken_without_a_fight_and_back():
    scene = clear(start("Germans"), "Karelia", "Archangel")
    taken = play(scene, "1 inf Eastern Europe > Karelia")
    assert can(taken, "1 tank Eastern Europe > Archangel")
    entered = play(scene, "1 tank Eastern Europe > Karelia")
    assert can(entered, "1 tank Karelia > Eastern Europe")


def test_impassable_neutrals_stop_everything():
    scene = start("Germans")
    assert not any("Turkey" in each or "Sweden" in each or "Switzerland" in each for each in orders(scene))


def test_captured_guns_do_not_move_in_this_turn():
    scene = put(clear(start("Germans"), "Caucasus"), "Russians", "Caucasus", "1 aa gun")
    scene = fight(play(scene, "1 inf Ukraine > Caucasus"))
    assert count(scene, "Germans", "Caucasus", GUN) == 1
    assert scene.phase == NONCOMBAT
    assert not any("aa gun Caucasus" in each for each in orders(scene))
    assert can(next_turn_of(scene, "Germans").replace(phase=NONCOMBAT), "1 aa gun Caucasus > Ukraine")


def test_guns_sail_in_combat_moves_but_do_not_go_ashore():
    scene = put(
        clear(start("British"), "SZ6", "SZ5"), "British", "SZ6", "1 transport", cargo=aboard("British", "1 aa gun")
    )
    assert can(scene, "1 transport SZ6 > SZ3")
    assert not can(scene, "unload 1 aa gun SZ6 > United Kingdom")
    assert can(scene.replace(phase=NONCOMBAT), "unload 1 aa gun SZ6 > United Kingdom")


# Ships.


def test_the_panama_canal_needs_panama_in_both_phases():
    scene = own(start("Americans"), "Panama", "Japanese")
    for phase in (scene.phase, NONCOMBAT):
        assert can(start("Americans", phase), "1 destroyer SZ20 > SZ19")
        assert not can(scene.replace(phase=phase), "1 destroyer SZ20 > SZ19")


def test_ships_stop_where_an_enemy_transport_is_and_may_leave_enemies():
    scene = put(clear(start("British"), "SZ1", "SZ2", "SZ3", "SZ7", "SZ8"), "British", "SZ2", "1 destroyer")
    assert can(scene, "1 destroyer SZ2 > SZ8")
    blocked = [WORLD.areas[zone].name for zone in WORLD.by_sea[area("SZ2")]]
    for name in blocked:
        scene = put(scene, "Germans", name, "1 transport")
    far = [z for z in WORLD.by_sea[area("SZ7")] if z not in WORLD.by_sea[area("SZ2")] and z != area("SZ2")]
    assert far
    assert not any(can(scene, f"1 destroyer SZ2 > {WORLD.areas[zone].name}") for zone in far)
    met = put(clear(scene, *blocked), "Germans", "SZ2", "1 transport")
    assert can(met, "1 destroyer SZ2 > SZ7")


def test_submarines_pass_under_enemies_but_not_under_destroyers():
    scene = put(clear(start("Germans"), "SZ7", "SZ6", "SZ2", "SZ8"), "Germans", "SZ7", "1 sub")
    beyond = next(
        z
        for z in WORLD.by_sea[area("SZ2")]
        if z not in WORLD.by_sea[area("SZ7")] and z != area("SZ7") and not scene.at(z)
    )
    others = [WORLD.areas[z].name for z in WORLD.by_sea[area("SZ7")] if beyond in WORLD.by_sea[z]]
    scene = clear(scene, *others)
    order = f"1 sub SZ7 > {WORLD.areas[beyond].name}"
    for army, passes in (("1 battleship", True), ("1 destroyer", False)):
        guarded = scene
        for name in others:
            guarded = put(guarded, "British", name, army)
        assert can(guarded, order) is passes


def test_own_ships_that_stay_among_enemies_fight():
    scene = put(start("British"), "Germans", "SZ15", "1 transport")
    battle = fight(scene)
    assert battle.battle != NOBODY
    assert battle.battle in (area("SZ15"), area("SZ13"), area("SZ1"))


# Transports.


def test_load_move_load_again_and_unload():
    scene = put(clear(start("British"), "SZ6", "SZ3", "SZ5", "SZ2", "SZ7"), "British", "SZ6", "1 transport")
    scene = put(clear(scene, "Norway"), "British", "Norway", "1 inf")
    scene = own(scene, "Norway", "British")
    after = play(scene, "load 1 inf United Kingdom > SZ6", "1 transport SZ6 > SZ3", "load 1 inf Norway > SZ3")
    (ship,) = [stack for stack in after.own_units(area("SZ3"), power("British")) if stack.kind == TRANSPORT]
    assert cargo_count(ship) == 2
    ashore = play(after, "unload 2 inf SZ3 > Norway")
    assert not can(ashore, "1 transport SZ3 > SZ6")
    assert not can(ashore, "load 1 inf Norway > SZ3")
    assert not can(ashore, "1 inf Norway > Karelia")


def test_nobody_loads_where_enemy_ships_are():
    scene = put(start("British"), "Germans", "SZ2", "1 sub")
    assert not can(scene, "load 1 inf United Kingdom > SZ2")
    hidden = put(start("British"), "Germans", "SZ2", "1 sub", marks=SUBMERGED)
    assert can(hidden, "load 1 inf United Kingdom > SZ2")


def test_units_that_moved_do_not_go_aboard():
    scene = put(clear(start("Germans"), "SZ5"), "Germans", "SZ5", "2 transport")
    moved = play(scene, "1 tank Western Europe > Germany")
    assert sum("load" in each and "tank Germany" in each for each in orders(moved)) == sum(
        "load" in each and "tank Germany" in each for each in orders(scene)
    )


def test_after_a_battle_a_transport_loads_or_unloads_not_both():
    scene = put(clear(start("British"), "SZ6"), "British", "SZ6", "1 transport", spent=SPENT, marks=8)
    scene = scene.replace(phase=NONCOMBAT)
    loaded = play(scene, "load 1 inf United Kingdom > SZ6")
    assert not can(loaded, "unload 1 inf SZ6 > United Kingdom")
    fresh = put(clear(start("British", NONCOMBAT), "SZ6"), "British", "SZ6", "1 transport")
    assert can(play(fresh, "load 1 inf United Kingdom > SZ6"), "unload 1 inf SZ6 > United Kingdom")


def test_no_landing_from_an_allied_transport_among_enemies():
    cargo = aboard("British", "1 inf")
    quiet = put(clear(start("British"), "SZ5"), "Russians", "SZ5", "1 transport", cargo=cargo)
    assert can(quiet, "unload 1 inf SZ5 > Norway")
    assert not can(put(quiet, "Germans", "SZ5", "1 sub"), "unload 1 inf SZ5 > Norway")


# Aircraft.


def test_land_taken_in_this_turn_is_no_landing_place():
    scene = clear(start("Germans"), "Karelia")
    taken = play(scene, "1 inf Eastern Europe > Karelia")
    flown = put(taken, "Germans", "Karelia", "1 fighter", spent=4).replace(phase=NONCOMBAT)
    ended = play(flown, "done other")
    assert count(ended, "Germans", "Karelia", FIGHTER) == 0


def test_fighters_of_an_ally_go_back_with_the_carrier_they_stand_on():
    scene = put(clear(start("Japanese"), "SZ31", "SZ32"), "Japanese", "SZ32", "1 carrier")
    scene = put(put(scene, "Germans", "SZ32", "1 fighter"), "Americans", "SZ31", "1 battleship")
    battle = fight(play(scene, "1 carrier SZ32 > SZ31"))
    back = play(throw(throw(battle, 6), 6), "retreat to 32 Sea Zone")
    assert count(back, "Germans", "SZ32", FIGHTER) == 1
    assert count(back, "Japanese", "SZ32", CARRIER) == 1


def test_a_fighter_that_can_land_flies_though_another_is_lost():
    scene = clear(start("Americans", NONCOMBAT), "SZ55", "SZ52", "SZ56", "SZ53")
    scene = put(scene, "Americans", "SZ52", "1 carrier")
    scene = put(put(scene, "Americans", "SZ55", "1 fighter", spent=4), "Americans", "SZ53", "1 fighter", spent=2)
    assert can(scene, "1 fighter SZ53 > SZ52")
    lone = clear(scene, "SZ52")
    assert not any("fighter SZ53" in each for each in orders(lone) if " > SZ" in each and "Sea Zone" in each)


def test_guns_fire_where_aircraft_start_unless_a_battle_was_fought_there():
    scene = put(clear(start("British"), "Western Europe"), "Germans", "Western Europe", "1 aa gun")
    scene = put(scene, "British", "Western Europe", "1 bomber", spent=2)
    left = play(scene, "1 bomber Western Europe > United Kingdom")
    assert roll(left).what == "overflight"
    fought = marked(scene, "fought", "Western Europe")
    assert roll(play(fought, "1 bomber Western Europe > United Kingdom")) is None
    off = put(clear(start("British", lhtr=True), "Western Europe"), "Germans", "Western Europe", "1 aa gun")
    off = put(off, "British", "Western Europe", "1 bomber", spent=2)
    assert roll(play(off, "1 bomber Western Europe > United Kingdom")) is None


# Raids and rockets.


def test_raiders_take_no_part_in_the_battle():
    scene = put(start("British"), "British", "United Kingdom", "1 bomber")
    battle = fight(play(scene, "raid 1 bomber United Kingdom > Germany", "1 bomber United Kingdom > Germany"))
    assert roll(battle).what == "guns at raiders"
    battle = throw(battle, 6)
    assert roll(battle).what == "raid"
    battle = throw(battle, 4)
    assert battle.money[power("Germans")] == 36
    assert roll(battle).what == "guns"
    assert count(battle, "British", "Germany") == 2
    assert len(battle.own_units(area("Germany"), power("British"))) == 2


def test_rockets_are_aimed_before_raids_and_fired_after_them():
    scene = knowing(start("British"), "British", ROCKETS)
    scene = clear(scene, "Germany")
    battle = fight(play(scene, "raid 1 bomber United Kingdom > Germany"))
    assert any("rocket" in each for each in asked(battle))
    battle = play(battle, next(each for each in asked(battle) if "Germany" in each))
    while roll(battle) is None:
        battle = play(battle, asked(battle)[-1])
    assert roll(battle).what == "raid"
    assert roll(throw(battle, 6)).what == "rocket"


def test_a_raid_costs_at_most_the_value_of_the_area_for_each_bomber():
    scene = put(clear(start("British"), "Southern Europe"), "British", "United Kingdom", "1 bomber")
    scene = play(knowing(scene, "British", HEAVY_BOMBERS), "raid 2 bomber United Kingdom > Southern Europe")
    while roll(scene) is not None:  # guns on the way
        scene = throw(scene, 6, 6)
    battle = fight(scene)
    assert WORLD.areas[area("Southern Europe")].value == 6
    assert throw(battle, 6, 6, 5, 4).money[power("Germans")] == 40 - 12
    assert throw(battle, 1, 2, 1, 1).money[power("Germans")] == 40 - 5


# Battles.


def test_bombardment_needs_a_landing_from_the_zone_and_no_battle_there():
    scene = put(clear(start("British"), "SZ5", "SZ6"), "British", "SZ5", "1 battleship")
    scene = put(scene, "British", "SZ5", "1 transport", cargo=aboard("British", "1 inf"))
    landed = fight(play(scene, "unload 1 inf SZ5 > Norway"))
    assert any("bombard" in each for each in asked(landed))
    enemies = put(scene, "Germans", "SZ5", "1 transport")
    battle = fight(play(enemies, "unload 1 inf SZ5 > Norway"))
    battle = throw(throw(battle, 1), 6)
    assert not any("bombard" in each for each in asked(battle))


def test_destroyers_bombard_with_the_technology_only():
    scene = put(clear(start("British"), "SZ5"), "British", "SZ5", "1 destroyer")
    scene = play(
        put(scene, "British", "SZ5", "1 transport", cargo=aboard("British", "1 inf")), "unload 1 inf SZ5 > Norway"
    )
    assert not any("bombard" in each for each in asked(fight(scene)))
    battle = fight(knowing(scene, "British", BOMBARDMENT))
    battle = play(battle, next(each for each in asked(battle) if each.startswith("bombard")))
    assert roll(battle).odds == ((0, 0.5), (1, 0.5))


def test_submarines_do_not_hit_aircraft():
    scene = put(clear(start("British"), "SZ8"), "Germans", "SZ8", "1 sub")
    battle = fight(play(scene, "1 fighter United Kingdom > SZ8"))
    assert roll(battle).what == "fire"
    battle = throw(battle, 6)
    assert asked(battle)[0] == "fight on"
    assert count(battle, "British", "SZ8", FIGHTER) == 1


def test_allies_defend_together_and_attack_alone():
    scene = put(clear(start("Germans"), "Persia", "Caucasus"), "Germans", "Caucasus", "3 inf")
    scene = put(put(scene, "Russians", "Persia", "1 inf"), "British", "Persia", "1 inf")
    battle = fight(play(scene, "3 inf Caucasus > Persia"))
    battle = throw(battle, 6, 6, 6)
    assert sum(stack.power != power("Germans") for stack in battle.at(area("Persia"))) == 2
    assert max(hits for hits, _ in roll(battle).odds) == 2


def test_retreat_goes_to_one_area_that_an_attacker_came_from():
    scene = clear(start("Germans"), "Caucasus")
    scene = put(put(scene, "Russians", "Caucasus", "6 inf"), "Germans", "Ukraine", "1 tank")
    battle = fight(play(scene, "2 inf Ukraine > Caucasus", "1 fighter Ukraine > Caucasus"))
    battle = throw(throw(battle, 6, 6, 6), *[6] * 6)
    assert len([each for each in asked(battle) if "retreat" in each]) == 1
    back = play(battle, next(each for each in asked(battle) if "retreat" in each))
    assert count(back, "Germans", "Caucasus", FIGHTER) == 1
    assert count(back, "Germans", "Caucasus", INFANTRY) == 0


def test_ships_do_not_retreat_to_where_a_battle_was_fought():
    scene = put(clear(start("Japanese"), "SZ31", "SZ32", "SZ33"), "Japanese", "SZ32", "2 destroyer")
    scene = put(scene, "Americans", "SZ31", "1 battleship")
    battle = fight(play(scene, "2 destroyer SZ32 > SZ31"))
    battle = throw(throw(battle, 6, 6), 6)
    assert any("retreat" in each for each in asked(battle))
    assert not any("retreat" in each for each in asked(marked(battle, "fought", "SZ32")))


def test_submerged_submarines_surface_after_the_other_moves():
    scene = put(clear(start("British", NONCOMBAT), "SZ8"), "Germans", "SZ8", "1 sub", marks=SUBMERGED)
    after = play(scene, "done other")
    (stack,) = after.at(area("SZ8"))
    assert not stack.marks & SUBMERGED


def test_nobody_submerges_below_a_destroyer():
    scene = put(clear(start("British"), "SZ8", "SZ2"), "British", "SZ2", "1 destroyer 1 battleship")
    scene = put(scene, "Germans", "SZ8", "1 sub")
    battle = fight(play(scene, "1 destroyer SZ2 > SZ8", "1 battleship SZ2 > SZ8"))
    battle = throw(throw(battle, 6), 6, 6)
    assert "submerge" not in asked(battle)


def test_aircraft_alone_take_no_area():
    scene = put(clear(start("British"), "Norway"), "Germans", "Norway", "1 inf")
    battle = fight(play(scene, "1 bomber United Kingdom > Norway", "1 fighter United Kingdom > Norway"))
    battle = throw(throw(battle, 1, 1), 6)
    assert battle.owners[area("Norway")] == power("Germans")
    assert battle.battle == NOBODY


# After the battles.


def test_a_new_factory_makes_units_in_the_next_turn_and_is_outside_the_limit():
    scene = play(buy(start("British"), "3 inf", factories=1), "place 1 factory Anglo Egypt")
    assert not can(scene, "place 1 inf Anglo Egypt")
    assert can(scene, "place 3 inf United Kingdom")
    assert can(buy(next_turn_of(scene, "British"), "1 inf"), "place 1 inf Anglo Egypt")


def test_a_captured_factory_makes_nothing_in_this_turn():
    scene = buy(own(start("Germans"), "Caucasus", "Germans"), "4 inf")
    assert can(scene, "place 4 inf Caucasus")
    assert not can(marked(scene, "taken", "Caucasus"), "place 1 inf Caucasus")


def test_a_factory_in_an_area_without_value_makes_nothing():
    worthless = next(a for a in WORLD.areas if not a.sea and a.value == 0 and a.owner == power("British"))
    scene = buy(start("British"), "1 inf")
    made = tuple(sorted((*scene.factories, area(worthless.name))))
    assert not can(scene.replace(factories=made), f"place 1 inf {worthless.name}")


def test_enemy_ships_do_not_hinder_placing_and_guns_have_no_limit_of_their_own():
    scene = buy(put(start("British"), "Germans", "SZ6", "1 battleship"), "1 transport 3 aa gun")
    assert can(scene, "place 1 transport SZ6")
    assert can(scene, "place 3 aa gun United Kingdom")


def test_new_fighters_go_onto_carriers_with_room_only():
    scene = buy(put(clear(start("British"), "SZ6"), "British", "SZ6", "1 carrier 1 fighter"), "2 fighter")
    assert can(scene, "place 1 fighter SZ6")
    assert not can(scene, "place 2 fighter SZ6")


def test_aircraft_may_cross_enemy_land_after_the_battles_and_nobody_else():
    scene = start("Germans", NONCOMBAT)
    assert can(scene, "1 fighter Eastern Europe > Ukraine")
    assert not any(" > Caucasus" in each and "inf" in each for each in orders(scene))
