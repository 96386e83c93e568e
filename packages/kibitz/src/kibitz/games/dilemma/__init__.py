"""Games that repeat a stage: the iterated prisoner's dilemma, with some of its classic strategies, and any other."""

from kibitz.plugins import GameKit

GAMES = {
    "dilemma": GameKit(
        game="kibitz.games.dilemma.rules:Dilemma",
        agents={
            "tit_for_tat": "kibitz.games.dilemma.agents:TitForTat",
            "defector": "kibitz.games.dilemma.agents:Defector",
            "pavlov": "kibitz.games.dilemma.agents:Pavlov",
            "grim": "kibitz.games.dilemma.agents:Grim",
            "generous": "kibitz.games.dilemma.agents:Generous",
            "two_tats": "kibitz.games.dilemma.agents:TwoTats",
            "cooperator": "kibitz.games.dilemma.agents:Cooperator",
            "finite_state": "kibitz.games.dilemma.machines:FiniteState",
            "memory_one": "kibitz.games.dilemma.machines:MemoryOne",
        },
        words="kibitz.games.dilemma:dilemma.toml",
        word_values="kibitz.games.dilemma.view:dilemma_values",
        fields="kibitz.games.dilemma.view:FIELDS",
        drawing="kibitz.games.dilemma.view:draw",
        plans="kibitz.games.dilemma.plan_library:PLANS",
    ),
    "repeated": GameKit(
        game="kibitz.games.dilemma.repeated:Repeated",
        agents={
            "finite_state": "kibitz.games.dilemma.machines:StageMachine",
        },
        words="kibitz.games.dilemma:repeated.toml",
        word_values="kibitz.games.dilemma.view:repeated_values",
        fields="kibitz.games.dilemma.view:FIELDS",
        drawing="kibitz.games.dilemma.view:draw",
    ),
}
