"""Recursive games on a graphics card: sweeps and proofs of up to hundreds of millions of states."""
