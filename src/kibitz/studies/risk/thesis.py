"""The numbers that Khan (2013) reports: the share of players whose card was predicted, at four points of the game."""

from kibitz.games.risk.models.training_games import QUARTERS

SOURCE = "Khan (2013), final report"
POINTS = QUARTERS
"""The points as fractions of a game's turn ends, single placements of the setup included."""
PUBLISHED = {
    "free": (0.440, 0.453, 0.453, 0.480),
    "constrained": (0.451, 0.471, 0.529, 0.804),
    "ai-w100": (0.334, 0.351, 0.337, 0.353),
    "ai-w4": (0.211, 0.246, 0.224, 0.235),
}
WINNERS = {"free": 12 / 22, "constrained": 15 / 17, "ai-w100": 80 / 184, "ai-w4": 37 / 167}
LOSERS = {"free": 24 / 53, "constrained": 67 / 85, "ai-w100": 310 / 920, "ai-w4": 198 / 835}
"""At the end of the game."""
LENGTHS = ((0, 120), (120, 150), (150, 180), (180, 210), (210, 100_000))
"""The classes of games by their number of turn ends."""
