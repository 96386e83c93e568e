"""Reads PRISM text by the grammar beside this file: expressions, shared declarations, and errors with their place."""

import re
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lark import Lark, Token, UnexpectedCharacters, UnexpectedToken, v_args
from lark.visitors import Transformer_NonRecursive

from kibitz.core.errors import advice, short_repr
from kibitz.solve.prism.expressions import FUNCTIONS, Expression, error_at
from kibitz.solve.prism.model import Constant, Model

if TYPE_CHECKING:
    from kibitz.solve.prism.properties import Questions

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
        least, most = FUNCTIONS[function.value]
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
