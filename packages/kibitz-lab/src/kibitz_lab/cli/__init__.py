"""Commands for many matches: tournaments, comparisons, studies, scores, training, plans."""
