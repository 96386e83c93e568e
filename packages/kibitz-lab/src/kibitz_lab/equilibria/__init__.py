"""Matrix games and backward induction, in floats and exactly."""
