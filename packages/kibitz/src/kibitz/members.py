"""The packages of kibitz besides `kibitz`, and the names that each brings: so a missing one can be named."""

from importlib.metadata import entry_points

MEMBERS = {
    "lab": """
        pawns breakthrough cops alphabeta asymmetric mcts automata cfr aware purposeful adapting dbn lots plans
        rehearsal exploit tree recognize tournament compare study score-models score-plans train runs resume import
        export backup restore doctor bench openspiel openspiel_bot roshambo roshambo_population axelrod gambit
    """,
    "solve": """
        matrix macwiggins guan right-turn chauffeur bear-brawl purgatory big-match inspection goofspiel oshi-zumo
        soccer duel equilibrium thwart program planner lookahead solve verify
    """,
    "web": "serve invite token",
    "risk": "risk",
    "axis": "axis",
    "trails": "trails",
}
"""The games, agents, models and commands of each package, by the extra that installs it."""


def missing_member(name: str) -> str:
    """The package that *name* is in, if that is ours and not installed; else an empty text."""
    installed = entry_points(group="kibitz.plugins").names
    for member, names in MEMBERS.items():
        if name.partition(".")[0] in names.split() and member not in installed:
            return member
    return ""


def check_installed(name: str) -> None:
    """Raise MissingPackage if *name* is in one of our packages, and that is not installed."""
    from kibitz.core.errors import MissingPackage

    if member := missing_member(name):
        raise MissingPackage(f"kibitz-{member}", member, name)
