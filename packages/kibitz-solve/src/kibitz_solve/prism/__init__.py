"""Models and properties of PRISM-games: concurrent stochastic games with two coalitions, read, built and solved."""
