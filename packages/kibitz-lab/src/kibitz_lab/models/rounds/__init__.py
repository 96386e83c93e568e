"""The learner of repeated rounds: predicts a player who chooses among the same actions again and again."""
