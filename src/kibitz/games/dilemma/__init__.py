"""The iterated prisoner's dilemma and some of its classic strategies."""

GAMES = {"dilemma": "kibitz.games.dilemma.rules:Dilemma"}
AGENTS = {
    "tit_for_tat": "kibitz.games.dilemma.agents:TitForTat",
    "cooperator": "kibitz.games.dilemma.agents:Cooperator",
    "defector": "kibitz.games.dilemma.agents:Defector",
    "grim": "kibitz.games.dilemma.agents:Grim",
    "pavlov": "kibitz.games.dilemma.agents:Pavlov",
    "two_tats": "kibitz.games.dilemma.agents:TwoTats",
    "generous": "kibitz.games.dilemma.agents:Generous",
}
