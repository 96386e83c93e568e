"""Hints, solutions, search trees and debriefs of a match: what they say, and the dialogs that show them."""
