"""Structs: the fields of a game or a position, declared once, as a plain object of lists and as one packed row.

    class Position(Struct):
        heaps: int = size()
        stones: list[int] = ints(heaps, bits=16)
        player: int = 0

`Position(heaps=3)` is the plain object; `pack` makes its row, on which compiled kernels work, and `unpack` goes back.
A row begins with its number of bytes, the sizes, the offsets of whatever depends on a size, and the numbers; the lists
follow. So one kernel serves every board. Structs that lie inside others (`rows`) have no sizes of their own.

A struct is a dataclass, which `msgspec.json.encode(position)` writes and `msgspec.json.decode` reads.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, TypeAlias, TypeVar, dataclass_transform, get_args

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

R = TypeVar("R", bound="Struct")
N = TypeVar("N", int, float)
Ints: TypeAlias = Annotated[list[int], "int64[::1]"]
"""A list of numbers as an argument, and the type of a field of 64-bit numbers."""
Table: TypeAlias = Annotated[list[list[int]], "int64[:, ::1]"]
Floats: TypeAlias = Annotated[list[float], "float64[::1]"]
DIFFERENT = "only a struct of the same sizes can be assigned"


class Field(msgspec.Struct, eq=False):
    """A declared field: a `size` or `number`, a `list`, a `table`, `lists` or `rows`; *of* what rows are."""

    kind: str = "number"
    shape: tuple["Field | int", ...] = ()
    bits: int = 64
    default: int | None = 0
    of: Any = None
    name: str = ""

    @property
    def flexible(self) -> bool:
        """Whether rows differ in its length or in where it is."""
        return self.kind in ("size", "lists", "rows") or any(isinstance(each, Field) for each in self.shape)

    def lengths(self, struct: Any) -> list[int]:
        return [getattr(struct, each.name) if isinstance(each, Field) else each for each in self.shape]


def size() -> Any:
    """A length that other fields have; it never changes."""
    return Field("size", default=None)


def number(default: int = 0, *, bits: int = 64) -> Any:
    """A whole number; a plain `name: int = 0` is one of 64 bits."""
    return Field(bits=bits, default=default)


def ints(*shape: int, bits: int = 64, default: int = 0) -> Any:
    """Whole numbers: a list, or a list of lists of equal length."""
    return Field("list" if len(shape) == 1 else "table", shape, bits, default)


def lists(length: int) -> Any:
    """Lists of different lengths, which never change."""
    return Field("lists", (length,))


def rows(of: type["Struct"], most: int) -> Any:
    """At most so many structs; `insert`, `append` and `del` change how many there are."""
    if of.is_flexible():
        raise TypeError(f"{of.__name__} has sizes of its own, so it cannot be in rows")
    return Field("rows", (most,), of=of)


class Rows(list[R]):
    """Structs of one kind; it takes in copies, and raises OverflowError where it has no room."""

    __slots__ = ("most",)

    def __init__(self, most: int, structs: Iterable[R] = ()) -> None:
        super().__init__(structs)
        self.most = most

    def insert(self, at: Any, row: R) -> None:
        if len(self) >= self.most:
            raise OverflowError("no room for another row")
        super().insert(at, row.copy())

    def append(self, row: R) -> None:
        self.insert(len(self), row)

    def copy(self) -> "Rows[R]":
        return Rows(self.most, [each.copy() for each in self])


KINDS = {
    "size": ("{}", ""),
    "number": ("{}", "{}, "),
    "list": ("{}[:]", "tuple({}), "),
    "table": ("[each[:] for each in {}]", "tuple(map(tuple, {})), "),
    "lists": ("{}", "tuple(map(tuple, {})), "),
    "rows": ("{}.copy()", "tuple([each.key() for each in {}]), "),
}
"""Of a field of each kind: its copy, and its part of the key."""


@dataclass_transform(kw_only_default=True)
class StructMeta(type):
    """Makes a dataclass of the declared fields, with slots, and its `copy` and `key`."""

    FIELDS: dict[str, Field]

    def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> Any:
        if not bases or "__slots__" in space:  # `dataclass` makes a second class, with slots
            return super().__new__(cls, name, bases, space)
        declared = {key: value for key, value in space.items() if isinstance(value, Field)}
        for key, field in declared.items():
            space[key] = None if field.shape else field.default
            if field.kind == "size":
                del space[key]
        made: Any = dataclass(slots=True, kw_only=True)(super().__new__(cls, name, bases, space))
        known = made.FIELDS | declared  # those of the struct that it extends, and its own
        made.FIELDS = {each.name: known.get(each.name) or Field() for each in fields(made)}
        for key in [*declared, *made.FIELDS]:
            if key not in made.FIELDS or hasattr(Struct, key):
                raise TypeError(f"{name}.{key}: a field has an annotation, and no name that every struct has")
            made.FIELDS[key].name = key
        made.LISTS = {key: each for key, each in made.FIELDS.items() if each.shape}
        made.copy, made.key = _methods(made)
        return made


def _methods(made: StructMeta) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The methods `copy` and `key` as code, which is three times as fast as loops over fields."""
    parts = [(name, f"self.{name}", *KINDS[field.kind]) for name, field in made.FIELDS.items()]
    copies = [f" copied.{name} = {copy.format(value)}" for name, value, copy, _ in parts]
    keys = "".join(key.format(value) for _, value, _, key in parts)
    code = ["def copy(self):", " copied = new(made)", *copies, " return copied", "def key(self):", f" return ({keys})"]
    scope: dict[str, Any] = {"new": object.__new__, "made": made}
    exec("\n".join(code), scope)
    return scope["copy"], scope["key"]


class Struct(metaclass=StructMeta):
    """The base of declared structs."""

    __slots__ = ()
    FIELDS: ClassVar[dict[str, Field]] = {}
    LISTS: ClassVar[dict[str, Field]]
    """Fields that are more than a number."""

    def __post_init__(self) -> None:
        """Fill in the lists that were not given; let lists be lists and rows rows."""
        for name, field in self.LISTS.items():
            value, lengths = getattr(self, name), field.lengths(self)
            if field.kind == "rows":
                value = Rows(lengths[0], value or ())
            elif field.kind == "list":
                value = list([field.default] * lengths[0] if value is None else value)
            else:
                lines = [[field.default] * sum(lengths[1:])] * lengths[0] if value is None else value
                value = [list(each) for each in lines]
            setattr(self, name, value)

    @classmethod
    def is_flexible(cls) -> bool:
        """Whether its rows have different lengths."""
        return any(each.flexible for each in cls.FIELDS.values())

    def copy(self) -> Self:
        """An independent copy; inside a compiled kernel, one that lasts until that kernel returns."""
        raise NotImplementedError

    def key(self) -> tuple[Any, ...]:
        """The values of all fields but the sizes, with tuples for lists."""
        raise NotImplementedError

    def assign(self, other: Self) -> None:
        """Copy all fields of *other*, which must have the same sizes."""
        sizes = [name for name, field in self.FIELDS.items() if field.kind == "size"]
        if any(getattr(self, name) != getattr(other, name) for name in sizes):
            raise ValueError(DIFFERENT)
        copied = other.copy()
        for name in self.FIELDS:
            setattr(self, name, getattr(copied, name))

    def pack(self) -> "NDArray[np.int64]":
        """The row of this struct; raises ValueError or OverflowError for lists or numbers that do not fit into it."""
        values = [(field.kind, getattr(self, name)) for name, field in self.FIELDS.items() if field.kind in COUNTED]
        counts = [value if kind == "size" else sum(map(len, value)) for kind, value in values]
        layout, empty = _row_layout(type(self), tuple(counts))
        row = empty.copy()
        _write([self], type(self), row.view(layout))
        return row

    @classmethod
    def view(cls, row: "NDArray[np.int64]") -> Any:
        """The fields of a row by name, as NumPy values over its memory."""
        return _fields(row, cls)[0]

    @classmethod
    def unpack(cls, row: "NDArray[np.int64]") -> Self:
        """The plain object of a row."""
        (made,) = _read(_fields(row, cls), cls)
        return made  # type: ignore[no-any-return]


COUNTED = ("size", "lists")
"""Kinds of fields of which a row says at its beginning how long they are; where all others are follows from that."""


@cache
def fixed_part(cls: type[Struct]) -> "np.dtype[Any]":
    """What is at the same place in all rows: bytes and lengths, where the lists that differ begin, and the rest."""
    import numpy as np

    declared = cls.FIELDS.values()
    names = ["row bytes"] if cls.is_flexible() else []
    names += [each.name if each.kind == "size" else f"{each.name} total" for each in declared if each.kind in COUNTED]
    names += [f"{each.name} at" for each in declared if each.flexible and each.shape]
    names += [f"{each.name} count" for each in declared if each.of]
    parts: list[Any] = [(name, "i8") for name in names]
    by_bits = sorted(declared, key=lambda each: -each.bits)
    parts += [(each.name, f"i{each.bits // 8}", each.shape) for each in by_bits if not each.flexible]
    return np.dtype([*parts, ("fixed end", "i8", (0,))], align=True)  # a multiple of 64 bits


def place(layout: "np.dtype[Any]", name: str) -> int:
    """The byte that a part begins at."""
    return layout.fields[name][1]  # type: ignore[index]


@lru_cache(256)
def _row_layout(cls: type[Struct], counts: tuple[int, ...]) -> "tuple[np.dtype[Any], NDArray[np.int64]]":
    """The type of the rows with these counts, and such a row with nothing in it."""
    import numpy as np

    counted = [name for name, field in cls.FIELDS.items() if field.kind in COUNTED]
    known = SimpleNamespace(**dict(zip(counted, counts, strict=True)))
    parts: list[Any] = [(name, fixed_part(cls)[name]) for name in fixed_part(cls).names or ()]
    begins = []
    for name, field in cls.FIELDS.items():
        if field.flexible and field.shape:
            shape, kind = field.lengths(known), fixed_part(field.of) if field.of else f"i{field.bits // 8}"
            begins.append(f"{name} starts" if field.kind == "lists" else name)
            if field.kind == "lists":
                parts.append((begins[-1], "i8", (shape[0] + 1,)))
                shape = [getattr(known, name)]
            parts.append((name, kind, tuple(shape)))
    layout = np.dtype(parts, align=True)
    row = np.zeros(layout.itemsize // 8, np.int64)
    if cls.is_flexible():
        header = [layout.itemsize, *counts, *[place(layout, each) for each in begins]]
        row[: len(header)] = header
    return layout, row


def _fields(row: "NDArray[Any]", cls: type[Struct]) -> "NDArray[Any]":
    """A row as an array of one element with named fields."""
    counts = sum(field.kind in COUNTED for field in cls.FIELDS.values())
    return row.view(_row_layout(cls, tuple(row[1 : 1 + counts].tolist()))[0])


def _write(structs: Sequence[Struct], cls: type[Struct], packed: Any) -> None:
    """Write structs to an array of as many elements with named fields."""
    for name, field in cls.FIELDS.items():
        values = [getattr(each, name) for each in structs]
        try:
            if field.of:
                packed[f"{name} count"] = count = len(values[0])
                if count > (most := packed[name].shape[1]):
                    raise ValueError(f"there are {count} rows, not at most {most}")
                _write(values[0], field.of, packed[name][0, :count])
            elif field.kind == "lists":
                _fill(packed[f"{name} starts"][:, 1:], [[*accumulate(map(len, values[0]))]])
                _fill(packed[name], [[each for part in values[0] for each in part]])
            elif field.shape:
                _fill(packed[name], values)
            else:
                packed[name] = values
        except (ValueError, OverflowError) as error:
            raise type(error)(f"{cls.__name__}.{name}: {error}") from None


def _fill(array: Any, values: list[Any]) -> None:
    import numpy as np

    given = np.array(values, array.dtype)
    if given.shape != array.shape and (given.size or array.size):  # which NumPy would repeat until it fits
        raise ValueError(f"its lengths are {given.shape[1:]}, not {array.shape[1:]}")
    array[...] = given.reshape(array.shape)


def _read(packed: Any, cls: type[Struct]) -> list[Any]:
    """The structs of an array of elements with named fields."""
    columns: list[list[Any]] = []
    for name, field in cls.FIELDS.items():
        if field.of:
            columns.append([_read(packed[name][0, : packed[f"{name} count"][0]], field.of)])
        elif field.kind == "lists":
            starts, numbers = packed[f"{name} starts"][0].tolist(), packed[name][0].tolist()
            columns.append([[numbers[first:last] for first, last in pairwise(starts)]])
        else:
            columns.append(packed[name].tolist())
    return [cls(**dict(zip(cls.FIELDS, values, strict=True))) for values in zip(*columns, strict=True)]


def over_rows(function: Callable[..., Any], hints: Mapping[str, Any]) -> Callable[..., Any]:
    """A plain kernel that takes what machine code takes: rows in place of structs."""

    def run(*arguments: Any) -> Any:
        plain = [_plain_argument(hint, each) for hint, each in zip(hints.values(), arguments, strict=False)]
        result = function(*plain)
        for argument, changed in zip(arguments, plain, strict=True):
            pairs = zip(argument, changed, strict=True) if isinstance(changed, list) else [(argument, changed)]
            for row, each in pairs:
                if hasattr(each, "pack"):
                    row[:] = each.pack()
        return result

    return run


def _plain_argument(hint: Any, argument: Any) -> Any:
    if hasattr(hint, "unpack"):
        return hint.unpack(argument)
    inner = (*get_args(hint), None)[0]
    return [inner.unpack(row) for row in argument] if hasattr(inner, "unpack") else argument


def zeros(length: int, value: N = 0) -> list[N]:
    """A list for a kernel to work with, of whole numbers or others as *value* is."""
    return [value] * length


def table(height: int, width: int) -> list[list[int]]:
    """Lists of equal length for a kernel to work with."""
    return [[0] * width for _ in range(height)]
