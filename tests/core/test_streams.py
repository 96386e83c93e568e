"""Streams inside kernels are NumPy's, number for number."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz.core.kernels import jit_enabled, streams
from kibitz.core.seeds import LARGEST, stream

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="needs the compiler")


@settings(deadline=None, max_examples=60)
@given(st.integers(0, LARGEST), st.sampled_from([("agent", 0), ("agent", 1), ("chance",), ("opening", 7)]))
def test_a_stream_in_a_kernel_draws_what_numpy_draws(seed: int, names: tuple[str | int, ...]) -> None:
    words = np.empty(streams.STREAM, np.uint64)
    streams.open_stream(np.uint64(seed), streams.stream_key(*names), words)
    assert [streams.stream_unit(words) for _ in range(5)] == stream(seed, *names).random(5).tolist()
