"""Scores models on strangers: players who follow none of the known strategies, beside players who do.

scores = stranger_scores(plan_matches("dilemma", ["strategy_filter"], known, strangers))
"""

from kibitz_lab.arena.scoring.strangers.bars import Bar, bars_of
from kibitz_lab.arena.scoring.strangers.matches import MatchPlan, Player, plan_matches
from kibitz_lab.arena.scoring.strangers.summary import StrangerScores, stranger_scores
from kibitz_lab.arena.scoring.strangers.watching import watch_player

__all__ = ["Bar", "MatchPlan", "Player", "StrangerScores", "bars_of", "plan_matches", "stranger_scores", "watch_player"]
