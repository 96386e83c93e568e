"""Recursive games (Everett 1957; Keffer 2013): build them, iterate, solve with certificates, and write to files."""
