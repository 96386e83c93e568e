"""The agent `mcts`: Monte Carlo tree search for any game, with a model of the other players or without."""
