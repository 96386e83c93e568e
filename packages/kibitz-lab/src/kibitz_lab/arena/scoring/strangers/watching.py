"""Watches one match of a player: what each model predicts and believes at every choice. A pure function."""

from collections.abc import Sequence

import msgspec

from kibitz import core
from kibitz.core.insight import UNKNOWN
from kibitz.core.match import Event
from kibitz.core.match.play import play
from kibitz.core.records.replay import Replay
from kibitz.core.registry import make_agent, spec_of
from kibitz.core.seeds import stream
from kibitz.models.strategy_filter import StrategyFilter
from kibitz_lab.arena.scoring.metrics import leading
from kibitz_lab.arena.scoring.results import ACTION, Ledger
from kibitz_lab.arena.scoring.score_record import RecordScorer
from kibitz_lab.arena.scoring.strangers.matches import PlayerTask

TOP = 3
FEW_WORLDS = 100
"""Games that keep fewer worlds than this are too large to be followed; there strategies see what the player sees."""
SLIP = 0.1
"""The probability that a player is supposed to play any legal action, so that no choice rules out a world."""


class ModelAnswers(msgspec.Struct):
    """The answers of one variant of a model in one match: predictions before each choice, beliefs around them."""

    model: str
    variant: str
    given: list[float] = []
    """The probability of the action chosen."""
    first: list[float] = []
    """How often it is the likeliest, 1 or 0; ties count by their share."""
    top: list[float] = []
    leaders: list[list[str]] = []
    """The likeliest labels before the first choice and after each one; several if they are tied."""
    confidence: list[float] = []
    unknown: list[float] = []
    """The probability of `unknown`, at the same times."""
    error: str = ""


class PlayerSheet(msgspec.Struct):
    """One match of one player."""

    name: str
    kind: str
    spec: str
    opening: int
    seed: int
    options: list[int]
    """The number of legal actions at each choice."""
    library: dict[str, list[float]]
    """The probability that each strategy of the library gives the action chosen."""
    distances: dict[str, float]
    """The sum over choices of the total variation between the player and each strategy; empty if it has no policy."""
    answers: list[ModelAnswers]
    faults: int = 0
    """Number of faults of the player."""


def watch_player(task: PlayerTask) -> PlayerSheet:
    """Play the match and let the models watch it; a model that raises is scored up to there."""
    watching = PlayerWatch(task)
    watching.run()
    return watching.player_sheet()


class PlayerWatch(RecordScorer):
    """One match being watched, for the choices of one player between several actions."""

    def __init__(self, task: PlayerTask) -> None:
        record = play(task.game, task.agents, seed=task.seed, opening=task.opening, max_plies=task.max_plies)
        super().__init__(Replay(record), [spec for _, _, spec in task.models], TOP)
        self.task, self.chose = task, False
        seats = range(self.game.players)
        self.asked = [{"strategy": task.player.spec} if seat == task.seat else {} for seat in seats]
        spec, known = task.player.spec, task.library
        self.library = Library(self.game, task.seat, spec, known, task.seed) if known else None
        self.options: list[int] = []
        self.shares: dict[str, list[float]] = {}
        self.distances: dict[str, float] = {}

    def choices(self, event: Event) -> list[tuple[int, int]]:
        """The player's choice, which is compared with the library, too."""
        seat = self.task.seat
        action = dict(event.choices()).get(seat)
        self.chose = action is not None and len(event.before.view(seat, seat).legal_actions(seat)) > 1
        if not self.chose or action is None:
            return []
        if not self.options:
            self.ask_who(event.ply)
        self.options.append(max(len(event.before.view(None, ("uniform", 0)).legal_actions(seat)), 1))
        if self.library is not None:
            shares, apart = self.library.compare(event, action)
            for label, share in shares.items():
                self.shares.setdefault(label, []).append(share)
            for label, distance in apart.items():
                self.distances[label] = self.distances.get(label, 0.0) + distance
        return [(seat, action)] if seat in self.predicted else []

    def tell(self, event: Event) -> None:
        super().tell(event)
        if self.library is not None:
            self.library.observe(event)

    def ask_who(self, seen: int) -> None:
        """Ask for beliefs about the player, before the first choice and after each."""
        if self.chose:
            self.truths = self.asked
            super().ask_who(seen)

    def player_sheet(self) -> PlayerSheet:
        """All answers."""
        player, seat = self.task.player, self.task.seat
        return PlayerSheet(
            player.name,
            player.kind,
            player.spec,
            self.task.opening,
            self.task.seed,
            self.options,
            self.shares,
            self.distances,
            [self.answers(number, model, variant) for number, (model, variant, _) in enumerate(self.task.models)],
            sum(fault.player == seat for entry in self.record.entries for fault in entry.faults),
        )

    def answers(self, number: int, model: str, variant: str) -> ModelAnswers:
        """The answers of one watcher; an empty belief leads nowhere, with confidence 0."""
        marks = self.ledgers.get((number, ACTION), Ledger()).marks
        beliefs = self.ledgers.get((number, "strategy"), Ledger()).beliefs
        return ModelAnswers(
            model,
            variant,
            [mark.probability for mark in marks],
            [mark.first for mark in marks],
            [mark.among for mark in marks],
            [leading(belief) if belief else [] for belief in beliefs],
            [max(belief.values(), default=0.0) for belief in beliefs],
            [belief.get(UNKNOWN, 0.0) for belief in beliefs],
            self.watchers[number].error or "",
        )


class Library:
    """The strategies of a library in one player's seat, along one match."""

    def __init__(self, game: core.Game, seat: int, player: str, library: Sequence[str], seed: int) -> None:
        self.game, self.seat = game, seat
        name = spec_of(game).name
        made = [make_agent(spec, name) for spec in library]
        self.strategies = [each for each in made if isinstance(each, core.Strategy) and each.manages(game)]
        self.labels = [str(spec_of(each)) for each in self.strategies]
        own = make_agent(player, name)
        self.own = own if isinstance(own, core.Strategy) else None
        for each in self.strategies + ([] if self.own is None else [self.own]):
            each.begin(game, seat, stream(seed, "library"))
        followed = self.strategies if game.hidden and game.worlds > FEW_WORLDS else ()
        self.secrets = [StrategyFilter((each,), unknown=0.0, noise=SLIP) for each in followed]
        for label, known in zip(self.labels, self.secrets, strict=False):
            known.begin(game, None, stream(seed, "worlds", label))

    def compare(self, event: Event, action: int) -> tuple[dict[str, float], dict[str, float]]:
        """For a choice of the player: what each strategy gives *action*, and its total variation from the player."""
        view = event.before.view(self.seat, self.seat)
        policies = self.strategies[0].policies(self.strategies, view.clone()) if self.strategies else []
        shares = [policy.probability(action) for policy in policies]
        if self.secrets:
            shares = [self.probability(each, action) for each in self.secrets]
        apart: dict[str, float] = {}
        if self.own is not None:
            meant = self.own.policy(view.clone())
            apart = {label: total_variation(meant, policy) for label, policy in zip(self.labels, policies, strict=True)}
        return dict(zip(self.labels, shares, strict=True)), apart

    def probability(self, known: StrategyFilter, action: int) -> float:
        """How likely a strategy chooses *action*, without slips, over all worlds as a spectator knows them."""
        return sum(
            world.weight * known.policies(world, self.seat, world.state.view(self.seat)).meant[0].probability(action)
            for world in known.possible
        )

    def observe(self, event: Event) -> None:
        """Let everyone see an event."""
        seen = event.transition(self.seat, self.seat)
        for each in self.strategies + ([] if self.own is None else [self.own]):
            each.observe(seen)
        for known in self.secrets:
            known.update(event.transition(None, ("worlds", 0)))


def total_variation(one: core.Distribution, other: core.Distribution) -> float:
    """Half the sum of the differences of all probabilities; actions that neither names count together."""
    named = {*one.named, *other.named}
    apart = sum(abs(one.probability(action) - other.probability(action)) for action in named)
    unnamed = len(one.legal) - len(named)
    return min(1.0, (apart + unnamed * abs(one.share_of_others() - other.share_of_others())) / 2.0)
