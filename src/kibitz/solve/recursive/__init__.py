"""Recursive games (Everett 1957; Keffer 2013): built, iterated, solved with certificates, and written to files."""
