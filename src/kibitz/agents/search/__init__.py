"""Players that look ahead: minimax, alpha-beta, expectimax and Monte Carlo tree search. None of them knows a game."""
