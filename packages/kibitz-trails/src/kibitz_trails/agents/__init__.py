"""The negotiators that play Colored Trails. Each has four parts: a proposer, an acceptor, a sender and a mover."""
