"""Battles one after another: several waves against what is left, and landings that go on when aircraft have left."""

from collections.abc import Callable, Sequence

import msgspec

from kibitz.games.axis.battle.exact import Ending
from kibitz.games.axis.battle.problem import Battle
from kibitz.games.axis.battle.side import kinds_of, survivors
from kibitz.games.axis.units import Army

Fight = Callable[[Battle], Sequence[Ending]]
Sums = dict[tuple[Army, Army], float]


def all_waves(battles: Sequence[Battle], fight: Fight) -> list[Ending]:
    """How waves of attackers end, each against what those before it left; who withdrew is counted with the last.

    Between two waves, which are attacks of different powers, damaged ships are repaired and submarines surface.
    """
    kinds = len(kinds_of(battles[0].units).units)
    nothing = (0,) * kinds
    open_cases: dict[tuple[Army, Army], float] = {(nothing, battles[0].defenders): 1.0}
    done: Sums = {}
    for number, battle in enumerate(battles):
        rest = nothing  # the waves that are not needed any more are left whole
        for later in battles[number + 1 :]:
            rest = _plus(rest, _pad_army(later.attackers, kinds))
        following: dict[tuple[Army, Army], float] = {}
        for (left_before, defenders), share in open_cases.items():
            if not _fights(defenders, battle):
                left = _plus(left_before, _pad_army(battle.attackers, kinds))
                _add(done, (_plus(left, rest), nothing), share)
                continue
            for ending in fight(msgspec.structs.replace(battle, defenders=defenders)):
                left = _plus(left_before, ending.attackers)
                chance = share * ending.probability
                remaining = survivors(ending.defenders, battle.units)
                last = number == len(battles) - 1
                if last or (not any(ending.defenders) and any(ending.attackers)):
                    _add(done, (_plus(left, rest), ending.defenders), chance)
                else:
                    guns = tuple(c * (not u.fights) for c, u in zip(battle.defenders, battle.units, strict=True))
                    _add(following, (left, _plus(remaining, guns)), chance)
        open_cases = following
    return _endings(done)


def after_aircraft_left(battle: Battle, found: Sequence[Ending], fight: Fight) -> list[Ending]:
    """How a landing ends: where the attackers would have withdrawn only aircraft do, and the others fight on."""
    kinds = kinds_of(battle.units).units
    flying = tuple(unit.domain == "air" for unit in kinds)
    rules = msgspec.structs.replace(battle.rules, retreat=0, rounds=0)
    done: Sums = {}
    for ending in found:
        aircraft = tuple(count * away for count, away in zip(ending.attackers, flying, strict=True))
        others = tuple(count * (not away) for count, away in zip(ending.attackers, flying, strict=True))
        if not any(others) or not any(ending.defenders) or battle.at_sea():
            _add(done, (ending.attackers, ending.defenders), ending.probability)
            continue
        units = battle.units
        going_on = Battle(survivors(others, units), survivors(ending.defenders, units), units, rules)
        for further in fight(going_on):
            left = _plus(aircraft, further.attackers)
            _add(done, (left, further.defenders), ending.probability * further.probability)
    return _endings(done)


def _fights(army: Army, battle: Battle) -> bool:
    return any(count and unit.fights for count, unit in zip(army, battle.units, strict=True))


def _pad_army(army: Army, length: int) -> Army:
    return army + (0,) * (length - len(army))


def _plus(one: Army, other: Army) -> Army:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _add(sums: Sums, key: tuple[Army, Army], chance: float) -> None:
    sums[key] = sums.get(key, 0.0) + chance


def _endings(sums: Sums) -> list[Ending]:
    ordered = sorted(sums.items(), key=lambda item: (item[0][0], [-count for count in item[0][1]]), reverse=True)
    return [Ending(*armies, chance) for armies, chance in ordered]
