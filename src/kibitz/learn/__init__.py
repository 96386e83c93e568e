"""Mathematics of learning that knows no game: Bayesian networks, expectation maximisation, slices of dynamic ones."""
