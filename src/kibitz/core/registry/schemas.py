"""Error messages for values that do not fit a declared type: what is wrong, where, and what is allowed."""

import typing
from collections.abc import Callable, Iterator, Mapping
from itertools import count, repeat
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union

import msgspec

from kibitz.core.errors import KibitzError, advice, closest, short_repr

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
