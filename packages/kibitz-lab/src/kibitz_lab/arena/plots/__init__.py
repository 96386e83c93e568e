"""Plots with matplotlib (the extra `plots`): model scores, frontiers of exploitation, charts for reports."""
