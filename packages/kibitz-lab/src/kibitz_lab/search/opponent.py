"""A search's wrapper of an opponent model: it checks every answer, counts every node, and never raises.

A model that raises or gives an invalid answer is not asked again in this match; the search then goes on without it,
and `fault` says why.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from math import isfinite
from typing import Any, TypeVar, get_type_hints

import msgspec

from kibitz import core
from kibitz.core.errors import BadSpec, KibitzError, UnknownName, advice, error_text
from kibitz.core.specs import Misfit, Spec, constructor_parameters, convert_value, parse_spec
from kibitz_lab.search.likely import LikelyRule, Mass, MaxRatio, RandomLike, SeenBefore

Answer = TypeVar("Answer")
RULES: dict[str, type[Any]] = {
    "mass": Mass,
    "max_ratio": MaxRatio,
    "seen_before": SeenBefore,
    "random_like": RandomLike,
}
ROUNDING = 1e-6
"""The tolerance for probabilities to add up to 1."""


class Tally(msgspec.Struct):
    """How the sets of likely moves compare with the moves really played."""

    predictions: int = 0
    """Sets with at least one move."""
    abstentions: int = 0
    hits: int = 0
    """Sets that held the move played."""
    named: int = 0
    """Moves in all sets together."""
    children: int = 0
    """Legal moves behind those sets."""
    named_in_hits: int = 0
    chance: float = 0.0
    """Expected hits of random sets of these sizes."""

    def count(self, likely: Sequence[bool], chosen: int) -> None:
        """Count one decision."""
        size = sum(likely)
        if not size:
            self.abstentions += 1
            return
        self.predictions += 1
        self.named += size
        self.children += len(likely)
        self.chance += size / len(likely)
        if likely[chosen]:
            self.hits += 1
            self.named_in_hits += size


def make_rule(text: str) -> LikelyRule:
    """The rule that a text names: `mass(mass=0.8)`, `max_ratio(max_pr=0.3)`, `seen_before`, `random_like(rule=…)`."""
    spec = parse_spec(text)
    if spec.name not in RULES:
        raise UnknownName("rule", spec.name, tuple(RULES))
    kind = RULES[spec.name]
    hints = get_type_hints(kind.__init__, include_extras=True)
    parameters: dict[str, Any] = {}

    def blame(found: Misfit) -> BadSpec:
        return BadSpec(text, str(found))

    for name, value in spec.parameters.items():
        takes = constructor_parameters(kind)
        if name not in takes:
            raise BadSpec(text, f"{spec.name} has no parameter {name!r}; {advice(name, takes)}")
        made_of = make_rule(str(value)) if isinstance(value, Spec) else value
        parameters[name] = convert_value(made_of, hints[name], blame, name)
    if spec.name == "random_like":
        parameters.setdefault("rule", Mass())
    made: LikelyRule = kind(**parameters)
    return made


class Opponent:
    """The other player, as *model* sees them from *seat*, and which of their moves *rule* considers likely."""

    def __init__(self, model: core.Model, rule: LikelyRule, game: core.Game, seat: int, rng: core.Rng) -> None:
        self.model, self.rule, self.game, self.seat, self.player = model, rule, game, seat, 1 - seat
        self.fault = ""
        self.searched = 0
        """Nodes of the model's own searches, those of its copies included."""
        self.watched = 0
        """Those of them spent on learning from the moves played."""
        self.tally = Tally()
        model_rng, rule_rng = deepcopy(rng), deepcopy(rng)  # copies: the agent's draws stay the same
        self.rule.begin(rule_rng)
        try:
            self.model.begin(game, seat, model_rng)
        except KibitzError:  # the model cannot watch this game, and says why
            raise
        except Exception as error:
            self.fault = f"begin: {error_text(error)}"

    def observe(self, transition: core.Transition) -> None:
        """Count the prediction of a choice, then show the event to the model."""
        action = transition.action_of(self.player)
        if action is not None and transition.chose(self.player):
            self.score_prediction(transition.before, action)
        self.call_safely("observe", self.model, lambda: self.model.observe(transition))

    def score_prediction(self, view: core.State, action: int) -> None:
        """Count whether *action*, really played, was considered likely, and update the rule."""
        shares = self.weights(self.model, view)
        if shares is not None:
            chosen = list(view.legal_actions(self.player)).index(action)
            self.tally.count(self.rule.likely(shares), chosen)
            self.rule.observe_choice(shares, chosen)

    def shares(self, model: core.Model, view: core.State) -> list[float] | None:
        """The probability of each legal action of the other player, in their order; None if the model fails."""
        return self.call_safely(
            "predict", model, lambda: checked_shares(model.predict(view, self.player), view, self.player)
        )

    def weights(self, model: core.Model, view: core.State) -> list[float] | None:
        """The same for a rule that ranks: a model's own likelihoods, if it has them, keep ties exact."""
        likelihoods = getattr(model, "likelihoods", None)
        if likelihoods is None:
            return self.shares(model, view)
        count = len(view.legal_actions(self.player))
        return self.call_safely("likelihoods", model, lambda: checked_weights(likelihoods(view, self.player), count))

    def step_model(self, model: core.Model, transition: core.Transition) -> core.Model | None:
        """A copy of the model that has seen one more event; None if it fails."""
        copied = self.call_safely("clone", model, model.clone)
        if copied is not None:
            self.call_safely("observe", copied, lambda: copied.observe(transition))
        return None if self.fault else copied

    def line(self) -> "Line":
        """The line that begins at the current position of the match."""
        return Line(self, self.model)

    def call_safely(self, what: str, model: core.Model, ask: Callable[[], Answer]) -> Answer | None:
        """The answer of *ask*; None once the model has failed. Counts the model's searches."""
        if self.fault:
            return None
        before = model.searched
        try:
            return ask()
        except Exception as error:  # a model's fault must not end the match
            self.fault = f"{what}: {error_text(error)}"
            return None
        finally:
            self.searched += model.searched - before


class Line:
    """A line of play inside a search, and the model at its end, which follows the line only when asked."""

    def __init__(
        self, opponent: Opponent, model: core.Model | None, parent: "Line | None" = None, step: Any = None
    ) -> None:
        self.opponent, self.model, self.parent, self.step = opponent, model, parent, step

    def after(self, ply: int, player: int, action: int, before: core.State, after: core.State) -> "Line":
        """The line one move longer."""
        if not self.opponent.model.follows_lines:
            return self
        return Line(self.opponent, None, self, core.Transition(ply, player, (action,), before, after))

    def model_here(self) -> core.Model | None:
        """The model at the end of the line; None if it failed on the way."""
        if self.model is None and self.parent is not None:
            parent = self.parent.model_here()
            if parent is not None:
                self.model = self.opponent.step_model(parent, self.step)
        return self.model

    def weights(self, view: core.State) -> list[float] | None:
        """What a rule ranks the opponent's moves by, at the end of the line."""
        model = self.model_here()
        return None if model is None else self.opponent.weights(model, view)


def checked_shares(found: object, view: core.State, player: int) -> list[float]:
    """The probability of every legal action, adding up to 1; raises if the answer is anything else."""
    if not isinstance(found, core.Distribution):
        raise TypeError(f"predict returned a {type(found).__name__}, not a Distribution")
    shares = [float(found.probability(action)) for action in view.legal_actions(player)]
    total = sum(shares)
    if not (abs(total - 1.0) < ROUNDING and min(shares) >= 0.0):
        raise ValueError(f"the probabilities of the legal actions add up to {total}, or one is below 0")
    return [share / total for share in shares]


def checked_weights(found: Sequence[float], count: int) -> list[float]:
    """A number of 0 or more for each of *count* actions; raises if the answer is anything else."""
    weights = [float(weight) for weight in found]
    if len(weights) != count or not (isfinite(sum(weights)) and min(weights) >= 0.0):
        raise ValueError(
            f"the likelihoods of {count} legal actions are {len(weights)} numbers, or not all are 0 or more"
        )
    return weights
