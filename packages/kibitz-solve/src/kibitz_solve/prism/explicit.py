"""The states of a model, and where every joint action leads: built from the initial states on.

In a module that a player owns, the first action of a command is that player's choice, further ones are conditions on
what others choose. Of the commands whose actions were all chosen, the one with the most actions is taken; a module
without an owner takes its unlabelled command if no other fits. A player without an enabled action idles.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from math import prod
from typing import Any, NamedTuple

from kibitz.core.errors import BadGame, short_repr
from kibitz_solve.prism.expressions import (
    Expression,
    Value,
    checked_truth,
    checked_value,
    error_at,
    expression_error,
    function_of,
)
from kibitz_solve.prism.model import Command, Model, Variable, constant_value, missing_constants

State = tuple[Value, ...]
Joint = tuple[str, ...]
"""What every player chooses, in the order of the players; IDLE where they have no choice."""
IDLE = ""
STATE_LIMIT = 1_000_000
INITIAL_LIMIT = 1_000_000
"""The most combinations of values that are tested for being initial states."""
TOLERANCE = 1e-9


class Assignment(NamedTuple):
    """What a variable becomes: a function of the state, and of the next state if it reads primed variables."""

    variable: int
    value: Callable[[State, list[Value]], Value]
    reads: frozenset[int]
    at: Expression


class Outcome(NamedTuple):
    """One outcome of a command."""

    probability: Callable[[State], float]
    assignments: tuple[Assignment, ...]
    at: Expression


class Rule(NamedTuple):
    """A command, compiled."""

    actions: frozenset[str]
    own: str | None
    guard: Callable[[State], bool]
    outcomes: tuple[Outcome, ...]
    command: Command
    writes: frozenset[int]
    """The indices of the variables it assigns."""


class Choices(NamedTuple):
    """What may happen in a state: the actions of every player, and the distribution after every joint action."""

    actions: tuple[tuple[str, ...], ...]
    after: dict[Joint, dict[State, float]]


class Rules:
    """The rules of a model with values for its constants."""

    def __init__(self, model: Model, constants: Mapping[str, Value]) -> None:
        self.model, self.constants = model, dict(constants)
        self.variables = model.variables
        self.indices = {variable.name: index for index, variable in enumerate(self.variables)}
        self.players = list(model.players)
        self.bounds = [self._bounds(variable) for variable in self.variables]
        owners = {name.value: player for player, owned in model.players.items() for name in owned}
        self.owned: list[tuple[int, list[Rule]]] = []
        """Every module's owner (-1: none) and rules."""
        self.owner_of: dict[str, int] = {}
        for name, module in model.modules.items():
            player = self.players.index(owners[name]) if name in owners else -1
            self.owned.append((player, [self._rule(command, player) for command in module.commands]))
        for (player, rules), module in zip(self.owned, model.modules.values(), strict=True):
            self._check_actions(player, rules, module.name)

    def function(self, expression: Expression, arguments: str = "s") -> Callable[..., Any]:
        """An expression as a function of states."""
        missing_constants(expression, self.model.constants, self.constants)
        return function_of(expression, self.indices, self.constants, arguments)

    def _bounds(self, variable: Variable) -> tuple[int, int] | None:
        """The least and the most value of a variable; None for a bool."""
        if variable.least is None or variable.most is None:
            return None
        found = []
        for expression in (variable.least, variable.most):
            value = constant_value(expression, self.model.constants, self.constants)
            if isinstance(value, bool) or not float(value).is_integer():
                raise expression_error(
                    expression, f"the bounds of {variable.name!r} must be whole numbers, not {value}"
                )
            found.append(int(value))
        if found[0] > found[1]:
            raise expression_error(variable.least, f"{variable.name!r} has no value: {found[0]} is above {found[1]}")
        return found[0], found[1]

    def _rule(self, command: Command, player: int) -> Rule:
        if player >= 0:
            if not command.actions:
                raise error_at(
                    self.model.source, command.at, "a command of a player's module must name that player's action"
                )
            own = command.actions[0]
            if self.owner_of.setdefault(own, player) != player:
                why = f"the action {own!r} is {self.players[self.owner_of[own]]}'s already"
                raise error_at(self.model.source, command.at, why)
        outcomes = tuple(
            Outcome(
                self.function(update.probability),
                tuple(self._assignment(name, value) for name, value in update.assignments),
                update.probability if update.probability.at is not None else command.guard,
            )
            for update in command.updates
        )
        own_action = command.actions[0] if player >= 0 else None
        assigned = [each for outcome in outcomes for each in outcome.assignments]
        return Rule(
            frozenset(command.actions),
            own_action,
            self.function(command.guard),
            outcomes,
            command,
            frozenset(each.variable for each in assigned),
        )

    def _assignment(self, name: Any, value: Expression) -> Assignment:
        if name.value not in self.indices:
            raise error_at(self.model.source, name, f"there is no variable {name.value!r} to assign")
        reads = frozenset(
            self.indices[part.leaf] for part in value.parts() if part.operator == "primed" and part.leaf in self.indices
        )
        return Assignment(self.indices[name.value], self.function(value, "s n"), reads, value)

    def _check_actions(self, player: int, rules: list[Rule], module: str) -> None:
        for rule in rules:
            for action in rule.command.actions:
                if action not in self.owner_of:
                    why = f"the action {action!r} is no player's; {module!r} can wait for players' actions only"
                    raise error_at(self.model.source, rule.command.at, why)
            owners = [self.owner_of[action] for action in rule.command.actions]
            if len(set(owners)) < len(owners):
                raise error_at(
                    self.model.source, rule.command.at, "a command can name one action of each player at most"
                )

    def initial_states(self) -> list[State]:
        """Where play begins."""
        if self.model.initial is None:
            return [tuple(self._first_value(index) for index in range(len(self.variables)))]
        ranges = [(False, True) if each is None else range(each[0], each[1] + 1) for each in self.bounds]
        size = prod(map(len, ranges))
        if size > INITIAL_LIMIT:
            raise expression_error(
                self.model.initial, f"{size:,} states would have to be tested; more than {INITIAL_LIMIT:,}"
            )
        holds = self.function(self.model.initial)
        initial = self.model.initial
        found: list[State] = [state for state in product(*ranges) if checked_truth(initial, partial(holds, state))]
        if not found:
            raise expression_error(self.model.initial, "no state is initial")
        return found

    def _first_value(self, index: int) -> Value:
        variable, bounds = self.variables[index], self.bounds[index]
        if variable.initial is None:
            return False if bounds is None else bounds[0]
        return self._fitting(
            index, constant_value(variable.initial, self.model.constants, self.constants), variable.initial
        )

    def _fitting(self, index: int, value: Value, at: Expression, state: State | None = None) -> Value:
        """A value of a variable, within its bounds."""
        bounds, name = self.bounds[index], self.variables[index].name
        if bounds is None:
            if isinstance(value, bool):
                return value
        elif not isinstance(value, bool) and bounds[0] <= value <= bounds[1] and value == int(value):
            return int(value)
        kind = "true or false" if bounds is None else f"a whole number from {bounds[0]} to {bounds[1]}"
        where = f" after state {self.name(state)}" if state is not None else ""
        raise expression_error(at, f"{name!r} must be {kind}, but would be {value}{where}")

    def name(self, state: State) -> str:
        """`(0,true,3)`."""
        return "(" + ",".join(str(value).lower() if isinstance(value, bool) else str(value) for value in state) + ")"

    def choices(self, state: State) -> Choices:
        """What may happen in a state."""
        enabled = [[rule for rule in rules if _holds(rule, state)] for _, rules in self.owned]
        moves: list[dict[str, None]] = [{} for _ in self.players]
        for (player, _), active in zip(self.owned, enabled, strict=True):
            if player >= 0:
                moves[player].update(dict.fromkeys(str(rule.own) for rule in active))
        after: dict[Joint, dict[State, float]] = {}
        drawn: dict[tuple[int, ...], dict[State, float]] = {}
        for joint in product(*(tuple(each) or (IDLE,) for each in moves)):
            fired = self._firing_rules(joint, enabled, state)
            if fired is None:
                continue
            key = tuple(map(id, fired))
            if key not in drawn:
                drawn[key] = self._draw(fired, state)
            after[joint] = drawn[key]
        actions = tuple(tuple(dict.fromkeys(joint[player] for joint in after)) for player in range(len(moves)))
        self._check_product(actions, after, state)
        return Choices(actions, after)

    def _firing_rules(self, joint: Joint, enabled: list[list[Rule]], state: State) -> list[Rule] | None:
        """The rules that a joint action fires, one a module at most; None if a player's choice fires none."""
        chosen = frozenset(action for action in joint if action != IDLE)
        found, answered = [], set()
        for active, module in zip(enabled, self.model.modules, strict=True):
            fitting = [rule for rule in active if rule.actions <= chosen]
            if not fitting:
                continue
            most = max(len(rule.actions) for rule in fitting)
            best = [rule for rule in fitting if len(rule.actions) == most]
            if len(best) > 1:
                why = f"two commands of {module!r} fit [{','.join(sorted(chosen))}] in state {self.name(state)}"
                raise error_at(self.model.source, best[1].command.at, why)
            found.append(best[0])
            answered.add(best[0].own)
        if not chosen <= answered:
            return None
        self._check_writers(found, state)
        return found

    def _check_writers(self, fired: list[Rule], state: State) -> None:
        """Raise BadGame if two rules assign one variable."""
        seen: set[int] = set()
        for rule in fired:
            twice = rule.writes & seen
            if twice:
                why = f"{self.variables[min(twice)].name!r} is assigned twice after state {self.name(state)}"
                raise error_at(self.model.source, rule.command.at, why)
            seen |= rule.writes

    def _check_product(self, actions: Sequence[Sequence[str]], after: Mapping[Joint, Any], state: State) -> None:
        if not after:
            raise BadGame(self.model.source, f"no command fits any choice of the players in state {self.name(state)}")
        for joint in product(*actions):
            if joint not in after:
                chosen = ",".join(action for action in joint if action != IDLE)
                why = f"no command says what [{chosen}] does in state {self.name(state)}"
                raise BadGame(self.model.source, why)

    def _draw(self, fired: list[Rule], state: State) -> dict[State, float]:
        """The distribution over the states after these rules."""
        total: dict[State, float] = {}
        for outcomes in product(*(self._weighed_outcomes(rule, state) for rule in fired)):
            after = self._state_after([each for _, assignments in outcomes for each in assignments], state)
            total[after] = total.get(after, 0.0) + prod(chance for chance, _ in outcomes)
        return total

    def _weighed_outcomes(self, rule: Rule, state: State) -> list[tuple[float, tuple[Assignment, ...]]]:
        found, total = [], 0.0
        for outcome in rule.outcomes:
            chance = float(checked_value(outcome.at, partial(outcome.probability, state)))
            if not 0.0 <= chance <= 1.0 + TOLERANCE:
                raise expression_error(outcome.at, f"a probability is {chance:g} in state {self.name(state)}")
            total += chance
            if chance > 0.0:
                found.append((chance, outcome.assignments))
        if abs(total - 1.0) > TOLERANCE:
            why = f"the probabilities add up to {total:.12g}, not 1, in state {self.name(state)}"
            raise error_at(self.model.source, rule.command.at, why)
        return found

    def _state_after(self, assignments: Sequence[Assignment], state: State) -> State:
        """The next state: assignments that read primed variables come after those that write them."""
        after, ready = list(state), [each for each in assignments if not each.reads]
        waiting = [each for each in assignments if each.reads]
        while ready:
            for each in ready:
                value = checked_value(each.at, partial(each.value, state, after))
                after[each.variable] = self._fitting(each.variable, value, each.at, state)
            open_variables = {each.variable for each in waiting}
            ready = [each for each in waiting if not each.reads & open_variables]
            waiting = [each for each in waiting if each.reads & open_variables]
        if waiting:
            raise expression_error(waiting[0].at, "primed variables depend on each other in a circle")
        return tuple(after)


def _holds(rule: Rule, state: State) -> bool:
    return checked_truth(rule.command.guard, lambda: rule.guard(state))


class ExplicitModel:
    """All states that can be reached, in the order of their values, and what may happen in each."""

    def __init__(self, rules: Rules, *, limit: int | None = None, report: Callable[[str], None] | None = None) -> None:
        most = limit or STATE_LIMIT
        self.rules = rules
        first = rules.initial_states()
        found: dict[State, Choices] = {}
        waiting, seen = list(first), set(first)
        while waiting:
            state = waiting.pop()
            found[state] = rules.choices(state)
            for distribution in found[state].after.values():
                for after in distribution:
                    if after not in seen:
                        seen.add(after)
                        waiting.append(after)
            if len(seen) > most:
                why = f"it has more than {most:,} states; give a higher limit or other constants"
                raise BadGame(rules.model.source, why)
            if report is not None and len(found) % 1000 == 0:
                report(f"{len(found):,} states of the model")
        self.states = sorted(found)
        self.numbers = {state: number for number, state in enumerate(self.states)}
        self.choices = [found[state] for state in self.states]
        self.initial = [self.numbers[state] for state in first]

    def __len__(self) -> int:
        return len(self.states)

    def is_deadlock(self, number: int) -> bool:
        """Whether no command fires in a state: it was given a loop."""
        choices = self.choices[number]
        return set(choices.after) == {(IDLE,) * len(self.rules.players)} and not any(
            _holds(rule, self.states[number]) and not rule.actions for _, rules in self.rules.owned for rule in rules
        )

    def player_numbers(self, names: Sequence[str], where: Callable[[str], Any]) -> list[int]:
        """The numbers of players, who may be named or counted from 1."""
        found = []
        for name in names:
            if name in self.rules.players:
                found.append(self.rules.players.index(name))
            elif name.isdigit() and 1 <= int(name) <= len(self.rules.players):
                found.append(int(name) - 1)
            else:
                where(f"no player {short_repr(name)}; the players are {', '.join(self.rules.players)}")
        return found
