"""Many matches: tournaments, the executors that play them, and what their results say."""
