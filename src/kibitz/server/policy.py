"""What a request may ask for: nothing that starts a program, and nothing that reads a file."""

import re
from collections.abc import Mapping, Sequence
from typing import NewType

from kibitz.core.errors import BadSpec
from kibitz.core.registry.specs import Configurable, Spec, parse_spec

WORD = re.compile(r"[\w+-]*( [\w+-]+)*")
"""Words only: where a parameter may name a file, so may these, but only one in the folder the server runs in."""
LARGEST = 1_000_000
"""Numbers beyond it make games and searches that a server cannot carry."""

AllowedSpec = NewType("AllowedSpec", str)
"""A spec that a request may name. `permitted` alone makes one, so no other text from outside reaches a table."""


def allowed_spec(text: str, named: Mapping[str, str] | None = None) -> AllowedSpec:
    """A spec that a request may name, or what stands for it among the operator's *named* agents."""
    if named and text in named:
        return AllowedSpec(named[text])
    spec = parse_spec(text)
    check(spec, text)
    return AllowedSpec(str(spec))


def check(value: object, text: str) -> None:
    """Raise BadSpec where something inside is not for a request to say."""
    if isinstance(value, (Spec, Configurable)):
        name = value.name if isinstance(value, Spec) else type(value).__name__
        if name == "process":
            raise BadSpec(text, "a request cannot start a program; the server's operator can, with --agents FILE")
        for each in (value.parameters if isinstance(value, Spec) else value.parameters()).values():
            check(each, text)
    elif isinstance(value, str):
        if not WORD.fullmatch(value):
            raise BadSpec(text, "a request names presets, never files: text inside a spec is words only")
    elif isinstance(value, Mapping):
        check([*value.keys(), *value.values()], text)
    elif isinstance(value, Sequence):
        for each in value:
            check(each, text)
    elif isinstance(value, (int, float)) and abs(value) > LARGEST:
        raise BadSpec(text, f"a request names numbers up to {LARGEST:,}")
