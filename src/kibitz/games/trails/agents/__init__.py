"""Negotiators: a proposer, an acceptor, a sender and a mover each, and all that are made of them."""
