"""NumPy's generators inside kernels: the streams of `core.seeds`, number for number.

Agents draw from `numpy.random.Generator`; a kernel that plays their matches must draw the same. This is PCG64
(O'Neill 2014, XSL-RR 128/64); `stream_unit` is `Generator.random`.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.core.kernels import kernel
from kibitz.core.seeds import sequence

if TYPE_CHECKING:
    from numpy.typing import NDArray

U = np.uint64
LOW = U(0xFFFFFFFF)
HALF = U(32)
STEP_HIGH, STEP_LOW = U(0x2360ED051FC65DA4), U(0x4385DF649FCCF645)
UNIT = 1.0 / 9007199254740992.0


def stream_words(seed: int, *names: str | int) -> "NDArray[np.uint64]":
    """The state and the increment of the stream of this name, the high halves first. Twin of `core.seeds.stream`."""
    held = np.random.PCG64(sequence(seed, *names)).state["state"]
    return np.array([half for each in (held["state"], held["inc"]) for half in divmod(each, 1 << 64)], np.uint64)


@kernel("uint64(uint64, uint64)")
def high_product(one: Any, other: Any) -> Any:
    """The upper 64 bits of a product."""
    one_low, one_high, other_low, other_high = one & LOW, one >> HALF, other & LOW, other >> HALF
    middle = one_high * other_low + (one_low * other_low >> HALF)
    across = one_low * other_high + (middle & LOW)
    return one_high * other_high + (middle >> HALF) + (across >> HALF)


@kernel("float64(uint64[::1])")
def stream_unit(stream: "NDArray[np.uint64]") -> float:
    """A number in [0, 1): one step of the generator's 128 bits, which are then mixed. Twin of `Generator.random`."""
    high, low = stream[0], stream[1]
    product, low = low * STEP_LOW, low * STEP_LOW + stream[3]
    high = high_product(stream[1], STEP_LOW) + high * STEP_LOW + stream[1] * STEP_HIGH + stream[2]
    stream[0], stream[1] = high + (U(1) if low < product else U(0)), low
    turn, mixed = stream[0] >> U(58), stream[0] ^ stream[1]
    return ((mixed >> turn | mixed << (U(64) - turn & U(63))) >> U(11)) * UNIT  # type: ignore[no-any-return]
