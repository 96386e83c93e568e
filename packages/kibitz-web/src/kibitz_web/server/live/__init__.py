"""Live matches: the lobby, seats, players from outside, spectators, and their records."""
