"""`risk.choice`: which mission each player holds, by how likely it makes all their orders (inverse planning).

An order is a choice between territories. How a population of players chooses was learned from many games, and is read
from a file; how those of this match choose, and how strongly they follow their cards, is inferred while they play
(`evidence`). Learned weights combine the evidence of all orders, a player's progress, and the cards they would have won
with.
"""

from copy import copy
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import msgspec
import numpy as np

from kibitz import core
from kibitz.core.errors import BadProgram
from kibitz.core.files import changed_at, read_versioned, write_file
from kibitz.core.player_memory import Learned
from kibitz.core.seeds import stream
from kibitz_lab.learn.assignment import log_shares
from kibitz_risk import phases
from kibitz_risk.game import State, turn_ended
from kibitz_risk.models.decisions import KINDS, Decision, DecisionReader, Habits, action_distribution, order_of
from kibitz_risk.models.evidence import (
    CERTAINTY,
    EVIDENCE,
    LEVELS,
    WAY,
    WAYS,
    Evidence,
    MissionModel,
    PlayerWeights,
    Traits,
    certainty_of,
)
from kibitz_risk.models.features import ABOUT_MISSION, FEATURES, FREE, STANDING, Floats, arrays_of, progress_features
from kibitz_risk.rules import is_fulfilled

FORMAT, VERSION = "kibitz risk choice", 6
CARD_FEATURES = STANDING + EVIDENCE
ASPECTS = 3
"""Every feature of cards counts plainly, times the age of the game, and times how strongly the card is followed."""
DATA = Path(__file__).parent.parent / "data"


class ChoiceParameters(msgspec.Struct, frozen=True):
    """What is learned: how a population chooses orders, how its players differ, and how evidence scores cards."""

    orders: list[list[float]]
    """For every kind of order, the weights of its features."""
    other_ways: list[list[list[float]]]
    """The weights of features about a mission for players who follow it in another way: by the way and the kind."""
    spreads: list[list[float]]
    """How much the weights of features that are about no mission differ between players: standard deviations."""
    cards: list[float]
    """The weights of progress and evidence, then of the same times each of the other aspects."""
    certainty: list[float]
    """The weights of the signs that say how much all of this counts."""
    habits: Habits = Habits()
    traits: Traits = Traits()
    made: dict[str, Any] = {}

    @classmethod
    def blank(cls) -> "ChoiceParameters":
        """The parameters before training."""
        kinds = range(len(KINDS))
        orders, spreads = [[0.0] * len(FEATURES) for _ in kinds], [[1.0] * (len(FEATURES) - FREE) for _ in kinds]
        other_ways = [[[0.0] * FREE for _ in kinds] for _ in range(WAYS - 1)]
        return cls(orders, other_ways, spreads, [0.0] * (ASPECTS * len(CARD_FEATURES)), [0.0] * len(CERTAINTY))

    def arrays(self) -> tuple[Floats, Floats, Floats]:
        """The weights of orders, their spreads, and the weights of cards."""
        return np.array(self.orders), np.array(self.spreads), np.array(self.cards)


class _ParameterFile(msgspec.Struct, frozen=True):
    """The same as JSON holds it: weights by their names, so that a file says what it is about."""

    format: str
    version: int
    orders: list[dict[str, float]]
    other_ways: list[list[dict[str, float]]]
    spreads: list[dict[str, float]]
    cards: dict[str, tuple[float, ...]]
    certainty: dict[str, float]
    habits: Habits
    traits: Traits
    made: dict[str, Any] = {}


def write_parameters(found: ChoiceParameters, path: Path | str) -> None:
    """Write what was learned."""
    aspects = np.array(found.cards).reshape(ASPECTS, -1).T.tolist()
    kept = _ParameterFile(
        FORMAT,
        VERSION,
        [dict(zip(FEATURES, row, strict=True)) for row in found.orders],
        [[dict(zip(ABOUT_MISSION, row, strict=True)) for row in way] for way in found.other_ways],
        [dict(zip(FEATURES[FREE:], row, strict=True)) for row in found.spreads],
        dict(zip(CARD_FEATURES, map(tuple, aspects), strict=True)),
        dict(zip(CERTAINTY, found.certainty, strict=True)),
        found.habits,
        found.traits,
        found.made,
    )
    write_file(path, msgspec.json.format(msgspec.json.encode(kept), indent=1).decode() + "\n")


def read_parameters(path: Path | str) -> ChoiceParameters:
    """What a file holds, checked; a file that did not change is read once."""
    return _read(str(path), changed_at(path, BadProgram, "train some first"))


@lru_cache(maxsize=8)
def _read(path: str, changed: int) -> ChoiceParameters:
    kept = read_versioned(path, _ParameterFile, (FORMAT, VERSION), BadProgram, "parameters of risk.choice")
    known = [[[set(row) for row in rows] for rows in (kept.orders, kept.spreads, *kept.other_ways)], set(kept.cards)]
    names = (FEATURES, FEATURES[FREE:], *[ABOUT_MISSION] * (WAYS - 1))
    if (
        known != [[[set(each)] * len(KINDS) for each in names], set(CARD_FEATURES)]
        or {len(row) for row in kept.cards.values()} != {ASPECTS}
        or set(kept.certainty) != set(CERTAINTY)
        or not kept.traits.is_valid()
    ):
        raise BadProgram(path, "its features are not those of this version; train it again")
    return ChoiceParameters(
        [[row[name] for name in FEATURES] for row in kept.orders],
        [[[row[name] for name in ABOUT_MISSION] for row in way] for way in kept.other_ways],
        [[row[name] for name in FEATURES[FREE:]] for row in kept.spreads],
        [kept.cards[name][aspect] for aspect in range(ASPECTS) for name in CARD_FEATURES],
        [kept.certainty[name] for name in CERTAINTY],
        kept.habits,
        kept.traits,
        kept.made,
    )


LEAST = 1e-6
"""The least probability of an order, however it is chosen."""


class Inference:
    """The evidence about all players, and how each chooses; an *adaptive* one learns the latter from decisions."""

    def __init__(self, learned: ChoiceParameters, players: int, missions: int, *, adaptive: bool = True) -> None:
        self.adaptive = adaptive
        orders, spreads, _ = learned.arrays()
        self.missions = np.stack([orders[:, :FREE], *np.array(learned.other_ways)], axis=2)
        """What follows from a mission: of kinds of orders by features by ways."""
        self.weights = PlayerWeights(orders[:, FREE:], spreads, learned.traits.alike, players)
        self.evidence = Evidence(players, missions, learned.traits)
        self.remembered: PlayerWeights | None = None
        """The weights that began with earlier matches of the players. They serve predictions alone: what a player did
        for the card that they held then would pass for a habit, and explain away what they do for their card now."""

    def clone(self) -> Self:
        copied = copy(self)
        copied.weights, copied.evidence = self.weights.clone(), self.evidence.clone()
        copied.remembered = self.remembered and self.remembered.clone()
        return copied

    @property
    def expected_weights(self) -> PlayerWeights:
        """The weights that predict best."""
        return self.remembered or self.weights

    def recall_weights(self, player: int, kind: int, means: Floats, spreads: Floats) -> None:
        """Begin with what earlier matches told of a player's weights."""
        self.remembered = self.remembered or self.weights.clone()
        self.remembered.recall(player, kind, means, spreads)

    def weigh(self, decision: Decision) -> tuple[Floats, float]:
        """Learn from a decision; what it says of each mission, and how likely it was."""
        player, kind, chosen = decision.player, decision.kind, decision.chosen
        believed = self.evidence.shares(player, kind)
        shares = self.order_shares(player, kind, decision.features, self.weights)
        expected = np.tensordot(believed, shares, 2)
        gains = self.evidence.add(player, kind, np.log(np.maximum(LEAST, shares[:, :, chosen])))
        if self.adaptive:
            places = decision.features[0, :, FREE:]
            self.weights.learn(player, kind, places, chosen, expected)
            if self.remembered is not None:
                again = self.order_shares(player, kind, decision.features, self.remembered)
                self.remembered.learn(player, kind, places, chosen, np.tensordot(believed, again, 2))
        return gains, float(expected[chosen])

    def order_shares(self, player: int, kind: int, features: Floats, weights: PlayerWeights) -> Floats:
        """How likely a player chooses each territory: of missions by LEVELS by territories."""
        plain = features[0, :, FREE:] @ weights.of(player, kind)
        meant = np.swapaxes(features[:, :, :FREE] @ self.missions[kind], 1, 2)[:, WAY]
        shares = np.exp(log_shares(plain + LEVELS[:, None] * meant))
        strays = self.evidence.traits.strays
        return np.asarray((1.0 - strays) * shares + strays * shares[:, :1], np.float64)  # the first level is none


def card_features(standing: Floats, evidence: Evidence) -> tuple[Floats, Floats]:
    """The features of a player's cards, and the signs of certainty.

    The features are progress and evidence, and the same by age and by how the card is followed.
    """
    told, follows, signs = evidence.features()
    plain = np.concatenate([standing, told], axis=2)
    aspects = (np.ones(len(plain)), evidence.age(), follows)
    return np.concatenate([plain * each[:, None, None] for each in aspects], axis=2), signs


RULED_OUT = -8.0
"""The score that is added to a card that its holder would have won with."""
FORGETTING = 0.8
"""The weight of a match in memory after the next one."""
PASSES = (phases.ATTACK, phases.FORTIFY)
"""The phases in which a player may pass."""
USUAL_PASSES, USUAL_MATCHES = 10.0, 0.5
"""The number of decisions that the usual rates of passing count for, and of matches those of following a card."""
HABITS = (("ends of attacks", "attacks"), ("stays", "marches"))
"""What is remembered of PASSES: how often a player passed, and how often not."""
FOLLOWS = [f"follows {level:g} in way {way + 1}" for level, way in zip(LEVELS.tolist(), WAY.tolist(), strict=True)]
"""In how many matches a player followed their card so strongly and in this way."""
BLANK = "blank"
VERBS = ("sets up", "places", "attacks", "marches to")
CHECKED = frozenset({phases.PLACE, phases.DICE, phases.CONQUER, phases.FORTIFY})
"""After these phases the rules check whether the mover has won, once armies have moved into a conquest."""


class Choice(MissionModel):
    """The learned choice model: every order is a choice between territories that some missions explain better.

    *trained* is a file that `kibitz train` wrote; without it, the file that comes with the game; `blank` knows
    nothing yet. Cards are distinct (*joint*), and a player who would have won with a card does not hold it
    (*rules_out*). An *adaptive* model learns how these players choose territories while it watches.
    """

    trainer = "kibitz_risk.models.choice_training:train"
    learns_a_file = True
    learns_mixed_games = True
    preset: ChoiceParameters | None = None
    """Parameters just learned, which no file holds yet."""

    def __init__(self, trained: str = "", joint: bool = True, rules_out: bool = True, adaptive: bool = True) -> None:
        self.trained, self.joint, self.rules_out, self.adaptive = trained, joint, rules_out, adaptive

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        try:
            self.learned = self.begun_with()
        except BadProgram as error:
            raise core.Unsupported(self, game, error.message) from None
        self.cards, self.certainty = np.array(self.learned.cards), np.array(self.learned.certainty)
        self.atlas = arrays_of(self.game)
        self.reader = DecisionReader(self.atlas, game.players)
        self.inferred = Inference(self.learned, game.players, self.atlas.missions, adaptive=self.adaptive)
        self.ruled_out = np.zeros((game.players, self.atlas.missions), bool)
        self.seen: State = self.game.new_initial_state()
        self.recalled: dict[int, Learned] = {}
        """What earlier matches told of some players."""
        self.passes = np.zeros((game.players, len(PASSES), 2))
        """How often each player ended their attacks, and stayed, where they had a choice; and how often not."""
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
        if hasattr(self, "inferred"):
            copied.reader, copied.inferred = self.reader.clone(), self.inferred.clone()
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
            if before.phase in PASSES and len(before.legal_actions()) > 1:
                self.passes[transition.player, PASSES.index(before.phase), int(action != phases.END_ATTACK)] += 1.0
        if before.phase in CHECKED and after.phase != phases.CONQUER:
            self.check(before, after)
        ends_turn = before.phase in (phases.FORTIFY, phases.DRAW) and turn_ended(before, after)
        if ends_turn and self.own_choice:
            self.inferred.evidence.turns[before.mover] += 1.0

    def skip(self, before: State, after: State) -> None:
        """Leave out what the player who acts did not choose: the progress it made, and that orders continue it."""
        self.reader.forget(before.mover)
        if (before.owners, before.armies) != (after.owners, after.armies):
            self.unchosen = self.unchosen + self.standing(after) - self.standing(before)

    def standing(self, state: State) -> Floats:
        """The progress of all players with all cards, by the board."""
        return progress_features(self.atlas, np.array(state.owners), np.array(state.armies), self.game.players)

    def judge(self, decision: Decision) -> None:
        """Weigh a decision by how likely each mission makes it, and learn how its player chooses."""
        gains, _ = self.inferred.weigh(decision)
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
        for number, task in enumerate(self.game.setting.missions):
            if is_fulfilled(self.game.setting, after.position, mover, task) != over:
                self.ruled_out[mover, number] = True

    def scores(self) -> Floats:
        found = self.play_scores() if any(self.choices) else np.zeros(self.ruled_out.shape)  # dealt land tells nothing
        if self.rules_out:
            found = found + RULED_OUT * self.ruled_out
        return found

    def play_scores(self) -> Floats:
        """How well each card explains what the players chose, and how they stand."""
        features, signs = card_features(self.standing(self.seen) - self.unchosen, self.inferred.evidence)
        return np.asarray(features @ (certainty_of(signs, self.certainty) * self.cards), np.float64)

    def remember(self, player: int) -> Learned:
        past, now = self.recalled.get(player, {}), {"decisions": float(self.choices[player])}
        for (passed, acted), row in zip(HABITS, self.passes[player].tolist(), strict=True):
            now |= {passed: row[0], acted: row[1]}
        found = {name: FORGETTING * past.get(name, 0.0) + value for name, value in now.items()}
        weights, followed = self.inferred.expected_weights, FORGETTING * matches_followed(past)
        for kind, verb in enumerate(VERBS):
            levels = followed[kind] + self.shares()[player] @ self.inferred.evidence.level_shares(player, kind)
            found |= {f"{verb}, {name}": count for name, count in zip(FOLLOWS, levels.tolist(), strict=True)}
            means, spreads = weights.of(player, kind), weights.spread_of(player, kind) / np.sqrt(FORGETTING)
            for name, mean, spread in zip(FEATURES[FREE:], means, spreads, strict=True):
                found[f"{verb}, {name}: odds"] = float(np.exp(mean))
                found[f"{verb}, {name}: spread"] = float(spread)
        return found if found["decisions"] else {}

    def recall(self, player: int, learned: Learned) -> None:
        self.recalled[player] = learned
        told = matches_followed(learned) + USUAL_MATCHES * np.array(self.learned.traits.levels)
        self.inferred.evidence.levels[player] = told / told.sum(axis=1, keepdims=True)
        for kind, verb in enumerate(VERBS):
            means, spreads = (
                np.array([learned.get(f"{verb}, {name}: {what}", 0.0) for name in FEATURES[FREE:]])
                for what in ("odds", "spread")
            )
            known = (means > 0.0) & (spreads > 0.0)
            self.inferred.recall_weights(
                player, kind, np.log(np.where(known, means, 1.0)), np.where(known, spreads, np.inf)
            )

    def habits_of(self, player: int) -> Habits:
        """How often a player does the usual thing: by what was learned of all, what is remembered, and this match."""
        usual, past = self.learned.habits, self.recalled.get(player, {})
        rates = [
            habit_rate(rate, past.get(passed, 0.0) + now[0], past.get(acted, 0.0) + now[1])
            for rate, (passed, acted), now in zip(
                (usual.end_attack, usual.stay), HABITS, self.passes[player].tolist(), strict=True
            )
        ]
        return msgspec.structs.replace(usual, end_attack=rates[0], stay=rates[1])

    def predict(self, view: core.State, player: int) -> core.Distribution:
        assert isinstance(view, State)
        order = order_of(view, player)
        if order is None:
            return super().predict(view, player)
        kind = KINDS.index(order.kind)
        features = self.reader.features(view, player, order)
        shares = self.inferred.order_shares(player, kind, features, self.inferred.expected_weights)
        levels = self.inferred.evidence.level_shares(player, kind)
        expected = np.einsum("c,cj,cjo->o", self.shares()[player], levels, shares)
        return action_distribution(view, player, order, expected / expected.sum(), self.habits_of(player))


def habit_rate(usual: float, passed: float, acted: float) -> float:
    """How often a player passes who did so *passed* times and *acted* otherwise."""
    return (USUAL_PASSES * usual + passed) / (USUAL_PASSES + passed + acted)


def matches_followed(learned: Learned) -> Floats:
    """In how many matches a player followed their card in each of FOLLOWS, by the kind of order."""
    return np.array([[learned.get(f"{verb}, {name}", 0.0) for name in FOLLOWS] for verb in VERBS])
