"""Properties of PRISM-games: `<<coalition>> Pmax=? [ path ]` and `<<coalition>> R{"name"}min=? [ reward ]`."""

from collections.abc import Mapping
from functools import cache
from typing import Any, cast

import msgspec
from lark import Lark, Token, Tree, v_args
from lark.exceptions import VisitError

from kibitz.core.errors import BadGame, short_repr
from kibitz_solve.prism.expressions import PATHS, TRUE, Expression, error_at, expand, expression_error
from kibitz_solve.prism.model import Constant, Model, expand_formulas
from kibitz_solve.prism.reading import SOURCE, Builder, declare, grammar, parse

NASH = "`<<a:b>> … + …` asks for Nash equilibria (social welfare), which are not read; ask for one coalition's value"


class NotRead(BadGame):
    """A property that PRISM-games knows and that is not read here."""


class PathFormula(msgspec.Struct, frozen=True):
    """A path formula: `left operator right` between steps *least* and *most*; None: without a bound.

    The operators are X, U and G, and for rewards F, Fc, C and I.
    """

    operator: str
    left: Expression | None
    right: Expression | None
    least: Expression | None = None
    most: Expression | None = None
    strict: tuple[bool, bool] = (False, False)
    """Whether the bounds themselves are excluded."""


class Property(msgspec.Struct, frozen=True):
    """What a coalition can achieve: *kind* P or R, *goal* max or min, or a bound to compare with."""

    coalition: tuple[str, ...]
    kind: str
    goal: str
    path: PathFormula
    reward: str | int | None
    at: Token
    comparison: str | None = None
    threshold: Expression | None = None


class Question(msgspec.Struct, frozen=True):
    """One line of a file of properties: its name, its text, and the expression around its properties."""

    name: str
    text: str
    expression: Expression
    not_read: "NotRead | None" = None
    """Why a property that PRISM-games knows is not read here."""


class Questions(msgspec.Struct):
    """A file of properties, with the constants, formulas and labels it declares."""

    source: str
    questions: list[Question] = []
    constants: dict[str, Constant] = {}
    formulas: dict[str, Expression] = {}
    labels: dict[str, Expression] = {}


@cache
def parser() -> Lark:
    """The parser of properties."""
    return grammar("properties")


def read_questions(text: str, source: str) -> Questions:
    """Read a file of properties, or a single one; raises BadGame with line and column."""
    before, found = SOURCE.set(source), Questions(source)
    try:
        read_parts(parse(text, source, parser()).children, text, found)
    finally:
        SOURCE.reset(before)
    found.formulas = expand_formulas(found.formulas)
    return found


def read_parts(parts: list[Tree[Token]], text: str, found: Questions) -> None:
    """Add what the parts of a file declare or ask."""
    builder, end = PropertyBuilder(), None
    for part in parts:
        if part.data != "question":
            declare(found, builder.build(part))
            continue
        at = part.meta
        if end is not None and end.end_line == at.line and ";" not in text[end.end_pos : at.start_pos]:
            why = f"expected the end of the property, not {short_repr(text[at.start_pos : at.end_pos])}"
            raise error_at(found.source, at, why)
        end = at
        name, asked = cast("tuple[Token | None, Tree[Token]]", part.children)
        words = text[name.end_pos : at.end_pos].lstrip(": \n") if name else text[at.start_pos : at.end_pos]
        words = " ".join(line.split("//")[0].strip() for line in words.splitlines())
        expression, not_read = TRUE, None
        try:
            expression = builder.build(asked)
        except NotRead as error:
            not_read = error
        found.questions.append(Question((name or "").strip('"'), words, expression, not_read))


@v_args(inline=True)
class PropertyBuilder(Builder):
    """Makes properties from syntax trees; NotRead for those that PRISM-games knows and kibitz does not."""

    def build(self, tree: Tree[Token]) -> Any:
        """What a tree stands for."""
        try:
            return self.transform(tree)
        except VisitError as error:
            raise error.orig_exc from None

    def not_read(self, at: Token | None, why: str) -> NotRead:
        return NotRead(error_at(SOURCE.get(), at, why).source, why)

    def coalition(self, start: Token, *members: Token) -> tuple[Token, tuple[str, ...]]:
        for word in members:
            if word == ":":
                raise self.not_read(word, NASH)
        return start, tuple(word.value for word in members[:-1] if word != ",")

    def nash(self, coalition: tuple[Token, tuple[str, ...]], *_: Any) -> None:
        raise self.not_read(coalition[0], NASH)

    def filter(self, word: Token, *_: Any) -> None:
        raise self.not_read(word, f"`{word}` is not read; <<coalition>> P and R properties are")

    def measure(self, word: Token) -> Token:
        return word

    def reward_name(self, name: Token, discount: Token | None, _: Expression | None) -> str | int:
        if discount is not None:
            raise self.not_read(discount, "discounted rewards are not read")
        return int(name) if name.isdigit() else name.strip('"')

    def bound(self, sign: Token, threshold: Expression | None = None) -> tuple[str | None, Expression | None]:
        return None if threshold is None else sign.value, threshold

    def steps(self, sign: Token, *parts: Any) -> dict[str, Any]:
        """`<=k`, `<k`, `=k`, `>=k`, `>k` or `[a,b]`."""
        match sign:
            case "[":
                return {"least": parts[0], "most": parts[2]}
            case "=":
                return {"least": parts[0], "most": parts[0]}
            case "<" | "<=":
                return {"most": parts[0], "strict": (False, sign == "<")}
        return {"least": parts[0], "strict": (sign == ">", False)}

    def objective(self, head: Token | Expression, *rest: Any) -> PathFormula | Expression:
        """A path, or what rewards are counted for: `F right`, `Fc right`, `F0 right`, `C<=k`, `C` or `I=k`."""
        if isinstance(head, Expression):
            return head
        if head in ("S", "LRA"):
            raise self.not_read(head, "long-run averages are not read; F, C<=k and I=k are")
        if head in ("C", "I"):
            return PathFormula(head.value, None, None, most=rest[1])
        return PathFormula(head.value, None, rest[0])

    def property(
        self,
        coalition: tuple[Token, tuple[str, ...]],
        measure: Token,
        reward: str | int | None,
        optimum: Token | None,
        bound: tuple[str | None, Expression | None],
        opening: Token,
        objective: PathFormula | Expression,
        _: Token,
    ) -> Expression:
        (at, members), (comparison, threshold) = coalition, bound
        kind, goal = measure[0], measure[1:] or (optimum or "")
        if goal not in ("", "max", "min") or (measure[1:] and optimum) or (comparison and goal):
            raise error_at(SOURCE.get(), optimum or measure, "expected max=?, min=? or a bound such as >=0.5")
        if comparison:
            goal = "max" if comparison in (">", ">=") else "min"
        elif not goal:
            raise error_at(SOURCE.get(), measure, f"for games `{kind}=?` must say {kind}max=? or {kind}min=?")
        path = self._path(kind, objective, opening)
        asked = Property(members, kind, str(goal), path, reward, at, comparison, threshold)
        return Expression("property", leaf=asked, at=at, source=SOURCE.get())

    def _path(self, kind: str, objective: PathFormula | Expression, at: Token) -> PathFormula:
        if isinstance(objective, PathFormula):
            if kind == "P":
                raise error_at(SOURCE.get(), at, "expected a path (X, F, G, or `one U other`)")
            return objective
        operator, bounds = objective.operator, objective.leaf or {}
        for part in objective.parts():
            if part.operator in PATHS and part is not objective:
                raise self.not_read(part.at, "paths within paths (LTL) are not read; one X, F, G or U is")
        if operator not in (PATHS if kind == "P" else ("F",)) or (kind == "R" and bounds):
            wanted = "a path (X, F, G, or `one U other`)" if kind == "P" else "F, C<=k or I=k"
            raise expression_error(objective, f"expected {wanted}")
        left, right = objective.operands if len(objective.operands) == 2 else (None, *objective.operands)
        return PathFormula("U" if operator == "F" and kind == "P" else operator, left, right, **bounds)


def with_declarations(questions: Questions, model: Model) -> Mapping[str, Expression]:
    """The labels of a model and of a file of properties, formulas expanded."""
    formulas = {**model.formulas, **questions.formulas}
    labels = {name: expand(each, formulas) for name, each in questions.labels.items()}
    return {**model.labels, **labels}
