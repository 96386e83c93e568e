"""Structs: the fields of a game or a position, declared once, as a plain object of lists and as one packed row.

    class Position(Struct):
        heaps: int = size()
        stones: list[int] = ints(heaps, bits=16)
        player: int = 0

`Position(heaps=3)` is the plain object; `pack` makes its row, on which compiled kernels work, and `unpack` goes back.
A row begins with its number of bytes, the sizes and the offsets of whatever depends on a size, so that one kernel
serves every board. Structs that lie inside others (`rows`) have no sizes of their own.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, TypeAlias, TypeVar, dataclass_transform

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

R = TypeVar("R", bound="Struct")
Ints: TypeAlias = Annotated[list[int], "int64[::1]"]
"""A list of numbers as an argument, and the type of a field of 64-bit numbers."""
Table: TypeAlias = Annotated[list[list[int]], "int64[:, ::1]"]
Words: TypeAlias = Annotated[list["Word"], "uint64[::1]"]
Floats: TypeAlias = Annotated[list[float], "float64[::1]"]
WORD = (1 << 64) - 1
DIFFERENT = "only a struct of the same sizes can be assigned"


class Field(msgspec.Struct, eq=False):
    """A declared field; in the row it, or its offset, is at the byte `at`."""

    kind: str = "number"
    bits: int = 64
    shape: tuple["Field | int", ...] = ()
    of: Any = None
    default: int | None = 0
    unsigned: bool = False
    name: str = ""
    at: int = 0

    @property
    def flexible(self) -> bool:
        """Whether its length or offset differs from row to row."""
        return self.kind in ("lists", "rows") or any(isinstance(each, Field) for each in self.shape)

    @property
    def text(self) -> str:
        """All that compiled code depends on."""
        inner = [self.of.LAYOUT if self.of else "", *(getattr(each, "name", each) for each in self.shape)]
        return f"{self.name} {self.kind} {self.bits} {self.unsigned} {self.at} {inner}"


def size() -> Any:
    """A length that other fields have; it never changes."""
    return Field("size", default=None)


def number(default: int = 0, *, bits: int = 64) -> Any:
    """A whole number; a plain `name: int = 0` is one of 64 bits."""
    return Field(bits=bits, default=default)


def word(default: int = 0) -> Any:
    """A `Word`."""
    return Field(default=default, unsigned=True)


def ints(*shape: int, bits: int = 64, default: int = 0) -> Any:
    """Whole numbers: a list, or a list of lists of equal length."""
    return Field("ints", bits, shape, default=default)


def words(*shape: int) -> Any:
    """A list of `Word`, or lists of equal length."""
    return Field("ints", 64, shape, unsigned=True)


def lists(length: int, *, bits: int = 64) -> Any:
    """Lists of different lengths, which never change."""
    return Field("lists", bits, (length,))


def rows(of: type["Struct"], most: int) -> Any:
    """At most so many structs; `insert`, `append` and `del` change how many there are."""
    if of.is_flexible():
        raise TypeError(f"{of.__name__} has sizes of its own, so it cannot be in rows")
    return Field("rows", 64, (most,), of)


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


@dataclass_transform(kw_only_default=True)
class StructMeta(type):
    """Makes a class with slots of declared fields, and its constructor, `copy` and `key`."""

    FIELDS: dict[str, Field]
    SIZES: tuple[str, ...]
    FIXED: int
    LAYOUT: str

    def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> "StructMeta":
        fields: dict[str, Field] = {}
        for key in _annotated_names(space) if bases else ():
            value = space.pop(key, None)
            if hasattr(bases[0], key):
                raise TypeError(f"{name}.{key}: every struct has this attribute; use another name")
            fields[key] = value if isinstance(value, Field) else Field(default=value)
            fields[key].name = key
        for key in [key for key, value in space.items() if isinstance(value, Field)]:
            raise TypeError(f"{name}.{key} needs an annotation, such as {key}: int")
        made = super().__new__(cls, name, bases, {**space, "__slots__": tuple(fields)})
        made.FIELDS, made.SIZES = fields, tuple(key for key, field in fields.items() if field.kind == "size")
        made.FIXED = _place_fields(fields.values())
        made.LAYOUT = f"{name} {made.FIXED} {[each.text for each in fields.values()]}"
        if fields:
            _add_methods(made)
        return made


def _annotated_names(space: Mapping[str, Any]) -> Iterable[str]:
    """The annotated names of a class that is being made; since Python 3.14 a function says what they are."""
    if sys.version_info < (3, 14):
        return tuple(space.get("__annotations__", ()))
    library: Any = import_module("annotationlib")
    annotate = library.get_annotate_from_class_namespace(space)
    return tuple(library.call_annotate_function(annotate, library.Format.FORWARDREF)) if annotate else ()


def _place_fields(fields: Iterable[Field]) -> int:
    """Set where every field or its offset is; return the bytes of all that do not depend on sizes."""
    header = [each for each in fields if each.kind == "size" or each.flexible]
    end = 8 if header else 0
    for field in header:
        field.at, end = end, end + (8 if field.kind in ("size", "ints") else 16)
    for field in sorted(fields, key=lambda each: -each.bits):
        if field.kind != "size" and not field.flexible:
            field.at, end = end, end + field.bits // 8 * _product(field.shape)
    return -(-end // 8) * 8


def _product(shape: Sequence[Any]) -> int:
    return shape[0] * _product(shape[1:]) if shape else 1


TEXTS = {
    "lists": ("[[] for _ in range({0})]", "{name}", "self.{name}", "tuple(map(tuple, self.{name}))"),
    "rows": ("Rows({0})", "Rows({0}, {name})", "self.{name}.copy()", "tuple([each.key() for each in self.{name}])"),
    1: ("[{default}] * {0}", "{numbers}({name})", "self.{name}[:]", "tuple(self.{name})"),
    2: (
        "[[{default}] * {1} for _ in range({0})]",
        "[{numbers}(each) for each in {name}]",
        "[each[:] for each in self.{name}]",
        "tuple(map(tuple, self.{name}))",
    ),
}
"""The value of a list by default, made of an argument, copied, and in the key; by kind, or by the number of lengths."""


def _add_methods(made: StructMeta) -> None:
    """Write the constructor, `copy` and `key`: such code is three times as fast as loops over fields."""
    scope: dict[str, Any] = {"new": object.__new__, "made": made, "Rows": Rows, "Word": Word}
    scope["words"] = lambda numbers: [Word(each) for each in numbers]
    given, start, copied, key = ["self", "*"], [], [], []
    for name, field in made.FIELDS.items():
        default = f"Word({field.default})" if field.unsigned else str(field.default)
        if not field.shape:
            given.append(name if field.default is None else f"{name}={default}")
            start.append(f"self.{name} = Word({name})" if field.unsigned else f"self.{name} = {name}")
            copied.append(f"self.{name}")
            key += [f"self.{name}"] if field.kind == "number" else []
            continue
        lengths = [f"self.{each.name}" if isinstance(each, Field) else str(each) for each in field.shape]
        words = {"default": default, "name": name, "numbers": "words" if field.unsigned else "list"}
        texts = TEXTS[field.kind if field.kind in TEXTS else len(lengths)]
        empty, taken, again, value = (each.format(*lengths, **words) for each in texts)
        given.append(f"{name}=None")
        start.append(f"self.{name} = {empty} if {name} is None else {taken}")
        copied.append(again)
        key.append(value)
    code = [f"def __init__({', '.join(given)}):", *start, "def copy(self):", "copied = new(made)"]
    code += [f"copied.{name} = {value}" for name, value in zip(made.FIELDS, copied, strict=True)]
    code += ["return copied", "def key(self):", f"return ({''.join(f'{each}, ' for each in key)})"]
    exec("\n".join(line if line.startswith("def ") else f" {line}" for line in code), scope)
    for method in ("__init__", "copy", "key"):
        setattr(made, method, scope[method])


class Struct(metaclass=StructMeta):
    """The base of declared structs."""

    FIELDS: ClassVar[dict[str, Field]]
    SIZES: ClassVar[tuple[str, ...]]
    FIXED: ClassVar[int]
    LAYOUT: ClassVar[str]

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
        if any(getattr(self, name) != getattr(other, name) for name in self.SIZES):
            raise ValueError(DIFFERENT)
        copied = other.copy()
        for name in self.FIELDS:
            setattr(self, name, getattr(copied, name))

    def pack(self) -> "NDArray[np.int64]":
        """The row of this struct."""
        self.check()
        counts = [sum(map(len, getattr(self, each.name))) for each in self.FIELDS.values() if each.kind == "lists"]
        dtype, header = _row_layout(type(self), tuple(getattr(self, each) for each in self.SIZES), tuple(counts))
        row: NDArray[np.int64] = header.copy()
        packed = row.view(dtype)[0]
        for name, field in self.FIELDS.items():
            value = getattr(self, name)
            if field.kind == "rows":
                packed[f"{name} count"] = len(value)
                for inner in field.of.FIELDS if value else ():
                    packed[name][inner][: len(value)] = [getattr(each, inner) for each in value]
            elif field.kind == "lists":
                packed[f"{name} starts"] = [0, *accumulate(map(len, value))]
                packed[name] = [each for part in value for each in part]
            else:
                packed[name] = value
        return row

    @classmethod
    def view(cls, row: "NDArray[np.int64]") -> Any:
        """The fields of a row by name, as NumPy values over its memory."""
        lengths = [int(row[cls.FIELDS[name].at // 8]) for name in cls.SIZES]
        totals = [int(row[field.at // 8 + 1]) for field in cls.FIELDS.values() if field.kind == "lists"]
        return row.view(_row_layout(cls, tuple(lengths), tuple(totals))[0])[0]

    @classmethod
    def unpack(cls, row: "NDArray[np.int64]") -> Self:
        """The plain object of a row."""
        packed, values = cls.view(row), {}
        for name, field in cls.FIELDS.items():
            if field.kind == "rows":
                columns = [packed[name][inner][: packed[f"{name} count"]].tolist() for inner in field.of.FIELDS]
                rows_of_values = zip(*columns, strict=True)
                values[name] = [field.of(**dict(zip(field.of.FIELDS, each, strict=True))) for each in rows_of_values]
            elif field.kind == "lists":
                starts, flat = packed[f"{name} starts"].tolist(), packed[name].tolist()
                values[name] = [flat[first:last] for first, last in pairwise(starts)]
            else:
                values[name] = packed[name].tolist()
        return cls(**values)

    def check(self) -> None:
        """Raise ValueError where a list has a wrong length."""
        for name, field in self.FIELDS.items():
            value = getattr(self, name)
            wanted = [getattr(self, each.name) if isinstance(each, Field) else each for each in field.shape]
            lengths = [[len(value)] if wanted else [], [*map(len, value)] if len(wanted) == 2 else []]
            for length, needed in zip(lengths, wanted, strict=False):
                wrong = [each for each in length if each > needed or (each < needed and field.kind != "rows")]
                if wrong:
                    what = f"{type(self).__name__}.{name}: a list has length {wrong[0]}"
                    raise ValueError(f"{what}, not {'at most ' if field.kind == 'rows' else ''}{needed}")

    @classmethod
    def fields_type(cls) -> type[msgspec.Struct]:
        """A struct of the same fields, for JSON and its schema."""
        return _struct(cls)

    def fields(self) -> msgspec.Struct:
        """The fields as a struct."""
        return self.fields_type()(*[_values(field, getattr(self, name)) for name, field in self.FIELDS.items()])

    @classmethod
    def from_fields(cls, fields: msgspec.Struct) -> Self:
        """The struct of a struct; raises ValueError where a list has a wrong length."""
        values = {name: getattr(fields, name) for name in cls.FIELDS}
        for name, field in cls.FIELDS.items():
            if field.kind == "rows":
                values[name] = [field.of.from_fields(each) for each in values[name]]
        made = cls(**values)
        made.check()
        return made

    def to_json(self) -> str:
        """The fields as JSON."""
        return msgspec.json.encode(self.fields()).decode()

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The struct that `to_json` wrote; raises ValueError or msgspec.ValidationError for anything else."""
        return cls.from_fields(msgspec.json.decode(text, type=cls.fields_type()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.fields() == other.fields()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.FIELDS)})"


def _values(field: Field, value: Any) -> Any:
    """The value of a field in plain numbers and lists, and structs for structs."""
    if not field.shape:
        return int(value)
    return [
        each.fields() if field.of else list(map(int, each)) if isinstance(each, list) else int(each) for each in value
    ]


@cache
def _struct(cls: type[Struct]) -> type[msgspec.Struct]:
    types: list[tuple[str, Any]] = []
    for name, field in cls.FIELDS.items():
        inner: Any = field.of.fields_type() if field.of else int
        deep = field.kind == "lists" or len(field.shape) == 2
        types.append((name, list[list[int]] if deep else list[inner] if field.shape else inner))
    return msgspec.defstruct(cls.__name__, types, module=cls.__module__, frozen=True)


@lru_cache(256)
def _row_layout(cls: type[Struct], sizes: tuple[int, ...], totals: tuple[int, ...]) -> tuple[Any, "NDArray[np.int64]"]:
    """The dtype of rows of these sizes, with so many numbers in `lists`; and a row with its header alone."""
    import numpy as np

    known, left = dict(zip(cls.SIZES, sizes, strict=True)), iter(totals)
    parts: list[tuple[str, Any, int]] = []
    header: dict[int, int] = {cls.FIELDS[name].at: length for name, length in known.items()}
    end = cls.FIXED
    for name, field in cls.FIELDS.items():
        shape = tuple(known[each.name] if isinstance(each, Field) else each for each in field.shape)
        kind: Any = f"{'u' if field.unsigned else 'i'}{field.bits // 8}"
        at = field.at
        if field.flexible:
            header[at], at = end, end
        if field.kind == "rows":
            kind = _row_layout(field.of, (), ())[0]
            parts.append((f"{name} count", "i8", field.at + 8))
        elif field.kind == "lists":
            header[field.at + 8] = total = next(left)
            parts.append((f"{name} starts", ("i8", (shape[0] + 1,)), at))
            at, shape = at + 8 * (shape[0] + 1), (total,)
        parts.append((name, (kind, shape) if shape else kind, at))
        if field.flexible:
            end = at + -(-np.dtype(parts[-1][1]).itemsize // 8) * 8
    names, formats, places = map(list, zip(*parts, strict=True))
    layout = np.dtype({"names": names, "formats": formats, "offsets": places, "itemsize": end})
    row = np.zeros(end // 8, np.int64)
    for at, value in header.items():
        row[at // 8] = value
    if header:
        row[0] = end
    return layout, row


class Word(int):
    """An unsigned number of 64 bits: arithmetic wraps, in plain Python and in compiled kernels.

    >>> Word(1) << 63 | Word(1), Word(0) - Word(1) == WORD, ~Word(0) >> 60
    (9223372036854775809, True, 15)

    Write `Word(1)` for a number that is combined with a word; with a plain number it raises TypeError.
    """

    __slots__ = ()

    def __new__(cls, value: int = 0) -> "Word":
        return int.__new__(cls, int(value) & WORD)

    def __invert__(self) -> "Word":
        return Word(~int(self))


def signed_number(value: int) -> int:
    """A word as a number from -2**63, by its bits."""
    return int(value) - (int(value) >> 63 << 64)


def zeros(length: int, value: int = 0) -> list[int]:
    """A list for a kernel to work with."""
    return [value] * length


def table(height: int, width: int) -> list[list[int]]:
    """Lists of equal length for a kernel to work with."""
    return [[0] * width for _ in range(height)]


def _operator(name: str) -> Any:
    operate = getattr(int, name)

    def combine(self: Word, other: int) -> Word:
        if type(other) is not Word and name not in ("__lshift__", "__rshift__"):
            raise TypeError(f"a word meets the number {other!r}: write Word({other!r})")
        if "shift" in name and not 0 <= other < 64:
            raise ValueError(f"a word is shifted by {other} bits; kernels shift by 0 to 63")
        return Word(operate(self, other))

    return combine


for _name in ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"):
    setattr(Word, f"__{_name}__", _operator(f"__{_name}__"))
    setattr(Word, f"__r{_name}__", _operator(f"__r{_name}__"))
