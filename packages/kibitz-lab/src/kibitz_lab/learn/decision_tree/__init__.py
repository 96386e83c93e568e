"""Decision trees: C4.5 (Quinlan 1993), and trees with oblique tests (OC1: Murthy, Kasif & Salzberg 1994)."""

from kibitz_lab.learn.decision_tree.c45 import C45
from kibitz_lab.learn.decision_tree.oblique import Oblique

__all__ = ["C45", "Oblique"]
