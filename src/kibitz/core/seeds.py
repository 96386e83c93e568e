"""Random streams by name, derived from one seed: the same names give the same numbers in every process."""

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


def kernel_stream(seed: int, *names: str | int) -> "NDArray[np.uint64]":
    """The state array that `core.kernels.random` kernels draw from and advance."""
    import numpy as np

    return sequence(seed, *names).generate_state(4, np.uint64).astype(np.uint64)
