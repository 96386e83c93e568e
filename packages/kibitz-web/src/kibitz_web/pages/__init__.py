"""The pages: each lays out what `parts` and the server offer."""
