"""Scores opponent models: compares their answers with the truths in the records.

scores = model_scores(records, ["strategy_filter", "strategy_filter(drift=0.05)"])
scores["strategy"]["strategy_filter"].figures.log_loss
"""

from kibitz_lab.arena.scoring.scores import BASELINE, QuestionScores, Scores, SkippedRecord, model_scores
from kibitz_lab.arena.scoring.summary import ScoreRow

__all__ = ["BASELINE", "QuestionScores", "ScoreRow", "Scores", "SkippedRecord", "model_scores"]
