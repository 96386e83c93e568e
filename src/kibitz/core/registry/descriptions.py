"""Describe registered classes from their source alone: lists of hundreds of names load none of their modules."""

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from kibitz.core.registry.registry import RegistryEntry
from kibitz.core.registry.specs import constructor_parameters

DEPTH = 12
"""The most steps from a name to its source through imports and base classes."""


class EntryDescription(msgspec.Struct, frozen=True):
    """The first line of a class's docstring, and its constructor's parameters with their defaults."""

    summary: str
    parameters: dict[str, Any]


class _Unreadable(Exception):
    """The source does not say it: the class has to be loaded."""


def describe(entry: RegistryEntry) -> EntryDescription:
    """Describe an entry from its source, or from the class itself where the source does not say enough.

    Raises BrokenPlugin if it cannot be loaded.
    """
    try:
        return _describe_source(*entry.target.split(":"))
    except _Unreadable:
        return describe_loaded(entry)


def describe_loaded(entry: RegistryEntry) -> EntryDescription:
    """Describe an entry from the class itself."""
    takes = constructor_parameters(entry.load())
    return EntryDescription(entry.summary(), {name: parameter.default for name, parameter in takes.items()})


def _describe_source(module: str, name: str = "") -> EntryDescription:
    home, found = _class_at(module, name, DEPTH)
    if found.decorator_list:
        raise _Unreadable
    summary = inspect.cleandoc(ast.get_docstring(found, clean=False) or "").partition("\n")[0].replace("*", "")
    constructor = _constructor(home, found, DEPTH)
    return EntryDescription(summary, {} if constructor is None else _parameters(*constructor))


def _constructor(home: str, of: ast.ClassDef, depth: int) -> tuple[str, ast.FunctionDef] | None:
    """The module and the node of a class's `__init__`, its own or inherited; None if nobody in the line has one."""
    for each in of.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            return home, each
    if of.decorator_list or of.keywords or any(getattr(each, "name", "") == "__new__" for each in of.body):
        raise _Unreadable
    for base in of.bases:
        named = base.value if isinstance(base, ast.Subscript) else base
        if isinstance(named, ast.Name) and named.id in ("object", "Protocol", "ABC", "Generic"):
            continue
        found = _constructor(*_named_class(home, named, depth - 1), depth - 1)
        if found is not None:
            return found
    return None


def _parameters(home: str, constructor: ast.FunctionDef) -> dict[str, Any]:
    """The parameters of a constructor, without the instance itself, and their defaults."""
    takes = constructor.args
    if takes.vararg or takes.kwarg or takes.posonlyargs:
        raise _Unreadable
    places = takes.args[1:]
    required = len(places) - len(takes.defaults)
    if required < 0:
        raise _Unreadable
    defaults = [*([None] * required), *takes.defaults, *takes.kw_defaults]
    return {
        place.arg: inspect.Parameter.empty if default is None else _constant(home, default, DEPTH)
        for place, default in zip([*places, *takes.kwonlyargs], defaults, strict=True)
    }


def _constant(home: str, value: ast.expr, depth: int) -> Any:
    """A value written as a literal, a quotient or a name of such."""
    if isinstance(value, ast.Name):
        home, assigned = _definition(home, value.id, depth)
        if not isinstance(assigned, ast.expr):
            raise _Unreadable
        return _constant(home, assigned, depth - 1)
    if isinstance(value, ast.Tuple):
        return tuple(_constant(home, each, depth) for each in value.elts)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div):
        return _constant(home, value.left, depth) / _constant(home, value.right, depth)
    try:
        return ast.literal_eval(value)
    except ValueError:
        raise _Unreadable from None


def _named_class(home: str, named: ast.expr, depth: int) -> tuple[str, ast.ClassDef]:
    """The class that a name stands for, such as `Strategy` or `core.Strategy`."""
    if isinstance(named, ast.Name):
        return _class_at(home, named.id, depth)
    if isinstance(named, ast.Attribute) and isinstance(named.value, ast.Name):
        source = _names_of(home).get(named.value.id)
        if isinstance(source, ast.ImportFrom):
            return _class_at(f"{source.module}.{named.value.id}", named.attr, depth)
    raise _Unreadable


def _class_at(module: str, name: str, depth: int) -> tuple[str, ast.ClassDef]:
    home, found = _definition(module, name, depth)
    if not isinstance(found, ast.ClassDef):
        raise _Unreadable
    return home, found


def _definition(module: str, name: str, depth: int) -> tuple[str, ast.AST]:
    """The module that defines a name, and what it stands for there."""
    found = _names_of(module).get(name)
    if found is None or depth <= 0:
        raise _Unreadable
    if isinstance(found, ast.ImportFrom):
        written = next(each.name for each in found.names if (each.asname or each.name) == name)
        return _definition(found.module or "", written, depth - 1)
    return module, found


@cache
def _names_of(module: str) -> dict[str, ast.AST]:
    """What the names at the top of a module stand for; names that are set twice are left out."""
    found: dict[str, ast.AST] = {}
    twice = set()
    for each in _statements(_source_of(module).body):
        defined: dict[str, ast.AST] = {}
        if isinstance(each, ast.ClassDef):
            defined[each.name] = each
        elif isinstance(each, ast.ImportFrom) and not each.level:
            defined |= {alias.asname or alias.name: each for alias in each.names}
        elif isinstance(each, ast.Assign | ast.AnnAssign) and each.value is not None:
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            defined |= {target.id: each.value for target in targets if isinstance(target, ast.Name)}
            for target in targets:
                if isinstance(target, ast.Tuple) and isinstance(each.value, ast.Tuple):
                    pairs = zip(target.elts, each.value.elts, strict=False)
                    defined |= {name.id: value for name, value in pairs if isinstance(name, ast.Name)}
        twice |= defined.keys() & found.keys()
        found |= defined
    return {name: node for name, node in found.items() if name not in twice}


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, with those that only type checkers see."""
    for each in body:
        if isinstance(each, ast.If) and isinstance(each.test, ast.Name) and each.test.id == "TYPE_CHECKING":
            yield from each.body
        else:
            yield each


def _source_of(module: str) -> ast.Module:
    """The parsed source of a module, which is not imported for it, nor are its packages."""
    top, *inner = module.split(".")
    loaded = sys.modules.get(top)
    spec = loaded.__spec__ if loaded is not None else find_spec(top)
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        raise _Unreadable
    file = Path(spec.origin)
    if inner:
        base = file.parent.joinpath(*inner)
        file = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
    try:
        return ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        raise _Unreadable from None
