"""Look-ahead against several possible negotiators: what each action leads to if the player then follows a plan.

What the possible opponents do, up to the player's next decision, tells them apart after an action: those who do the
same stay together in a *cell*, and each cell gets the plan that is best against all in it. So what will be
learned counts, and what will not be known is not used. A cell can also be searched in turn, which beats a plan.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from kibitz import core
from kibitz.games.trails.chips import plus
from kibitz.games.trails.lookahead.limits import FITTED, Limits
from kibitz.games.trails.lookahead.line import Line, SimulatedNegotiator, together
from kibitz.games.trails.offers import PASS
from kibitz.games.trails.state import ACCEPT, OFFER, State

GOLDEN = 0.6180339887498949
SCREENED = 6
"""How many offers are searched, besides a probe and a pass."""
ROUNDED = 6
"""Values that agree to so many decimals are equal."""
DRAWS = 3
"""How often a plan is played out against an opponent who chooses at random."""
CHOOSING, JUDGING = 0.0, 0.17
"""Where the random draws begin that choose a plan, and those that judge it."""
NAMED = 3
"""Where a player may do more things than this, this many draws stand for them."""


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


class Cell(NamedTuple):
    """A line, and the possible opponents that lead to it."""

    line: Line
    particles: list[Particle]


class Budget:
    """The limits of a search: a number of nodes, and the time of a clock."""

    def __init__(self, nodes: int, seconds: float, clock: core.Clock) -> None:
        self.nodes, self.seconds, self.clock, self.used = nodes, seconds, clock, 0

    def is_spent(self) -> bool:
        """Whether the budget is used up."""
        return self.used >= self.nodes or self.clock.elapsed_seconds() >= self.seconds


class SearchResult(NamedTuple):
    """What a search found: the best action, and what each action of the last full stage is worth."""

    action: int
    values: dict[int, float]


class Prospect(NamedTuple):
    """How likely an offer is accepted, and how many points it brings at once."""

    accepted: float
    worth: float


class Search:
    """Looks *rounds* rounds ahead from decisions of *player*."""

    def __init__(
        self,
        player: int,
        plans: Sequence[SimulatedNegotiator],
        candidates: Callable[[Line], list[int]],
        leaf: Callable[[Line], float],
        rounds: int,
        depth: int,
        counter_offers: bool,
        budget: Budget,
        limits: Limits = FITTED,
    ) -> None:
        self.player, self.plans, self.candidates, self.leaf = player, plans, candidates, leaf
        self.rounds, self.depth, self.counter_offers, self.budget = rounds, depth, counter_offers, budget
        self.limits, self.until = limits, 0

    def best(self, line: Line, particles: Sequence[Particle]) -> SearchResult:
        """The best action on *line*, as far as the budget goes."""
        self.until = line.state.round + self.rounds
        # 1. Of many offers, those that promise most, and the one whose answer tells most.
        actions = self.screen(line, self.candidates(line), particles)
        # 2. All of these actions, each followed by a few plans.
        values = self.stage(line, actions, particles, self.plans[: self.limits.scouts], depth=0)
        # 3. The best of them with all plans, then with a choice of actions at the next decisions, too.
        for depth in range(self.depth + 1):
            ranked = sorted(values, key=lambda action: -values[action])[: self.limits.kept]
            found = self.stage(line, ranked, particles, self.plans, depth) if len(ranked) > 1 else {}
            if len(found) == len(ranked):  # a stage that was cut short says nothing
                values = found
        return SearchResult(max(values, key=lambda action: values[action]), values)

    def screen(self, line: Line, actions: list[int], particles: Sequence[Particle]) -> list[int]:
        """Of many offers a few: what brings most if one pays nothing, the most telling probe, and the last, a pass."""
        if line.state.phase != OFFER or len(actions) <= SCREENED + 2:
            return actions
        found = {action: self.prospect(line, action, particles) for action in actions[:-1]}
        probe = min(found, key=lambda action: abs(found[action].accepted - 0.5))
        likely = sorted(found, key=lambda action: -found[action].worth)[:SCREENED]
        return list(dict.fromkeys([*likely, probe, actions[-1]]))

    def prospect(self, line: Line, action: int, particles: Sequence[Particle]) -> "Prospect":
        """How likely an offer is accepted, and what it brings at once if one pays nothing."""
        offered = line.after((action,))
        agreed = offered.after((ACCEPT,))
        state, player = agreed.state, self.player
        bases, place, held = state.game.bases, state.positions[player], state.assumed_chips(player)
        accepted = worth = 0.0
        now = self.leaf(line)
        for particle in particles:
            self.budget.used += 1
            share = self.policy(particle.mind, offered).probability(ACCEPT)
            accepted += particle.weight * share
            if share > 0.0:
                sent = self.policy(particle.mind, agreed).named
                brought = sum(
                    part * state.board.best_use(place, plus(held, core.digits(chips, bases)))
                    for chips, part in sent.items()
                )
                worth += particle.weight * share * (brought - now)
        return Prospect(accepted, worth)

    def stage(
        self,
        line: Line,
        actions: Sequence[int],
        particles: Sequence[Particle],
        plans: Sequence[SimulatedNegotiator],
        depth: int,
    ) -> dict[int, float]:
        """The values of some actions: the first in any case, others as far as the budget goes."""
        values: dict[int, float] = {}
        for action in actions:
            value = sum(self.value(cell, plans, depth) for cell in self.cells(line, action, particles))
            if values and self.budget.is_spent():
                break
            values[action] = round(value, ROUNDED)
        return values

    def value(self, cell: Cell, plans: Sequence[SimulatedNegotiator], depth: int) -> float:
        """What a cell is worth, weighed by its particles: by the best plan, or by the best action and what follows."""
        line, particles = cell
        if self.is_leaf(line.state):
            return self.leaf(line) * sum(particle.weight for particle in particles)
        best = self.best_plan_value(line, particles, plans)
        for action in self.candidates(line) if depth else ():
            found = sum(self.value(cell, plans, depth - 1) for cell in self.cells(line, action, particles))
            if self.budget.is_spent():
                return best
            best = max(best, found)
        return best

    def best_plan_value(self, line: Line, particles: Sequence[Particle], plans: Sequence[SimulatedNegotiator]) -> float:
        """The value of the best plan, chosen by some draws and judged by others, so that luck does not count."""
        chosen, most = plans[0], float("-inf")
        for plan in plans:
            worth = self.plan_value(line, plan, particles, CHOOSING)
            if worth > most:
                chosen, most = plan, worth
            if self.budget.is_spent():
                break
        return self.plan_value(line, chosen, particles, JUDGING) if any(one.mind.draws for one in particles) else most

    def plan_value(self, line: Line, plan: SimulatedNegotiator, particles: Sequence[Particle], first: float) -> float:
        """The value of a plan, weighted by the particles: the mean of several draws for those who choose at random."""
        total = 0.0
        for one in particles:
            starts = [one.first + first + draw / DRAWS for draw in range(DRAWS)] if one.mind.draws else [first]
            found = sum(self.played_out(line, plan, one.mind, EvenDraws(start)) for start in starts)
            total += one.weight * found / len(starts)
        return total

    def played_out(self, line: Line, plan: SimulatedNegotiator, mind: SimulatedNegotiator, lots: EvenDraws) -> float:
        """The value of one play-out in which the player follows *plan* and the other is *mind*."""
        while not self.is_leaf(line.state):
            state = line.state
            current = state.current_player()
            mine = theirs = PASS
            if current in (self.player, core.SIMULTANEOUS):
                mine = self.policy(plan, line).sample(lots)  # type: ignore[arg-type]
            if current != self.player:
                theirs = self.policy(mind, line).sample(lots)  # type: ignore[arg-type]
            line = line.after(together(state, self.player, mine, theirs))
            self.budget.used += 1
        return self.leaf(line)

    def cells(self, line: Line, action: int, particles: Sequence[Particle]) -> list[Cell]:
        """Where *action* may lead up to the player's next decision, with the particles that lead there."""
        found: dict[Line, Cell] = {}
        for particle in particles:
            for reached, weight in self.next_lines(line, action, particle):
                cell = found.setdefault(reached, Cell(reached, []))
                cell.particles.append(particle._replace(weight=weight))
        return list(found.values())

    def next_lines(self, line: Line, action: int, particle: Particle) -> Iterator[tuple[Line, float]]:
        """The lines that one particle may lead to, and how likely."""
        for theirs, weight in self.replies(line, particle):
            self.budget.used += 1
            after = line.after(together(line.state, self.player, action, theirs))
            if self.is_leaf(after.state) or self.decides(after.state):
                yield after, weight
            else:
                yield from self.next_lines(after, PASS, particle._replace(weight=weight))

    def replies(self, line: Line, particle: Particle) -> list[tuple[int, float]]:
        """What a particle may do here, and how likely; a few draws where there are many."""
        if line.state.current_player() == self.player:
            return [(PASS, particle.weight)]
        policy = self.policy(particle.mind, line)
        if len(policy.named) <= NAMED and not policy.rest:
            return [(action, particle.weight * share) for action, share in policy.named.items() if share]
        lots = EvenDraws(particle.first)
        drawn = [policy.sample(lots) for _ in range(NAMED)]  # type: ignore[arg-type]
        return [(action, particle.weight / NAMED) for action in drawn]

    def policy(self, mind: SimulatedNegotiator, line: Line) -> core.Distribution:
        """What a negotiator does on a line; without counter-offers they pass instead."""
        state = line.state
        if state.phase == OFFER and state.proposals and not self.counter_offers:
            return core.Distribution.certain(PASS, (PASS,))
        return mind.policy(line)

    def is_leaf(self, state: State) -> bool:
        """Whether look-ahead ends here."""
        return state.round >= self.until or state.is_terminal()

    def decides(self, state: State) -> bool:
        """Whether it is the player's own turn, alone or with the other."""
        return state.current_player() in (self.player, core.SIMULTANEOUS)
