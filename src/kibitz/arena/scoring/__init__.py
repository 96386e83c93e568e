"""Scores opponent models: compares their answers with the truths in the records.

scores = model_scores(records, ["strategy_filter", "strategy_filter(drift=0.05)"])
scores["strategy"]["strategy_filter"].figures.log_loss
"""

from kibitz.arena.scoring.calibration import Bin, Calibration
from kibitz.arena.scoring.scores import BASELINE, QuestionScores, Scores, SkippedRecord, model_scores
from kibitz.arena.scoring.summary import Figures, ScoreRow, Step, Timing

__all__ = [
    "BASELINE",
    "Bin",
    "Calibration",
    "Figures",
    "QuestionScores",
    "ScoreRow",
    "Scores",
    "SkippedRecord",
    "Step",
    "Timing",
    "model_scores",
]
