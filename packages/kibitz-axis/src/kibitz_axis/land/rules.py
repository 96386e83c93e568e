"""The rules of Axis & Allies on land: one order per unit, battles drawn from their exact odds, a fixed number of turns.

A turn of a power: its units are ordered one after the other; then all move at once, battles are fought area by area,
and where the rules split moves in two, units that have not moved get a second order and aircraft land. A state counts
units, it does not name them: two infantry in one area are the same, and orders that differ only in which of them goes
where lead to one state.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kibitz import core
from kibitz_axis.land.board import NOBODY
from kibitz_axis.land.changes import Arrivals, Fight, TurnChanges, add_armies
from kibitz_axis.land.movement import COMBAT, NONCOMBAT, Flight, Front, Post, scripted_posts
from kibitz_axis.units import Army, army_text, spell_unit

if TYPE_CHECKING:
    from kibitz_axis.game import Axis


class State(core.State):
    """Armies by area and power, owners, whose turn it is, the orders given so far, and the battles that wait."""

    def __init__(self, game: "Axis") -> None:
        self.game, self.board = game, game.board
        self.forces: tuple[Army, ...] = self.board.forces
        self.owners: tuple[int | None, ...] = tuple(area.owner for area in self.board.areas)
        self.turn, self.mover, self.phase = 0, 0, COMBAT
        self.orders: list[int] = []
        self.fights: tuple[Fight, ...] = ()
        self.tired: tuple[tuple[int, Army], ...] = ()
        """Units of the mover that have moved, by area."""
        self.flights: tuple[Flight, ...] = ()
        self.taken: tuple[int, ...] = ()
        """Areas taken this turn, where aircraft cannot land."""
        self.posts: tuple[Post, ...] = ()
        self.ask(COMBAT)
        if not self.posts:
            self.end_phase()

    # What a player sees and may do.

    def current_player(self) -> int:
        if self.turn >= self.board.turns:
            return core.TERMINAL
        return core.CHANCE if self.fights else self.mover

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        if self.fights or self.turn >= self.board.turns or (player is not None and player != self.mover):
            return ()
        return self.posts[len(self.orders)].options

    def chance_outcomes(self) -> list[tuple[int, float]]:
        if not self.fights or self.turn >= self.board.turns:
            return []
        return [(number, chance) for number, (_, _, chance) in enumerate(self.endings())]

    def endings(self) -> tuple[tuple[Army, Army, float], ...]:
        """How the current battle may end."""
        fight = self.fights[0]
        return self.board.endings(fight.attackers, self.defenders(fight.area))

    def defenders(self, area: int) -> Army:
        """All enemies of the mover in an area."""
        found = NOBODY
        for enemy in self.board.enemies[self.mover]:
            found = add_armies(found, self.army(area, enemy))
        return found or (0,) * len(self.board.units)

    def army(self, area: int, power: int) -> Army:
        """What a power has in an area."""
        return self.forces[area * len(self.board.powers) + power]

    def gain(self) -> float:
        """What the first side has won so far, in IPC."""
        gain = self.board.balance(self.forces, self.owners) - self.board.initial_balance
        for fight in self.fights:
            gain += self.board.balance_value(self.mover, fight.attackers)
        prices = (self.board.prices[flight.kind] for flight in self.flights)
        return gain + sum(prices) * (1.0 if self.board.powers[self.mover].side == 0 else -1.0)

    def returns(self) -> list[float]:
        gain = self.gain()
        return [gain if power.side == 0 else 0.0 - gain for power in self.board.powers]

    # What happens.

    def apply_action(self, action: int) -> None:
        if self.fights:
            self.settle(action)
            return
        self.orders = [*self.orders, action]  # copies share the list
        if len(self.orders) == len(self.posts):
            self.carry_out()

    def ask(self, phase: str) -> None:
        """Begin a phase of the mover with the units that have a choice in it."""
        self.phase, self.orders = phase, []
        front = Front(self.board, self.mover, self.forces, self.owners, self.taken)
        posts = front.posts(phase, dict(self.tired), self.flights)
        script = self.board.powers[self.mover].script
        self.posts = posts if script is None or phase != COMBAT else scripted_posts(script, self.turn, posts)

    def end_phase(self) -> None:
        """Go on to the next phase in which a unit has a choice; if there is none, end the game."""
        phases = 2 if self.board.switches.noncombat else 1
        for _ in range(phases * (len(self.board.powers) + 1)):
            if self.phase == COMBAT and phases == 2:
                self.ask(NONCOMBAT)
            else:
                self.end_turn()
                if self.turn >= self.board.turns:
                    self.phase, self.orders, self.posts = COMBAT, [], ()
                    return
                self.ask(COMBAT)
            if self.posts:
                return
        self.turn, self.mover, self.posts = self.board.turns, 0, ()

    def end_turn(self) -> None:
        """Pass the turn to the next power, and after the last one begin the next turn, unless a side has won."""
        self.tired, self.flights, self.taken = (), (), ()
        self.mover += 1
        if self.mover == len(self.board.powers):
            self.mover, self.turn = 0, self.board.turns if self.has_won() else self.turn + 1

    def has_won(self) -> bool:
        """Whether a side holds enough cities."""
        wanted = self.board.switches.victory
        held = [0, 0]
        for area, owner in zip(self.board.areas, self.owners, strict=True):
            if area.city and owner is not None:
                held[self.board.powers[owner].side] += 1
        return 0 < wanted <= max(held)

    def carry_out(self) -> None:
        """Move all units at once; enter empty areas, and queue the battles."""
        working, areas = self.working(), len(self.board.areas)
        groups: dict[int, Arrivals] = {}
        gone: dict[tuple[int, int], int] = {}
        for post, order in zip(self.posts, self.orders, strict=True):
            area, kind, _, flight = post
            if order == area and flight is None:
                continue
            via, to = divmod(order, areas)
            if flight is not None:
                working.add(to, self.mover, kind)
                continue
            gone[area, kind] = gone.get((area, kind), 0) + 1
            if to not in groups:
                groups[to] = Arrivals(self.board)
            groups[to].join(post, to)
            if via:
                working.take(via - 1, self.mover)
        for (area, kind), number in gone.items():
            working.add(area, self.mover, kind, -number)
        self.flights = ()
        fights = []
        for area, group in sorted(groups.items()):
            defenders = self.defenders(area)
            if any(defenders[kind] for kind in self.board.fighters):
                fights.append(group.fight(area))
            else:
                working.arrive(area, self.mover, tuple(group.counts))
        self.keep(working)
        self.fights, self.orders, self.posts = tuple(fights), [], ()
        if not fights:
            self.end_phase()

    def settle(self, ending: int) -> None:
        """End the current battle as chance has drawn."""
        fight, working = self.fights[0], self.working()
        attackers, defenders, _ = self.endings()[ending]
        working.lose(fight.area, self.board.enemies[self.mover], self.defenders(fight.area), defenders)
        landed = tuple(0 if unit.domain == "air" else n for n, unit in zip(attackers, self.board.units, strict=True))
        if any(landed):
            working.arrive(fight.back if any(defenders) else fight.area, self.mover, landed)
        flown = [flight for kind, n in enumerate(attackers) for flight in fight.flying(kind)[:n]]
        if self.board.switches.noncombat:
            self.flights = tuple(sorted((*self.flights, *flown)))
        else:
            for flight in flown:
                working.add(flight.origin, self.mover, flight.kind)
        self.keep(working)
        self.fights = self.fights[1:]
        if not self.fights:
            self.end_phase()

    def working(self) -> TurnChanges:
        """Armies and owners to be changed."""
        return TurnChanges(self.board, self.forces, self.owners, self.tired, self.taken)

    def keep(self, working: TurnChanges) -> None:
        """Take over computed armies and owners."""
        self.forces, self.owners = tuple(working.forces), tuple(working.owners)
        self.tired, self.taken = tuple(sorted(working.tired.items())), tuple(sorted(working.taken))

    # Keys and words.

    def key(self) -> core.Key:
        given = self.orders_given()
        fights = tuple((fight.area, fight.attackers, fight.flights, fight.back) for fight in self.fights)
        when = self.turn, self.mover, self.phase
        return when, self.forces, self.owners, given, fights, self.tired, tuple(self.flights), self.taken

    def orders_given(self) -> tuple[tuple[int, int, int], ...]:
        """The orders of this phase as area, kind of unit and option, whichever of equal units got which."""
        posts = zip(self.posts, self.orders, strict=False)
        return tuple(sorted((post.area, post.kind, order) for post, order in posts))

    def action_to_string(self, player: int, action: int) -> str:
        if player == core.CHANCE:
            return self.ending_text(action)
        return self.order_text(self.posts[len(self.orders)], action)

    def string_to_action(self, player: int, text: str) -> int:
        return super().string_to_action(player, text if player == core.CHANCE else spell_unit(text, self.board.units))

    def order_text(self, post: Post, order: int) -> str:
        """An order to a unit, in words."""
        via, to = divmod(order, len(self.board.areas))
        name, areas = self.board.units[post.kind].name, self.board.areas
        if to == post.area and not via:
            return f"{name} {areas[to].name} stays"
        way = (post.area, via - 1, to) if via else (post.area, to)
        return f"{name} {' > '.join(areas[place].name for place in way)}"

    def ending_text(self, ending: int) -> str:
        """How a battle ended, in words."""
        attackers, defenders, _ = self.endings()[ending]
        left = [army_text(army, self.board.units) for army in (attackers, defenders)]
        return f"{self.board.areas[self.fights[0].area].name}: attackers {left[0]}, defenders {left[1]}"

    def __str__(self) -> str:
        board = self.board
        lines = []
        for place, area in enumerate(board.areas):
            armies = [(power, self.army(place, number)) for number, power in enumerate(board.powers)]
            standing = "; ".join(f"{power.name} {army_text(army, board.units)}" for power, army in armies if army)
            owner = self.owners[place]
            if standing or owner is not None:
                lines.append(f"{area.name} ({board.powers[owner].name if owner is not None else 'nobody'}): {standing}")
        if self.turn >= board.turns:
            return "\n".join([*lines, f"over, gain {self.gain():g}"])
        asked = f"order {len(self.orders) + 1} of {len(self.posts)}" if not self.fights else "battle"
        who = f"turn {self.turn + 1} of {board.turns}, {board.powers[self.mover].name}, {self.phase}, {asked}"
        told = [self.order_text(Post(area, kind, ()), order) for area, kind, order in self.orders_given()]
        return "\n".join([*lines, f"{who}, gain {self.gain():g}", *told])
