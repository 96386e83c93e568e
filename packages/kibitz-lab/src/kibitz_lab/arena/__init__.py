"""Many matches: tournaments, the executors that play them, and the statistics of their results."""
