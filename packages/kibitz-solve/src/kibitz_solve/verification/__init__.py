"""Checks saved solutions without the solver: the tables of a game, its bounds, and the strategies that prove them."""
