"""Bits of a word inside kernels."""

from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.kernels import kernel
from kibitz_lab.games import bitboards


@kernel("uint64(uint64, int64)")
def nth_bit(word: int, count: int) -> int:
    return bitboards.nth_bit(word, count)


@given(st.integers(0, 2**64 - 1), st.integers(0, 63))
def test_the_nth_bit_has_n_bits_below(word: int, count: int) -> None:
    places = [place for place in range(64) if word >> place & 1]
    expected = 1 << places[count] if count < len(places) else 0
    assert bitboards.nth_bit(word, count) == expected
    assert nth_bit(word, count) == expected
