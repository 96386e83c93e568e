"""Specs: games, agents and models named as text, `alphabeta(depth=6)`, parsed without evaluating anything.

What does not fit a declared type is refused by a message that says what is wrong, where, and what is allowed.
"""

import ast
import inspect
import math
import re
import typing
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from functools import cache, lru_cache
from itertools import count, repeat
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union

import msgspec

from kibitz.core.errors import BadSpec, KibitzError, advice, closest, short_repr
from kibitz.members import check_installed

Made = TypeVar("Made")
Keys = tuple[str | int, ...]
WORDS: Mapping[Any, tuple[str, ...]] = {
    NoneType: ("None",),
    bool: ("true", "false"),
    int: ("a whole number",),
    float: ("a number",),
    str: ("text",),
    dict: ("a table",),
    list: ("a list",),
    tuple: ("a list",),
}
"""The plain types in words."""


class Misfit(msgspec.Struct, frozen=True):
    """A value that does not fit: the keys that lead to it, the error, the value, and the advice."""

    keys: Keys
    why: str
    value: Any = msgspec.UNSET
    remedy: str = ""

    @property
    def where(self) -> str:
        """The keys as a path: `areas.A.place[1]`."""
        return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in self.keys).removeprefix(".")

    def __str__(self) -> str:
        got = "" if self.value is msgspec.UNSET else f", not {short_repr(self.value, 40)}"
        return f"{self.where or 'the whole'}: {self.why}{got}{self.remedy}"


def convert_value(value: Any, kind: type[Made], blame: Callable[[Misfit], KibitzError], *keys: str) -> Made:
    """*value* as a *kind*; raises the error that *blame* makes of a misfit. *keys* lead to the value itself."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        raise blame(misfit(value, kind, keys)) from None


def misfit(value: Any, hint: Any, keys: Keys = ()) -> Misfit:
    """The innermost part that does not fit, of a value that is known not to fit *hint*.

    >>> print(misfit({"depth": [1, 12]}, dict[str, tuple[Annotated[int, msgspec.Meta(ge=1, le=9)], ...]]))
    depth[1]: expected a whole number from 1 to 9, not 12
    """
    for kind, _ in _members(hint):
        found = _misfit_in_table(value, kind, keys) or _misfit_in_parts(value, kind, keys)
        if found is not None:
            return found
    words = list(dict.fromkeys(_alternatives(hint)))
    listed = f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]
    close = closest(value, words) if isinstance(value, str) else None
    return Misfit(keys, f"expected {listed}", value, f"; did you mean {close!r}?" if close else "")


def takes_objects(hint: Any) -> bool:
    """Whether a type is or holds objects that a spec must name, such as agents and models, or may be anything."""
    kinds = [kind for kind, _ in _members(hint)]
    if any(typing.get_origin(kind) is Literal for kind in kinds):  # a Literal is text
        return False
    held = [each for kind in kinds for each in typing.get_args(kind) if each is not ...]
    return any(kind not in WORDS for kind in kinds if not typing.get_args(kind)) or any(map(takes_objects, held))


def takes_text(hint: Any) -> bool:
    """Whether a type is text, or may be."""
    return any(kind is str for kind, _ in _members(hint))


def _misfit_in_table(value: Any, kind: Any, keys: Keys) -> Misfit | None:
    """An unknown or missing key of a table."""
    if not (isinstance(value, Mapping) and _is_struct(kind)):
        return None
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    for key in value:
        if key not in fields and kind.__struct_config__.forbid_unknown_fields:
            return Misfit((*keys, key), "there is no such key", remedy=f"; {advice(key, list(fields), 30)}")
    for key, field in fields.items():
        if key not in value and field.required:
            return Misfit((*keys, key), "it is missing")
    return None


def _misfit_in_parts(value: Any, kind: Any, keys: Keys) -> Misfit | None:
    """The first misfit inside a table or list."""
    for key, part, wanted in _parts(value, kind):
        try:
            msgspec.convert(part, wanted)
        except msgspec.ValidationError:
            return misfit(part, wanted, (*keys, key))
    return None


def _parts(value: Any, kind: Any) -> Iterator[tuple[str | int, Any, Any]]:
    """The keys, values and types of the items of a table or list, if *kind* is one."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if isinstance(value, Mapping) and _is_struct(kind):
        types = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
        yield from ((key, part, types[key]) for key, part in value.items() if key in types)
    elif isinstance(value, Mapping) and origin is dict:
        yield from ((key, part, inner[1]) for key, part in value.items())
    elif isinstance(value, (list, tuple)) and (origin is list or ... in inner):
        yield from zip(count(), value, repeat(inner[0]))
    elif isinstance(value, (list, tuple)) and origin is tuple and len(inner) == len(value):
        yield from zip(count(), value, inner)


def _alternatives(hint: Any) -> Iterator[str]:
    """The alternatives that a type allows, each in a few words."""
    for kind, bounds in _members(hint):
        origin, inner = typing.get_origin(kind), typing.get_args(kind)
        if origin is Literal:
            yield from map(str, inner)
        elif origin is tuple and ... not in inner:
            yield f"a list of {len(inner)}"
        else:
            plain = dict if _is_struct(kind) else origin or kind
            yield from (word + bounds for word in WORDS.get(plain, (f"a {plain.__name__.lower()}",)))


def _members(hint: Any, bounds: str = "") -> list[tuple[Any, str]]:
    """The members of a union, each with the bounds of its numbers in words."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        limits = "".join(_bounds(note) for note in inner[1:] if isinstance(note, msgspec.Meta))
        return _members(inner[0], limits)
    if origin in (Union, UnionType):
        return [found for member in inner for found in _members(member)]
    return [(hint, bounds)]


def _bounds(meta: msgspec.Meta) -> str:
    """The bounds of a number, or of the length of a list, in words."""
    least = meta.ge if meta.ge is not None else meta.min_length
    named = {"of at least": least, "above": meta.gt, "of at most": meta.le, "below": meta.lt}
    limits = {word: f"{limit:,}".removesuffix(".0") for word, limit in named.items() if limit is not None}
    if limits.keys() == {"of at least", "of at most"}:
        return f" from {limits['of at least']} to {limits['of at most']}"
    return " and".join(f" {word} {limit}" for word, limit in limits.items())


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


Count = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
"""A parameter that counts something: 1, 2, 3 …"""
Seats = Annotated[int, msgspec.Meta(ge=2, le=6)]
"""A number of players."""
Probability = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
"""A parameter from 0 to 1."""

LONGEST, DEEPEST = 20_000, 20
COMMAND = "cmd"
"""The prefix of a command line: `cmd:…` is the short form of `process(command="…")`."""
PREFIX = re.compile(r"\s*([A-Za-z]\w*):(.*)", re.DOTALL)
CONSTANTS: dict[str, Any] = {"True": True, "true": True, "False": False, "false": False, "None": None, "inf": math.inf}
NAME = re.compile(
    r"""(?P<name>[A-Za-z_][\w.]*(?:-[\w.]+)*) | (?P<comment>\#) | \d[\w.]* | '(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" """,
    re.VERBOSE,
)
"""A name, the sign of a comment, or a number or text in which letters are no name."""


class Spec(msgspec.Struct, frozen=True, eq=True):
    """A name and its parameters; `str` gives the text that `parse_spec` reads back."""

    name: str
    parameters: dict[str, Any] = {}

    def __str__(self) -> str:
        inner = ", ".join(f"{key}={spec_text(value)}" for key, value in self.parameters.items())
        return f"{self.name}({inner})" if inner else self.name

    def __hash__(self) -> int:
        return hash(str(self))


class Configurable:
    """Base of everything that a spec can name: its constructor stores every parameter under its own name."""

    def parameters(self) -> dict[str, Any]:
        """The constructor's parameters that differ from their defaults, in its order."""
        return {
            name: getattr(self, name)
            for name, parameter in constructor_parameters(type(self)).items()
            if not _same(getattr(self, name), parameter.default)
        }

    def __repr__(self) -> str:
        from kibitz.core.registry import spec_of

        return str(spec_of(self))


def constructor_parameters(kind: type) -> Mapping[str, inspect.Parameter]:
    """The parameters of the constructor of *kind*, by name."""
    return _constructor_parameters(kind)


@cache
def _constructor_parameters(kind: Any) -> Mapping[str, inspect.Parameter]:
    return {} if kind.__init__ is object.__init__ else inspect.signature(kind).parameters


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)


def spec_text(value: Any) -> str:
    """A parameter's value as text in a spec."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{spec_text(key)}: {spec_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(spec_text(item) for item in value) + "]"
    if isinstance(value, Spec):
        return str(value)
    if isinstance(value, Configurable) or value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    raise BadSpec(repr(value), f"a {type(value).__name__} cannot be written in a spec")


def parse_spec(text: str) -> Spec:
    """The spec written in *text*.

    >>> parse_spec("strategy_filter(strategies=[pawns.s1(depth=6)], drift=0.02)").parameters["drift"]
    0.02
    >>> print(parse_spec("cmd:./my-bot --level 3"))
    process(command='./my-bot --level 3')
    >>> print(parse_spec("openspiel:breakthrough(rows=6,columns=6)"))
    openspiel(game='breakthrough(rows=6,columns=6)')
    """
    return deepcopy(shared_spec(text))


def shared_spec(text: str) -> Spec:
    """The spec written in *text*, cached; do not change it. Thousands of matches make the same agents."""
    if not isinstance(text, str):
        raise BadSpec(repr(text), "a spec must be text such as 'random' or 'alphabeta(depth=6)'")
    if len(text) > LONGEST:
        raise BadSpec(text, f"longer than {LONGEST} characters")
    return _expand_shorthand(text) or _parsed_once(text)


def _expand_shorthand(text: str) -> Spec | None:
    """The spec of a text with a prefix, `cmd:` or the shorthand of a bridge; None if it has none."""
    found = PREFIX.fullmatch(text)
    if found is None:
        return None
    name, rest = found[1], found[2].strip()
    if name == COMMAND:
        return Spec("process", {"command": rest})
    from kibitz.core.registry import bridges  # it imports this module

    for bridge in bridges().values():
        if name in bridge.shorthands:
            return Spec(name, {bridge.shorthands[name]: rest})
    check_installed(name)
    return None


@lru_cache(maxsize=256)
def _parsed_once(text: str) -> Spec:
    return _Parser(" ".join(text.splitlines()).strip()).whole()


def plain_token(found: re.Match[str]) -> str:
    """A token without what Python reads otherwise."""
    return "_" * len(found[0].encode()) if found["name"] else "$" if found["comment"] else found[0]


class _Parser:
    """Reads `name(parameter=value, …)`, where a value is a literal or another spec.

    It is a Python expression once every name, which may hold dots and hyphens, is replaced by as many underscores.
    """

    def __init__(self, text: str) -> None:
        self.text, self.code = text, text.encode()

    def whole(self) -> Spec:
        """The spec."""
        try:
            tree = ast.parse(NAME.sub(plain_token, self.text), mode="eval").body
        except SyntaxError as error:
            raise self.error(error.msg, (error.offset or 1) - 1) from None
        except (ValueError, MemoryError, RecursionError) as error:
            raise BadSpec(self.text, f"cannot be read: {error}") from None
        found = self.value(tree, 0)
        if not isinstance(found, Spec):
            raise self.error("expected a name", 0)
        return found

    def error(self, why: str, place: int) -> BadSpec:
        """The error at a place of the text."""
        rest = self.text[place : place + 10]
        return BadSpec(self.text, f"{why}, found {repr(rest) if rest else 'the end'} at column {place + 1}")

    def value(self, node: ast.expr, depth: int) -> Any:
        """The value of a part of the expression."""
        if depth > DEEPEST:
            raise BadSpec(self.text, f"nested deeper than {DEEPEST}")
        match node:
            case ast.Name(id=name) if not name.strip("_"):
                word = self.name_at(node, name)
                return CONSTANTS[word] if word in CONSTANTS else Spec(word)
            case ast.Call(func=ast.Name(id=name) as named, args=[]) if not name.strip("_"):
                return Spec(self.name_at(named, name), self.parameters(node, depth + 1))
            case ast.Constant(value=int() | float() | str() as found):
                return found
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() | ast.Name() as operand):
                found = self.value(operand, depth)
                if isinstance(found, (int, float)):
                    return -found
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return tuple(self.value(each, depth + 1) for each in items)
            case ast.Dict(keys=keys, values=items):
                labels = [self.value(key, depth + 1) for key in keys if key is not None]
                if len(labels) == len(items) and all(isinstance(key, (str, int, float)) for key in labels):
                    return dict(zip(labels, [self.value(each, depth + 1) for each in items], strict=True))
        why = "parameters are written name=value" if isinstance(node, ast.Call) else "expected a value"
        raise self.error(why, len(self.code[: node.col_offset].decode()))

    def name_at(self, node: ast.expr | ast.keyword, name: str) -> str:
        """The name that underscores stand for."""
        return self.code[node.col_offset : node.col_offset + len(name)].decode()

    def parameters(self, call: ast.Call, depth: int) -> dict[str, Any]:
        """The parameters of a spec."""
        found: dict[str, Any] = {}
        for each in call.keywords:
            name = self.name_at(each, each.arg or "")
            if name in found or not each.arg or each.arg.strip("_"):
                raise self.error("a parameter needs a name of its own", len(self.code[: each.col_offset].decode()))
            found[name] = self.value(each.value, depth)
        return found
