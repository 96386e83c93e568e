"""The model `plans`: infers the goals of players and predicts their actions, by plan recognition."""

from copy import copy, deepcopy
from functools import partial
from typing import Annotated, Any, Self

from msgspec import Meta

from kibitz import core
from kibitz.core.insight import Explanation, MoveEvidence, explanation_of
from kibitz.core.kit.plans import Describe
from kibitz.core.wording import percent
from kibitz.models.strangers import new_stranger
from kibitz_lab.plans.assumptions import Assumptions, Share
from kibitz_lab.plans.formats.text_form import text_of
from kibitz_lab.plans.library import PlanLibrary
from kibitz_lab.plans.observed_player import ObservedPlayer, plans_of


class Plans(core.Model):
    """Which goal does each player pursue? Plan recognition (PHATT) over the game's plan library.

    *library* are other plans than those that come with the game: a file, its text, or a `PlanLibrary`, for any game.
    *describe* tells the library's names of a player's actions (`observed_player.Describe`); without it they are those
    of the game's own library, or else the actions as players write them. A player has at most *roots* goals at a time;
    *slip* is the probability that an action serves none, *miss* that an action is not seen; a goal counts as abandoned
    when its idle time has a probability below *abandon*. The model keeps at most *beam* explanations. Predictions mix
    what the plans say with what is learned of the player while they play (`models.strangers`); beliefs are about goals
    only, so a player without any has no label of their own.

    >>> from kibitz import play
    >>> from kibitz_lab import Plans
    >>> record = play("dilemma(rounds=6)", ["dilemma.defector", "dilemma.cooperator"], models=[Plans()], seed=1)
    >>> (beliefs,) = record.entries[-1].beliefs.values()
    >>> [max(belief, key=belief.get) for belief in beliefs]
    ['exploit', 'peace']
    """

    answers = ("goal", "action")
    follows_lines = True

    def __init__(
        self,
        library: str | PlanLibrary = "",
        roots: Annotated[int, Meta(ge=1, le=20)] = 1,
        slip: Share = 0.1,
        miss: Share = 0.0,
        abandon: Share = 0.0,
        beam: core.Count = 500,
        describe: Describe | None = None,
    ) -> None:
        self.library, self.roots, self.slip, self.miss = library, roots, slip, miss
        self.abandon, self.beam, self.describe = abandon, beam, describe

    def parameters(self) -> dict[str, Any]:
        """The parameters of a spec, which holds a library as its text and no function."""
        found = super().parameters()
        found.pop("describe", None)
        if isinstance(self.library, PlanLibrary):
            found["library"] = text_of(self.library)
        return found

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        assumptions = Assumptions(roots=self.roots, slip=self.slip, miss=self.miss, abandon=self.abandon)
        self.pursuits = [
            ObservedPlayer(*plans_of(game, self, self.library, self.describe, player), assumptions, self.beam)
            for player in range(game.players)
        ]
        self.strangers = [new_stranger(game, player, 1, typical=True) for player in range(game.players)]
        self.planned: tuple[int, core.Key, core.Distribution] | None = None
        """The position asked about last, and what the plans predict there."""
        self.evidence = [MoveEvidence() for _ in range(game.players)]

    def clone(self) -> Self:
        copied = copy(self)
        if hasattr(self, "pursuits"):
            copied.pursuits = [pursuit.clone() for pursuit in self.pursuits]
            copied.strangers = [stranger.copy() for stranger in self.strangers]
            copied.evidence = deepcopy(self.evidence)
        return copied

    def observe(self, transition: core.Transition) -> None:
        for player in transition.movers:
            action = transition.action_of(player)
            if action is not None and transition.chose(player):
                self.strangers[player].learn(transition.before, action, [self.predict_plan(transition.before, player)])
                held = self.belief(player)
                self.pursuits[player].observe(transition.before, player, action)
                words = partial(transition.before.action_to_string, player, action)
                self.evidence[player].add(transition.ply, words, held, self.belief(player))
        self.planned = None
        for stranger in self.strangers:
            stranger.observe(transition)

    def belief(self, player: int) -> dict[str, float]:
        return self.pursuits[player].recogniser.belief()

    def predict(self, view: core.State, player: int) -> core.Distribution:
        return self.strangers[player].predict(view, [self.predict_plan(view, player)])

    def predict_plan(self, view: core.State, player: int) -> core.Distribution:
        """What the plans of *player* predict."""
        key = view.key()
        if self.planned is None or self.planned[:2] != (player, key):
            self.planned = player, key, self.pursuits[player].predict_next(view, player)
        return self.planned[2]

    def explain(self, player: int) -> Explanation:
        watched = self.pursuits[player]
        belief = watched.recogniser.belief()
        titles = {goal: watched.recogniser.library.plans[goal].title or goal for goal in belief}
        likely = next(iter(watched.recogniser.next_actions().items()), None) if watched.seen else None
        notes = [f"expected next: {likely[0]} ({percent(likely[1])})"] if likely else []
        if watched.restarts:
            notes.append(f"fitted no plan {'once' if watched.restarts == 1 else f'{watched.restarts} times'}")
        return explanation_of(belief, titles=titles, evidence=self.evidence[player], question="plan", notes=notes)
