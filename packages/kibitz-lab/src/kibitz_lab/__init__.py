"""The laboratory: agents that search and adapt, more models, tournaments, training, and games to try them on.

The names that most users need can be imported from here: `from kibitz_lab import Aware`.
"""

from typing import TYPE_CHECKING, Any

from kibitz.lazy_names import lazy_name
from kibitz.plugins import NamedCommand, Plugin
from kibitz_lab.bridges import BRIDGES
from kibitz_lab.games import breakthrough, cops, pawns
from kibitz_lab.studies import STUDIES

if TYPE_CHECKING:
    from kibitz_lab.agents.cfr import Cfr as Cfr
    from kibitz_lab.arena.scoring.scores import model_scores as model_scores
    from kibitz_lab.aware.agent import Aware as Aware
    from kibitz_lab.models.dbn.model import Dbn as Dbn
    from kibitz_lab.models.rehearsal import Rehearsal as Rehearsal
    from kibitz_lab.plans.model import Plans as Plans
    from kibitz_lab.search.alphabeta import AlphaBeta as AlphaBeta
    from kibitz_lab.search.mcts.agent import MCTS as MCTS

plugin = Plugin(
    games={**pawns.GAMES, **breakthrough.GAMES, **cops.GAMES},
    agents={
        "alphabeta": "kibitz_lab.search.alphabeta:AlphaBeta",
        "asymmetric": "kibitz_lab.search.asymmetric:Asymmetric",
        "mcts": "kibitz_lab.search.mcts.agent:MCTS",
        "automata": "kibitz_lab.automata.agent:Automata",
        "cfr": "kibitz_lab.agents.cfr:Cfr",
        "aware": "kibitz_lab.aware.agent:Aware",
        "purposeful": "kibitz_lab.agents.purposeful:Purposeful",
        "adapting": "kibitz_lab.agents.adapting:Adapting",
    },
    models={
        "dbn": "kibitz_lab.models.dbn.model:Dbn",
        "lots": "kibitz_lab.models.lots:RandomLikelihoods",
        "plans": "kibitz_lab.plans.model:Plans",
        "rehearsal": "kibitz_lab.models.rehearsal:Rehearsal",
    },
    commands={
        "exploit": NamedCommand(
            "Work out how much can be won from an agent in a game with secrets, and how much of it safely.",
            "kibitz_lab.cli.exploit:ExploitCommand",
            "Work things out",
        ),
        "tree": NamedCommand(
            "Show the tree of a search: limits, shares of the opponent's likely moves, and values.",
            "kibitz_lab.cli.tree:TreeCommand",
            "Work things out",
        ),
        "recognize": NamedCommand(
            "Recognise plans: which goals explain the observations, and what comes next.",
            "kibitz_lab.cli.recognize:RecognizeCommand",
            "Work things out",
        ),
        "tournament": NamedCommand(
            "Play a tournament and store every match. Run the command again to resume.",
            "kibitz_lab.cli.tournament:TournamentCommand",
            "Experiments",
        ),
        "compare": NamedCommand(
            "Is A better than B, and how sure are we? Plays until the answer is clear; stores every match.",
            "kibitz_lab.cli.compare:CompareCommand",
            "Experiments",
        ),
        "study": NamedCommand(
            "Run a study and write its report. Run the command again to resume.",
            "kibitz_lab.cli.study:StudyCommand",
            "Experiments",
        ),
        "score-models": NamedCommand(
            "Score opponent models: who plays, what comes next, and how sure the models were.",
            "kibitz_lab.cli.score_models:ScoreModelsCommand",
            "Experiments",
        ),
        "score-plans": NamedCommand(
            "Score plan recognition on traces with known goals: how often right, how early, and how sure.",
            "kibitz_lab.cli.score_plans:ScorePlansCommand",
            "Experiments",
        ),
        "train": NamedCommand(
            "Fit a model's parameters to matches, and report the gain on held-out matches.",
            "kibitz_lab.cli.train:TrainCommand",
            "Experiments",
        ),
        "runs": NamedCommand(
            "List the stored runs, or show one: its table, its matches as CSV, its records.",
            "kibitz_lab.cli.runs:RunsCommand",
            "Experiments",
        ),
        "resume": NamedCommand(
            "Resume a run that was stopped or killed; the last unfinished one if you name none.",
            "kibitz_lab.cli.runs:ResumeCommand",
            "Experiments",
        ),
        "import": NamedCommand(
            "Import matches that another program recorded; each is stored once.",
            "kibitz_lab.cli.imports:ImportCommand",
            "Other programs",
        ),
        "export": NamedCommand(
            "Write a game as a Gambit file.", "kibitz_lab.cli.imports:ExportCommand", "Other programs"
        ),
        "backup": NamedCommand(
            "Write the database and the matches in play into one file, also while the server runs.",
            "kibitz_lab.cli.backup:BackupCommand",
            "This installation",
        ),
        "restore": NamedCommand(
            "Put a backup into a new database, SQLite or PostgreSQL. Stop the server first.",
            "kibitz_lab.cli.backup:RestoreCommand",
            "This installation",
        ),
        "doctor": NamedCommand(
            "Check this installation: kernels, confinement of bots, the database, installed extras and bridges.",
            "kibitz_lab.cli.doctor:DoctorCommand",
            "This installation",
        ),
        "bench": NamedCommand(
            "Measure speed against peers, or models on strangers; a missed target is reported, not an error.",
            "kibitz_lab.cli.bench:BenchCommand",
            "This installation",
        ),
    },
    studies=STUDIES,
    bridges=BRIDGES,
)

_HOME = {
    "AlphaBeta": "kibitz_lab.search.alphabeta",
    "Aware": "kibitz_lab.aware.agent",
    "Cfr": "kibitz_lab.agents.cfr",
    "Dbn": "kibitz_lab.models.dbn.model",
    "MCTS": "kibitz_lab.search.mcts.agent",
    "Plans": "kibitz_lab.plans.model",
    "Rehearsal": "kibitz_lab.models.rehearsal",
    "model_scores": "kibitz_lab.arena.scoring.scores",
}
__all__ = ["plugin", *_HOME]  # noqa: PLE0604, RUF100


def __getattr__(name: str) -> Any:
    return lazy_name(__name__, _HOME, name)
