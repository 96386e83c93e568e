"""Checks the specs in requests: a request may neither start a program nor read a file."""

import re
from collections.abc import Mapping, Sequence
from typing import NewType

from kibitz.core.errors import BadSpec
from kibitz.core.registry import bridges
from kibitz.core.specs import Configurable, Spec, parse_spec
from kibitz.plugins import load_target

WORD = re.compile(r"[\w+-]*( [\w+-]+)*")
"""Words only: if a parameter names a file, such a word can only name one in the server's folder."""
LARGEST = 1_000_000
"""The largest number in a spec; larger games and searches would overload the server."""

AllowedSpec = NewType("AllowedSpec", str)
"""A spec that a request may name. Only `allowed_spec` makes one, so no other text from outside reaches a match."""


def allowed_spec(text: str, named: Mapping[str, str] | None = None) -> AllowedSpec:
    """The spec in a request, or the spec that the operator's *named* agents give for it."""
    if named and text in named:
        return AllowedSpec(named[text])
    spec = parse_spec(text)
    check(spec, text)
    return AllowedSpec(str(spec))


def check(value: object, text: str) -> None:
    """Raise BadSpec if a spec holds something that a request may not name."""
    if isinstance(value, (Spec, Configurable)):
        name = value.name if isinstance(value, Spec) else type(value).__name__
        if name == "process":
            raise BadSpec(text, "a request cannot start a program; the server's operator can, with --agents FILE")
        request = next((bridge.request for bridge in bridges().values() if name in bridge.games), "")
        if isinstance(value, Spec) and request:
            load_target(name, request)(value, text)
            return
        parameters = value.parameters if isinstance(value, Spec) else value.parameters()
        for each in parameters.values():
            check(each, text)
    elif isinstance(value, str):
        if not WORD.fullmatch(value):
            raise BadSpec(text, "a request may name presets, not files: text inside a spec must be words")
    elif isinstance(value, Mapping):
        check([*value.keys(), *value.values()], text)
    elif isinstance(value, Sequence):
        for each in value:
            check(each, text)
    elif isinstance(value, (int, float)) and abs(value) > LARGEST:
        raise BadSpec(text, f"numbers in a request may not exceed {LARGEST:,}")
