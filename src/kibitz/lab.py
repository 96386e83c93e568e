"""The laboratory: agents that search and adapt, more models, tournaments, training, and games to try them on.

The names that most users need can be imported from here: `from kibitz.lab import Aware`.
"""

from typing import TYPE_CHECKING, Any

from kibitz.bridges import BRIDGES
from kibitz.games import breakthrough, cops, pawns
from kibitz.lazy_names import lazy_name
from kibitz.plugins import NamedCommand, Plugin
from kibitz.studies import STUDIES

if TYPE_CHECKING:
    from kibitz.agents.aware.agent import Aware as Aware
    from kibitz.agents.cfr import Cfr as Cfr
    from kibitz.agents.search.alphabeta import AlphaBeta as AlphaBeta
    from kibitz.agents.search.mcts.agent import MCTS as MCTS
    from kibitz.arena.scoring.scores import model_scores as model_scores
    from kibitz.models.dbn.model import Dbn as Dbn
    from kibitz.models.plans.model import Plans as Plans
    from kibitz.models.rehearsal import Rehearsal as Rehearsal

plugin = Plugin(
    games={**pawns.GAMES, **breakthrough.GAMES, **cops.GAMES},
    agents={
        "alphabeta": "kibitz.agents.search.alphabeta:AlphaBeta",
        "asymmetric": "kibitz.agents.search.asymmetric:Asymmetric",
        "mcts": "kibitz.agents.search.mcts.agent:MCTS",
        "automata": "kibitz.agents.automata.agent:Automata",
        "cfr": "kibitz.agents.cfr:Cfr",
        "aware": "kibitz.agents.aware.agent:Aware",
        "purposeful": "kibitz.agents.purposeful:Purposeful",
        "adapting": "kibitz.agents.adapting:Adapting",
    },
    models={
        "dbn": "kibitz.models.dbn.model:Dbn",
        "lots": "kibitz.models.lots:RandomLikelihoods",
        "plans": "kibitz.models.plans.model:Plans",
        "rehearsal": "kibitz.models.rehearsal:Rehearsal",
    },
    commands={
        "exploit": NamedCommand(
            "Work out how much can be won from an agent in a game with secrets, and how much of it safely.",
            "kibitz.cli.exploit:ExploitCommand",
            "Work things out",
        ),
        "tree": NamedCommand(
            "Show the tree of a search: limits, shares of the opponent's likely moves, and values.",
            "kibitz.cli.tree:TreeCommand",
            "Work things out",
        ),
        "recognize": NamedCommand(
            "Recognise plans: which goals explain the observations, and what comes next.",
            "kibitz.cli.recognize:RecognizeCommand",
            "Work things out",
        ),
        "tournament": NamedCommand(
            "Play a tournament and store every match. Run the command again to resume.",
            "kibitz.cli.tournament:TournamentCommand",
            "Experiments",
        ),
        "compare": NamedCommand(
            "Is A better than B, and how sure are we? Plays until the answer is clear; stores every match.",
            "kibitz.cli.compare:CompareCommand",
            "Experiments",
        ),
        "study": NamedCommand(
            "Run a study and write its report. Run the command again to resume.",
            "kibitz.cli.study:StudyCommand",
            "Experiments",
        ),
        "score-models": NamedCommand(
            "Score opponent models: who plays, what comes next, and how sure the models were.",
            "kibitz.cli.scores:ScoreModelsCommand",
            "Experiments",
        ),
        "score-plans": NamedCommand(
            "Score plan recognition on traces with known goals: how often right, how early, and how sure.",
            "kibitz.cli.score_plans:ScorePlansCommand",
            "Experiments",
        ),
        "train": NamedCommand(
            "Fit a model's parameters to matches, and report the gain on held-out matches.",
            "kibitz.cli.train:TrainCommand",
            "Experiments",
        ),
        "runs": NamedCommand(
            "List the stored runs, or show one: its table, its matches as CSV, its records.",
            "kibitz.cli.runs:RunsCommand",
            "Experiments",
        ),
        "resume": NamedCommand(
            "Resume a run that was stopped or killed; the last unfinished one if you name none.",
            "kibitz.cli.runs:ResumeCommand",
            "Experiments",
        ),
        "import": NamedCommand(
            "Import matches that another program recorded; each is stored once.",
            "kibitz.cli.imports:ImportCommand",
            "Other programs",
        ),
        "export": NamedCommand("Write a game as a Gambit file.", "kibitz.cli.imports:ExportCommand", "Other programs"),
        "backup": NamedCommand(
            "Write the database and the matches in play into one file, also while the server runs.",
            "kibitz.cli.backup:BackupCommand",
            "This installation",
        ),
        "restore": NamedCommand(
            "Put a backup into a new database, SQLite or PostgreSQL. Stop the server first.",
            "kibitz.cli.backup:RestoreCommand",
            "This installation",
        ),
        "doctor": NamedCommand(
            "Check this installation: kernels, confinement of bots, the database, installed extras and bridges.",
            "kibitz.cli.doctor:DoctorCommand",
            "This installation",
        ),
        "bench": NamedCommand(
            "Measure speed against peers, or models on strangers; a missed target is reported, not an error.",
            "kibitz.cli.bench:BenchCommand",
            "This installation",
        ),
    },
    studies=STUDIES,
    bridges=BRIDGES,
)

_HOME = {
    "AlphaBeta": "kibitz.agents.search.alphabeta",
    "Aware": "kibitz.agents.aware.agent",
    "Cfr": "kibitz.agents.cfr",
    "Dbn": "kibitz.models.dbn.model",
    "MCTS": "kibitz.agents.search.mcts.agent",
    "Plans": "kibitz.models.plans.model",
    "Rehearsal": "kibitz.models.rehearsal",
    "model_scores": "kibitz.arena.scoring.scores",
}
__all__ = ["plugin", *_HOME]  # noqa: PLE0604, RUF100


def __getattr__(name: str) -> Any:
    return lazy_name(__name__, _HOME, name)
