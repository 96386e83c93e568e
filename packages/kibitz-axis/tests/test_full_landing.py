"""Aircraft shared out among carriers: plain and compiled as by trying everything, also where the search is long."""

import random
from functools import cache

import pytest
from whole_game import WORLD, can, clear, put, start

from kibitz_axis.full.landing import add_deck, add_needy, can_seat, mark_zone
from kibitz_axis.full.position import BITS, NONCOMBAT, setting_of, work_of
from kibitz_axis.full.rules_options import read_rules
from kibitz_axis.full.units import CARRIER

SETTING = setting_of(WORLD, read_rules({}))
ZONES = [zone for zone in range(SETTING.areas) if SETTING.sea[zone]]


def crowd(seed):
    """Almost as many fighters as there is room for, anywhere."""
    rng, work = random.Random(seed), work_of(WORLD)
    for _ in range(rng.randint(4, 9)):
        add_deck(work, rng.choice([1, 2]))
        for zone in rng.sample(ZONES, rng.randint(1, 12)):
            mark_zone(SETTING, work.zones[work.decks - 1], zone)
    room = sum(work.rooms)
    for _ in range(rng.randint(max(1, room - 5), room)):
        add_needy(work, rng.choice(ZONES), rng.randint(0, 3), 1)
    return work


def zones_within(where, left):
    return frozenset(zone for zone in ZONES if SETTING.air[where][zone] <= left)


def all_find_a_carrier(work):
    """Whether all fighters find a carrier, by trying everything."""

    @cache
    def fit(fighters, carriers):
        if not fighters:
            return True
        for place, (zones, room) in enumerate(carriers):
            both = zones & fighters[0]
            if both and room and (place == 0 or carriers[place - 1] != carriers[place]):
                rest = (*carriers[:place], (both, room - 1), *carriers[place + 1 :])
                if fit(fighters[1:], tuple(sorted(rest, key=lambda each: (sorted(each[0]), each[1])))):
                    return True
        return False

    bits = [[zone for zone in ZONES if work.zones[n][SETTING.zone_number[zone] // BITS]
             >> SETTING.zone_number[zone] % BITS & 1] for n in range(work.decks)]  # fmt: skip
    reached = [zones_within(work.needy_area[n], work.needy_left[n]) for n in range(work.needy)]
    carriers = [(frozenset(bits[n]), work.rooms[n]) for n in range(work.decks)]
    return fit(tuple(sorted(reached, key=len)), tuple(sorted(carriers, key=lambda each: (sorted(each[0]), each[1]))))


@pytest.mark.parametrize("seeds", [range(24), pytest.param(range(24, 400), marks=pytest.mark.slow)])
def test_fighters_find_carriers_exactly_if_there_is_a_way(seeds):
    for seed in seeds:
        work = crowd(seed)
        found = all_find_a_carrier(work)
        assert can_seat(SETTING, work) == found
        assert work == crowd(seed), "carriers stay as they are"


def test_fighters_of_lhtr_wait_for_carriers_that_are_bought():
    def scene(carriers):
        americans = clear(start("Americans", NONCOMBAT, lhtr=True), "SZ52", "SZ54", "SZ55", "SZ56")
        americans = put(americans, "Americans", "SZ56", "3 fighter", spent=3)
        return americans.replace(bought=[carriers * (kind == CARRIER) for kind in range(12)])

    assert can(scene(2), "3 fighter SZ56 > SZ55")
    assert not can(scene(1), "3 fighter SZ56 > SZ55")
