"""Plots with matplotlib (the extra `plots`): beliefs, comparisons, scores, charts for reports."""
