"""Properties of PRISM-games: `<<coalition>> Pmax=? [ path ]` and `<<coalition>> R{"name"}min=? [ reward ]`."""

from collections.abc import Mapping
from typing import Any

import msgspec

from kibitz.core.errors import BadGame
from kibitz.solve.prism.expressions import TRUE, Expression, ExpressionReader, expand
from kibitz.solve.prism.model import Constant, Model, expand_formulas
from kibitz.solve.prism.model_reader import read_constant
from kibitz.solve.prism.tokens import END, Token, Words

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


def read_questions(text: str, source: str) -> Questions:
    """Read a file of properties, or a single one; raises BadGame with line and column."""
    try:
        return PropertyReader(Words(text, source), text).read()
    except RecursionError:
        raise BadGame(source, "an expression is nested too deeply") from None


class PropertyReader:
    """Reads properties and the declarations among them."""

    def __init__(self, words: Words, text: str) -> None:
        self.words, self.lines = words, text.splitlines()
        self.found = Questions(words.source)

    def expression(self) -> Expression:
        return ExpressionReader(self.words, self._operator).read()

    def read(self) -> Questions:
        words = self.words
        while words.next.kind != END:
            if words.skip(";"):
                continue
            if words.skip("const"):
                read_constant(words, self.found.constants)
            elif words.sees("formula") and words.ahead(2).text == "=":
                words.take()
                name = words.expect_name("the name of a formula").text
                words.expect("=")
                self.found.formulas[name] = ExpressionReader(words).read()
                words.expect(";", "after a formula")
            elif words.skip("label"):
                label = words.expect_text("the name of a label")
                words.expect("=")
                self.found.labels[label] = self.expression()
                words.expect(";", "after a label")
            else:
                self._question()
        self.found.formulas = expand_formulas(self.found.formulas)
        return self.found

    def _question(self) -> None:
        words, name = self.words, ""
        if words.next.kind == "text" and words.ahead(1).text == ":":
            name = words.expect_text("a name")
            words.expect(":")
        first = words.place
        try:
            expression = self.expression()
        except NotRead as error:
            self._skip_question()
            self.found.questions.append(Question(name, self._text(first, words.place - 1), TRUE, error))
            return
        if words.next.kind != END and not words.sees(";") and words.next.line == words.tokens[words.place - 1].line:
            raise words.error(f"expected the end of the property, not {words.next.words}")
        self.found.questions.append(Question(name, self._text(first, words.place - 1), expression))

    def _skip_question(self) -> None:
        """Read on to where the next property seems to begin."""
        words = self.words
        while words.next.kind != END and not words.sees(";"):
            begins = words.sees("<<", "const", "label", "formula") or words.ahead(1).text == ":"
            if begins and words.next.line > words.tokens[words.place - 1].line:
                return
            words.take()

    def _not_read(self, why: str, token: Token | None = None) -> NotRead:
        at = token or self.words.next
        return NotRead(f"{self.words.source}:{at.line}:{at.column}", why)

    def _text(self, first: int, last: int) -> str:
        """The text of some words, on one line."""
        start, end = self.words.tokens[first], self.words.tokens[last]
        lines = self.lines[start.line - 1 : end.line]
        lines[-1] = lines[-1][: end.column - 1 + len(end.text)]
        lines[0] = lines[0][start.column - 1 :]
        return " ".join(line.split("//")[0].strip() for line in lines)

    def _operator(self) -> Expression | None:
        """A coalition's property, where a value may stand."""
        words = self.words
        if words.next.kind != "sign" and words.next.kind != "name":
            return None
        if words.sees("<<"):
            at = words.next
            return Expression("property", leaf=self._property(), at=at, source=words.source)
        if words.next.text in ("P", "Pmax", "Pmin", "R", "Rmax", "Rmin") and words.ahead(1).text in (
            *("=?", "=", ">", ">=", "<", "<=", "{", "max", "min"),
        ):
            raise words.error("a property of a game begins with its coalition: <<player>> Pmax=? [ … ]")
        if words.next.text in ("E", "A", "S", "filter") and words.ahead(1).text in (
            "[",
            "=?",
            "(",
            ">",
            "<",
            "=",
            ">=",
        ):
            raise self._not_read(f"`{words.next.text}` is not read; <<coalition>> P and R properties are")
        return None

    def _property(self) -> Property:
        words = self.words
        at = words.expect("<<")
        coalition: list[str] = []
        while not words.skip(">>"):
            if words.sees(":"):
                raise self._not_read(NASH)
            if words.skip("*"):
                coalition.append("*")
            else:
                coalition.append(words.take().text)
            words.skip(",")
            if words.next.kind == END:
                raise words.error("expected '>>' after the coalition, not the end of the file")
        if words.sees("max", "min"):
            raise self._not_read(NASH)
        word = words.take()
        kind, goal = word.text[:1], word.text[1:]
        if kind not in ("P", "R") or goal not in ("", "max", "min"):
            raise words.error(f'expected Pmax=?, Pmin=?, R{{"name"}}max=? or R{{"name"}}min=?, not {word.words}', word)
        reward = self._reward_name() if kind == "R" else None
        if not goal and words.next.text in ("max", "min"):
            goal = words.take().text
        comparison, threshold = None, None
        if not words.skip("=?"):
            if goal or not words.sees("<", "<=", ">", ">="):
                raise words.error(f"expected '=?' or a bound such as >=0.5, not {words.next.words}")
            comparison = words.take().text
            threshold = ExpressionReader(words).read()
            goal = "max" if comparison in (">", ">=") else "min"
        elif not goal:
            raise words.error(f"for games `{kind}=?` must say {kind}max=? or {kind}min=?", word)
        words.expect("[", "before a path")
        path = self._path() if kind == "P" else self._reward_path()
        words.expect("]", "after a path")
        return Property(tuple(coalition), kind, goal, path, reward, at, comparison, threshold)

    def _reward_name(self) -> str | int | None:
        words = self.words
        if not words.skip("{"):
            return None
        if words.next.kind == "number":
            name: str | int = int(words.take().text) if words.next.text.isdigit() else words.expect_text("a name")
        else:
            name = words.expect_text("the name of rewards")
        words.expect("}")
        if words.sees("{"):
            raise self._not_read("discounted rewards are not read")
        return name

    def _path(self) -> PathFormula:
        """`X right`, `F right`, `G right`, `left U right`, `left W right` or `left R right`, with bounds of steps."""
        words = self.words
        if words.skip("("):  # a path in parentheses, or the first expression of an until
            words.place -= 1
            if words.ahead(1).text in ("X", "F", "G"):
                words.take()
                found = self._path()
                words.expect(")")
                return found
        if words.next.text in ("X", "F", "G") and words.next.kind == "name":
            operator = words.take().text
            bounds = self._bounds() if operator != "X" else {}
            self._refuse_nesting()
            right = self.expression()
            found = (
                PathFormula("U", None, right, **bounds)
                if operator == "F"
                else PathFormula(operator, None, right, **bounds)
            )
        else:
            left = self.expression()
            if not words.sees("U", "W", "R"):
                raise words.error(f"expected a path (X, F, G, or `one U other`), not {words.next.words}")
            operator = words.take().text
            bounds = self._bounds()
            self._refuse_nesting()
            found = PathFormula(operator, left, self.expression(), **bounds)
        if words.sees("U", "W", "R", "&", "|", "=>"):
            raise self._not_read("paths within paths (LTL) are not read; one X, F, G or U is")
        return found

    def _refuse_nesting(self) -> None:
        words = self.words
        inner = words.ahead(1) if words.sees("(") else words.next
        if inner.text in ("X", "F", "G") and inner.kind == "name":
            raise self._not_read("paths within paths (LTL) are not read; one X, F, G or U is", inner)

    def _bounds(self) -> dict[str, Any]:
        """`<=k`, `<k`, `=k`, `>=k`, `>k` or `[a,b]`."""
        words = self.words
        if words.skip("["):
            least = ExpressionReader(words).read()
            words.expect(",")
            most = ExpressionReader(words).read()
            words.expect("]")
            return {"least": least, "most": most}
        if not words.sees("<=", "<", "=", ">=", ">"):
            return {}
        sign = words.take().text
        bound = ExpressionReader(words).read_primary()
        if sign == "=":
            return {"least": bound, "most": bound}
        strict = sign in ("<", ">")
        if sign in ("<", "<="):
            return {"most": bound, "strict": (False, strict)}
        return {"least": bound, "strict": (strict, False)}

    def _reward_path(self) -> PathFormula:
        """`F right`, `Fc right`, `F0 right`, `C<=k`, `C` or `I=k`."""
        words = self.words
        word = words.take()
        match word.text:
            case "F" | "Fc" | "F0":
                self._refuse_nesting()
                return PathFormula(word.text, None, self.expression())
            case "C":
                if words.sees("]"):
                    return PathFormula("C", None, None)
                words.expect("<=", "after C")
                return PathFormula("C", None, None, most=ExpressionReader(words).read())
            case "I":
                words.expect("=", "after I")
                return PathFormula("I", None, None, most=ExpressionReader(words).read())
            case "S" | "LRA":
                raise self._not_read("long-run averages are not read; F, C<=k and I=k are", word)
        raise words.error(f"expected F, C<=k or I=k, not {word.words}", word)


def with_declarations(questions: Questions, model: Model) -> Mapping[str, Expression]:
    """The labels of a model and of a file of properties, formulas expanded."""
    formulas = {**model.formulas, **questions.formulas}
    labels = {name: expand(each, formulas) for name, each in questions.labels.items()}
    return {**model.labels, **labels}
