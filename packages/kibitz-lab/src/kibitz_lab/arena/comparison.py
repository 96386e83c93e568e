"""Is A better than B, and how sure are we? Plays until the answer is clear, within a budget.

A comparison is a tournament of one group with an open number of blocks: its definition names no budget, so that you
can add matches later. Blocks are used in the order of their numbers, whenever they were completed, and none after the
one that decided: the answer is the same on any machine, and after any interruption.
"""

from collections.abc import Generator, Sequence
from contextlib import closing
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from kibitz.core.errors import BadDefinition
from kibitz.core.game import CHANCE, SIMULTANEOUS, Game
from kibitz.core.registry import default_agents
from kibitz.core.seeds import stream
from kibitz_lab.arena.executors import Executor
from kibitz_lab.arena.plan import Plan, make_plan
from kibitz_lab.arena.runs import TournamentRun
from kibitz_lab.arena.series import known_game
from kibitz_lab.arena.statistics import Estimate, ResultColumns, Sequential, Summary, mean_interval, summary
from kibitz_lab.arena.statistics.intervals import Floats, difference_bounds, digits, percent
from kibitz_lab.arena.tournament import named_agents
from kibitz_lab.store import MatchResult
from kibitz_lab.store.results import RunKind

if TYPE_CHECKING:
    from kibitz_lab.store import Store

SHARE = 0.1
"""The default smallest difference of interest, as a share of the score range."""
SAME = 10
"""Number of identical blocks after which more of them would add nothing."""
OPENING = 4
"""The default number of random moves in games without chance."""
LONGER = 1.5
"""The ratio of thinking times from which it is reported as an advantage."""

Verdict = Literal["better", "worse", "alike", "undecided", "repeated"]


class SeatRow(msgspec.Struct, frozen=True):
    """The matches with A in one seat: A's returns minus B's, and how often A earned more, as much, or less."""

    seat: int
    difference: Estimate
    won: int
    drawn: int
    lost: int


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a comparison; `--json` prints it as it is."""

    run: int
    game: str
    a: str
    b: str
    verdict: Verdict
    """About A: better or worse than B, alike (no difference as large as *least*), undecided, or one game repeated."""
    sentence: str
    difference: Estimate
    """A's returns minus B's per match; the interval is valid whenever you stop."""
    least: float
    alpha: float
    ratios: dict[str, float]
    """Log-likelihood ratios of the claims, each decided at *limit*."""
    limit: float
    matches: int
    """The matches behind the verdict; the store may hold later ones."""
    stored: int
    most: int
    opening: int
    seed: int
    won: int
    """Matches in which A earned more than B."""
    drawn: int
    lost: int
    seats: list[SeatRow]
    """By A's seat; these intervals are for a fixed number of matches."""
    agents: list[Summary]
    notes: list[str]
    zero_sum: bool = True
    """Whether the game is zero-sum; in others, the agent that earns more than the other need not be the better one."""


def comparison(game: str, a: str, b: str, others: Sequence[str] = (), **conditions: Any) -> Plan:
    """The plan of the tournament in which A and B meet, with *others* in the other seats, by default the game's own.

    *conditions* are the tournament's: seed, series, opening, move_time …
    """
    made = known_game(game)
    free = made.players - 2
    if free < 0:
        raise BadDefinition("comparison", f"{made!r} has only one seat; a comparison needs two")
    if len(others) > free:
        raise BadDefinition("comparison", f"you named {len(others)} others; {made!r} has {free} seats besides the two")
    around = others or (default_agents(made) if free else [])
    agents = named_agents([a, b, *(around[seat % len(around)] for seat in range(free))])
    given: dict[str, Any] = {
        "games": (game,),
        "agents": agents,
        "format": "fields",
        "fields": (tuple(agents),),
        "seats": "swap",
    }
    given |= {"opening": default_opening(made), **conditions}
    return make_plan(given, "comparison")


def default_opening(game: Game) -> int:
    """The default number of random moves: a few if nothing else makes matches differ.

    None in games with chance or simultaneous moves; otherwise a few, never a large part of the game.
    """
    rng = stream(0, "opening")
    lengths = []
    for _ in range(5):
        state, plies = game.new_initial_state(), 0
        while not state.is_terminal() and plies < 10 * OPENING:
            if state.current_player() in (CHANCE, SIMULTANEOUS):
                return 0
            legal = state.legal_actions()
            state.apply_action(legal[int(rng.integers(len(legal)))])
            plies += 1
        lengths.append(plies)
    return min(OPENING, min(lengths) // 4)


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """How sure the answer should be, and how long it may take."""

    least: Annotated[float | None, "D"] = None
    """Smallest difference of interest (default: 10 % of the score range)."""
    alpha: Annotated[float, "P"] = 0.05
    """Maximum probability of a wrong answer."""
    width: Annotated[float | None, "W"] = None
    """Play until the difference is known to ±W."""
    most: Annotated[int, "-n", msgspec.Meta(ge=1)] = 2000
    """Maximum number of matches."""


class ComparisonRun:
    """A comparison in a store: the matches played, and the rest as far as it is needed."""

    def __init__(
        self,
        plan: Plan,
        store: "Store",
        evidence: Evidence = Evidence(),  # noqa: B008 - it is frozen
        *,
        fresh: bool = False,
    ) -> None:
        tournament = plan.tournament
        (self.game,) = plan.games.values()
        self.a, self.b = tournament.fields[0][:2]
        self.size = plan.block_size
        least, self.width = evidence.least, evidence.width
        self.test = Sequential(
            SHARE * _range(self.game) if least is None else least,
            alpha=evidence.alpha,
            bounds=difference_bounds(self.game.utility),
            width=evidence.width,
        )
        self.blocks = evidence.most // self.size
        if not self.blocks:
            raise BadDefinition("comparison", f"a block has {self.size} matches, so {evidence.most} are too few")
        definition = msgspec.json.encode(tournament).decode()
        name = f"{tournament.games[0]}: {self.a} against {self.b}"
        plan = plan.with_blocks(self.blocks)
        run = store.begin(RunKind.COMPARISON, name, definition, plan.match_count, fresh=fresh)
        self.running = TournamentRun(msgspec.structs.replace(run, planned=plan.match_count), store, plan)
        self.waiting: dict[int, MatchResult] = {}
        self.used: list[MatchResult] = []
        """The matches used so far, by index."""
        self.reached = False
        """Whether the question is answered."""
        self.repeated = False
        """Whether every block held the same games, move by move."""
        alike = len({tournament.agents[name] for name in (self.a, self.b)}) == 1
        self.different = alike  # an agent against itself may repeat games: there is no difference to miss
        self.take(self.running.results)

    @property
    def is_finished(self) -> bool:
        """Whether the question is answered, or the budget is spent."""
        return self.reached or self.test.blocks >= self.blocks

    @property
    def is_done(self) -> bool:
        """Whether no more matches are needed."""
        return self.repeated or (self.is_finished and not self.suspicious)

    @property
    def suspicious(self) -> bool:
        """Whether all blocks so far had the same scores, so that they should be compared move by move."""
        if self.different or self.repeated or not (self.is_finished or self.test.blocks == SAME):
            return False
        outcomes = [[(each.returns, each.plies) for each in self.used[i :: self.size]] for i in range(self.size)]
        self.different = self.test.blocks > 1 and any(len(set(column)) > 1 for column in outcomes)
        return not self.different

    def take(self, results: Sequence[MatchResult]) -> None:
        """Add blocks in order, as far as they are complete and needed."""
        self.waiting |= {result.index: result for result in results}
        while not self.is_finished and not self.suspicious:
            indexes = range(len(self.used), len(self.used) + self.size)
            if not all(index in self.waiting for index in indexes):
                return
            block = [self.waiting.pop(index) for index in indexes]
            differences, _ = ResultColumns(block).differences(self.a, self.b)
            self.used += block
            self.test.add(float(differences.mean()))
            if self.width is None:
                self.reached = self.test.is_decided
            else:
                low, high = self.test.interval()
                self.reached = (high - low) / 2.0 <= self.width

    def play_matches(self, executor: Executor) -> Generator[int, None, None]:
        """Play the needed matches, yielding how many were completed; closing it keeps all finished ones."""
        while not self.is_done:
            if self.suspicious:
                self.look_at_moves()
                self.take(())
                continue
            with closing(self.running.play_matches(executor)) as played:
                for found in played:
                    self.take(found)
                    yield len(found)
                    if self.is_finished or self.suspicious:
                        break
        self.running.finish()

    def look_at_moves(self) -> None:
        """Find out whether every block so far held the same games."""
        blocks = set()
        for start in range(0, len(self.used), self.size):
            records = [self.running.store.record(self.running.run.run, start + i) for i in range(self.size)]
            blocks.add(tuple(tuple((entry.player, entry.actions) for entry in each.entries) for each in records))
        self.repeated = self.test.blocks > 1 and len(blocks) == 1
        self.different = not self.repeated

    @property
    def verdict(self) -> Verdict:
        """The verdict about A."""
        if self.repeated:
            return "repeated"
        test = self.test
        return "better" if test.above else "worse" if test.below else "alike" if test.alike else "undecided"

    def sentence(self) -> str:
        """The answer in a sentence."""
        a, b, least, matches = self.a, self.b, self.test.least, len(self.used)
        estimate = self.test.estimate(self.size)
        after = f"after {matches} matches"
        if self.width is not None:
            after = f"{'' if self.reached else 'not '}known to within {self.width:g} {after}"
        elif self.reached:
            after = f"decided {after}"
        small = f", but by less than {least:g}" if self.test.alike else ""
        better, there = ("is better than", "") if self.game.zero_sum else ("earns more than", " where they meet")
        match self.verdict:
            case "better":
                return f"{a} {better} {b}{there}{small}: {difference_text(estimate)}, {after}"
            case "worse":
                return f"{b} {better} {a}{there}{small}: {difference_text(estimate.negative())}, {after}"
            case "alike":
                return f"no difference as large as {least:g}: {a} against {b} {difference_text(estimate)}, {after}"
            case "undecided":
                within = f"within {matches} matches" if self.width is None else after
                return f"not decided {within}: {a} against {b} {difference_text(estimate)}"
            case "repeated":
                ahead, behind = (a, b) if self.test.mean > 0.0 else (b, a)
                earned = (
                    f"where {ahead} earns {abs(self.test.mean):g} more than {behind}" if self.test.mean else "a draw"
                )
                return f"{a} and {b} play the same game again and again ({earned}); use --opening {OPENING} for others"

    def seat_row(self, seat: int) -> SeatRow:
        """How A and B compare with A in one seat."""
        there = [result for result in self.used if result.names[seat] == self.a]
        differences, blocks = ResultColumns(there).differences(self.a, self.b)
        estimate = mean_interval(differences, blocks, bounds=difference_bounds(self.game.utility))
        return SeatRow(seat, estimate, **_outcomes(differences))

    def report(self) -> Report:
        """The current result."""
        found = summary(self.used, bounds=self.game.utility)
        differences, _ = ResultColumns(self.used).differences(self.a, self.b)
        tournament, ratios = self.running.plan.tournament, self.test.ratios.tolist()
        return Report(
            run=self.running.run.run,
            game=tournament.games[0],
            a=self.a,
            b=self.b,
            verdict=self.verdict,
            sentence=self.sentence(),
            difference=self.test.estimate(self.size),
            least=self.test.least,
            alpha=self.test.alpha,
            ratios={"better": ratios[0], "worse": ratios[1], "alike": min(ratios[2:])},
            limit=self.test.limit,
            matches=len(self.used),
            stored=len(self.running.results),
            most=self.blocks * self.size,
            opening=tournament.opening,
            seed=tournament.seed,
            **_outcomes(differences),
            seats=[self.seat_row(seat) for seat in range(self.game.players) if self.used],
            agents=[found[name] for name in (self.a, self.b) if name in found],
            notes=[*field_notes(self.game), *notes(found, self.a, self.b)],
            zero_sum=self.game.zero_sum,
        )


def _outcomes(differences: Floats) -> dict[str, int]:
    """How often the first of two earned more, as much, or less."""
    more, less = int((differences > 0).sum()), int((differences < 0).sum())
    return {"won": more, "drawn": len(differences) - more - less, "lost": less}


def field_notes(game: Game) -> list[str]:
    """Notes about games that are not zero-sum, in which a comparison of two says little about returns with others."""
    if game.zero_sum:
        return []
    why = "earning more than the opponent does not mean earning much"
    return [f"{game!r} is not zero-sum: {why}; kibitz tournament shows what each earns with everyone"]


def notes(found: dict[str, Summary], a: str, b: str) -> list[str]:
    """Notes about an uneven comparison: thinking time, strikes and forfeits."""
    said = []
    if a in found and b in found:
        longer, shorter = sorted((found[a], found[b]), key=lambda each: -each.seconds)
        if longer.seconds > LONGER * shorter.seconds and longer.seconds >= 0.001:
            times = f"{longer.seconds / shorter.seconds:.1f} times as long" if shorter.seconds else "and the other not"
            said.append(
                f"{longer.name} thinks {times}: {_time(longer.seconds)} against {_time(shorter.seconds)} a match"
            )
    said += [
        f"{each.name} has {each.strikes} strikes and forfeited {each.forfeits} of {each.matches} matches"
        for each in found.values()
        if each.forfeits or each.strikes
    ]
    return said


def difference_text(estimate: Estimate) -> str:
    """A difference in words: `+0.31 per match (95 % 0.12 to 0.50)`."""
    places = digits(estimate)
    ends = estimate.interval_text(places)
    where = f", {ends}" if estimate.is_vacuous() else f" ({percent(estimate.level)} {ends})"
    return f"{estimate.mean:+.{places}f} per match{where}"


def _time(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1.0 else f"{1000.0 * seconds:.3g} ms"


def _range(game: Game) -> float:
    low, high = game.utility
    if not (isfinite(low) and isfinite(high)):
        raise BadDefinition("comparison", f"{game!r} has no bounds on returns, which the test needs")
    return high - low
