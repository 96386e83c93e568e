"""Teams of learning automata (Lie 2009) for games of units: one automaton per unit, one status for all, in tiers."""
