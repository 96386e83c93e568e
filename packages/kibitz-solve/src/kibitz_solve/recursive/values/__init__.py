"""Values of recursive games: sweeps, the worklist, Newton's method."""
