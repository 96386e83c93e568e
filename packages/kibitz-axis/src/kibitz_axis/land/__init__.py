"""The land scenarios: one order per unit, battles drawn from their exact odds, a fixed number of turns."""
