"""`risk.choice`: which mission each player holds, by how likely it makes all their orders (inverse planning).

An order is a choice between territories: the model learns the likelihood of each, with every mission and without any.
Learned weights combine the evidence of all orders, a player's progress, and the cards they would have won with.
"""

from pathlib import Path
from typing import Self

import msgspec
import numpy as np

from kibitz import core
from kibitz.core.errors import BadProgram
from kibitz.core.memory import Learned
from kibitz.core.seeds import stream
from kibitz.games.risk import phases
from kibitz.games.risk.events import EventExtractor
from kibitz.games.risk.missions import is_fulfilled
from kibitz.games.risk.models.arrays import Floats, arrays_of
from kibitz.games.risk.models.choice_parameters import DATA, ChoiceParameters, read_parameters
from kibitz.games.risk.models.deception import Deception
from kibitz.games.risk.models.decisions import Decision, DecisionReader
from kibitz.games.risk.models.evidence import Evidence
from kibitz.games.risk.models.mission_model import MissionModel
from kibitz.games.risk.models.order_features import FREE
from kibitz.games.risk.models.orders import KINDS, Habits, action_distribution, order_of
from kibitz.games.risk.models.progress import progress_features
from kibitz.games.risk.rules import State
from kibitz.learn.logistic import log_shares

RULED_OUT = -8.0
"""The score that is added to a card that its holder would have won with."""
FORGETTING = 0.8
"""The weight of a match in memory after the next one."""
PASSES = (phases.ATTACK, phases.FORTIFY)
"""The phases in which a player may pass."""
USUAL_PASSES = 10.0
"""The number of decisions that the usual rate of passing counts for where a player is remembered."""
BLANK = "blank"
VERBS = ("sets up", "places", "attacks", "marches to")
CHECKED = frozenset({phases.PLACE, phases.DICE, phases.CONQUER, phases.FORTIFY})
"""After these phases the rules check whether the mover has won, once armies have moved into a conquest."""


class Choice(MissionModel):
    """The learned choice model: every order is a choice between territories that some missions explain better.

    *trained* is a file that `kibitz train` wrote; without it, the file that comes with the game; `blank` knows
    nothing yet. Cards are distinct (*joint*), and a player who would have won with a card does not hold it
    (*rules_out*); with *adaptive*, a player whose acts no mission explains is judged with less confidence. A *wary*
    model allows for players who pretend at first: other cards stay likely until their play and the others' decide.
    """

    learns_a_file = True
    preset: ChoiceParameters | None = None
    """Parameters just learned, which no file holds yet."""

    def __init__(
        self,
        trained: str = "",
        joint: bool = True,
        rules_out: bool = True,
        adaptive: bool = True,
        wary: bool = False,
    ) -> None:
        self.trained, self.joint, self.rules_out = trained, joint, rules_out
        self.adaptive, self.wary = adaptive, wary

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        try:
            self.learned = self.begun_with()
        except BadProgram as error:
            raise core.Unsupported(self, game, error.message) from None
        self.orders, self.free, self.cards = self.learned.arrays()
        self.atlas = arrays_of(self.game)
        self.reader = DecisionReader(self.atlas, game.players)
        self.tally = Evidence(game.players, self.atlas.missions)
        self.pretence = Deception(game.players, self.atlas.missions) if self.wary else None
        self.ruled_out = np.zeros((game.players, self.atlas.missions), bool)
        self.seen: State = self.game.new_initial_state()
        self.recalled: dict[int, Learned] = {}
        """What earlier matches told of some players: their decisions, how many strayed, and how often they passed."""
        self.passes = np.zeros((game.players, len(PASSES)))
        """How often each player ended their attacks, and stayed, where they had a choice."""
        self.unchosen: Floats | float = 0.0
        """What unchosen orders did to the progress of all players; it does not count."""

    def begun_with(self) -> ChoiceParameters:
        """The parameters to use."""
        if self.preset is not None or self.trained == BLANK:
            return self.preset or ChoiceParameters.blank()
        return read_parameters(Path(self.trained) if self.trained else DATA / "choice.json")

    def check_training(self, game: core.Game) -> None:
        self.clone().begin(game, None, stream(0, "training"))  # a model that cannot watch a game cannot learn from it

    def clone(self) -> Self:
        copied = super().clone()
        if hasattr(self, "tally"):
            copied.reader, copied.tally = self.reader.clone(), self.tally.clone()
            copied.pretence = self.pretence and self.pretence.clone()
            copied.ruled_out, copied.passes = self.ruled_out.copy(), self.passes.copy()
        return copied

    def weigh(self, transition: core.Transition, before: State, after: State) -> None:
        self.seen = after
        action = transition.actions[0]
        if not self.own_choice:
            self.skip(before, after)
        elif transition.player >= 0 and action is not None:
            decision = self.reader.read(before, transition.player, action)
            if decision is not None:
                self.judge(decision)
            elif action == phases.END_ATTACK and before.phase in PASSES and len(before.legal_actions()) > 1:
                self.passes[transition.player, PASSES.index(before.phase)] += 1.0
        if before.phase in CHECKED and after.phase != phases.CONQUER:
            self.check(before, after)
        ends_turn = before.phase in (phases.FORTIFY, phases.DRAW) and EventExtractor.turn_ended(before, after)
        if ends_turn and self.own_choice:
            self.tally.turns[before.mover] += 1.0
            if self.pretence is not None:
                self.pretence.end_turn(before.mover, self.tally)

    def skip(self, before: State, after: State) -> None:
        """Leave out what the player who acts did not choose: the progress it made, and that orders continue it."""
        self.reader.forget(before.mover)
        if (before.owners, before.armies) != (after.owners, after.armies):
            self.unchosen = self.unchosen + self.standing(after) - self.standing(before)

    def standing(self, state: State) -> Floats:
        """The progress of all players with all cards, by the board."""
        return progress_features(self.atlas, np.array(state.owners), np.array(state.armies), self.game.players)

    def judge(self, decision: Decision) -> None:
        """Weigh a decision by how likely each mission makes it, and no mission."""
        logs, free = choice_logs(decision, self.orders, self.free)
        gains = self.tally.add(decision.player, decision.kind, logs, free)
        if self.pretence is not None:
            self.pretence.add(decision.player, decision.kind, logs, free)
        place = self.game.map.territories[decision.place].name
        self.note(decision.player, f"{VERBS[decision.kind]} {place}", gains)

    def check(self, before: State, after: State) -> None:
        """Rule out the missions with which the mover would have won by now; after a win, all others."""
        mover, over = before.mover, after.phase == phases.OVER
        if before.phase == phases.DICE and after.owners[before.target] != mover:
            return
        if not over and self.game.victory == "turn-end" and after.mover == mover:
            return
        if over and after.owners.count(mover) >= self.game.territories_to_win:
            return
        board, facts = self.game.map, (after.owners, after.armies, after.destroyers)
        any_blow = self.game.blow == "any"
        for number, mission in enumerate(self.game.mission_deck):
            if is_fulfilled(board, mission, mover, *facts, any_blow=any_blow) != over:
                self.ruled_out[mover, number] = True

    def scores(self) -> Floats:
        standing = self.standing(self.seen) - self.unchosen
        found = self.card_scores(standing, self.tally)
        if self.pretence is not None:
            turned = np.array([self.card_scores(standing, since) for since in self.pretence.since])
            found = self.pretence.scores(self.tally, found, turned)
        if self.rules_out:
            found += RULED_OUT * self.ruled_out
        return found

    def card_scores(self, standing: Floats, tally: Evidence) -> Floats:
        """The scores of all cards, from progress and evidence."""
        found = np.asarray(card_features(standing, tally) @ self.cards, np.float64)
        return found * tally.confidence()[:, None] if self.adaptive else found

    def remember(self, player: int) -> Learned:
        past, counts = self.recalled.get(player, {}), self.tally.counts[player]
        now = {
            "decisions": float(counts.sum()),
            "strayed": float(self.tally.strayed[player]),
            "attacks": float(counts[KINDS.index(phases.ATTACK)]),
            "marches": float(counts[KINDS.index(phases.FORTIFY)]),
            "ends of attacks": float(self.passes[player, 0]),
            "stays": float(self.passes[player, 1]),
        }
        found = {name: FORGETTING * past.get(name, 0.0) + value for name, value in now.items()}
        return found if found["decisions"] else {}

    def recall(self, player: int, learned: Learned) -> None:
        self.recalled[player] = learned
        tallies = [self.tally, *([] if self.pretence is None else self.pretence.since)]
        for tally in tallies:
            tally.begin_with(player, learned.get("strayed", 0.0), learned.get("decisions", 0.0))

    def habits_of(self, player: int) -> Habits:
        """How often a player does the usual thing: by what is remembered of them, and else what was learned of all."""
        usual, past = self.learned.habits, self.recalled.get(player)
        if not past:
            return usual
        return msgspec.structs.replace(
            usual,
            end_attack=habit_rate(usual.end_attack, past.get("ends of attacks", 0.0), past.get("attacks", 0.0)),
            stay=habit_rate(usual.stay, past.get("stays", 0.0), past.get("marches", 0.0)),
        )

    def predict(self, view: core.State, player: int) -> core.Distribution:
        assert isinstance(view, State)
        order = order_of(view, player)
        if order is None:
            return super().predict(view, player)
        kind = KINDS.index(order.kind)
        features = self.reader.features(view, player, order)
        astray = self.tally.astray[player]
        with_mission = np.exp(log_shares(features @ self.orders[kind]))
        without = np.exp(log_shares(features[:1, :, FREE:] @ self.free[kind]))[0]
        shares = (1.0 - astray) * (self.shares()[player] @ with_mission) + astray * without
        return action_distribution(view, player, order, shares / shares.sum(), self.habits_of(player))


def habit_rate(usual: float, passed: float, acted: float) -> float:
    """How often a player passes who did so *passed* times and *acted* otherwise."""
    return (USUAL_PASSES * usual + passed) / (USUAL_PASSES + passed + acted)


def choice_logs(decision: Decision, orders: Floats, free: Floats) -> tuple[Floats, float]:
    """How likely a decision was with every mission, and without any, as logarithms."""
    logs = log_shares(decision.features @ orders[decision.kind])[:, decision.chosen]
    without = log_shares(decision.features[:1, :, FREE:] @ free[decision.kind])[0, decision.chosen]
    return logs, float(without)


def card_features(standing: Floats, tally: Evidence) -> Floats:
    """The features of a player's cards: progress and evidence, and the same times the age of the game."""
    plain = np.concatenate([standing, tally.features()], axis=2)
    return np.concatenate([plain, plain * tally.age()[:, None, None]], axis=2)
