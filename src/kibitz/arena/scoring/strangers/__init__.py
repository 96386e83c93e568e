"""Scores models on strangers: players who follow none of the known strategies, beside players who do.

scores = stranger_scores(plan_matches("dilemma", ["strategy_filter"], known, strangers))
"""

from kibitz.arena.scoring.strangers.bars import Bar, bars_of
from kibitz.arena.scoring.strangers.matches import MatchPlan, Player, PlayerTask, plan_matches
from kibitz.arena.scoring.strangers.summary import StrangerScores, scores_of_sheets, stranger_scores
from kibitz.arena.scoring.strangers.watching import PlayerSheet, watch_player

__all__ = [
    "Bar",
    "MatchPlan",
    "Player",
    "PlayerSheet",
    "PlayerTask",
    "StrangerScores",
    "bars_of",
    "plan_matches",
    "scores_of_sheets",
    "stranger_scores",
    "watch_player",
]
