"""Looking ahead in Colored Trails with a belief about the other player: lines, plans, candidates and their values."""
