"""The four strategies of Pedersen's Table 10.1: weights BMax BSum DSum OBMin OBSum PD."""

from kibitz_lab.search.alphabeta import AlphaBeta
from kibitz_lab.search.settings import Depth, Noise, WinValue

TABLE = {
    "S1": (0.0, 10000.0, 0.0, -1000.0, -10.0, 0.0),
    "S2": (10.0, 100.0, 0.0, -10000.0, -100.0, 0.0),
    "S3": (0.0, 10.0, 0.0, -10000.0, 0.0, 0.0),
    "S4": (100.0, 1000.0, 0.0, -10000.0, 0.0, 10.0),
}


class S1(AlphaBeta):
    """Strategy 1 of Table 10.1: move away from the own base."""

    row = "S1"

    def __init__(self, depth: Depth = 4, noise: Noise = "root", win_value: WinValue = "mate") -> None:
        super().__init__(depth=depth, noise=noise, win_value=win_value, weights=TABLE[self.row])


class S2(S1):
    """Strategy 2 of Table 10.1: one pawn first, and all of them on."""

    row = "S2"


class S3(S1):
    """Strategy 3 of Table 10.1: one pawn straight for the other base."""

    row = "S3"


class S4(S1):
    """Strategy 4 of Table 10.1: one pawn first, the others well out, none lost."""

    row = "S4"
