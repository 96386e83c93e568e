"""A PRISM-games model as it is written: constants, variables, players, modules with commands, labels, rewards."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from lark import Token

from kibitz.core.errors import BadGame, advice
from kibitz_solve.prism.expressions import (
    Expression,
    Value,
    error_at,
    expand,
    expression_error,
    rename,
    value_of,
)


class Constant(msgspec.Struct, frozen=True):
    """A constant: its kind (`int`, `double` or `bool`) and its definition, if it has one."""

    name: Token
    kind: str
    definition: Expression | None


class Variable(msgspec.Struct, frozen=True):
    """A variable: a whole number from *least* to *most*, or a bool if these are None."""

    name: str
    least: Expression | None
    most: Expression | None
    initial: Expression | None
    at: Token


class Update(msgspec.Struct, frozen=True):
    """One outcome of a command: its probability, and what variables become."""

    probability: Expression
    assignments: tuple[tuple[Token, Expression], ...]


class Command(msgspec.Struct, frozen=True):
    """`[actions] guard -> updates`."""

    actions: tuple[str, ...]
    guard: Expression
    updates: tuple[Update, ...]
    at: Token


class Module(msgspec.Struct, frozen=True):
    """A module: its variables and commands."""

    name: Token
    variables: tuple[Variable, ...]
    commands: tuple[Command, ...]


class RewardItem(msgspec.Struct, frozen=True):
    """A reward per state and round if *actions* is None, else if these actions are chosen."""

    actions: tuple[str, ...] | None
    guard: Expression
    amount: Expression
    at: Token


class Model(msgspec.Struct):
    """A model as it is written, formulas expanded."""

    source: str
    constants: dict[str, Constant] = {}
    formulas: dict[str, Expression] = {}
    labels: dict[str, Expression] = {}
    variables: list[Variable] = []
    players: dict[str, list[Token]] = {}
    modules: dict[str, Module] = {}
    rewards: list[tuple[str, list[RewardItem]]] = []
    initial: Expression | None = None


def expand_formulas(formulas: Mapping[str, Expression]) -> dict[str, Expression]:
    """Formulas in terms of variables and constants alone."""
    done: dict[str, Expression] = {}

    def finish(name: str, above: tuple[str, ...]) -> Expression:
        if name in above:
            raise expression_error(formulas[name], f"the formula {name!r} contains itself")
        if name not in done:
            inner = {part.leaf for part in formulas[name].parts() if part.operator == "name" and part.leaf in formulas}
            done[name] = expand(formulas[name], {each: finish(each, (*above, name)) for each in sorted(inner)})
        return done[name]

    return {name: finish(name, ()) for name in formulas}


def map_parts(thing: Any, change: Callable[[Any], Any]) -> Any:
    """The same module, reward or part of one, with every expression and every name changed."""
    if isinstance(thing, Expression | str):
        return change(thing)
    if isinstance(thing, tuple):
        return tuple([map_parts(each, change) for each in thing])
    if isinstance(thing, msgspec.Struct):
        return type(thing)(*[map_parts(getattr(thing, field), change) for field in thing.__struct_fields__])
    return thing


def expand_parts(thing: Any, formulas: Mapping[str, Expression]) -> Any:
    """A module or a reward with its formulas expanded."""
    return map_parts(thing, lambda part: expand(part, formulas) if isinstance(part, Expression) else part)


def rename_module(module: Module, name: Token, names: Mapping[str, str]) -> Module:
    """A module made from another by renaming variables, actions and constants."""

    def change(part: Any) -> Any:
        if isinstance(part, Expression):
            return rename(part, names)
        return part.update(value=names.get(part, part.value)) if isinstance(part, Token) else names.get(part, part)

    made: Module = map_parts(module, change)
    return msgspec.structs.replace(made, name=name)


def constant_values(constants: Mapping[str, Constant], given: Mapping[str, Value], source: str) -> dict[str, Value]:
    """The values of all constants that are given or follow; others stay open until they are needed."""
    for name in given:
        if name not in constants:
            raise BadGame("--const", f"{source} has no constant {name!r}; {advice(name, constants)}")
        definition = constants[name].definition
        if definition is not None:
            raise expression_error(definition, f"the constant {name!r} has a value already")
    values: dict[str, Value] = {}

    def settle(name: str, above: tuple[str, ...]) -> None:
        constant = constants[name]
        if name in above:
            raise error_at(source, constant.name, f"{name!r} is defined by itself")
        if name in values:
            return
        if constant.definition is None:
            if name in given:
                values[name] = of_kind(constant, given[name], source)
            return
        needed = [part.leaf for part in constant.definition.parts() if part.operator == "name"]
        for each in needed:
            if each in constants:
                settle(each, (*above, name))
        if all(each in values or each not in constants for each in needed):
            values[name] = of_kind(constant, value_of(constant.definition, values), source)

    for name in constants:
        settle(name, ())
    return values


def of_kind(constant: Constant, value: Value, source: str) -> Value:
    """A value as the kind of its constant."""
    if constant.kind == "double" and not isinstance(value, bool):
        return float(value)
    if constant.kind == "bool" and isinstance(value, bool):
        return value
    if constant.kind == "int" and not isinstance(value, bool) and float(value).is_integer():
        return int(value)
    why = f"the constant {constant.name.value!r} is of type {constant.kind}, but is {value}"
    raise error_at(source, constant.name, why)


def constant_value(expression: Expression, constants: Mapping[str, Constant], values: Mapping[str, Value]) -> Value:
    """The value of an expression without variables; raises BadGame if it needs a constant without a value."""
    missing_constants(expression, constants, values)
    return value_of(expression, values)


def missing_constants(expression: Expression, constants: Mapping[str, Constant], values: Mapping[str, Value]) -> None:
    """Raise BadGame if a constant without a value is needed."""
    for part in expression.parts():
        if part.operator == "name" and part.leaf in constants and part.leaf not in values:
            raise expression_error(part, f"the constant {part.leaf!r} has no value; give it with --const {part.leaf}=…")
