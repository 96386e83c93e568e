"""Learning that knows no game: harmony search, Bayesian networks, decision trees and rules a person can read."""
