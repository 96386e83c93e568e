"""The card's kernels compiled for a processor, so that they are tested where there is no card."""

import ctypes
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kibitz.solve.recursive.card import tables

SHIM = Path(__file__).with_name("processor_shim.h")
SOURCE = Path(tables.__file__).with_name("sweeps.cu")


class CompiledForProcessor:
    """What `cupy.RawModule` offers, by the machine's own compiler."""

    def __init__(self, code: str, options: tuple[str, ...], folder: Path) -> None:
        library = folder / ("".join(filter(str.isalnum, "".join(options))) + ".so")
        if not library.exists():
            flags = ["-O1", "-frounding-math", "-shared", "-fPIC", "-x", "c++", "-include", str(SHIM), *options]
            subprocess.run(["g++", *flags, "-", "-o", str(library)], input=code.encode(), check=True)
        self.library = ctypes.CDLL(str(library))

    def get_function(self, name: str) -> Callable[..., None]:
        kernel = getattr(self.library, name)
        kinds: dict[type, Any] = {np.int32: ctypes.c_int, np.float64: ctypes.c_double, np.uintp: ctypes.c_void_p}

        def launch(blocks: tuple[int], threads: tuple[int], arguments: tuple[Any, ...]) -> None:
            passed = [
                ctypes.c_void_p(each.ctypes.data) if isinstance(each, np.ndarray) else kinds[type(each)](each.item())
                for each in arguments
            ]
            for thread in range(int(arguments[0])):
                self.library.move_to(thread)
                kernel(*passed)

        return launch


@pytest.fixture(scope="session")
def compiled_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("card")


@pytest.fixture
def card(compiled_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A real card where there is one; else the same kernels on the processor."""
    if find_spec("cupy") is not None:
        yield
        return
    if shutil.which("g++") is None:
        pytest.skip("needs g++ (or a card and kibitz[gpu])")
    cupy = ModuleType("cupy")
    vars(cupy).update({name: getattr(np, name) for name in np.__all__ if hasattr(np, name)})
    vars(cupy).update(
        asnumpy=np.asarray,
        asarray=lambda array, kind=None: np.ascontiguousarray(np.asarray(array, kind)),
        RawModule=lambda code, options: CompiledForProcessor(code, options, compiled_folder),
        cuda=SimpleNamespace(runtime=SimpleNamespace(getDeviceCount=lambda: 1, CUDARuntimeError=OSError)),
    )
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setattr(tables, "load_cupy", lambda: cupy)
    yield
