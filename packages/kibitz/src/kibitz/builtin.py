"""What the package `kibitz` itself brings: its games, agents, models and commands."""

from kibitz.games import dilemma, kuhn, leduc, offers, pennies, rps
from kibitz.plugins import NamedCommand, Plugin

plugin = Plugin(
    games={**dilemma.GAMES, **kuhn.GAMES, **leduc.GAMES, **offers.GAMES, **pennies.GAMES, **rps.GAMES},
    agents={
        "random": "kibitz.agents.random:Random",
        "noisy": "kibitz.agents.variations:Noisy",
        "mixture": "kibitz.agents.variations:Mixture",
        "switcher": "kibitz.agents.variations:Switcher",
        "random_table": "kibitz.agents.random_table:RandomTable",
        "scripted": "kibitz.agents.scripted:Scripted",
        "human": "kibitz.agents.human:Human",
        "process": "kibitz.remote.program_agent:Process",
    },
    models={"strategy_filter": "kibitz.models.strategy_filter:StrategyFilter"},
    commands={
        "games": NamedCommand(
            "List the games, or explain one: its goal, rules, actions and strategies.",
            "kibitz.cli.listing:GamesCommand",
            "Play and watch",
        ),
        "agents": NamedCommand("List the agents.", "kibitz.cli.listing:AgentsCommand", "Play and watch"),
        "models": NamedCommand(
            "List the models, and which of them can be trained.", "kibitz.cli.listing:ModelsCommand", "Play and watch"
        ),
        "play": NamedCommand(
            "Play in the terminal. Type a move, its first letters, `?` or `quit`.",
            "kibitz.cli.play:PlayCommand",
            "Play and watch",
        ),
        "watch": NamedCommand(
            "Watch agents play, with the board, the moves and live belief bars.",
            "kibitz.cli.watch:WatchCommand",
            "Play and watch",
        ),
        "replay": NamedCommand(
            "Replay a record exactly, with the beliefs it holds or with other models watching.",
            "kibitz.cli.replay:ReplayCommand",
            "Play and watch",
        ),
        "demo": NamedCommand(
            "See what kibitz does in under two minutes: matches, live beliefs, a replay.",
            "kibitz.cli.demo:DemoCommand",
            "Play and watch",
        ),
        "odds": NamedCommand(
            "Compute the odds of a contest: who wins, what is left, and what that is worth.",
            "kibitz.cli.odds:OddsCommand",
            "Work things out",
        ),
        "warmup": NamedCommand(
            "Compile all kernels, or those of the parts you name, or load them from the cache.",
            "kibitz.cli.warmup:WarmupCommand",
            "This installation",
        ),
    },
)
