"""Play-outs of look-ahead: what a plan earns on a line from everyone the other player may be, all of them at once.

Possible opponents stay together as long as they do the same, so an event that many of them lead to is worked out once.
"""

from collections.abc import Sequence
from typing import NamedTuple

from kibitz import core
from kibitz.games.trails.lookahead.line import Line, SimulatedNegotiator, together
from kibitz.games.trails.offers import PASS
from kibitz.games.trails.state import State

GOLDEN = 0.6180339887498949
DRAWS = 3
"""How often a plan is played out against an opponent who chooses at random."""
CHOOSING, JUDGING = 0.0, 0.17
"""Where the random draws begin that choose a plan, and those that judge it."""


class EvenDraws:
    """Numbers that fill [0, 1[ evenly, the same every time: draws for look-ahead, which must be reproducible."""

    def __init__(self, first: float) -> None:
        self.last = first

    def random(self) -> float:
        """The next number."""
        self.last = (self.last + GOLDEN) % 1.0
        return self.last


class Particle(NamedTuple):
    """A possible opponent, how likely they are, and where their random draws begin."""

    weight: float
    mind: SimulatedNegotiator
    first: float = 0.0


class Partner(NamedTuple):
    """The other player of a play-out: how likely they are, who they are, and their random draws."""

    weight: float
    mind: SimulatedNegotiator
    lots: EvenDraws


class Budget:
    """The limits of a search: a number of nodes, and the time of a clock."""

    def __init__(self, nodes: int, seconds: float, clock: core.Clock) -> None:
        self.nodes, self.seconds, self.clock, self.used = nodes, seconds, clock, 0

    def is_spent(self) -> bool:
        """Whether the budget is used up."""
        return self.used >= self.nodes or self.clock.elapsed_seconds() >= self.seconds


class Playouts:
    """Plays lines out from decisions of *player*, up to the round *until*; every event counts as a node of *budget*."""

    def __init__(self, player: int, until: int, budget: Budget) -> None:
        self.player, self.until, self.budget = player, until, budget

    def plan_value(self, line: Line, plan: SimulatedNegotiator, particles: Sequence[Particle], first: float) -> float:
        """What a plan earns, weighed by the particles: the mean of several draws for those who choose at random."""
        total, waiting = 0.0, [(line, partners(particles, first))]
        while waiting:
            line, group = waiting.pop()
            if self.is_leaf(line.state):
                total += sure_value(line, self.player) * sum([partner.weight for partner in group])
                continue
            state, player = line.state, self.player
            current = state.current_player()
            mine = PASS
            if current in (player, core.SIMULTANEOUS):
                mine = plan.policy(line).sample(group[0].lots)  # type: ignore[arg-type]
            for theirs, those in [(PASS, group)] if current == player else self.choices(line, group):
                waiting.append((line.after(together(state, player, mine, theirs)), those))
                self.budget.used += 1
        return total

    def choices(self, line: Line, group: Sequence[Partner]) -> list[tuple[int, list[Partner]]]:
        """What partners do on a line, those together who do the same."""
        found: dict[int, list[Partner]] = {}
        for partner in group:
            action = partner.mind.policy(line).sample(partner.lots)  # type: ignore[arg-type]
            found.setdefault(action, []).append(partner)
        return list(found.items())

    def is_leaf(self, state: State) -> bool:
        """Whether look-ahead ends here."""
        return state.round >= self.until or state.is_terminal()

    def decides(self, state: State) -> bool:
        """Whether it is the player's own turn, alone or with the other."""
        return state.current_player() in (self.player, core.SIMULTANEOUS)


def sure_value(line: Line, player: int) -> float:
    """What a player is sure of: their BestUse, which needs no further deal; the score if the game is over."""
    state = line.state
    if state.is_terminal():
        return state.returns()[player]
    return float(state.board.best_use(state.positions[player], state.assumed_chips(player)))


def partners(particles: Sequence[Particle], first: float) -> list[Partner]:
    """Those to play with: each particle once, and one who chooses at random several times."""
    return [
        Partner(one.weight / draws, one.mind, EvenDraws(one.first + first + draw / DRAWS))
        for one in particles
        for draws in ((DRAWS if one.mind.draws else 1),)
        for draw in range(draws)
    ]
