"""Teams of learning automata (Lie 2009): one automaton per unit, one status for all, tiers over the turns to come."""
