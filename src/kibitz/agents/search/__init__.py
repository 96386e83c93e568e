"""Players that look ahead, some of them with a model of the opponent. None of them knows a game."""
