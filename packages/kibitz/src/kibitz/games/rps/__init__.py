"""Rock-paper-scissors, repeated."""

from kibitz.plugins import GameKit

GAMES = {
    "rps": GameKit(
        game="kibitz.games.rps.rules:RockPaperScissors",
        words="kibitz.games.rps:words.toml",
        word_values="kibitz.games.rps.view:word_values",
        fields="kibitz.games.rps.view:FIELDS",
        drawing="kibitz.games.rps.view:draw",
        heuristics="kibitz.games.rps.bounds:BOUNDS",
    ),
}
