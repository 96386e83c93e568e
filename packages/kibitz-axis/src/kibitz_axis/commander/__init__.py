"""Players of the whole game: a greedy and a sensible one, and a commander whose groups of units learn what to do."""
