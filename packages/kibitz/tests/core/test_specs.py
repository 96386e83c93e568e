"""Specs are read safely and written back as they were."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.errors import BadSpec
from kibitz.core.specs import CONSTANTS, DEEPEST, LONGEST, Spec, parse_spec, spec_text

names = st.from_regex(r"[a-z_][a-z0-9_]{0,8}(\.[a-z]{1,5}|-[a-z]{1,5})?", fullmatch=True).filter(
    lambda name: name not in CONSTANTS
)
keys = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
literals = (
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False) | st.text(max_size=12)
)
values = st.recursive(
    literals,
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
        | st.builds(Spec, names, st.dictionaries(keys, inner, max_size=2))
    ),
    max_leaves=8,
)


@pytest.mark.long
@given(st.builds(Spec, names, st.dictionaries(keys, values, max_size=4)))
def test_a_spec_reads_back_as_it_was_written(spec: Spec) -> None:
    assert parse_spec(str(spec)) == spec


def test_a_spec_may_hold_other_specs_and_every_kind_of_literal() -> None:
    spec = parse_spec(
        "pawns.asymmetric(depth=6, model=dbn(slices=4), w=[1, -2.5e3, .5], on=True, d={'a': None}, x=-inf)"
    )
    assert spec.name == "pawns.asymmetric"
    assert spec.parameters == {
        "depth": 6,
        "model": Spec("dbn", {"slices": 4}),
        "w": (1, -2500.0, 0.5),
        "on": True,
        "d": {"a": None},
        "x": -math.inf,
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "(",
        "a(",
        "a(b",
        "a(b=",
        "a(b=1",
        "a(b=1))",
        "a(1)",
        "a(b=1, b=2)",
        "a b",
        "a(b=c=d)",
        "__import__('os').system('true')",
        "a(b=__import__('os'))",
        "a(b=1 if True else 2)",
        "a(b=[1, 2)",
        "a(b={c: 1})",
        "a(b='unclosed)",
        "a(b=1e)",
        "5",
        "'a'",
        "a\x00b",
        "a(b=0x1g)",
        "a" * (LONGEST + 1),
        "a(b=" + "[" * (DEEPEST + 2) + "]" * (DEEPEST + 2) + ")",
        "a(" + "b=c(" * 5000,
    ],
)
def test_anything_else_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(BadSpec) as caught:
        parse_spec(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


@given(st.text(max_size=40))
def test_no_text_breaks_the_parser(text: str) -> None:
    try:
        spec = parse_spec(text)
    except BadSpec:
        return
    assert parse_spec(str(spec)) == spec


@given(st.text(max_size=40))
def test_everything_behind_cmd_is_the_command_of_a_process(command: str) -> None:
    spec = parse_spec(f"cmd:{command}")
    assert spec == Spec("process", {"command": command.strip()})
    assert parse_spec(str(spec)) == spec


def test_what_no_spec_can_hold_is_refused() -> None:
    with pytest.raises(BadSpec, match="object cannot be written"):
        spec_text(object())
    with pytest.raises(BadSpec):
        parse_spec(5)  # type: ignore[arg-type]
