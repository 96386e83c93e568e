"""The agent `aware`: uses a model of the opponent in any game, and knows what that risks."""
