"""Learning that knows no game: harmony search, Bayesian networks and what they learn from incomplete data."""
