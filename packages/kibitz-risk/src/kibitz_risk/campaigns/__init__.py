"""`risk.campaigner`: a player who plans campaigns through several territories before it places and attacks."""
