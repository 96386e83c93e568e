"""Machine learning for any game: harmony search, Bayesian networks, readable decision trees and rules."""
