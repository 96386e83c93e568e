"""Reads PRISM models by the grammar beside this file, and what properties share with them: expressions, constants."""

import re
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lark import Lark, Token, UnexpectedCharacters, UnexpectedToken, v_args
from lark.visitors import Transformer_NonRecursive

from kibitz.core.errors import BadGame, advice, short_repr
from kibitz_solve.prism.expressions import FUNCTIONS, Expression, error_at, expand
from kibitz_solve.prism.model import (
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

if TYPE_CHECKING:
    from kibitz_solve.prism.properties import Questions

OTHER_TYPES = re.compile(
    "dtmc|ctmc|mdp|pta|smg|pomdp|popta|stpg|tptg|imdp|idtmc|lts|tsg|icsg|probabilistic|nondeterministic|stochastic"
)
NO_COALITION = "a property of a game begins with its coalition: <<player>> Pmax=? [ … ]"
NOT_READ = {
    **dict.fromkeys(("P", "Pmax", "Pmin", "R", "Rmax", "Rmin"), NO_COALITION),
    "system": "compositions of modules (`system … endsystem`) are not read; modules run side by side",
    "invariant": "invariants belong to timed models, which are not read",
    "observables": "observables belong to partially observable models, which are not read",
    "observable": "observables belong to partially observable models, which are not read",
}
"""Why a word is refused where it does not fit."""
OPERATORS = frozenset(["<=>", "=>", "|", "&", "=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "?", "U", "W", "R"])
WORDS = {"NAME": "a name", "NUMBER": "a number", "TEXT": "a text in quotation marks", "$END": "the end of the file"}
STARTS = frozenset(["(", "!", "true", "false", "<<", "A", "E", "S", "X", "F", "G", "filter", *WORDS.values()])
"""How an expression may begin."""
SOURCE: ContextVar[str] = ContextVar("source")
"""The file that is being read."""


class Definition(NamedTuple):
    """A `formula` or a `label`, and what it stands for."""

    kind: str
    name: str
    meaning: Expression


def grammar(start: str, transformer: "Builder | None" = None) -> Lark:
    """A parser of models or properties; it makes syntax trees with positions, or what a *transformer* makes of them."""
    text = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return Lark(
        text,
        start=start,
        parser="lalr",
        lexer="basic",
        transformer=transformer,
        propagate_positions=transformer is None,
    )


def parse(text: str, source: str, parser: Lark) -> Any:
    """What a text stands for; raises BadGame with line and column of what does not fit."""
    before = SOURCE.set(source)
    try:
        return parser.parse(text)
    except UnexpectedToken as error:
        raise error_at(source, error.token, refusal(error.token, error.accepts, parser)) from None
    except UnexpectedCharacters as error:
        raise error_at(source, error, f"{error.char!r} has no meaning here") from None
    finally:
        SOURCE.reset(before)


def refusal(token: Token, accepted: set[str], parser: Lark) -> str:
    """Why a word does not fit where only some terminals of the grammar are accepted."""
    if token in NOT_READ:
        return NOT_READ[token]
    if OTHER_TYPES.fullmatch(token):
        return f"only concurrent stochastic games (`csg`) are read, not `{token}` models"
    shown = {name: WORDS.get(name) or str(parser.get_terminal(name).pattern.value) for name in accepted}
    found = WORDS["$END"] if token.type == "$END" else short_repr(str(token))
    if "CSG" in accepted:
        names = [text for name, text in shown.items() if name.isalpha()]
        return f"expected a declaration, not {found}; {advice(token, names)}"
    if "BOOL" in accepted:
        return f"variables are `bool` or have bounds `[least..most]`; {found} is not read"
    begins, ends = {"NUMBER", "TRUE"} <= accepted, "AMPERSAND" in accepted
    dropped = {*(STARTS if begins else ()), *(OPERATORS if begins or ends else ())}
    wanted = sorted(text if name in WORDS else repr(text) for name, text in shown.items() if text not in dropped)
    if wanted == ["':'"]:
        wanted = ["':' between a probability and an update (variable'=value), or a guard and its reward"]
    return f"expected {' or '.join(['an expression'] * begins + wanted)}, not {found}"


@v_args(inline=True)
class Builder(Transformer_NonRecursive[Token, Any]):
    """Makes expressions from syntax trees, and the declarations that models and properties share."""

    def constant(self, kind: str | None, name: Token, definition: Expression | None) -> Constant:
        return Constant(name, kind or "int", definition)

    def kind(self, word: Token) -> str:
        return str(word.value)

    def formula(self, name: Token, meaning: Expression) -> Definition:
        return Definition("formula", name.value, meaning)

    def label(self, name: Token, meaning: Expression) -> Definition:
        return Definition("label", name[1:-1], meaning)

    def operation(self, left: Expression, operator: Token, right: Expression) -> Expression:
        return Expression(operator.value, (left, right), at=left.at, source=SOURCE.get())

    def prefix(self, sign: Token, operand: Expression) -> Expression:
        return Expression("negative" if sign == "-" else "!", (operand,), at=sign, source=SOURCE.get())

    def conditional(self, condition: Expression, one: Expression, other: Expression) -> Expression:
        return Expression("?", (condition, one, other), at=condition.at, source=SOURCE.get())

    def path(self, *parts: Any) -> Expression:
        """A temporal operator between or before expressions, with its bounds of steps as the leaf."""
        operands = tuple(each for each in parts if isinstance(each, Expression))
        operator = next(each for each in parts if isinstance(each, Token))
        at = operator if parts[0] is operator else operands[0].at
        return Expression(operator.value, operands, leaf=parts[-2], at=at, source=SOURCE.get())

    def number(self, token: Token) -> Expression:
        return self._leaf("value", int(token) if token.isdigit() else float(token), token)

    def truth(self, token: Token) -> Expression:
        return self._leaf("value", token == "true", token)

    def text(self, token: Token) -> Expression:
        return self._leaf("label", token[1:-1], token)

    def name(self, token: Token) -> Expression:
        return self._leaf("name", token.value, token)

    def next_value(self, token: Token) -> Expression:
        return self._leaf("primed", token.value, token)

    def call(self, function: Token, *operands: Expression) -> Expression:
        """`name(operands)`, or in the older form `func(name, operands)`."""
        if function == "func" and operands[0].operator == "name" and operands[0].at is not None:
            function, operands = operands[0].at, operands[1:]
        if function not in FUNCTIONS:
            why = f"no function {function.value!r}; {advice(function, FUNCTIONS)}"
            raise error_at(SOURCE.get(), function, why)
        least, most, _ = FUNCTIONS[function.value]
        if not least <= len(operands) <= most:
            raise error_at(SOURCE.get(), function, f"{function.value!r} takes {least} arguments, not {len(operands)}")
        return Expression(function.value, operands, at=function, source=SOURCE.get())

    def _leaf(self, operator: str, leaf: Any, at: Token) -> Expression:
        return Expression(operator, leaf=leaf, at=at, source=SOURCE.get())


def declare(found: "Model | Questions", declared: Constant | Definition) -> None:
    """Add a constant, formula or label."""
    if isinstance(declared, Definition):
        {"formula": found.formulas, "label": found.labels}[declared.kind][declared.name] = declared.meaning
        return
    name = declared.name
    if name in found.constants:
        raise error_at(found.source, name, f"the constant {name.value!r} is declared twice")
    found.constants[name.value] = declared


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
