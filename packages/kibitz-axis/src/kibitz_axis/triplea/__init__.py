"""Map files of TripleA, played by the rules of the whole game."""
