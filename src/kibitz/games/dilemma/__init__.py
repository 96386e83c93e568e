"""Games that repeat a stage: the iterated prisoner's dilemma, with some of its classic strategies, and any other."""

_AT = "kibitz.games.dilemma"

GAMES = {"dilemma": f"{_AT}.rules:Dilemma", "repeated": f"{_AT}.repeated:Repeated"}
AGENTS = {
    "dilemma": {
        "tit_for_tat": f"{_AT}.agents:TitForTat",
        "defector": f"{_AT}.agents:Defector",
        "pavlov": f"{_AT}.agents:Pavlov",
        "grim": f"{_AT}.agents:Grim",
        "generous": f"{_AT}.agents:Generous",
        "two_tats": f"{_AT}.agents:TwoTats",
        "cooperator": f"{_AT}.agents:Cooperator",
        "finite_state": f"{_AT}.machines:FiniteState",
        "memory_one": f"{_AT}.machines:MemoryOne",
    },
    "repeated": {"finite_state": f"{_AT}.machines:StageMachine"},
}
POLICIES = f"{_AT}.round_tables:POLICIES"
STAGE = f"{_AT}.rules:stage"
PLANS = {"dilemma": f"{_AT}.plan_library:PLANS"}
DRAWING = f"{_AT}.view:draw"
ABOUT = {"dilemma": f"{_AT}.about:about", "repeated": f"{_AT}.about:about_repeated"}
FIELDS = f"{_AT}.about:FIELDS"
