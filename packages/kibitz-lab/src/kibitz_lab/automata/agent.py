"""The agent `automata` for any game of units: a team of learning automata that looks some turns ahead (Lie 2009)."""

from math import inf, prod
from typing import Annotated

import msgspec

from kibitz import core
from kibitz.core.errors import BadSpec
from kibitz.core.registry import kit_of
from kibitz.core.seeds import kernel_stream
from kibitz_lab.automata.look_ahead import LookAhead, Others
from kibitz_lab.automata.simulated_turns import ReachedPosition, SimulatedTurns, SquadTurns
from kibitz_lab.automata.table_learning import Outcomes, learn_on_table
from kibitz_lab.automata.team import Learning, TeamResult, Turns, Words
from kibitz_lab.automata.tier import Kind, Tier
from kibitz_lab.automata.turn_table import MOST_TURNS, NoTable, StateKey, TurnTable, shared_table
from kibitz_lab.search.mcts.agent import TIME_FRACTION

STEPS = 30_000
"""The agent builds no table that takes more steps of the rules, because learning without it is faster then."""
MOST_PLAYED = 4_000
"""Without a table, all tiers get fewer rounds, by the same share, if they would play more turns than these."""
FEWEST = 20
"""A weak player still learns for this many rounds, or for all its rounds if it has fewer."""


class Automata(core.Agent):
    """One automaton per unit, all given the same status, in *depth* tiers, one for each turn ahead.

    *kind* names the automata of the first tier, *later* those of the others. *rounds* and *rates* have one entry per
    tier; the last entry holds for all further tiers. A tier stops early once all its automata are this *sure*. Others
    learn on their own turn only if the look-ahead fits into a table, and are left out otherwise. A *reply* takes their
    place: with `axis.exact`, who plays perfectly, no plan is a bait for the short-sighted. With a table, *outcomes* are
    exact odds or dice; without one they are dice, corrected for luck. By odds and without a table, units with the same
    options also learn as *squads*, and the better turn is played. *span* is the pair of returns that count as 0 and 1.
    *strength* scales the rounds.
    """

    def __init__(
        self,
        kind: Kind = "bla",
        later: Kind | None = None,
        depth: Annotated[int, msgspec.Meta(ge=1, le=8)] = 2,
        rounds: Annotated[tuple[core.Count, ...], msgspec.Meta(min_length=1)] = (400, 200),
        rates: Annotated[tuple[core.Probability, ...], msgspec.Meta(min_length=1)] = (0.05, 0.1),
        limiter: core.Probability = 0.7,
        sure: core.Probability = 1.0,
        reply: core.Strategy | None = None,
        outcomes: Outcomes = "odds",
        squads: bool = True,
        span: tuple[float, float] | None = None,
        strength: core.Probability = 1.0,
    ) -> None:
        self.kind, self.later, self.depth, self.rounds, self.rates = kind, later, depth, rounds, rates
        self.limiter, self.sure, self.reply = limiter, sure, reply
        self.outcomes, self.squads, self.span = outcomes, squads, span
        self.strength = strength

    def manages(self, game: core.Game) -> bool:
        return kit_of(game).units is not None

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        if not self.manages(game):
            raise core.Unsupported(self, game, "it does not list its units, each of which needs an automaton")
        if self.span is not None and self.span[0] >= self.span[1]:
            raise BadSpec(repr(self), f"span: from {self.span[0]:g} to {self.span[1]:g} is not a range")
        self.plan: tuple[core.Key, list[int]] = (None, [])
        """The actions still to play in this turn, and the state they belong to."""
        self.found: TeamResult | None = None
        """What the team of the last turn learned."""

    def act(self, view: core.State, clock: core.Clock) -> int:
        key, actions = self.plan
        if key != view.key() or not actions:
            actions = self.plan_turn(view, clock)
        self.plan = (view.child(actions[0]).key() if len(actions) > 1 else None), actions[1:]
        return actions[0]

    def plan_turn(self, view: core.State, clock: core.Clock) -> list[int]:
        """An action for every unit that has not acted yet in this turn."""
        look_ahead = self.look_ahead("learning")
        options = look_ahead.options(view)
        if look_ahead.choices(view):
            self.found = self.learn_turn(view, look_ahead, clock)
            return [each[pick] for each, pick in zip(options, self.found.top, strict=True)]
        return [each[0] for each in options]

    def look_ahead(self, others: Others) -> LookAhead:
        """The agent's look-ahead."""
        replies: dict[int, core.Strategy] = {}
        for player in range(self.game.players):
            if self.reply is not None and player != self.player:
                replies[player] = self.reply.clone()
                replies[player].begin(self.game, player, self.rng)
        return LookAhead(self.game, self.player, self.depth, others, replies, self.span)

    def learn_turn(self, view: core.State, look_ahead: LookAhead, clock: core.Clock) -> TeamResult:
        """What its team learns: on a table if the look-ahead fits into one, else by playing."""
        seed = int(self.rng.integers(2**63))
        if prod(map(len, look_ahead.options(view))) <= MOST_TURNS:
            try:
                table = self.table(view, look_ahead)
                return learn_on_table(table, self.tiers(), seed, self.outcomes, squads=self.squads)
            except NoTable:
                pass
        return self.learn_by_playing(view, kernel_stream(seed, "automata"), clock)

    def learn_by_playing(self, view: core.State, words: Words, clock: core.Clock) -> TeamResult:
        """The turn that every unit learns for itself, or the squads' turn where that ends better."""
        turns = SimulatedTurns(self.look_ahead("absent"), view, words)
        squads, tiers, limit = SquadTurns(turns), self.tiers(MOST_PLAYED), TIME_FRACTION * clock.pace()

        def learn_from(by: Turns[ReachedPosition], share: float) -> TeamResult:
            def enough() -> bool:
                return clock.elapsed_seconds() >= share * limit

            return Learning(by, tiers, words, enough).learn_turn(turns.begin)

        if not self.squads:
            return learn_from(turns, 1.0)
        together = squads.unit_result(turns.begin, learn_from(squads, 0.5))
        return max(together, learn_from(turns, 1.0), key=lambda each: each.statuses[self.player])

    def table(self, view: core.State, look_ahead: LookAhead) -> TurnTable:
        """The table of its look-ahead."""
        if look_ahead.replies:
            return TurnTable(look_ahead, view, STEPS)
        beginning = StateKey(self.game, view.clone())
        return shared_table(beginning, self.player, self.depth, look_ahead.others, self.span, STEPS)

    def tiers(self, most: float = inf) -> list[Tier]:
        """The tiers of its turns; all their rounds together play at most *turns* turns."""
        rounds = [self.budget(self.rounds[min(number, len(self.rounds) - 1)]) for number in range(self.depth)]
        share = min(1.0, (most / prod(rounds)) ** (1.0 / self.depth))
        return [
            Tier(
                kind=self.later if number and self.later is not None else self.kind,
                rounds=max(1, int(share * rounds[number])),
                rate=self.rates[min(number, len(self.rates) - 1)],
                limiter=self.limiter,
                sure=self.sure,
            )
            for number in range(self.depth)
        ]

    def budget(self, rounds: int) -> int:
        """The rounds of a tier, scaled by strength."""
        return max(min(FEWEST, rounds), round(rounds * self.strength))
