"""Read and write network files: HUGIN's `.net` and `.bif`, by the suffix of the name."""

from collections.abc import Callable
from pathlib import Path

from kibitz.core.errors import BadNetwork
from kibitz.learn.bif import read_bif, write_bif
from kibitz.learn.hugin import read_net, write_net
from kibitz.learn.networks import Network

READERS: dict[str, Callable[[Path], Network]] = {".net": read_net, ".bif": read_bif}
WRITERS: dict[str, Callable[[Network, Path], None]] = {".net": write_net, ".bif": write_bif}


def read_network(path: Path | str) -> Network:
    """Read the network in a file."""
    return READERS[_ending(path)](Path(path))


def write_network(network: Network, path: Path | str) -> None:
    """Write a network to a file."""
    WRITERS[_ending(path)](network, Path(path))


def _ending(path: Path | str) -> str:
    ending = Path(path).suffix.lower()
    if ending not in READERS:
        raise BadNetwork(path, f"the name of a network file ends in {' or '.join(READERS)}")
    return ending
