"""Answers to properties of a model: certified intervals, and the strategies that prove them."""

from collections.abc import Callable, Mapping
from functools import partial
from math import inf, isinf
from typing import Any

import msgspec
import numpy as np

from kibitz.core.errors import BadGame, advice
from kibitz_solve.prism.explicit import ExplicitModel, Rules
from kibitz_solve.prism.expressions import (
    Expression,
    Value,
    checked_truth,
    checked_value,
    error_at,
    expand,
    expression_error,
    function_of,
)
from kibitz_solve.prism.model import Model, RewardItem, constant_value, constant_values, missing_constants
from kibitz_solve.prism.properties import Property, Question, Questions, with_declarations
from kibitz_solve.prism.rewards import forced_states, solve_rewards
from kibitz_solve.prism.two_sided_model import Flags, LayeredStates, TwoSidedModel, layered_game
from kibitz_solve.recursive.building.recursive_game import Floats, predecessors_of
from kibitz_solve.recursive.proofs.solution import Solution
from kibitz_solve.recursive.proofs.solving import backward_order, solve
from kibitz_solve.recursive.values.operators import Deadline

Interval = tuple[float, float]
LAYER_LIMIT = 30_000_000
"""The most pairs of actions of a game whose steps count."""


class Settled(msgspec.Struct, frozen=True):
    """What a coalition achieves: an interval for each state of the model, and the solution behind it if one was needed.

    *maximises*: whether the coalition is the row player. *must_end*: play without end counts as infinite.
    """

    low: Floats
    high: Floats
    solution: Solution | None
    maximises: bool
    coalition: tuple[str, ...]
    must_end: bool = False


class Answer(msgspec.Struct, frozen=True):
    """The answer to a question at the initial states: an interval, or whether it holds (None: not decided)."""

    question: Question
    interval: Interval
    verdict: bool | None
    is_verdict: bool
    settled: list[Settled]
    states: int


class Checker:
    """Answers questions about one model with values for its constants."""

    def __init__(
        self,
        model: Model,
        questions: Questions,
        given: Mapping[str, Value],
        *,
        width: float = 1e-6,
        seconds: float | None = None,
        limit: int | None = None,
        report: Callable[[str], None] | None = None,
    ) -> None:
        both = {**model.constants, **questions.constants}
        self.constants = constant_values(both, given, model.source)
        self.declared, self.questions = both, questions
        rules = Rules(msgspec.structs.replace(model, constants=both), self.constants)
        self.model = ExplicitModel(rules, limit=limit, report=report)
        self.labels = with_declarations(questions, model)
        self.formulas = {**model.formulas, **questions.formulas}
        self.width, self.seconds, self.report = width, seconds, report
        self.settled: list[Settled] = []
        self.two_sided: dict[tuple[int, ...], TwoSidedModel] = {}

    def answer(self, question: Question) -> Answer:
        """The answer to one question."""
        self.settled = []
        initial = self.model.initial
        if question.not_read is not None:
            return Answer(question, (-inf, inf), None, False, [], len(self.model))
        compares = question.expression.operator == "property" and question.expression.leaf.comparison is not None
        if compares:
            verdicts = self._verdicts(question.expression.leaf)[initial]
            decided = None if (verdicts < 0).any() else bool(verdicts.all())
            low, high = self.settled[0].low[initial].min(), self.settled[0].high[initial].max()
            return Answer(question, (float(low), float(high)), decided, True, self.settled, len(self.model))
        lows, highs = self._interval(question.expression)
        bounds = float(lows[initial].min()), float(highs[initial].max())
        return Answer(question, bounds, None, False, self.settled, len(self.model))

    def _interval(self, expression: Expression) -> tuple[Floats, Floats]:
        """The interval of a number at every state."""
        count = len(self.model)
        if expression.operator == "property":
            if expression.leaf.comparison is not None:
                raise expression_error(expression, "a property that holds or not is no number")
            found = self._settle(expression.leaf)
            return found.low, found.high
        if not any(part.operator == "property" for part in expression.parts()):
            number = self._state_function(expression)
            values = np.array([float(number(state)) for state in range(count)])
            return values, values
        parts = [self._interval(each) for each in expression.operands]
        match expression.operator, parts:
            case "+", [(a, b), (c, d)]:
                return a + c, b + d
            case "-", [(a, b), (c, d)]:
                return a - d, b - c
            case "negative", [(a, b)]:
                return -b, -a
            case (("*" | "/"), [(a, b), (c, d)]):
                with np.errstate(all="ignore"):
                    ends = [a * c, a * d, b * c, b * d] if expression.operator == "*" else [a / c, a / d, b / c, b / d]
                return np.minimum.reduce(ends), np.maximum.reduce(ends)
        raise expression_error(expression, f"{expression.operator!r} of values of games is not read; + - * / are")

    def _state_function(self, expression: Expression) -> Callable[[int], Value]:
        """An expression about states as a function of a state's number: labels expanded, properties in it solved."""
        marks: list[Flags] = []
        inside: list[str] = []
        everything = range(len(self.model))

        def change(part: Expression) -> Expression | None:
            if part.operator == "property":
                marks.append(self._states_where(part))
            elif part.operator == "label" and part.leaf in ("init", "deadlock"):
                initial, deadlock = self.model.initial, self.model.is_deadlock
                holding = [number in initial if part.leaf == "init" else deadlock(number) for number in everything]
                marks.append(np.array(holding, bool))
            elif part.operator == "label":
                if part.leaf not in self.labels:
                    raise expression_error(
                        part, f'no label "{part.leaf}"; {advice(part.leaf, [*self.labels, "init", "deadlock"])}'
                    )
                if part.leaf in inside:
                    raise expression_error(part, f'the label "{part.leaf}" contains itself')
                inside.append(part.leaf)
                found = self.labels[part.leaf].map_parts(change)
                inside.pop()
                return found
            else:
                return None
            return msgspec.structs.replace(part, operator="mark", leaf=len(marks) - 1, operands=())

        whole = expand(expression, self.formulas).map_parts(change)
        missing_constants(whole, self.declared, self.constants)
        function = function_of(whole, self.model.rules.indices, self.constants, "s m")
        table = np.array(marks, bool).T if marks else np.zeros((len(self.model), 0), bool)
        return lambda number: checked_value(
            expression, lambda: function(self.model.states[number], table[number].tolist())
        )

    def _states_where(self, part: Expression) -> Flags:
        """The states where a property inside another holds."""
        if part.leaf.comparison is None:
            raise expression_error(part, "a property inside another must hold or not: P>=0.5 instead of Pmax=?")
        before = self.settled
        self.settled = []
        verdicts = self._verdicts(part.leaf)
        self.settled = before
        if (verdicts < 0).any():
            raise expression_error(part, "its value is too near to the bound to say in every state whether it holds")
        return verdicts > 0

    def _verdicts(self, asked: Property) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """For every state 1 if a property holds, 0 if not, -1 if that is not decided."""
        assert asked.threshold is not None
        found = self._settle(asked)
        bound = float(self._constant(asked.threshold))
        low, high, sign = found.low, found.high, asked.comparison
        if sign in ("<", "<="):
            low, high, bound, sign = -found.high, -found.low, -bound, ">" if sign == "<" else ">="
        holds = low > bound if sign == ">" else low >= bound
        fails = high <= bound if sign == ">" else high < bound
        return np.where(holds, 1, np.where(fails, 0, -1)).astype(np.int64)

    def _constant(self, expression: Expression) -> Value:
        return constant_value(expand(expression, self.formulas), self.declared, self.constants)

    def _marks(self, expression: Expression | None) -> Flags:
        if expression is None:
            return np.ones(len(self.model), bool)
        holds = self._state_function(expression)
        return np.array([checked_truth(expression, partial(holds, number)) for number in range(len(self.model))], bool)

    def _steps(self, expression: Expression | None, more: int) -> int | None:
        if expression is None:
            return None
        steps = self._constant(expression)
        if isinstance(steps, bool) or not float(steps).is_integer() or steps + more < 0:
            raise expression_error(expression, f"a bound of steps must be a whole number of at least 0, not {steps}")
        return int(steps) + more

    def _two_sided_model(self, asked: Property) -> TwoSidedModel:
        def fail(why: str) -> None:
            raise error_at(self.questions.source, asked.at, why)

        names = list(asked.coalition)
        if "*" in names or (names == ["all"] and "all" not in self.model.rules.players):
            names = list(self.model.rules.players)
        coalition = self.model.player_numbers(names, fail)
        everyone = range(len(self.model.rules.players))
        rows = coalition if asked.goal == "max" else [player for player in everyone if player not in coalition]
        key = tuple(sorted(set(rows)))
        if key not in self.two_sided:
            self.two_sided[key] = TwoSidedModel(self.model, key)
        return self.two_sided[key]

    def _settle(self, asked: Property) -> Settled:
        """Solve a property."""
        sides = self._two_sided_model(asked)
        found = self._settle_path(sides, asked) if asked.kind == "P" else self._settle_rewards(sides, asked)
        self.settled.append(found)
        return found

    def _finish(self, asked: Property, first: Floats, solution: Solution | None = None) -> Settled:
        """The intervals at the states of the first layer; ends there have their payoffs."""
        low, high = first.copy(), first.copy()
        if solution is not None:
            assert isinstance(solution.game.states, LayeredStates)
            for number, node in solution.game.states.first_nodes().items():
                low[number] = solution.low[node] + solution.game.infinite_play
                high[number] = solution.high[node] + solution.game.infinite_play
        return Settled(low, high, solution, asked.goal == "max", asked.coalition)

    def _settle_layers(
        self, sides: TwoSidedModel, asked: Property, layers: list[Floats], *, loops: bool = False, **game_options: Any
    ) -> Settled:
        pairs = len(sides.pair) * max(1, len(layers) - 1)
        if pairs > LAYER_LIMIT:
            why = f"it takes {pairs:,} pairs of actions, more than {LAYER_LIMIT:,}; give a smaller bound of steps"
            raise error_at(self.questions.source, asked.at, why)
        if not np.isnan(layers[0]).any():
            return self._finish(asked, layers[0])
        game = layered_game(sides, layers, loops=loops, **game_options)
        solution = solve(game, width=self.width, seconds=self.seconds, report=self.report)
        return self._finish(asked, layers[0], solution)

    def _settle_path(self, sides: TwoSidedModel, asked: Property) -> Settled:
        path, count = asked.path, len(self.model)
        right = self._marks(path.right)
        if path.operator == "X":
            return self._settle_layers(sides, asked, [np.full(count, np.nan), right.astype(float)])
        left = self._marks(path.left)
        won, lost, timeless = 1.0, 0.0, 0.0
        if path.operator == "G":  # not (true until not right)
            left, right, won, lost, timeless = np.ones(count, bool), ~right, 0.0, 0.0, 1.0
        elif path.operator == "W":
            timeless = 1.0
        elif path.operator == "R":  # right weakly until both
            left, right, timeless = right, left & right, 1.0
        least = self._steps(path.least, int(path.strict[0])) or 0
        most = self._steps(path.most, -int(path.strict[1]))
        early = np.where(left, np.nan, lost)
        within = np.where(right, won, np.where(left, np.nan, lost))
        if most is None:
            return self._settle_layers(sides, asked, [early] * least + [within], loops=True, infinite_play=timeless)
        if least > most:
            return self._finish(asked, np.full(count, timeless))
        layers = [early] * least + [within] * (most - least) + [np.where(right, won, np.where(left, timeless, lost))]
        return self._settle_layers(sides, asked, layers, infinite_play=timeless)

    def _settle_rewards(self, sides: TwoSidedModel, asked: Property) -> Settled:
        path, count = asked.path, len(self.model)
        items = self._reward_items(asked)
        if path.operator == "F0":
            raise error_at(self.questions.source, asked.at, "F0 is not read; F (infinite if never reached) and Fc are")
        most = self._steps(path.most, 0)
        if path.operator == "I":
            assert most is not None
            here = self._state_rewards(items)
            return self._settle_layers(sides, asked, [np.full(count, np.nan)] * most + [here])
        stage = self._stage(sides, items)
        if path.operator == "C" and most is not None:
            layers = [np.full(count, np.nan)] * most + [np.zeros(count)]
            return self._settle_layers(sides, asked, layers, stage=stage)
        goal = self._marks(path.right) if path.right is not None else np.zeros(count, bool)
        if path.operator == "F":
            return self._settle_until(sides, asked, goal, stage)
        return self._solve_loop(sides, asked, np.where(goal, 0.0, np.nan), stage, must_end=False)

    def _settle_until(self, sides: TwoSidedModel, asked: Property, goal: Flags, stage: Floats) -> Settled:
        """Rewards until the goal; infinite where the other can keep play away from it with some probability."""
        inside, kept = forced_states(sides, goal)
        pairs = kept[sides.column_of_pairs()]
        ends = np.where(goal, 0.0, np.where(inside, np.nan, inf))
        if not np.isnan(ends).any():
            return self._finish(asked, ends)
        fewer = sides.with_columns(kept)
        found = self._solve_loop(fewer, asked, np.where(np.isinf(ends), 0.0, ends), stage[pairs], must_end=True)
        low, high = (np.where(np.isinf(ends), inf, each) for each in (found.low, found.high))
        return msgspec.structs.replace(found, low=low, high=high, must_end=True)

    def _solve_loop(
        self, sides: TwoSidedModel, asked: Property, ends: Floats, stage: Floats, *, must_end: bool
    ) -> Settled:
        if not np.isnan(ends).any():
            return self._finish(asked, ends)
        game = layered_game(sides, [ends], loops=True, stage=stage)
        if backward_order(game, predecessors_of(game)) is not None:
            solution = solve(game, width=self.width, seconds=self.seconds, report=self.report)
        else:
            solution = solve_rewards(game, self.width, Deadline(self.seconds, self.report), must_end=must_end)
        return self._finish(asked, ends, solution)

    def _reward_items(self, asked: Property) -> list[RewardItem]:
        rewards, name = self.model.rules.model.rewards, asked.reward
        if not rewards:
            raise error_at(self.questions.source, asked.at, "the model has no rewards")
        if name is None:
            return rewards[0][1]
        if isinstance(name, int):
            if not 1 <= name <= len(rewards):
                raise error_at(
                    self.questions.source, asked.at, f"there are no rewards number {name}, only {len(rewards)}"
                )
            return rewards[name - 1][1]
        for known, items in rewards:
            if known == name:
                return items
        why = f'no rewards "{name}"; {advice(name, [known for known, _ in rewards if known])}'
        raise error_at(self.questions.source, asked.at, why)

    def _state_rewards(self, items: list[RewardItem]) -> Floats:
        """What every state pays in a round."""
        total = np.zeros(len(self.model))
        for item in items:
            if item.actions is None:
                where, amounts = self._reward_functions(item)
                for number in np.flatnonzero(where):
                    total[number] += amounts(int(number))
        return total

    def _reward_functions(self, item: RewardItem) -> tuple[Flags, Callable[[int], float]]:
        guard, amount = self._state_function(item.guard), self._state_function(item.amount)
        where = np.array([checked_truth(item.guard, partial(guard, number)) for number in range(len(self.model))], bool)
        return where, lambda number: float(amount(number))

    def _stage(self, sides: TwoSidedModel, items: list[RewardItem]) -> Floats:
        """What every pair of actions pays: the rewards of the state and of the actions."""
        owner = sides.owner()
        total = self._state_rewards(items)[owner]
        for item in items:
            if item.actions is None:
                continue
            for action in item.actions:
                if action not in self.model.rules.owner_of:
                    raise error_at(self.model.rules.model.source, item.at, f"the action {action!r} is no player's")
            where, amounts = self._reward_functions(item)
            wanted = set(item.actions)
            for state in np.flatnonzero(where):
                paid = amounts(int(state))
                for pair in range(int(sides.first[state]), int(sides.first[state + 1])):
                    if wanted <= set(sides.joints[pair]):
                        total[pair] += paid
        return total


def read_constants(text: str) -> dict[str, Value]:
    """`D=8,q=0.9` as names and values; raises BadGame."""
    found: dict[str, Value] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, equals, value = (each.strip() for each in part.partition("="))
        if not equals or not name.isidentifier():
            raise BadGame("--const", f"expected name=value, not {part!r}")
        found[name] = _read_value(name, value)
    return found


def _read_value(name: str, text: str) -> Value:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if not isinf(number) and number == number:
            return number
    raise BadGame("--const", f"the value of {name!r} must be a number, true or false, not {text!r}")
