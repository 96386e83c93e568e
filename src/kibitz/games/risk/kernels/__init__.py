"""Risk over rows of numbers (`packing`): the twin of `rules`, file by file, all options included.

States are changed in place. Every kernel is the twin of the function of its name.
"""
