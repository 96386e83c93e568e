"""What the players of the whole game work out most often, compiled."""
