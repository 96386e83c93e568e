"""Streams inside kernels are NumPy's, number for number."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz.core.kernels import jit_enabled
from kibitz.core.seeds import LARGEST, stream
from kibitz_risk.simulation import stream_unit, stream_words

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="needs the compiler")


@settings(deadline=None, max_examples=60)
@given(st.integers(0, LARGEST), st.sampled_from([("agent", 0), ("agent", 1), ("chance",), ("opening", 7)]))
def test_a_stream_in_a_kernel_draws_what_numpy_draws(seed: int, names: tuple[str | int, ...]) -> None:
    words = stream_words(seed, *names)
    assert [stream_unit(words) for _ in range(9)] == stream(seed, *names).random(9).tolist()
