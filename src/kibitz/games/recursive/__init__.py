"""Games in which both players choose at once and play may go in circles (Everett 1957; Keffer 2013)."""

_AT = "kibitz.games.recursive"

GAMES = {
    "matrix": f"{_AT}.matrix:Matrix",
    "macwiggins": f"{_AT}.matrix:MacWiggins",
    "guan": f"{_AT}.guan:Guan",
    "right-turn": f"{_AT}.pursuit:RightTurn",
    "chauffeur": f"{_AT}.pursuit:Chauffeur",
    "bear-brawl": f"{_AT}.bear_brawl:BearBrawl",
    "purgatory": f"{_AT}.purgatory:Purgatory",
    "big-match": f"{_AT}.big_match:BigMatch",
    "rps": f"{_AT}.rps:RockPaperScissors",
    "inspection": f"{_AT}.inspection:Inspection",
    "goofspiel": f"{_AT}.goofspiel:Goofspiel",
    "oshi-zumo": f"{_AT}.oshi_zumo:OshiZumo",
    "soccer": f"{_AT}.soccer:Soccer",
    "duel": f"{_AT}.duel:Duel",
}
AGENTS = {
    "bear-brawl": {"keffer": f"{_AT}.agents:Keffer", "corrected": f"{_AT}.agents:Corrected"},
    "guan": {"patient": f"{_AT}.agents:Patient"},
    "goofspiel": {"matcher": f"{_AT}.agents:Matcher"},
}
DRAWING = f"{_AT}.view:draw"
STAGE = {"rps": f"{_AT}.rps:stage"}
VARIABLES = f"{_AT}.rules:variables"
TABLE = {
    "right-turn": f"{_AT}.tables:right_turn",
    "chauffeur": f"{_AT}.tables:chauffeur",
    "bear-brawl": f"{_AT}.tables:bear_brawl",
}
MAP = {
    "right-turn": f"{_AT}.maps:pursuit",
    "chauffeur": f"{_AT}.maps:pursuit",
    "bear-brawl": f"{_AT}.maps:bear_brawl",
    "soccer": f"{_AT}.maps:soccer",
}
HEURISTICS = {
    "matrix": f"{_AT}.heuristics:MATRIX",
    "macwiggins": f"{_AT}.heuristics:MATRIX",
    "guan": f"{_AT}.heuristics:GUAN",
    "right-turn": f"{_AT}.heuristics:RIGHT_TURN",
    "chauffeur": f"{_AT}.heuristics:CHAUFFEUR",
    "bear-brawl": f"{_AT}.heuristics:BEAR_BRAWL",
    "purgatory": f"{_AT}.heuristics:PURGATORY",
    "big-match": f"{_AT}.heuristics:BIG_MATCH",
    "rps": f"{_AT}.heuristics:RPS",
    "inspection": f"{_AT}.heuristics:INSPECTION",
    "goofspiel": f"{_AT}.heuristics:GOOFSPIEL",
    "oshi-zumo": f"{_AT}.heuristics:OSHI_ZUMO",
    "soccer": f"{_AT}.heuristics:SOCCER",
    "duel": f"{_AT}.heuristics:DUEL",
}
ABOUT = f"{_AT}.about:about"
FIELDS = {
    "matrix": f"{_AT}.fields.rounds:MATRIX",
    "macwiggins": f"{_AT}.fields.rounds:MATRIX",
    "guan": f"{_AT}.fields.rounds:GUAN",
    "right-turn": f"{_AT}.fields.boards:PURSUIT",
    "chauffeur": f"{_AT}.fields.boards:PURSUIT",
    "bear-brawl": f"{_AT}.fields.boards:BEAR_BRAWL",
    "purgatory": f"{_AT}.fields.rounds:PURGATORY",
    "big-match": f"{_AT}.fields.rounds:BIG_MATCH",
    "rps": f"{_AT}.fields.rounds:RPS",
    "inspection": f"{_AT}.fields.rounds:INSPECTION",
    "goofspiel": f"{_AT}.fields.rounds:GOOFSPIEL",
    "oshi-zumo": f"{_AT}.fields.boards:OSHI_ZUMO",
    "soccer": f"{_AT}.fields.boards:SOCCER",
    "duel": f"{_AT}.fields.boards:DUEL",
}
