"""Random numbers inside kernels: xoshiro256** over a passed state array (Blackman & Vigna 2018), and its Python twin.

`seeds.kernel_stream` makes the array; every draw advances it.
"""

from math import exp, log, sqrt
from typing import TYPE_CHECKING, Annotated, TypeAlias

import numpy as np

from kibitz.core.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORD = (1 << 64) - 1


@kernel("uint64(uint64[:])")
def draw_word(state: "NDArray[np.uint64]") -> int:
    """64 random bits. Twin of `Draws.word`."""
    scrambled = state[1] * np.uint64(5)
    scrambled = ((scrambled << np.uint64(7)) | (scrambled >> np.uint64(57))) * np.uint64(9)
    shifted = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = (state[3] << np.uint64(45)) | (state[3] >> np.uint64(19))
    return scrambled  # type: ignore[no-any-return]


@kernel("float64(uint64[:])", entry=True)
def draw_unit(state: "NDArray[np.uint64]") -> float:
    """A number in [0, 1). Twin of `Draws.unit`."""
    return (draw_word(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel("int64(uint64[:], int64)", entry=True)
def draw_below(state: "NDArray[np.uint64]", count: int) -> int:
    """A whole number from 0 to *count* - 1; the bias is below count / 2**53. Twin of `Draws.below`."""
    return int(draw_unit(state) * count)


@kernel("float64(uint64[:], float64)")
def draw_student(state: "NDArray[np.uint64]", freedom: float) -> float:
    """A number of Student's t, by Bailey's polar method (1994)."""
    while True:
        across, up = 2.0 * draw_unit(state) - 1.0, 2.0 * draw_unit(state) - 1.0
        square = across * across + up * up
        if 0.0 < square < 1.0:
            return across * sqrt(freedom * (exp(-2.0 * log(square) / freedom) - 1.0) / square)


class Draws:
    """The same random numbers in plain Python."""

    def __init__(self, words: "NDArray[np.uint64]") -> None:
        self.words = [int(word) for word in words]

    @classmethod
    def unpack(cls, words: "NDArray[np.uint64]") -> "Draws":
        """Those that go on from a state."""
        return cls(words)

    def pack(self) -> "NDArray[np.uint64]":
        """The state."""
        return np.array(self.words, np.uint64)

    def word(self) -> int:
        """64 random bits."""
        first, second, third, fourth = self.words
        scrambled = _rotate_left(second * 5 & WORD, 7) * 9 & WORD
        third ^= first
        fourth ^= second
        self.words = [first ^ fourth, second ^ third, third ^ (second << 17 & WORD), _rotate_left(fourth, 45)]
        return scrambled

    def unit(self) -> float:
        """A number in [0, 1)."""
        return (self.word() >> 11) * (1.0 / 9007199254740992.0)

    def below(self, count: int) -> int:
        """A whole number from 0 to *count* - 1."""
        return int(self.unit() * count)

    def restart(self, other: "Draws") -> None:
        """Draw from now on what *other* draws from now on."""
        self.words = other.words[:]


def _rotate_left(word: int, by: int) -> int:
    return (word << by | word >> (64 - by)) & WORD


Rng: TypeAlias = Annotated[Draws, "uint64[::1]"]
"""Random numbers of annotated kernels: `Draws` where they run plain, the passed state where they are compiled."""


@kernel(plain=Draws.unit)
def next_unit(draws: Rng) -> float:
    """A number in [0, 1)."""
    return draw_unit(draws)  # type: ignore[arg-type]


@kernel(plain=Draws.below)
def next_below(draws: Rng, count: int) -> int:
    """A whole number from 0 to *count* - 1."""
    return draw_below(draws, count)  # type: ignore[arg-type]


@kernel(plain=Draws.restart)
def restart(draws: Rng, other: Rng) -> None:
    """Draw from now on what *other* draws from now on."""
    for number in range(4):
        draws[number] = other[number]  # type: ignore[index]
