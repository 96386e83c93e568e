"""Mathematics that knows no game: what is best, worked out and not guessed."""
