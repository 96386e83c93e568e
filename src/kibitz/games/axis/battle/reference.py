"""The second opinion: a battle fought unit by unit, in exact fractions, step by step as the rules are written.

It shares the statement of a battle with the kernels and nothing else: here every unit is a piece with its own die, a
unit that is hit is marked and taken away when the rules say so, and who is marked first is decided here once more.
Slow, and meant to be: it is what the kernels are tested against.
"""

from collections.abc import Callable
from fractions import Fraction
from heapq import heapify, heappop, heappush
from itertools import combinations
from typing import NamedTuple, TypeAlias

from kibitz.games.axis.battle.problem import Armies, Battle, Order
from kibitz.games.axis.battle.side import kinds_of, ranked_units
from kibitz.games.axis.units import Army, Unit

Chances: TypeAlias = dict[Armies, Fraction]
"""What attackers and defenders may be left with, the damaged and the submerged apart, and how likely each is."""
ATTACKER, DEFENDER = 0, 1
READY, MARKED, SUBMERGED = 0, 1, 2


class Piece(NamedTuple):
    """One unit: its place in the list of units, how many hits it has taken, and whether it is marked or submerged."""

    place: int
    damage: int = 0
    status: int = READY


Pieces: TypeAlias = tuple[Piece, ...]
"""A side, sorted, so that equal sides compare equal."""


class Scene(NamedTuple):
    """A moment of a battle: both sides, and whether each had a destroyer when the round began."""

    sides: tuple[Pieces, Pieces]
    screened: tuple[bool, bool] = (False, False)


Distribution: TypeAlias = dict[Scene, Fraction]


def outcomes(battle: Battle) -> Chances:
    """How a battle may end."""
    table = Table(battle)
    scenes = table.after_step({Scene((table.pieces(ATTACKER), table.pieces(DEFENDER))): Fraction(1)}, table.prelude)
    if not battle.rules.rounds:
        ended = table.fight_to_the_end(table.after_step(scenes, table.one_round))
    else:
        ended = scenes
        for number in range(battle.rules.rounds):
            if number:
                ended = table.after_step(ended, table.between_rounds)
            ended = table.after_step(ended, table.one_round if number == 0 else table.one_round_unless_over)
    found: Chances = {}
    for scene, chance in ended.items():
        armies = table.army(scene.sides[ATTACKER]), table.army(scene.sides[DEFENDER])
        found[armies] = found.get(armies, Fraction(0)) + chance
    return found


class Table:
    """Where one battle is fought."""

    def __init__(self, battle: Battle) -> None:
        self.battle, self.units, self.rules = battle, battle.units, battle.rules
        self.orders: tuple[Order, Order] = battle.rules.attacker_losses, battle.rules.defender_losses

    # Pieces.

    def pieces(self, side: int) -> Pieces:
        """The units of a side that fight to the end: not those that only bombard, or are only captured."""
        army = (self.battle.attackers, self.battle.defenders)[side]
        fighting = [
            Piece(place)
            for place, (count, unit) in enumerate(zip(army, self.units, strict=True))
            for _ in range(count)
            if unit.fights and (self.battle.at_sea() or unit.domain != "sea")
        ]
        return tuple(fighting)

    def army(self, pieces: Pieces) -> Army:
        """Pieces as counts of the kinds that battles tell apart."""
        kinds = kinds_of(self.units)
        counts = [0] * len(kinds.units)
        for piece in pieces:
            place = piece.place
            for _ in range(piece.damage):
                place = kinds.after_hit[place]
            counts[kinds.after_dive[place] if piece.status == SUBMERGED else place] += 1
        return tuple(counts)

    def unit(self, piece: Piece) -> Unit:
        return self.units[piece.place]

    def in_battle(self, pieces: Pieces) -> Pieces:
        """Those that have not submerged."""
        return tuple(piece for piece in pieces if piece.status != SUBMERGED)

    # The order of events.

    def prelude(self, scene: Scene) -> Distribution:
        """Before the first round: guns at the aircraft, then the bombardment, neither of them answered."""
        scenes = self.after_step({scene: Fraction(1)}, self.guns_fire)
        return self.after_step(scenes, self.ships_bombard)

    def one_round(self, scene: Scene) -> Distribution:
        """One round of battle, in its steps."""
        if self.side_is_gone(scene):
            return {scene: Fraction(1)}
        screened = self.has_destroyer(scene.sides[ATTACKER]), self.has_destroyer(scene.sides[DEFENDER])
        scenes = {Scene(scene.sides, screened): Fraction(1)}
        for step in (self.submarines_fire, self.remove_surprised, self.all_others_fire, self.remove_marked):
            scenes = self.after_step(scenes, step)
        return self.after_step(scenes, lambda each: {Scene(each.sides): Fraction(1)})

    def between_rounds(self, scene: Scene) -> Distribution:
        """After a round: the attacker's submarines may submerge, the attacker may retreat, then the defender's dive."""
        scene = self.submerge(scene, ATTACKER)
        if not self.withdraws(scene):
            scene = self.submerge(scene, DEFENDER)
        return {scene: Fraction(1)}

    def one_round_unless_over(self, scene: Scene) -> Distribution:
        over = self.side_is_gone(scene) or self.withdraws(scene)
        return {scene: Fraction(1)} if over else self.one_round(scene)

    def fight_to_the_end(self, scenes: Distribution) -> Distribution:
        """Round after round to the end. A round that changes nothing is fought again, so it is divided out."""
        ended: Distribution = {}
        scenes = self.after_step(scenes, self.between_rounds)
        waiting = [(-self.life(scene), scene) for scene in scenes]
        heapify(waiting)
        while waiting:
            scene = heappop(waiting)[1]  # those with most life first: nothing that is still to come leads there
            chance = scenes.pop(scene)
            after = self.after_step(self.one_round_unless_over(scene), self.between_rounds)
            again = after.pop(scene, Fraction(0))
            if not after:
                ended[scene] = ended.get(scene, Fraction(0)) + chance
            for later, more in after.items():
                if later not in scenes:
                    heappush(waiting, (-self.life(later), later))
                scenes[later] = scenes.get(later, Fraction(0)) + chance * more / (1 - again)
        return ended

    def after_step(self, scenes: Distribution, step: Callable[[Scene], Distribution]) -> Distribution:
        """What a step makes of every scene."""
        found: Distribution = {}
        for scene, chance in scenes.items():
            for after, more in step(scene).items():
                if more:
                    found[after] = found.get(after, Fraction(0)) + chance * more
        return found

    # The steps.

    def guns_fire(self, scene: Scene) -> Distribution:
        """One die for every attacking aircraft, which is lost on a 1."""
        if not any(unit.anti_air for unit in self.battle.present(self.battle.defenders)):
            return {scene: Fraction(1)}
        flying = [piece for piece in scene.sides[ATTACKER] if self.unit(piece).domain == "air"]
        if self.rules.low_luck:
            return self.lose_by_lot(scene, flying)
        scenes = {scene: Fraction(1)}
        for piece in flying:
            scenes = self.after_step(
                scenes,
                lambda each, piece=piece: {  # type: ignore[misc]
                    each: Fraction(5, 6),
                    self.without_attackers(each, (piece,)): Fraction(1, 6),
                },
            )
        return scenes

    def lose_by_lot(self, scene: Scene, flying: list[Piece]) -> Distribution:
        """Six of a kind lose one for sure; of all that are left over, so many more as dice of low luck say, by lot."""
        sure: list[Piece] = []
        over: list[Piece] = []
        for piece in sorted(set(flying)):
            sixes, rest = divmod(flying.count(piece), 6)
            sure += [piece] * sixes
            over += [piece] * rest
        found: Distribution = {}
        for hits, chance in self.hits([1] * len(over)).items():
            lots = list(combinations(over, hits))
            for lot in lots:
                after = self.without_attackers(scene, (*sure, *lot))
                found[after] = found.get(after, Fraction(0)) + chance / len(lots)
        return found

    def without_attackers(self, scene: Scene, lost: Pieces) -> Scene:
        left = list(scene.sides[ATTACKER])
        for piece in lost:
            left.remove(piece)
        return Scene((tuple(left), scene.sides[DEFENDER]))

    def ships_bombard(self, scene: Scene) -> Distribution:
        """Ships that came with a landing fire once; what they hit is gone."""
        ships = [unit for unit in self.battle.units if unit.domain == "sea"]
        dice = [
            unit.attack
            for unit, count in zip(self.units, self.battle.attackers, strict=True)
            for _ in range(count)
            if unit in ships and not self.battle.at_sea()
        ]
        found: Distribution = {}
        for hits, chance in self.hits(dice).items():
            marked = self.mark_losses(scene.sides[DEFENDER], hits, DEFENDER, ships_only=False)
            after = self.without_marked(Scene((scene.sides[ATTACKER], marked)), (False, True))
            found[after] = found.get(after, Fraction(0)) + chance
        return found

    def submarines_fire(self, scene: Scene) -> Distribution:
        """All submarines of both sides, at ships only, at the same time."""
        return self.fire_volley(scene, lambda unit: unit.surprise, ships_only=True)

    def remove_surprised(self, scene: Scene) -> Distribution:
        """What submarines hit is gone before it fires, unless its side had a destroyer when the round began."""
        gone = not scene.screened[ATTACKER], not scene.screened[DEFENDER]
        return {self.without_marked(scene, gone): Fraction(1)}

    def all_others_fire(self, scene: Scene) -> Distribution:
        """Everything that is no submarine, those marked and still there included."""
        return self.fire_volley(scene, lambda unit: not unit.surprise, ships_only=False)

    def remove_marked(self, scene: Scene) -> Distribution:
        return {self.without_marked(scene, (True, True)): Fraction(1)}

    def fire_volley(self, scene: Scene, fires: Callable[[Unit], bool], *, ships_only: bool) -> Distribution:
        """A volley of both sides: dice are rolled for all who fire, then each side marks whom it loses."""
        dice = [
            [
                strength
                for piece, strength in self.strengths(pieces, side)
                if fires(self.unit(piece)) and piece.status != SUBMERGED
            ]
            for side, pieces in enumerate(scene.sides)
        ]
        found: Distribution = {}
        for scored, chance in self.hits(dice[ATTACKER]).items():
            defenders = self.mark_losses(scene.sides[DEFENDER], scored, DEFENDER, ships_only=ships_only)
            for taken, more in self.hits(dice[DEFENDER]).items():
                attackers = self.mark_losses(scene.sides[ATTACKER], taken, ATTACKER, ships_only=ships_only)
                after = Scene((attackers, defenders), scene.screened)
                found[after] = found.get(after, Fraction(0)) + chance * more
        return found

    def without_marked(self, scene: Scene, which: tuple[bool, bool]) -> Scene:
        """The scene after the marked of one side or both are taken away."""
        left = tuple(
            tuple(piece for piece in pieces if not (gone and piece.status == MARKED))
            for pieces, gone in zip(scene.sides, which, strict=True)
        )
        return Scene((left[0], left[1]), scene.screened)

    def submerge(self, scene: Scene, side: int) -> Scene:
        """The submarines of a side leave the battle if they want to, and no destroyer of the other side is left."""
        wants = self.rules.submerge in ("both", ("attacker", "defender")[side])
        if not wants or self.side_is_gone(scene) or self.has_destroyer(scene.sides[1 - side]):
            return scene
        sides = list(scene.sides)
        sides[side] = tuple(
            sorted(piece._replace(status=SUBMERGED) if self.unit(piece).surprise else piece for piece in sides[side])
        )
        return Scene((sides[0], sides[1]))

    # What the steps ask.

    def side_is_gone(self, scene: Scene) -> bool:
        return not all(self.in_battle(pieces) for pieces in scene.sides)

    def withdraws(self, scene: Scene) -> bool:
        """Whether the attacker has too few units left to stay."""
        return len(self.in_battle(scene.sides[ATTACKER])) <= self.rules.retreat

    def has_destroyer(self, pieces: Pieces) -> bool:
        return any(self.unit(piece).detects for piece in self.in_battle(pieces))

    def life(self, scene: Scene) -> int:
        """How many hits the units in battle can take; submerging takes some away, too."""
        return sum(
            self.unit(piece).hits - piece.damage for pieces in scene.sides for piece in pieces if piece.status == READY
        )

    def strengths(self, pieces: Pieces, side: int) -> list[tuple[Piece, int]]:
        """Every piece with what it hits with; attacking artillery lifts one infantry each by 1."""
        support = sum(self.unit(piece).supports for piece in pieces) if side == ATTACKER else 0
        found = []
        for piece in sorted(pieces, key=lambda piece: (piece.damage, piece.place)):
            unit = self.unit(piece)
            strength = unit.attack if side == ATTACKER else unit.defence
            if unit.supported and support > 0:
                support -= 1
                strength = min(6, strength + 1)
            found.append((piece, strength))
        return found

    def hits(self, dice: list[int]) -> dict[int, Fraction]:
        """How likely each number of hits is; with low luck, six points of strength are a hit, one die the rest."""
        if self.rules.low_luck:
            sure, rest = divmod(sum(dice), 6)
            return {sure: Fraction(6 - rest, 6), **({sure + 1: Fraction(rest, 6)} if rest else {})}
        found = {0: Fraction(1)}
        for strength in dice:
            after: dict[int, Fraction] = {}
            for hits, chance in found.items():
                after[hits] = after.get(hits, Fraction(0)) + chance * Fraction(6 - strength, 6)
                after[hits + 1] = after.get(hits + 1, Fraction(0)) + chance * Fraction(strength, 6)
            found = after
        return {hits: chance for hits, chance in found.items() if chance}

    # Who is lost.

    def mark_losses(self, pieces: Pieces, hits: int, side: int, *, ships_only: bool) -> Pieces:
        """The side after it has chosen whom so many hits fall on; hits for which there is nobody are lost."""
        left = list(pieces)
        for _ in range(hits):
            targets = [
                piece
                for piece in left
                if piece.status == READY and (self.unit(piece).domain == "sea" or not ships_only)
            ]
            if not targets:
                break
            chosen = self.next_victim(targets, left, side)
            left.remove(chosen)
            whole = self.unit(chosen).hits - chosen.damage > 1
            left.append(chosen._replace(damage=chosen.damage + 1) if whole else chosen._replace(status=MARKED))
        return tuple(sorted(left))

    def next_victim(self, targets: list[Piece], pieces: list[Piece], side: int) -> Piece:
        """Who takes the next hit: a ship that is only damaged by it, else as the order of losses says."""
        order = self.orders[side]
        land = [piece for piece in pieces if piece.status == READY and self.unit(piece).domain == "land"]
        if order == "land" and len(land) == 1 and targets != land:
            targets = [piece for piece in targets if piece not in land]
        survivors = [piece for piece in targets if self.unit(piece).hits - piece.damage > 1]
        return min(survivors or targets, key=lambda piece: self.reluctance(piece, pieces, side))

    def price(self, side: int, piece: Piece) -> int:
        """What a unit costs, or its place in the order in which the side loses its units."""
        order = self.rules.attacker_order if side == ATTACKER else self.rules.defender_order
        return ranked_units(self.units, order)[piece.place].cost

    def reluctance(self, piece: Piece, pieces: list[Piece], side: int) -> tuple[int, ...]:
        """The price of losing a piece; the smaller, the sooner it is lost. Damaged ones are lost after their equals."""
        unit, last = self.unit(piece), (piece.damage, piece.place)
        if unit.hits - piece.damage > 1:
            return last
        if self.orders[side] == "pairs":
            ready = [each for each in pieces if each.status == READY]
            rest = ready[:]
            rest.remove(piece)
            missed = self.strength(ready, side) - self.strength(rest, side)
            return (missed, self.price(side, piece), *last)
        return (self.price(side, piece), unit.attack if side == ATTACKER else unit.defence, *last)

    def strength(self, pieces: list[Piece], side: int) -> int:
        return sum(strength for _, strength in self.strengths(tuple(pieces), side))
