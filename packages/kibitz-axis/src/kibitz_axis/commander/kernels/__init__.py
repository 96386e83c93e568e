"""What the commander computes most: odds (`fights`), the value of a position, the answers of others, a turn's plan."""
