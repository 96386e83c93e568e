"""Random streams by name, derived from one seed: the same names give the same numbers in every process."""

from collections.abc import Sequence
from hashlib import blake2b
from operator import index
from typing import TYPE_CHECKING

from kibitz.core.errors import BadSeed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LARGEST = 2**64 - 1


def checked_seed(seed: object) -> int:
    """*seed* as a plain int; raises BadSeed if it is not one."""
    try:
        if isinstance(seed, bool) or not 0 <= index(seed) <= LARGEST:  # type: ignore[arg-type]
            raise BadSeed(seed)
    except TypeError:
        raise BadSeed(seed) from None
    return index(seed)  # type: ignore[arg-type]


def sequence(seed: int, *names: str | int) -> "np.random.SeedSequence":
    """NumPy's seed sequence for the stream called *names*: the seed, then their hash, as `spawn_key` puts them."""
    import numpy as np

    key = blake2b(repr(names).encode(), digest_size=16).digest()
    return np.random.SeedSequence(np.frombuffer(checked_seed(seed).to_bytes(16, "little") + key, "<u4"))


def stream(seed: int, *names: str | int) -> "np.random.Generator":
    """The random generator called *names*: `stream(7, "agent", 0)`."""
    import numpy as np

    return np.random.Generator(np.random.PCG64(sequence(seed, *names)))


def derived_seed(seed: int, *names: str | int) -> int:
    """A seed for a part of the work: `derived_seed(7, "match", 12)`."""
    import numpy as np

    return int(sequence(seed, *names).generate_state(1, np.uint64)[0])


def derived_seeds(seed: int, name: str, numbers: Sequence[int]) -> list[int]:
    """`derived_seed(seed, name, number)` for many numbers at once.

    It is NumPy's `SeedSequence` for arrays: a pool of four words, mixed with the words of the seed and of the names.
    """
    import numpy as np

    keys = b"".join([blake2b(repr((name, number)).encode(), digest_size=16).digest() for number in numbers])
    entropy = np.zeros((8, len(numbers)), np.uint32)
    entropy[:2] = np.frombuffer(checked_seed(seed).to_bytes(8, "little"), "<u4")[:, None]
    entropy[4:] = np.frombuffer(keys, "<u4").reshape(-1, 4).T
    pool = np.empty((4, len(numbers)), np.uint32)
    constant = 0x43B0D7E5

    def scramble(words: "NDArray[np.uint32]", factor: int) -> "NDArray[np.uint32]":
        nonlocal constant
        words = words ^ np.uint32(constant)
        constant = constant * factor & 0xFFFFFFFF
        words = words * np.uint32(constant)
        return words ^ words >> np.uint32(16)

    for place in range(4):
        pool[place] = scramble(entropy[place], 0x931E8875)
    for source in range(8):
        for target in range(4):
            if source != target:
                added = scramble(pool[source] if source < 4 else entropy[source], 0x931E8875)
                mixed = pool[target] * np.uint32(0xCA01F9DD) - added * np.uint32(0x4973F715)
                pool[target] = mixed ^ mixed >> np.uint32(16)
    constant = 0x8B51F9DD
    low, high = (scramble(pool[half], 0x58F38DED).astype(np.uint64) for half in range(2))
    found: list[int] = (low | high << np.uint64(32)).tolist()
    return found


def kernel_stream(seed: int, *names: str | int) -> "NDArray[np.uint64]":
    """The state array that `core.kernels.random` kernels draw from and advance."""
    import numpy as np

    return sequence(seed, *names).generate_state(4, np.uint64).astype(np.uint64)
