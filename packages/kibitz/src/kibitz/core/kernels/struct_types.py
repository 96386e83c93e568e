"""Structs inside compiled kernels: a borrowed pointer to a row, whose fields are read and written in its memory.

Kernels on disk name these types, so they are in a module of their own. It is imported when something is compiled.
"""

import operator
from types import FunctionType, NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np
from llvmlite import ir
from numba import extending, types
from numba.core import cgutils
from numba.core.imputils import lower_builtin, lower_getattr_generic, lower_setattr_generic
from numba.core.registry import cpu_target
from numba.core.typing import templates
from numba.extending import NativeValue, intrinsic, models, overload, overload_method, unbox
from numba.np.arrayobj import make_array, populate_array

from kibitz.core.kernels import structs
from kibitz.core.kernels.structs import Field, Struct, fixed_part, place

INT, BYTES = ir.IntType(64), ir.IntType(8).as_pointer()
LIST, TABLE = types.Array(types.int64, 1, "C"), types.Array(types.int64, 2, "C")


class TypeOfStruct(types.Type):
    def __init__(self, of: type[Struct]) -> None:
        self.of, self.layout = of, fixed_part(of)
        super().__init__(f"{type(self).__name__}({of.__module__}.{of.__qualname__})")


class StructType(TypeOfStruct):
    """A struct: the address of its fields."""


class RowsType(TypeOfStruct):
    """The rows of a struct: all words there is room for, and how many rows there are."""

    members = (("words", TABLE), ("count", LIST))


class ListsType(types.Type):
    """Lists of different lengths: where each begins and the last one ends; after that, the numbers of all."""

    members = (("starts", LIST),)

    def __init__(self) -> None:
        super().__init__("Lists")


@extending.register_model(StructType)
class PointerModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, BYTES)


@extending.register_model(RowsType)
@extending.register_model(ListsType)
class MembersModel(models.StructModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.members)


for _kind in (RowsType, ListsType):
    for _name, _ in _kind.members:
        extending.make_attribute_wrapper(_kind, _name, _name)


@unbox(StructType)
def take_pointer(kind: Any, value: Any, c: Any) -> Any:
    """The address of a row, if its memory is as long as it should be."""
    builder, buffer = c.builder, c.pyapi.alloca_buffer()
    failed = cgutils.alloca_once_value(builder, cgutils.is_not_null(builder, c.pyapi.get_buffer(value, buffer)))
    with builder.if_then(builder.not_(builder.load(failed)), likely=True):
        length = load(builder, load_pointer(builder, buffer), 0) if kind.of.is_flexible() else INT(kind.layout.itemsize)
        wrong = builder.icmp_signed("!=", load(builder, buffer, 16), length)  # after the address and its owner
        with builder.if_then(wrong, likely=False):
            c.pyapi.err_set_string("PyExc_ValueError", f"this is no row of {kind.of.__name__}")
            c.pyapi.release_buffer(buffer)
            builder.store(cgutils.true_bit, failed)
    return NativeValue(load_pointer(builder, buffer), builder.load(failed), lambda: c.pyapi.release_buffer(buffer))


@unbox(RowsType)
def take_rows(kind: Any, value: Any, c: Any) -> Any:
    """The rows of an array with a row of a struct in each line."""
    taken = c.unbox(TABLE, value)
    lines = c.builder.extract_value(make_array(TABLE)(c.context, c.builder, taken.value).shape, 0)
    made = cgutils.create_struct_proxy(kind)(c.context, c.builder)
    made.words = taken.value
    made.count = array(c.context, c.builder, LIST, cgutils.alloca_once_value(c.builder, lines), [INT(1)])
    return NativeValue(made._getvalue(), taken.is_error, taken.cleanup)


def address(builder: Any, base: Any, offset: Any) -> Any:
    """So many bytes after *base*."""
    return builder.gep(builder.bitcast(base, BYTES), [INT(offset) if isinstance(offset, int) else offset])


def load(builder: Any, base: Any, offset: Any, bits: int = 64, *, constant: bool = False) -> Any:
    """The number at an address; LLVM reads a *constant* one only once."""
    made = builder.load(builder.bitcast(address(builder, base, offset), ir.IntType(bits).as_pointer()))
    if constant:
        made.set_metadata("invariant.load", builder.module.add_metadata([]))
    return made if bits == 64 else builder.sext(made, INT)


def load_pointer(builder: Any, base: Any) -> Any:
    return builder.inttoptr(load(builder, base, 0), BYTES)


def array(context: Any, builder: Any, kind: Any, first: Any, shape: list[Any]) -> Any:
    """An array over memory that is not its own."""
    made, size = make_array(kind)(context, builder), INT(kind.dtype.bitwidth // 8)
    strides = [builder.mul(size, shape[1]), size] if len(shape) == 2 else [size]
    populate_array(made, builder.bitcast(first, made.data.type), shape, strides, size, None)
    return made._getvalue()


def field_type(field: Field) -> Any:
    """The type of a field in compiled code."""
    if not field.shape:
        return types.int64
    if field.of:
        return RowsType(field.of)
    number = types.Integer.from_bitwidth(field.bits)
    return ListsType() if field.kind == "lists" else types.Array(number, len(field.shape), "C")


@templates.infer_getattr
class StructFields(templates.AttributeTemplate):
    key = StructType

    def generic_resolve(self, kind: Any, name: str) -> Any:
        return field_type(kind.of.FIELDS[name]) if name in kind.of.FIELDS else None

    @templates.bound_function("struct.copy")
    def resolve_copy(self, kind: Any, arguments: Any, keywords: Any) -> Any:
        return None if kind.of.is_flexible() else templates.signature(kind, recvr=kind)


@lower_getattr_generic(StructType)
def get_field(context: Any, builder: Any, kind: Any, base: Any, name: str) -> Any:
    def constant_at(part: str) -> Any:
        return load(builder, base, place(kind.layout, part), constant=True)

    field = kind.of.FIELDS[name]
    if not field.shape:
        return load(builder, base, place(kind.layout, name), field.bits, constant=field.kind == "size")
    made_type = field_type(field)
    first = address(builder, base, constant_at(f"{name} at") if field.flexible else place(kind.layout, name))
    shape = [constant_at(each.name) if isinstance(each, Field) else INT(each) for each in field.shape]
    if isinstance(made_type, types.Array):
        return array(context, builder, made_type, first, shape)
    made = cgutils.create_struct_proxy(made_type)(context, builder)
    if field.of:
        count = address(builder, base, place(kind.layout, f"{name} count"))
        made.words = array(context, builder, TABLE, first, [*shape, INT(made_type.layout.itemsize // 8)])
        made.count = array(context, builder, LIST, count, [INT(1)])
    else:
        made.starts = array(context, builder, LIST, first, [builder.add(shape[0], INT(1))])
    return made._getvalue()


@lower_setattr_generic(StructType)
def set_field(context: Any, builder: Any, sig: Any, arguments: Any, name: str) -> None:
    of, (base, value) = sig.args[0].of, arguments
    field = of.FIELDS[name]
    if field.kind != "number":
        raise TypeError(f"{of.__name__}.{name} is no number: set what is in it, not the field")
    kind = ir.IntType(field.bits)
    value = value if field.bits == 64 else builder.trunc(value, kind)
    builder.store(value, builder.bitcast(address(builder, base, place(sig.args[0].layout, name)), kind.as_pointer()))


@lower_builtin("struct.copy", StructType)
def copy_struct(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    kept = builder.bitcast(cgutils.alloca_once(builder, ir.ArrayType(INT, sig.args[0].layout.itemsize // 8)), BYTES)
    cgutils.raw_memcpy(builder, kept, arguments[0], INT(sig.args[0].layout.itemsize), INT(1))
    return kept


@intrinsic
def copy_memory(typing_context: Any, to: Any, of: Any) -> Any:
    def code(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        size = INT(to.layout.itemsize)
        if to.of.is_flexible():
            size = load(builder, arguments[1], 0)
            with cgutils.if_unlikely(builder, builder.icmp_signed("!=", load(builder, arguments[0], 0), size)):
                context.call_conv.return_user_exc(builder, ValueError, (structs.DIFFERENT,))
        cgutils.raw_memmove(builder, *arguments, size, INT(1))
        return context.get_dummy_value()

    return (types.void(to, of), code) if to == of else None


@intrinsic
def row_at(typing_context: Any, rows: Any, at: Any) -> Any:
    def code(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        words = cgutils.create_struct_proxy(rows)(context, builder, value=arguments[0]).words
        made = make_array(TABLE)(context, builder, words)
        return address(builder, made.data, builder.mul(arguments[1], builder.extract_value(made.strides, 0)))

    return StructType(rows.of)(rows, types.int64), code


@templates.infer_global(operator.getitem)
class ListItem(templates.AbstractTemplate):
    def generic(self, arguments: Any, keywords: Any) -> Any:
        listed = arguments[0]
        return templates.signature(LIST, listed, types.int64) if isinstance(listed, ListsType) else None


@lower_builtin(operator.getitem, ListsType, types.Integer)
def get_list(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:  # no function: `lean` ones return no arrays
    made = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=arguments[0])
    starts = make_array(LIST)(context, builder, made.starts)
    lengths = builder.extract_value(starts.shape, 0)
    before = builder.icmp_signed("<", arguments[1], INT(0))
    at = builder.select(before, builder.sub(builder.add(arguments[1], lengths), INT(1)), arguments[1])
    start, end = (
        load(builder, starts.data, builder.mul(builder.add(at, INT(n)), INT(8)), constant=True) for n in (0, 1)
    )
    numbers = address(builder, starts.data, builder.mul(lengths, INT(8)))
    first = address(builder, numbers, builder.mul(start, INT(8)))
    return array(context, builder, sig.return_type, first, [builder.sub(end, start)])


@overload(len, strict=False)
def length(listed: Any) -> Any:
    if isinstance(listed, RowsType):
        return lambda listed: listed.count[0]
    return (lambda listed: len(listed.starts) - 1) if isinstance(listed, ListsType) else None


@overload(operator.getitem, strict=False)
def row(listed: Any, at: Any) -> Any:
    is_rows = isinstance(listed, RowsType)
    return (lambda listed, at: row_at(listed, at + len(listed) if at < 0 else at)) if is_rows else None


@overload_method(RowsType, "insert", strict=False)
def insert_row(listed: Any, at: Any, row: Any) -> Any:
    def code(listed: Any, at: Any, row: Any) -> None:
        count = len(listed)
        if count >= len(listed.words):
            raise OverflowError("no room for another row")
        kept = row.copy()  # it may be one of those that move
        for each in range(count, at, -1):
            copy_memory(row_at(listed, each), row_at(listed, each - 1))
        listed.count[0] = count + 1
        copy_memory(row_at(listed, at), kept)

    return code


@overload_method(RowsType, "append", strict=False)
def append_row(listed: Any, row: Any) -> Any:
    return lambda listed, row: listed.insert(len(listed), row)


@overload(operator.delitem, strict=False)
def delete_row(listed: Any, at: Any) -> Any:
    def code(listed: Any, at: Any) -> None:
        count = len(listed)
        for each in range(at + count if at < 0 else at, count - 1):
            copy_memory(row_at(listed, each), row_at(listed, each + 1))
        listed.count[0] = count - 1

    return code if isinstance(listed, RowsType) else None


@overload_method(StructType, "assign", strict=False)
def assign(struct: Any, other: Any) -> Any:
    return lambda struct, other: copy_memory(struct, other)


@overload(structs.zeros, strict=False)
def zeros(length: Any, value: Any = 0) -> Any:
    kind = np.float64 if isinstance(value, types.Float) else np.int64
    return lambda length, value=0: np.full(length, value, kind)


@overload(structs.table, strict=False)
def table(height: Any, width: Any) -> Any:
    return lambda height, width: np.zeros((height, width), np.int64)


cpu_target.typing_context.refresh()
cpu_target.target_context.refresh()

SCALARS = {int: types.int64, float: types.float64, bool: types.boolean, NoneType: types.void}


def argument_type(hint: Any) -> Any:
    """The type of an annotation of an argument, or of a field of a NamedTuple."""
    inner = get_args(hint)
    if hint in SCALARS:
        return SCALARS[hint]
    if hasattr(hint, "FIELDS"):
        return StructType(hint)
    if hasattr(hint, "_fields"):
        found = map(argument_type, get_type_hints(hint, include_extras=True).values())
        return types.BaseTuple.from_types(tuple(found), hint)
    if get_origin(hint) is Annotated:
        return eval(inner[-1], {}, vars(types))
    if get_origin(hint) is tuple:
        return types.BaseTuple.from_types(tuple(map(argument_type, inner)))
    if get_origin(hint) is list and hasattr(inner[0], "FIELDS"):
        return RowsType(inner[0])
    raise TypeError(f"{hint} is no type of a kernel; it may be a number, a struct, `Ints`, `Table` or `Rng`")


def annotated_signature(function: FunctionType) -> Any:
    """The signature that the annotations of a kernel say."""
    hints = get_type_hints(function, include_extras=True)
    result = argument_type(hints.pop("return", NoneType))
    return result(*map(argument_type, hints.values()))
