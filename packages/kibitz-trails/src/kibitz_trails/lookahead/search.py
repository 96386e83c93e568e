"""Look-ahead against several possible negotiators: what each action leads to if the player then follows a plan.

What the possible opponents do, up to the player's next decision, tells them apart after an action: those who do the
same stay together in a *cell*, and each cell gets the plan that is best against all in it. So what will be
learned counts, and what will not be known is not used.

All actions are compared at every moment: a plan is tried on each of them before the next plan is tried on any. When
the budget ends, what was found with the plans before counts.

Play-outs of look-ahead: what a plan earns on a line from everyone the other player may be, all of them at once.

Possible opponents stay together as long as they do the same, so an event that many of them lead to is worked out once.
"""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from kibitz import core
from kibitz_trails.agents.proposers import Growing
from kibitz_trails.board import plus
from kibitz_trails.lookahead.candidates import Line, SimulatedNegotiator, together
from kibitz_trails.offers import PASS
from kibitz_trails.rules import ACCEPT, OFFER, State

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
    negotiator: SimulatedNegotiator
    first: float = 0.0


class Partner(NamedTuple):
    """The other player of a play-out: how likely they are, who they are, and their random draws."""

    weight: float
    negotiator: SimulatedNegotiator
    draws: EvenDraws


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
                mine = plan.policy(line).sample(group[0].draws)  # type: ignore[arg-type]
            for theirs, those in [(PASS, group)] if current == player else self.choices(line, group):
                waiting.append((line.after(together(state, player, mine, theirs)), those))
                self.budget.used += 1
        return total

    def choices(self, line: Line, group: Sequence[Partner]) -> list[tuple[int, list[Partner]]]:
        """What partners do on a line, those together who do the same."""
        found: dict[int, list[Partner]] = {}
        for partner in group:
            action = partner.negotiator.policy(line).sample(partner.draws)  # type: ignore[arg-type]
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
        Partner(one.weight / draws, one.negotiator, EvenDraws(one.first + first + draw / DRAWS))
        for one in particles
        for draws in ((DRAWS if one.negotiator.is_random else 1),)
        for draw in range(draws)
    ]


SCREENED = 4
"""How many offers are searched, besides those that earn trust, a probe and a pass."""
SCOUTS, KEPT = 3, 4
"""How many plans are tried on every action, and how many actions are searched again with all plans."""
ROUNDED = 6
"""Values that agree to so many decimals are equal."""
NAMED = 3
"""Where a player may do more things than this, this many draws stand for them."""


class Cell:
    """A line, the possible opponents that lead to it, and the best plan so far against all of them."""

    def __init__(self, line: Line, particles: list[Particle]) -> None:
        self.line, self.particles = line, particles
        self.plan: SimulatedNegotiator | None = None
        self.value = float("-inf")
        """What the plan earns, weighed by the particles."""
        self.judged: float | None = None
        """The same by other draws than those that chose the plan, so that luck does not count."""

    def choose(self, plan: SimulatedNegotiator, value: float) -> None:
        """Follow *plan* from here on if it earns more."""
        if value > self.value:
            self.plan, self.value, self.judged = plan, value, None


class Branch(NamedTuple):
    """An action, and the cells that it leads to."""

    action: int
    cells: list[Cell]


class SearchResult(NamedTuple):
    """What a search found: the best action, and what each action that was compared to the end is worth."""

    action: int
    values: dict[int, float]


class Prospect(NamedTuple):
    """How likely an offer is accepted, and how many points it brings at once."""

    accepted: float
    gain: float


class Search(Playouts):
    """Looks *rounds* rounds ahead from decisions of *player*."""

    def __init__(
        self,
        player: int,
        plans: Sequence[SimulatedNegotiator],
        candidates: Callable[[Line], list[int]],
        rounds: int,
        budget: Budget,
    ) -> None:
        super().__init__(player, 0, budget)
        self.plans, self.candidates, self.rounds = plans, candidates, rounds

    def best(self, line: Line, particles: Sequence[Particle]) -> SearchResult:
        """The best action on *line*, as far as the budget goes."""
        with collection_paused():
            return self.search_within_budget(line, particles)

    def search_within_budget(self, line: Line, particles: Sequence[Particle]) -> SearchResult:
        """The same, step by step."""
        self.until = line.state.round + self.rounds
        # 1. Of many offers, those that promise most, and the one whose answer tells most.
        actions = self.screen(line, self.candidates(line), particles)
        branches = [Branch(action, self.cells(line, action, particles)) for action in actions]
        # 2. All of these actions, each followed by a few plans.
        branches = self.compare(branches, self.plans[:SCOUTS])
        # 3. The best of them with all plans.
        values = {branch.action: self.judge(branch) for branch in branches}
        ranked = sorted(branches, key=lambda branch: -values[branch.action])[:KEPT]
        if len(ranked) > 1:
            ranked = self.compare(ranked, self.plans[SCOUTS:])
        values = {branch.action: self.judge(branch) for branch in ranked}
        return SearchResult(max(values, key=lambda action: values[action]), values)

    def compare(self, branches: list[Branch], plans: Sequence[SimulatedNegotiator]) -> list[Branch]:
        """Try plans in turn, each on all branches; where not even the first gets so far, some branches are left out."""
        for plan in plans:
            values: list[list[float]] = []
            for branch in branches:
                values.append([self.plan_value(cell.line, plan, cell.particles, CHOOSING) for cell in branch.cells])
                if self.budget.is_spent():
                    break
            if len(values) < len(branches):
                if branches[0].cells[0].plan is not None:
                    break
                branches = branches[: len(values)]
            for branch, of_cells in zip(branches, values, strict=True):
                for cell, value in zip(branch.cells, of_cells, strict=True):
                    cell.choose(plan, value)
            if self.budget.is_spent():
                break
        return branches

    def judge(self, branch: Branch) -> float:
        """What an action is worth with the best plan of each cell, judged by other draws than those that chose it."""
        total = 0.0
        for cell in branch.cells:
            if cell.judged is None:
                assert cell.plan is not None
                drawn = any(one.negotiator.is_random for one in cell.particles)
                cell.judged = self.plan_value(cell.line, cell.plan, cell.particles, JUDGING) if drawn else cell.value
            total += cell.judged
        return round(total, ROUNDED)

    def screen(self, line: Line, actions: list[int], particles: Sequence[Particle]) -> list[int]:
        """Of many offers a few: what brings most if one pays nothing, first steps to trust, a probe that tells, a pass.

        Of equals those come first that ask for the fewest chips: small promises are kept by more strangers. Of offers
        that nobody would treat differently, one is enough.
        """
        if line.state.phase != OFFER:
            return actions
        prospects = {action: self.prospect(line, action, particles) for action in actions if action != PASS}
        if not prospects:
            return actions
        offers = line.state.offers()
        probe = min(prospects, key=lambda action: abs(prospects[action].accepted - 0.5))
        ranked = sorted(prospects, key=lambda action: (-prospects[action].gain, sum(offers.sides(action)[1])))
        alike: dict[Prospect, int] = {}
        for action in ranked:
            alike.setdefault(prospects[action], action)
        trusting = [action for action in self.first_steps(line) if action in prospects]
        passes = [action for action in actions if action == PASS]
        return list(dict.fromkeys([*list(alike.values())[:SCREENED], *trusting, probe, *passes]))

    def first_steps(self, line: Line) -> list[int]:
        """What plans offer that earn trust: it brings little at once, and is worth a look for what follows."""
        plans = [plan for plan in self.plans if isinstance(plan.agent.design.proposer, Growing)]
        return [plan.policy(line).top(1)[0][0] for plan in plans]

    def prospect(self, line: Line, action: int, particles: Sequence[Particle]) -> "Prospect":
        """How likely an offer is accepted, and what it brings at once if one pays nothing."""
        offered = line.after((action,))
        agreed = offered.after((ACCEPT,))
        state, player = agreed.state, self.player
        bases, place, held = state.game.bases, state.positions[player], state.assumed_chips(player)
        accepted = gain = 0.0
        now = sure_value(line, player)
        for particle in particles:
            probability = particle.negotiator.policy(offered).probability(ACCEPT)
            accepted += particle.weight * probability
            if probability > 0.0:
                sent = particle.negotiator.policy(agreed).named
                brought = sum(
                    fraction * state.board.best_use(place, plus(held, core.digits(chips, bases)))
                    for chips, fraction in sent.items()
                )
                gain += particle.weight * probability * (brought - now)
        return Prospect(accepted, round(gain, ROUNDED))

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
            after = line.after(together(line.state, self.player, action, theirs))
            if self.is_leaf(after.state) or self.decides(after.state):
                yield after, weight
            else:
                yield from self.next_lines(after, PASS, particle._replace(weight=weight))

    def replies(self, line: Line, particle: Particle) -> list[tuple[int, float]]:
        """What a particle may do here, and how likely; a few draws where there are many."""
        if line.state.current_player() == self.player:
            return [(PASS, particle.weight)]
        policy = particle.negotiator.policy(line)
        if len(policy.named) <= NAMED and not policy.rest:
            return [(action, particle.weight * chance) for action, chance in policy.named.items() if chance]
        draws = EvenDraws(particle.first)
        drawn = [policy.sample(draws) for _ in range(NAMED)]  # type: ignore[arg-type]
        return [(action, particle.weight / NAMED) for action in drawn]


@contextmanager
def collection_paused() -> Iterator[None]:
    """Collects no garbage meanwhile: a search builds large trees without cycles, and would be held up to walk them."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
