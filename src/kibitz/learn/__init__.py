"""Learning that knows no game."""
