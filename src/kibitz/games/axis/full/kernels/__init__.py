"""The whole game over arrays: the compiled twin of the readable rules in `kibitz.games.axis.full`."""
