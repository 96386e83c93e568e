"""The boards and positions of the recursive games as named fields, a pair of structs for each game."""
