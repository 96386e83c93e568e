"""Figures of matches, drawn with matplotlib: the extra `plots`."""
