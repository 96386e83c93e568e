"""The rules of Axis & Allies on land: one order per unit, battles drawn from their exact odds, a fixed number of turns.

A turn of a power: its units are ordered one after the other; then all move at once, battles are fought area by area,
and where the rules split moves in two, units that have not moved get a second order and aircraft land. A state counts
units, it does not name them: two infantry in one area are the same, and orders that differ only in which of them goes
where lead to one state.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from kibitz import core
from kibitz.core.errors import BadSpec
from kibitz_axis.adapted_boards import adapt_board
from kibitz_axis.battle.problem import Order
from kibitz_axis.board import NOBODY, Board, Power, Whole
from kibitz_axis.board_checks import rule_faults
from kibitz_axis.changes import Arrivals, Fight, TurnChanges, add_armies
from kibitz_axis.movement import COMBAT, NONCOMBAT, Flight, Front, Post, scripted_posts
from kibitz_axis.scenarios import SCENARIOS, load
from kibitz_axis.units import Army, army_text, spell_unit

if TYPE_CHECKING:
    from kibitz_axis.full.board import World
    from kibitz_axis.full.rules_options import FullRules
    from kibitz_axis.full.tables import WorldRules


class Axis(core.Game):
    """Axis & Allies on land: take areas and destroy units, counted in IPC, within a number of turns.

    *scenario* is the name of one that comes with the game, or a TOML file. Other parameters take the place of what the
    scenario says; with *scripted* off, powers that have a script move freely. *span* are the gains that are worth 0 and
    1 to a learner. With *rules* `full` the whole game is played, sea, air and economy included, for *turns* rounds;
    *switches* name its rules that differ (`rules_options.FullRules`). A TripleA map is always played as a whole game.
    """

    max_plies = 100_000

    def __init__(
        self,
        scenario: str = "s1",
        turns: Whole = 0,
        scripted: bool = True,
        blitz: bool | None = None,
        noncombat: bool | None = None,
        losses: Order | None = None,
        retreat: Whole | None = None,
        low_luck: bool | None = None,
        victory: Whole | None = None,
        span: tuple[float, float] | None = None,
        rules: Literal["land", "full"] = "land",
        switches: dict[str, bool | int | str | dict[str, int]] | None = None,
    ) -> None:
        self.scenario, self.turns, self.scripted, self.span = scenario, turns, scripted, span
        self.blitz, self.noncombat, self.victory = blitz, noncombat, victory
        self.losses, self.retreat, self.low_luck = losses, retreat, low_luck
        self.rules = "full" if scenario.endswith(".xml") else rules
        self.switches = switches

    @classmethod
    def known_values(cls, parameter: str) -> Iterable[str]:
        return SCENARIOS if parameter == "scenario" else ()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.scenario, *self.changes(), self.rules, self.switches)

    def changes(self) -> tuple[Any, ...]:
        """The parameters besides the scenario, in their order."""
        rules = self.blitz, self.noncombat, self.losses, self.retreat, self.low_luck, self.victory
        return self.turns, self.scripted, *rules, self.span

    @cached_property
    def board(self) -> Board:
        """The scenario, with the other parameters in place of what it says."""
        if self.rules == "full":
            return self.world.board
        board = adapt_board(load(self.scenario), *self.changes())
        for why, *_ in rule_faults(board):
            raise BadSpec(repr(self), why)
        if self.switches:
            raise BadSpec(repr(self), "switches are for the whole game: add rules=full")
        return board

    @cached_property
    def world(self) -> "World":
        """The board of the whole game."""
        from kibitz_axis.full.board import SUPPLEMENTS, read_world

        if self.scenario not in SUPPLEMENTS and not self.scenario.endswith(".xml"):
            played = f"{', '.join(SUPPLEMENTS)} and on TripleA's map files (.xml)"
            raise BadSpec(repr(self), f"the whole game is played on {played}, not {self.scenario!r}")
        return read_world(self.scenario)

    @cached_property
    def full_rules(self) -> "FullRules":
        """The rules of the whole game: its switches, and those parameters that mean the same in both."""
        from kibitz_axis.full.rules_options import read_rules

        only_land = ("blitz", "noncombat", "losses", "retreat", "victory", "span")
        for name in only_land:
            if getattr(self, name) is not None:
                raise BadSpec(repr(self), f"{name} is a rule of the land scenarios; the whole game has switches")
        given: dict[str, Any] = {"low_luck": self.low_luck} if self.low_luck is not None else {}
        given |= {"rounds": self.turns} if self.turns else {}
        powers = [power.name for power in self.world.powers]
        return read_rules({**given, **(self.switches or {})}, self.world.defaults, powers)

    @cached_property
    def tables(self) -> "WorldRules":
        """The whole game as its rules know it."""
        from kibitz_axis.full.tables import WorldRules

        return WorldRules(self.world, self.full_rules)

    @cached_property
    def players(self) -> int:  # type: ignore[override]
        return len(self.powers)

    @property
    def powers(self) -> tuple[Power, ...]:
        """The powers, by number."""
        return self.world.powers if self.rules == "full" else self.board.powers

    @cached_property
    def utility(self) -> tuple[float, float]:  # type: ignore[override]
        if self.rules == "full":
            return -1.0, 1.0
        return -self.board.most, self.board.most

    @cached_property
    def zero_sum(self) -> bool:  # type: ignore[override]
        sides = [power.side for power in self.powers]
        return len(set(sides)) == 2 and sides.count(0) == sides.count(1)

    @cached_property
    def teams(self) -> tuple[tuple[int, ...], ...]:
        sides = sorted({power.side for power in self.powers})
        return tuple(tuple(n for n, power in enumerate(self.powers) if power.side == side) for side in sides)

    def new_initial_state(self) -> "State":
        if self.rules == "full":
            from kibitz_axis.full.game import initial_state

            return initial_state(self)  # type: ignore[return-value]  # a state of the other rules
        return State(self)

    def player_name(self, player: int) -> str:
        return self.powers[player].name

    def status(self, gain: float) -> float:
        """A gain of the first side as a number from 0 to 1, by the scenario's range."""
        low, high = self.board.span or self.utility
        return min(1.0, max(0.0, (gain - low) / (high - low)))


class State(core.State):
    """Armies by area and power, owners, whose turn it is, the orders given so far, and the battles that wait."""

    def __init__(self, game: Axis) -> None:
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
