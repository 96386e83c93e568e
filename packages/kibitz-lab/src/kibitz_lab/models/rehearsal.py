"""The model `rehearsal`, for players that cannot give their probabilities: it has agents play the turn instead.

Learners decide differently every time, so an agent takes the player's seat several times with different seeds, and
plays the whole turn. The turns that agree with what was seen of this turn predict the rest of it. In a game of units
(`GameKit.units`) a turn is one action per unit; elsewhere it is one action.
"""

from collections.abc import Sequence
from copy import deepcopy
from functools import partial
from typing import Annotated, NamedTuple

import msgspec

from kibitz import core
from kibitz.core.agent import Clock
from kibitz.core.insight import UNKNOWN, Explanation, MoveEvidence, explanation_of
from kibitz.core.kit.positions import Units
from kibitz.core.player_memory import Learned, recalled_prior
from kibitz.core.registry import kit_of, make_agent, spec_of
from kibitz.models.habits import Habits
from kibitz.models.strangers import Trust, new_stranger

DEFAULT = ("automata(kind=bla)", "automata(kind=lri)", "automata(kind=tsetlin)")


class RehearsedTurn(NamedTuple):
    """The current turn: the actions seen of it, and how each agent played it, once per rehearsal."""

    key: core.Key
    """The key of the position before the next action."""
    seen: list[int]
    turns: list[list[list[int]]]


class Rehearsal(core.Model):
    """Which of several agents is each player, and what would it do now? Bayes over rehearsed turns.

    *agents* are the hypotheses; by default they are teams of three kinds of automata in games of units, and none
    elsewhere. Each rehearses a turn *rehearsals* times. *slip* is the probability of a random action; *unknown* is the
    prior of a stranger, who is none of them and is learned while they play.

    >>> from kibitz import make_agent, play
    >>> from kibitz_lab import Rehearsal
    >>> model = Rehearsal(agents=(make_agent("dilemma.cooperator"), make_agent("dilemma.defector")))
    >>> record = play("dilemma(rounds=4)", ["dilemma.defector", "dilemma.cooperator"], models=[model], seed=1)
    >>> [max(belief, key=belief.get) for (beliefs,) in [record.entries[-1].beliefs.values()] for belief in beliefs]
    ['dilemma.defector', 'dilemma.cooperator']
    """

    answers = ("strategy", "action")

    def __init__(
        self,
        agents: tuple[core.Agent, ...] = (),
        rehearsals: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 8,
        slip: core.Probability = 0.1,
        unknown: core.Probability = 0.1,
    ) -> None:
        self.agents, self.rehearsals, self.slip, self.unknown = agents, rehearsals, slip, unknown

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        self.units = kit_of(game).units
        self.cast = [agent for agent in self.agents or default_agents(self.units) if agent.manages(game)]
        self.labels = [*(str(spec_of(agent)) for agent in self.cast), UNKNOWN]
        known = (1.0 - self.unknown) / len(self.cast) if self.cast else 0.0
        prior = [known] * len(self.cast) + [self.unknown if self.cast else 1.0]
        self.weights = [list(prior) for _ in range(game.players)]
        self.strangers = [new_stranger(game, player, len(self.cast)) for player in range(game.players)]
        self.trust = [Trust() if self.unknown > 0.0 else Trust(chance=0.0) for _ in range(game.players)]
        self.listening = [[self.listener(agent, player) for agent in self.cast] for player in range(game.players)]
        self.watched: dict[int, RehearsedTurn] = {}
        self.evidence = [MoveEvidence() for _ in range(game.players)]
        self.habits = [Habits(game, player) for player in range(game.players)]

    def observe(self, transition: core.Transition) -> None:
        for player in transition.movers:
            action = transition.action_of(player)
            if action is None or not transition.chose(player):
                continue  # a turn that goes on after it is rehearsed from there
            parts = self.rehearsed_parts(transition.before, player)
            strange = self.strangers[player].learn(transition.before, action, parts)
            likely = [*(part.probability(action) for part in parts), strange]
            posterior = [weight * share for weight, share in zip(self.weights[player], likely, strict=True)]
            held = self.belief(player)
            self.trust[player].learn(sum(posterior), len(transition.before.legal_actions(player)))
            if sum(posterior) > 0.0:
                self.weights[player] = [each / sum(posterior) for each in posterior]
            words = partial(transition.before.action_to_string, player, action)
            self.evidence[player].add(transition.ply, words, held, self.belief(player))
            before = self.watched[player]
            self.watched[player] = RehearsedTurn(transition.after.key(), [*before.seen, action], before.turns)
        for stranger in self.strangers:
            stranger.observe(transition)
        for habits in self.habits:
            habits.observe(transition)
        for listener in (each for own in self.listening for each in own if each is not None):
            listener.observe(transition)

    def belief(self, player: int) -> dict[str, float]:
        return dict(zip(self.labels, self.weights[player], strict=True))

    def predict(self, view: core.State, player: int) -> core.Distribution:
        parts = self.rehearsed_parts(view, player)
        parts.append(self.strangers[player].predict(view, parts))
        legal = view.legal_actions(player)
        mixed = core.Distribution.mixture(list(zip(self.weights[player], parts, strict=True)), legal)
        return self.trust[player].mix_with_chance(mixed, legal)

    def rehearsed_parts(self, view: core.State, player: int) -> list[core.Distribution]:
        """What each agent would do next."""
        legal, now = view.legal_actions(player), self.rehearsed_turn(view, player)
        return [self.predict_from_turns(turns, now.seen, legal) for turns in now.turns]

    def predict_from_turns(self, turns: list[list[int]], seen: list[int], legal: Sequence[int]) -> core.Distribution:
        """The next action of the rehearsed turns that agree with what was seen; of all turns if none does."""
        place = len(seen)
        agreeing = [turn for turn in turns if turn[:place] == seen] or turns
        next_ones = [turn[place] for turn in agreeing if len(turn) > place and turn[place] in legal]
        if not next_ones or len(legal) == 1:
            return core.Distribution.uniform(legal)
        said = core.Distribution({action: next_ones.count(action) / len(next_ones) for action in set(next_ones)}, legal)
        return core.Distribution.mixture(
            [(1.0 - self.slip, said), (self.slip, core.Distribution.uniform(legal))], legal
        )

    def rehearsed_turn(self, view: core.State, player: int) -> RehearsedTurn:
        """The turn that *view* belongs to; a turn other than the current one is rehearsed first."""
        key, now = view.key(), self.watched.get(player)
        continues = self.units is not None and self.units.asked(view) > 0
        if now is None or now.key != key or (now.seen and not continues):
            cast = zip(self.cast, self.listening[player], strict=True)
            turns = [[self.turn(*each, view, player) for _ in range(self.rehearsals)] for each in cast]
            now = self.watched[player] = RehearsedTurn(key, [], turns)
        return now

    def listener(self, agent: core.Agent, player: int) -> core.Agent | None:
        """A copy of an agent that watches the match from the seat of *player*, if that changes what it plays.

        Where something is hidden, a watcher cannot show it what it would have seen.
        """
        if self.game.hidden or type(agent).observe is core.Agent.observe:
            return None
        copied = agent.clone()
        copied.begin(self.game, player, self.rng)
        return copied

    def turn(self, agent: core.Agent, listener: core.Agent | None, view: core.State, player: int) -> list[int]:
        """The actions of an agent that plays the rest of a turn, with the memory of its *listener*."""
        state, actions = view.clone(), []
        if listener is None:
            copied = agent.clone()
            copied.begin(self.game, player, self.rng)
        else:
            copied = deepcopy(listener, {id(self.rng): self.rng, id(self.game): self.game})
        while True:
            actions.append(copied.act(state.clone(), Clock()))
            if self.units is None or state.current_player() != player:
                return actions
            place = self.units.asked(state)
            state.apply_action(actions[-1])
            if state.current_player() != player or self.units.asked(state) != place + 1:
                return actions

    def remember(self, player: int) -> Learned:
        return {**self.belief(player), **self.trust[player].remember()} if self.evidence[player].choices else {}

    def recall(self, player: int, learned: Learned) -> None:
        self.trust[player].recall(learned)
        self.weights[player] = list(recalled_prior(self.belief(player), learned).values())

    def explain(self, player: int) -> Explanation:
        belief = self.belief(player)
        habits = self.habits[player].words() if belief[UNKNOWN] == max(belief.values()) else ()
        return explanation_of(belief, evidence=self.evidence[player], habits=habits)


def default_agents(units: Units | None) -> tuple[core.Agent, ...]:
    """The default hypotheses: teams of automata, if the game has units."""
    return tuple(make_agent(spec) for spec in DEFAULT) if units is not None else ()
