"""Commands that solve, verify and write programs."""
