"""Models of negotiators: how they keep promises, and what they will answer, send and offer."""
