"""Opponent models on the same footing: what they answered, and what the records say is true.

scores = scored(records, ["strategy_filter", "strategy_filter(drift=0.05)"])
scores["strategy"]["strategy_filter"].figures.log_loss
"""

from kibitz.arena.scoring.calibration import Bin, Calibration
from kibitz.arena.scoring.scores import BASELINE, QuestionScores, Scores, Skipped, scored
from kibitz.arena.scoring.summary import Figures, Row, Step, Timing

__all__ = [
    "BASELINE",
    "Bin",
    "Calibration",
    "Figures",
    "QuestionScores",
    "Row",
    "Scores",
    "Skipped",
    "Step",
    "Timing",
    "scored",
]
