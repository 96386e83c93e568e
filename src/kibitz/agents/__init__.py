"""The registry of agents that play any game. To add an agent, write its file and add a line here."""

AGENTS = {
    "random": "kibitz.agents.random:Random",
    "alphabeta": "kibitz.agents.search.alphabeta:AlphaBeta",
    "minimax": "kibitz.agents.search.alphabeta:Minimax",
    "expectimax": "kibitz.agents.search.expectimax:Expectimax",
    "asymmetric": "kibitz.agents.search.asymmetric:Asymmetric",
    "prom": "kibitz.agents.search.prom:Prom",
    "mcts": "kibitz.agents.search.mcts:MCTS",
    "automata": "kibitz.agents.automata.agent:Automata",
    "equilibrium": "kibitz.agents.solved_games:Equilibrium",
    "thwart": "kibitz.agents.solved_games:Thwart",
    "program": "kibitz.agents.program_player:ProgramPlayer",
    "planner": "kibitz.agents.planner:Planner",
    "lookahead": "kibitz.agents.planner:Lookahead",
    "opponent_aware": "kibitz.agents.opponent_aware:OpponentAware",
    "purposeful": "kibitz.agents.purposeful:Purposeful",
    "scripted": "kibitz.agents.scripted:Scripted",
    "human": "kibitz.agents.human:Human",
    "process": "kibitz.remote.process:Process",
}
