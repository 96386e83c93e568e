"""The numbers that Khan (2013) reports: the share of players whose card was predicted, at four points of the game."""

SOURCE = "Khan (2013), final report"
POINTS = (0.25, 0.5, 0.75, 1.0)
"""The points as fractions of a game's turn ends, single placements of the setup included."""
PUBLISHED = {
    "free": (0.440, 0.453, 0.453, 0.480),
    "constrained": (0.451, 0.471, 0.529, 0.804),
    "ai-w100": (0.334, 0.351, 0.337, 0.353),
    "ai-w4": (0.211, 0.246, 0.224, 0.235),
}
WINNERS = {
    "free": ((12, 22), (24, 53)),
    "constrained": ((15, 17), (67, 85)),
    "ai-w100": ((80, 184), (310, 920)),
    "ai-w4": ((37, 167), (198, 835)),
}
"""At the end of the game: how many of the winners' cards are named, and how many of the losers'."""
PLAYERS = {name: winners[1] + losers[1] for name, (winners, losers) in WINNERS.items()}
