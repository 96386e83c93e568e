"""Reads PRISM-games models: the declarations of a `.prism` file, in any order."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from lark import Lark, Token, v_args

from kibitz.core.errors import BadGame, advice
from kibitz.solve.prism.expressions import Expression, error_at, expand
from kibitz.solve.prism.model import (
    Command,
    Constant,
    Model,
    Module,
    RewardItem,
    Update,
    Variable,
    expand_formulas,
    expand_parts,
    rename_module,
)
from kibitz.solve.prism.reading import SOURCE, Builder, Definition, declare, grammar, parse

CERTAIN = Expression("value", leaf=1)


class Player(NamedTuple):
    """A player with the modules it owns: names, or modules that are written inside."""

    name: Token
    owned: "tuple[Token | Module | RenamedModule, ...]"


class RenamedModule(NamedTuple):
    """A module made from another."""

    name: Token
    original: Token
    names: dict[str, str]


class Rewards(NamedTuple):
    """One structure of rewards."""

    name: str
    items: list[RewardItem]


def read_model(text: str, source: str) -> Model:
    """Read a model; raises BadGame with the line and column of what cannot be read."""
    return assembled_model(parse(text, source, parser()), source)


@cache
def parser() -> Lark:
    """The parser of models."""
    return grammar("model", ModelBuilder())


@v_args(inline=True)
class ModelBuilder(Builder):
    """Makes declarations from the syntax tree of a model."""

    def model(self, *declarations: Any) -> tuple[Any, ...]:
        return declarations

    def type(self) -> str:
        return "csg"

    def initial(self, condition: Expression) -> Expression:
        return condition

    def coalition(self, at: Token, *_: Token) -> None:
        raise error_at(SOURCE.get(), at, "a property has no meaning in a model")

    def filter(self, at: Token, *_: Any) -> None:
        self.coalition(at)

    def variable(self, name: Token, *rest: Any) -> Variable:
        """A variable; *rest* is its range, unless it is a bool, and its first value."""
        least, most = rest[0] if len(rest) == 2 else (None, None)
        return Variable(name.value, least, most, rest[-1], name)

    def range(self, least: Expression, most: Expression) -> tuple[Expression, Expression]:
        return least, most

    def player(self, name: Token, *owned: Token | Module | RenamedModule) -> Player:
        return Player(name, owned)

    def single_action(self, at: Token, _: Token) -> None:
        why = "players own modules, and by them actions; single actions are read in turn-based games only"
        raise error_at(SOURCE.get(), at, why)

    def module(self, name: Token, *parts: Variable | Command) -> Module:
        variables = tuple(each for each in parts if isinstance(each, Variable))
        return Module(name, variables, tuple(each for each in parts if isinstance(each, Command)))

    def renamed_module(self, name: Token, original: Token, *names: tuple[str, str]) -> RenamedModule:
        return RenamedModule(name, original, dict(names))

    def renaming(self, old: Token, new: Token) -> tuple[str, str]:
        return old.value, new.value

    def actions(self, at: Token, *names: Token) -> tuple[Token, tuple[str, ...]]:
        return at, tuple(name.value for name in names)

    def command(self, actions: tuple[Token, tuple[str, ...]], guard: Expression, *updates: Update) -> Command:
        return Command(actions[1], guard, updates, actions[0])

    def update(self, probability: Expression | None, *assignments: tuple[Token, Expression]) -> Update:
        return Update(probability or CERTAIN, assignments)

    def assignment(self, name: Token, value: Expression) -> tuple[Token, Expression]:
        return name, value

    def rewards(self, name: Token | None, *items: RewardItem) -> Rewards:
        return Rewards(name[1:-1] if name else "", list(items))

    def reward(
        self, actions: tuple[Token, tuple[str, ...]] | None, guard: Expression, amount: Expression
    ) -> RewardItem:
        at, names = actions or (guard.at, None)
        assert at is not None
        return RewardItem(names, guard, amount, at)


def assembled_model(declarations: Sequence[Any], source: str) -> Model:
    """The model of some declarations: formulas expanded, and modules made that are others renamed, in their order."""
    model = Model(source)
    written: list[Module | RenamedModule] = []
    for each in declarations:
        match each:
            case Constant() | Definition():
                declare(model, each)
            case Variable():
                model.variables.append(each)
            case Expression():
                model.initial = each
            case Module() | RenamedModule():
                written.append(each)
            case Rewards(name, items):
                model.rewards.append((name, items))
            case Player(name, owned):
                if name in model.players:
                    raise error_at(source, name, f"there are two players {name.value!r}")
                written.extend(part for part in owned if not isinstance(part, Token))
                model.players[name.value] = [part if isinstance(part, Token) else part.name for part in owned]
    if "csg" not in declarations:
        raise BadGame(source, "it does not say `csg`; only concurrent stochastic games are read")
    model.formulas = expand_formulas(model.formulas)
    model.modules = assembled_modules(written, model.formulas, source)
    for module in model.modules.values():
        model.variables.extend(module.variables)
    model.labels = {name: expand(each, model.formulas) for name, each in model.labels.items()}
    model.rewards = [(name, [expand_parts(item, model.formulas) for item in items]) for name, items in model.rewards]
    check_names(model)
    return model


def assembled_modules(
    written: Sequence[Module | RenamedModule], formulas: Mapping[str, Expression], source: str
) -> dict[str, Module]:
    """All modules in their order, formulas expanded."""
    names: list[str] = []
    for each in written:
        if each.name in names:
            raise error_at(source, each.name, f"there are two modules {each.name.value!r}")
        names.append(each.name.value)
    made = {each.name.value: expand_parts(each, formulas) for each in written if isinstance(each, Module)}
    for each in written:
        if isinstance(each, RenamedModule):
            if each.original not in made:
                why = f"no module {each.original.value!r}; {advice(each.original, made)}"
                raise error_at(source, each.original, why)
            made[each.name.value] = rename_module(made[each.original.value], each.name, each.names)
    return {name: made[name] for name in names}


def check_names(model: Model) -> None:
    """Raise BadGame if a name is declared twice, or a player owns what is not there."""
    seen: dict[str, str] = dict.fromkeys(model.constants, "constant")
    for variable in model.variables:
        if variable.name in seen:
            raise error_at(model.source, variable.at, f"{variable.name!r} is a {seen[variable.name]} already")
        seen[variable.name] = "variable"
    owners: dict[str, str] = {}
    for player, owned in model.players.items():
        for name in owned:
            if name not in model.modules:
                raise error_at(model.source, name, f"no module {name.value!r}; {advice(name, model.modules)}")
            if name in owners:
                raise error_at(model.source, name, f"the module {name.value!r} is {owners[name]}'s already")
            owners[name.value] = player
    if not model.players:
        raise BadGame(model.source, "it has no players (`player name module endplayer`)")
