"""Facts of the whole game: moves, transports, aircraft, research, placing. Each test is named after its fact."""

from whole_game import (
    WORLD,
    aboard,
    advance,
    area,
    battle_areas,
    buy,
    can,
    cargo_of,
    changed,
    clear,
    count,
    has_technology,
    knowing,
    marked,
    next_turn_of,
    own,
    play,
    power,
    put,
    roll,
    start,
    stranded_aircraft,
    throw,
    units_of,
    values,
)

from kibitz_axis.full.endings import land_cargo
from kibitz_axis.full.movement import item_fresh
from kibitz_axis.full.position import BID, NONCOMBAT, PLACE, PURCHASE, RESEARCH, SUBMERGED, UNLOADED_EARLY
from kibitz_axis.full.units import (
    BATTLESHIP,
    BOMBER,
    CARRIER,
    FIGHTER,
    INFANTRY,
    ROCKETS,
    SUBMARINE,
    SUPER_SUBMARINES,
    TANK,
    TRANSPORT,
)


def cargo(situation, owner, zone):
    """The cargoes of the transports of a power in a zone, sorted."""
    units = situation.own_units(area(zone), power(owner))
    return sorted(cargo_of(stack) for stack in units for _ in range(stack.count) if stack.kind == TRANSPORT)


def test_fact_01_only_armour_goes_two_areas():
    germans = start("Germans")
    assert can(germans, "2 tank Germany > Eastern Europe > Karelia")
    assert not can(germans, "3 inf Germany > Eastern Europe > Karelia")
    assert not can(germans, "3 inf 2 tank Germany > Eastern Europe > Karelia")


def test_fact_02_a_transport_takes_an_infantry_and_an_armour():
    germans = start("Germans")
    assert not can(germans, "load 3 inf 2 tank Germany > SZ5")
    loaded = play(germans, "load 1 inf 1 tank Germany > SZ5")
    assert cargo(loaded, "Germans", "SZ5") == [[INFANTRY, TANK]]
    assert not can(loaded, "load 1 inf Germany > SZ5")


def test_fact_03_armour_does_not_swim():
    germans = start("Germans")
    without = germans.with_stacks(stack for stack in germans.stacks if stack.kind != TRANSPORT)
    assert not can(without, "load 1 tank Germany > SZ5")
    assert not can(without, "1 tank Germany > SZ5")


def test_fact_04_loading_is_undone_without_a_trace():
    before = start("Germans")
    after = play(before, "load 2 inf Eastern Europe > SZ5")
    assert cargo(after, "Germans", "SZ5") == [[INFANTRY, INFANTRY]]
    assert cargo(before, "Germans", "SZ5") == [[]]
    assert not any(item_fresh(item) for stack in before.stacks for item in stack.cargo)
    assert count(before, "Germans", "Eastern Europe", INFANTRY) == 2


def test_fact_05_a_transport_unloads_into_one_area_a_turn():
    loaded = play(start("Germans"), "load 2 inf Eastern Europe > SZ5", "unload 1 inf SZ5 > Norway")
    assert not can(loaded, "unload 1 inf SZ5 > Eastern Europe")
    assert can(next_turn_of(loaded, "Germans"), "unload 1 inf SZ5 > Eastern Europe")


def test_fact_06_an_allied_transport_is_unloaded_on_a_later_turn():
    japanese = put(start("Japanese"), "Japanese", "Eastern Europe", "1 inf")
    loaded = play(japanese, "load 1 inf Eastern Europe > SZ5")
    assert cargo(loaded, "Germans", "SZ5") == [[INFANTRY]]
    assert not can(loaded, "unload 1 inf SZ5 > Eastern Europe")
    assert can(next_turn_of(loaded, "Japanese"), "unload 1 inf SZ5 > Eastern Europe")


def test_fact_07_cargo_goes_where_its_transport_goes():
    moved = play(start("Germans"), "load 2 inf Eastern Europe > SZ5", "1 transport SZ5 > SZ6")
    assert cargo(moved, "Germans", "SZ5") == []
    assert cargo(moved, "Germans", "SZ6") == [[INFANTRY, INFANTRY]]


def test_fact_08_unloaded_infantry_goes_no_further():
    landed = clear(play(start("Germans"), "load 1 inf Eastern Europe > SZ5"), "Norway")
    landed = play(landed, "unload 1 inf SZ5 > Norway")
    assert count(landed, "Germans", "Norway") == 1
    assert not can(landed, "1 inf Norway > Karelia")


def test_fact_09_units_leave_the_transport_that_may_unload_there():
    two = clear(start("Germans"), "SZ5")
    two = put(two, "Germans", "SZ5", "1 transport", cargo=aboard("Germans", "2 inf"))
    two = put(two, "Germans", "SZ5", "1 transport", cargo=aboard("Germans", "1 inf"), landed=area("Karelia"), spent=99)
    after = play(two, "unload 2 inf SZ5 > Norway")
    assert cargo(after, "Germans", "SZ5") == [[], [INFANTRY]]
    kept = [stack for stack in after.at(area("SZ5")) if cargo_of(stack)]
    assert kept[0].landed == area("Karelia")


def test_fact_10_no_unloading_among_friends_past_enemy_ships():
    germans = put(start("Germans"), "British", "SZ6", "2 destroyer")
    there = play(germans, "load 1 tank Germany > SZ5", "1 transport SZ5 > SZ6")
    assert not can(there, "unload 1 tank SZ6 > Norway")
    assert not can(there, "unload 1 tank SZ6 > Western Europe")
    assert can(there, "unload 1 tank SZ6 > United Kingdom")


def test_fact_11_a_transport_may_attack_a_battleship_alone():
    assert can(start("Germans"), "1 transport SZ14 > SZ13")


def test_fact_12_no_submarine_goes_among_enemies_after_the_battles():
    assert not can(start("Germans", NONCOMBAT), "1 sub SZ8 > SZ1")


def test_fact_13_a_submerged_submarine_stops_nobody():
    british = start("British", NONCOMBAT)
    assert not can(british, "1 transport SZ1 > SZ8")
    below = british.map_units(lambda stack: setattr(stack, "marks", SUBMERGED * (stack.area == area("SZ8"))))
    assert can(play(below, "1 transport SZ1 > SZ8"), "1 transport SZ8 > SZ7")


def test_fact_14_the_suez_canal_is_open_at_the_start():
    assert can(start("British"), "1 destroyer SZ15 > SZ34")
    closed = own(start("British"), "Trans-Jordan", "Germans")
    assert not can(closed, "1 destroyer SZ15 > SZ34")
    taken = marked(start("British"), "taken", "Anglo Egypt")
    assert not can(taken, "1 destroyer SZ15 > SZ34")


def test_fact_15_armour_blitzes_and_attacks():
    after = play(clear(start("British"), "Libya"), "1 tank Anglo Egypt > Libya > Algeria")
    assert after.owners[area("Libya")] == power("British")
    assert battle_areas(after) == [area("Algeria")]


def test_fact_16_infantry_moves_once():
    after = play(start("Germans"), "2 inf Western Europe > Germany")
    assert not can(after, "1 inf group 2 Germany > Eastern Europe")
    assert can(after, "3 inf Germany > Eastern Europe")


def test_fact_17_hostile_land_is_not_entered_after_the_battles():
    assert not can(start("British", NONCOMBAT), "1 tank Anglo Egypt > Libya")


def test_fact_18_land_taken_in_this_turn_may_be_entered():
    british = put(clear(start("British"), "Libya"), "British", "Anglo Egypt", "1 tank")
    after = play(british, "1 tank Anglo Egypt > Libya").replace(phase=NONCOMBAT)
    assert can(after, "1 tank Anglo Egypt > Libya")


def test_fact_19_a_landing_waits_for_the_battle_at_sea():
    british = put(start("British"), "British", "SZ6", "1 transport", cargo=aboard("British", "2 inf"))
    british = put(british, "British", "SZ6", "1 destroyer")
    landing = play(british, "1 transport 1 destroyer SZ6 > SZ5", "unload 2 inf SZ5 > Norway")
    assert battle_areas(landing) == [area("SZ5")]
    won = clear(landing, "SZ5")
    transport = next(stack for stack in landing.own_units(area("SZ5"), power("British")) if cargo_of(stack))
    won = won.with_stacks([*won.stacks, transport])
    ashore = changed(won, land_cargo, area("SZ5"))
    assert count(ashore, "British", "Norway", INFANTRY) == 2
    assert battle_areas(ashore) == [area("Norway")]


def test_fact_20_fighters_fly_over_sea_if_land_can_be_reached():
    british = start("British")
    assert can(british, "2 fighter United Kingdom > SZ8")
    assert can(british, "2 fighter United Kingdom > SZ12")
    assert not can(british, "2 fighter United Kingdom > SZ11")


def test_fact_21_guns_fire_at_aircraft_that_pass():
    bomber = play(start("British"), "1 bomber United Kingdom > Western Europe")
    assert roll(bomber) is None
    passing = play(bomber, "raid 1 bomber Western Europe > Southern Europe")
    gone = throw(passing, 1)
    assert not any(stack.kind == BOMBER for stack in units_of(gone, "British"))
    assert count(throw(passing, 2), "British", "Southern Europe", BOMBER) == 1


def test_fact_22_fighters_without_a_carrier_die():
    americans = put(start("Americans", NONCOMBAT), "Americans", "SZ55", "2 fighter")
    assert [stack.area for stack in stranded_aircraft(americans, power("Americans"))] == [area("SZ55")]
    assert count(play(americans, "done other"), "Americans", "SZ55", FIGHTER) == 0


def test_fact_23_a_carrier_saves_two_fighters():
    americans = put(start("Americans", NONCOMBAT), "Americans", "SZ52", "2 fighter")
    assert count(play(americans, "done other"), "Americans", "SZ52", FIGHTER) == 2


def test_fact_24_all_american_aircraft_have_a_place_at_the_start():
    assert not stranded_aircraft(start("Americans"), power("Americans"))


def test_fact_27_a_fighter_waits_for_a_bought_carrier_in_lhtr():
    bought = tuple(int(kind == CARRIER) for kind in range(12))
    for lhtr in (True, False):
        germans = start("Germans", NONCOMBAT, lhtr=lhtr).replace(bought=bought)
        far = put(germans, "Germans", "SZ5", "1 fighter", spent=4)
        assert count(play(far, "done other"), "Germans", "SZ5", FIGHTER) == lhtr
    assert can(start("Germans", NONCOMBAT, lhtr=True).replace(bought=bought), "1 fighter Eastern Europe > SZ5")


def test_fact_28_super_submarines_attack_with_3_and_defend_with_2():
    assert values(knowing(start("Germans"), "Germans", SUPER_SUBMARINES), "Germans", SUBMARINE)[:2] == (3, 2)
    assert values(start("Germans"), "Germans", SUBMARINE)[0] == 2


def test_fact_29_research_costs_5_a_die_and_needs_a_6():
    germans = start("Germans", RESEARCH)
    failed = throw(play(germans, "research 2 dice rockets"), 4, 5)
    assert failed.money[power("Germans")] == 30
    assert not has_technology(failed, "Germans", ROCKETS)
    found = throw(play(failed.replace(phase=RESEARCH), "research 1 dice rockets"), 6)
    assert found.money[power("Germans")] == 25
    assert has_technology(found, "Germans", ROCKETS)


def test_fact_30_a_bid_is_placed_without_limit():
    bid = start("British", BID, bids={"British": 60}).replace(purse=60)
    placing = play(bid, "buy 20 inf")
    after = play(placing, "place 20 inf United Kingdom")
    assert count(after, "British", "United Kingdom", INFANTRY) == 22
    assert after.money == list(WORLD.money)


def test_fact_31_a_factory_makes_as_many_units_as_its_area_is_worth():
    russians = buy(start("Russians"), "5 inf")
    assert not can(russians, "place 5 inf Caucasus")
    assert can(russians, "place 4 inf Caucasus")
    assert not can(play(russians, "place 4 inf Caucasus"), "place 1 inf Caucasus")


def test_fact_32_no_unit_is_placed_without_a_factory():
    assert not can(buy(start("British"), "1 inf"), "place 1 inf Anglo Egypt")


def test_fact_33_no_second_factory_no_ship_on_land_no_unit_among_enemies():
    british = buy(start("British"), "1 transport 1 inf", factories=1)
    assert not can(british, "place 1 factory United Kingdom")
    assert can(british, "place 1 factory India")
    assert not can(british, "place 1 transport United Kingdom")
    assert not can(british, "place 1 inf Germany")


def test_fact_34_ships_are_placed_beside_a_factory():
    after = play(buy(start("British"), "2 transport"), "place 2 transport SZ6")
    assert count(after, "British", "SZ6", TRANSPORT) == 2


def test_fact_35_a_fighter_goes_onto_a_new_carrier():
    after = play(buy(start("British"), "1 carrier 1 inf"), "place 1 carrier SZ6")
    aboard_now = play(after, "board 1 fighter United Kingdom > SZ6")
    assert count(aboard_now, "British", "SZ6", FIGHTER) == 1


def test_fact_36_units_that_are_not_placed_are_lost():
    british = buy(start("British"), "1 transport")
    after = play(british, "done placing")
    assert not any(after.bought)
    assert sum(stack.count for stack in units_of(after, "British") if stack.kind == TRANSPORT) == 4


def test_fact_63_caucasus_and_russia_are_neighbours_on_land():
    assert WORLD.marches[area("Caucasus")][area("Russia")] == 1


def test_money_buys_no_more_than_it_can():
    assert not can(start("Russians", PURCHASE), "buy 9 inf")
    assert can(start("Russians", PURCHASE), "buy 8 inf")


def test_a_battleship_is_whole_again_after_the_turn():
    hurt = start("Germans", PLACE).map_units(lambda stack: setattr(stack, "damage", int(stack.kind == BATTLESHIP)))
    assert not any(stack.damage for stack in advance(hurt).stacks)


def test_guns_move_after_the_battles_only():
    assert not can(start("Germans"), "1 aa gun Germany > Eastern Europe")
    assert not can(start("Germans"), "load 1 aa gun Germany > SZ5")
    assert can(start("Germans", NONCOMBAT), "1 aa gun Germany > Eastern Europe")
    assert can(start("Germans", NONCOMBAT), "load 1 aa gun Germany > SZ5")


def test_a_transport_that_unloaded_in_combat_does_not_again():
    for early in (True, False):
        fields = {"landed": area("Norway"), "cargo": aboard("Germans", "1 inf"), "marks": UNLOADED_EARLY * early}
        germans = put(start("Germans"), "Germans", "SZ5", "1 transport", **fields)
        assert can(germans.replace(phase=NONCOMBAT), "unload 1 inf SZ5 > Norway") != early


def test_a_gun_or_a_factory_stops_a_blitz():
    empty = clear(start("British"), "Libya")
    guarded = put(empty, "Germans", "Libya", "1 aa gun")
    made = marked(empty, "factories", "Libya")
    assert [can(each, "1 tank Anglo Egypt > Libya > Algeria") for each in (empty, guarded, made)] == [
        True,
        False,
        False,
    ]
    assert can(guarded, "1 tank Anglo Egypt > Libya")


def test_a_carrier_takes_no_more_fighters_than_it_has_room_for():
    americans = clear(start("Americans"), "SZ52", "Hawaiian Islands")
    americans = put(americans, "Americans", "SZ52", "1 carrier", spent=9)
    two = put(americans, "Americans", "SZ53", "2 fighter", spent=3)
    assert can(two, "2 fighter SZ53 > SZ52")
    british = put(two, "British", "SZ52", "1 fighter")
    assert not stranded_aircraft(play(two, "2 fighter SZ53 > SZ52"), power("Americans"))
    crowded = stranded_aircraft(put(british, "Americans", "SZ52", "2 fighter"), power("Americans"))
    assert {stack.area for stack in crowded} == {area("SZ52"), area("SZ53")}


def test_ships_at_sea_are_made_by_any_factory_beside_the_zone():
    germans = buy(start("Germans"), "7 transport")
    assert can(germans, "place 7 transport SZ5")  # Germany is worth 10
    assert not can(germans, "place 7 transport SZ14")  # Southern Europe is worth 6
    assert can(germans, "place 6 transport SZ14")
