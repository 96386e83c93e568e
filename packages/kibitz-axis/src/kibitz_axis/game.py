"""`Axis`: the game and its options, of the land scenarios and of the whole game."""

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from kibitz import core
from kibitz.core.errors import BadSpec
from kibitz_axis.battle.problem import Order
from kibitz_axis.land.board import Board, Power, Whole, adapt_board
from kibitz_axis.land.board_checks import rule_faults
from kibitz_axis.land.rules import State
from kibitz_axis.land.scenarios import SCENARIOS, load

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

    def new_initial_state(self) -> State:
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
