"""One seed, many streams, the same in every process."""

import subprocess
import sys
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz.core.errors import BadSeed
from kibitz.core.seeds import LARGEST, checked_seed, derived_seed, derived_seeds, sequence, stream


def test_a_stream_is_its_seed_and_its_names() -> None:
    drawn = {names: stream(7, *names).random() for names in [("a",), ("b",), ("a", 0), ("a", 1), ("a0",), (0,), ("0",)]}
    assert len(set(drawn.values())) == len(drawn)
    assert stream(7, "a").random() == drawn[("a",)]
    assert stream(8, "a").random() != drawn[("a",)]


def test_golden_numbers() -> None:
    assert derived_seed(7, "match", 12) == GOLDEN_SEED
    assert stream(7, "agent", 0).integers(0, 1000, 4).tolist() == GOLDEN_DRAWS


@pytest.mark.parametrize("seed", [0, 7, 2**32 - 1, 2**32, 2**64 - 1])
def test_the_sequence_is_the_one_numpy_makes_of_seed_and_spawn_key(seed: int) -> None:
    key = np.frombuffer(blake2b(repr(("agent", 0)).encode(), digest_size=16).digest(), "<u4").tolist()
    expected, found = np.random.SeedSequence(seed, spawn_key=key), sequence(seed, "agent", 0)
    assert found.generate_state(8).tolist() == expected.generate_state(8).tolist()
    assert found.spawn(1)[0].generate_state(8).tolist() == expected.spawn(1)[0].generate_state(8).tolist()


@pytest.mark.long
def test_another_process_draws_the_same() -> None:
    code = "from kibitz.core.seeds import derived_seed; print(derived_seed(7, 'match', 12))"
    for hashing in ("1", "2"):
        ran = subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": hashing}, capture_output=True, text=True, check=True
        )
        assert int(ran.stdout) == GOLDEN_SEED


@pytest.mark.parametrize("seed", [-1, 2**64, 0.5, "7", None, True])
def test_a_bad_seed_is_refused(seed: object) -> None:
    with pytest.raises(BadSeed):
        checked_seed(seed)


def test_numpy_integers_are_seeds() -> None:
    assert checked_seed(np.uint64(5)) == 5
    assert type(checked_seed(np.int32(5))) is int


GOLDEN_SEED = 14041755843111420492
GOLDEN_DRAWS = [336, 946, 901, 19]


@settings(deadline=None, max_examples=40)
@given(st.integers(0, LARGEST), st.text(max_size=5), st.lists(st.integers(0, 10**9), max_size=6))
def test_many_seeds_are_derived_as_one_is(seed: int, name: str, numbers: list[int]) -> None:
    assert derived_seeds(seed, name, numbers) == [derived_seed(seed, name, number) for number in numbers]
