"""The iterated prisoner's dilemma and some of its classic strategies."""

GAMES = {"dilemma": "kibitz.games.dilemma.rules:Dilemma"}
AGENTS = {
    "tit_for_tat": "kibitz.games.dilemma.agents:TitForTat",
    "defector": "kibitz.games.dilemma.agents:Defector",
    "pavlov": "kibitz.games.dilemma.agents:Pavlov",
    "grim": "kibitz.games.dilemma.agents:Grim",
    "generous": "kibitz.games.dilemma.agents:Generous",
    "two_tats": "kibitz.games.dilemma.agents:TwoTats",
    "cooperator": "kibitz.games.dilemma.agents:Cooperator",
}
STAGE = "kibitz.games.dilemma.rules:stage"
PLANS = "kibitz.games.dilemma.plan_library:PLANS"
DRAWING = "kibitz.games.dilemma.view:draw"
ABOUT = "kibitz.games.dilemma.about:about"
FIELDS = "kibitz.games.dilemma.about:FIELDS"
