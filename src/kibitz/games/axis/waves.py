"""Several waves of attackers, one after another."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from kibitz.games.axis.battle.exact import Ending, endings
from kibitz.games.axis.battle.problem import Armies, Battle
from kibitz.games.axis.battle.side import kinds_of, survivors
from kibitz.games.axis.units import Army


def all_waves(battles: Sequence[Battle]) -> list[Ending]:
    """How waves of attackers end, each against what those before it left; who withdrew is counted with the last.

    Between two waves, which are attacks of different powers, damaged ships are repaired.
    """
    units, kinds = battles[0].units, len(kinds_of(battles[0].units).units)
    nothing, done = (0,) * kinds, defaultdict[Armies, float](float)
    waiting: dict[Armies, float] = {(nothing, battles[0].defenders): 1.0}
    for number, battle in enumerate(battles):
        following, last = defaultdict[Armies, float](float), number == len(battles) - 1
        unused = _plus(nothing, *(each.attackers for each in battles[number + 1 :]))
        guns = tuple(count * (not unit.fights) for count, unit in zip(battle.defenders, units, strict=True))
        for (left, defenders), probability in waiting.items():
            if not any(count and unit.fights for count, unit in zip(defenders, units, strict=True)):
                done[_plus(left, battle.attackers, unused), nothing] += probability
                continue
            for ending in endings(replace(battle, defenders=defenders)):
                standing, reached = _plus(left, ending.attackers), probability * ending.probability
                if last or (not any(ending.defenders) and any(ending.attackers)):
                    done[_plus(standing, unused), ending.defenders] += reached
                else:
                    following[standing, _plus(survivors(ending.defenders, units), guns)] += reached
        waiting = following
    return _endings(done)


def _plus(first: Army, *others: Army) -> Army:
    """Armies added up; those without the damaged are shorter."""
    return tuple(count + sum(other[kind] for other in others if kind < len(other)) for kind, count in enumerate(first))


def _endings(sums: Mapping[Armies, float]) -> list[Ending]:
    ordered = sorted(sums.items(), key=lambda item: (item[0][0], [-count for count in item[0][1]]), reverse=True)
    return [Ending(*armies, probability) for armies, probability in ordered]
