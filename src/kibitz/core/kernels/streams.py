"""NumPy's generators inside kernels: the streams of `core.seeds`, number for number.

Agents draw from `numpy.random.Generator`; a kernel that plays their matches must draw the same. This is NumPy's
`SeedSequence` (O'Neill's `seed_seq`) and PCG64 (O'Neill 2014, XSL-RR 128/64). `stream_key` hashes the name of a stream
once, `open_stream` derives its state from a seed, `stream_unit` is `Generator.random`.
"""

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.core.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

U = np.uint64
LOW = U(0xFFFFFFFF)
HALF = U(32)
FIRST_A, FACTOR_A = U(0x43B0D7E5), U(0x931E8875)
FIRST_B, FACTOR_B = U(0x8B51F9DD), U(0x58F38DED)
LEFT, RIGHT = U(0xCA01F9DD), U(0x4973F715)
STEP_HIGH, STEP_LOW = U(0x2360ED051FC65DA4), U(0x4385DF649FCCF645)
UNIT = 1.0 / 9007199254740992.0
STREAM = 4
"""Words of a stream: its state and its increment, the high halves first."""


def stream_key(*names: str | int) -> "NDArray[np.uint64]":
    """The four words of entropy that `core.seeds` makes of the name of a stream."""
    found = np.frombuffer(blake2b(repr(names).encode(), digest_size=16).digest(), "<u4")
    return found.astype(np.uint64)


@kernel("uint64(uint64, uint64)")
def high_product(one: Any, other: Any) -> Any:
    """The upper 64 bits of a product."""
    one_low, one_high, other_low, other_high = one & LOW, one >> HALF, other & LOW, other >> HALF
    middle = one_high * other_low + (one_low * other_low >> HALF)
    across = one_low * other_high + (middle & LOW)
    return one_high * other_high + (middle >> HALF) + (across >> HALF)


@kernel("void(uint64, uint64[::1], uint64[::1])")
def mix_entropy(seed: int, key: "NDArray[np.uint64]", pool: "NDArray[np.uint64]") -> None:
    """Fill the pool of NumPy's `SeedSequence` from a seed of 64 bits and the key of a stream."""
    constant = FIRST_A
    for place in range(4):
        value = U(0)
        if place == 0:
            value = U(seed) & LOW
        elif place == 1:
            value = U(seed) >> HALF
        value = value ^ constant
        constant = constant * FACTOR_A & LOW
        value = value * constant & LOW
        pool[place] = value ^ value >> U(16)
    for source in range(8):
        for target in range(4):
            if source != target:
                value = (pool[source] if source < 4 else key[source - 4]) ^ constant
                constant = constant * FACTOR_A & LOW
                value = value * constant & LOW
                value = value ^ value >> U(16)
                mixed = LEFT * pool[target] - RIGHT * value & LOW
                pool[target] = mixed ^ mixed >> U(16)


@kernel("uint64(uint64[::1], int64)")
def state_word(pool: "NDArray[np.uint64]", number: int) -> Any:
    """One of the words of 64 bits that a pool generates."""
    constant = FIRST_B
    for _ in range(2 * number):
        constant = constant * FACTOR_B & LOW
    found = U(0)
    for half in range(2):
        value = pool[(2 * number + half) % 4] ^ constant
        constant = constant * FACTOR_B & LOW
        value = value * constant & LOW
        found |= (value ^ value >> U(16)) << U(32 * half)
    return found


@kernel("void(uint64[::1])")
def step_stream(stream: "NDArray[np.uint64]") -> None:
    """One step of the generator's 128 bits."""
    high, low = stream[0], stream[1]
    stream[0] = high_product(low, STEP_LOW) + high * STEP_LOW + low * STEP_HIGH
    stream[1] = low * STEP_LOW
    _add(stream, stream[2], stream[3])


@kernel("void(uint64[::1], uint64, uint64)")
def _add(stream: "NDArray[np.uint64]", high: Any, low: Any) -> None:
    """Add 128 bits to the state."""
    total = stream[1] + low
    stream[0] += high + (U(1) if total < low else U(0))
    stream[1] = total


@kernel("void(uint64, uint64[::1], uint64[::1])")
def open_stream(seed: int, key: "NDArray[np.uint64]", stream: "NDArray[np.uint64]") -> None:
    """Write the state of the stream of this key. Twin of `core.seeds.stream`."""
    pool = np.empty(4, np.uint64)
    mix_entropy(seed, key, pool)
    high, low = state_word(pool, 2), state_word(pool, 3)
    stream[0] = stream[1] = U(0)
    stream[2], stream[3] = high << U(1) | low >> U(63), low << U(1) | U(1)
    step_stream(stream)
    _add(stream, state_word(pool, 0), state_word(pool, 1))
    step_stream(stream)


@kernel("uint64(uint64[::1])")
def stream_word(stream: "NDArray[np.uint64]") -> Any:
    """64 random bits. Twin of `PCG64.random_raw`."""
    step_stream(stream)
    turn = stream[0] >> U(58)
    mixed = stream[0] ^ stream[1]
    return mixed >> turn | mixed << (U(64) - turn & U(63))


@kernel("float64(uint64[::1])")
def stream_unit(stream: "NDArray[np.uint64]") -> float:
    """A number in [0, 1). Twin of `Generator.random`."""
    return (stream_word(stream) >> U(11)) * UNIT  # type: ignore[no-any-return]
