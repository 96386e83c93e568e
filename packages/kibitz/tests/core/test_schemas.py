"""Where a value breaks a declared type, and how that is told."""

from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kibitz.core.agent import Model
from kibitz.core.errors import BadDefinition
from kibitz.core.specs import convert_value, misfit, takes_objects


class Inner(msgspec.Struct, forbid_unknown_fields=True, rename={"origin": "from"}):
    """A table inside another."""

    origin: str
    many: Annotated[int, msgspec.Meta(ge=1, le=2000)] = 1
    order: Literal["cheapest", "pairs"] | None = None


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    """A table of tables."""

    inner: dict[str, Inner]
    script: tuple[Inner | tuple[Inner, ...], ...] = ()
    place: tuple[float, float] | None = None
    share: Annotated[float, msgspec.Meta(ge=0.0, lt=1.0)] = 0.0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "inner: it is missing"),
        ({"inner": {}, "scrip": ()}, "scrip: there is no such key; did you mean 'script'?"),
        ({"inner": {}, "zzz": 1}, "zzz: there is no such key; known: inner, place, script, share"),
        ({"inner": 3}, "inner: expected a table, not 3"),
        ({"inner": {"a": {}}}, "inner.a.from: it is missing"),
        ({"inner": {"a": {"from": "x", "many": 0}}}, "inner.a.many: expected a whole number from 1 to 2,000, not 0"),
        (
            {"inner": {"a": {"from": "x", "order": "Pair"}}},
            "inner.a.order: expected cheapest, pairs or None, not 'Pair'; did you mean 'pairs'?",
        ),
        ({"inner": {}, "script": [{"from": "x"}, [{"from": 4}]]}, "script[1][0].from: expected text, not 4"),
        ({"inner": {}, "script": [5]}, "script[0]: expected a table or a list, not 5"),
        ({"inner": {}, "place": [1]}, "place: expected a list of 2 or None, not [1]"),
        ({"inner": {}, "place": [1, "b"]}, "place[1]: expected a number, not 'b'"),
        ({"inner": {}, "share": float("nan")}, "share: expected a number of at least 0 and below 1, not nan"),
        ("text", "the whole: expected a table, not 'text'"),
    ],
)
def test_the_innermost_misfit_is_told(given: Any, said: str) -> None:
    with pytest.raises(BadDefinition) as caught:
        convert_value(given, Outer, lambda found: BadDefinition("file", str(found)))
    assert str(caught.value) == f"file: {said}"


leaves = st.none() | st.booleans() | st.integers(-3, 3000) | st.floats() | st.sampled_from(["pairs", "x"])
tables = st.recursive(
    leaves,
    lambda part: (
        st.lists(part, max_size=2)
        | st.dictionaries(st.sampled_from(["from", "many", "order", "inner"]), part, max_size=3)
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["inner", "script", "place", "share", "x"]), tables, max_size=4))
def test_every_misfit_is_found_where_its_keys_lead(value: dict[str, Any]) -> None:
    try:
        msgspec.convert(value, Outer)
    except msgspec.ValidationError:
        found = misfit(value, Outer)
    else:
        assume(False)
    part: Any = value
    for key in found.keys if found.value is not msgspec.UNSET else found.keys[:-1]:
        part = part[key]
    assert found.value is msgspec.UNSET or part is found.value


def test_only_what_is_no_plain_value_takes_specs() -> None:
    plain = str, bool | None, tuple[str, ...], dict[str, int], Literal["a", 1], Annotated[int, msgspec.Meta(ge=1)]
    assert not any(map(takes_objects, plain))
    assert all(map(takes_objects, (Model, Model | None, tuple[Model, ...], dict[str, Model], Any)))
