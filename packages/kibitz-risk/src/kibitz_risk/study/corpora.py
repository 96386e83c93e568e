"""How early models infer missions in the games of a corpus, each game by parameters trained on the others."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from kibitz.core.errors import BadDefinition
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz_lab.studies.claims import Claim, share
from kibitz_lab.studies.measures import Measure, fractions
from kibitz_lab.studies.study import Case, Row, Settings, Work
from kibitz_risk.domination_logs import follow, read_log
from kibitz_risk.game import Risk
from kibitz_risk.models.choice import Choice, ChoiceParameters
from kibitz_risk.models.choice_training import fit_parameters
from kibitz_risk.models.explanations import Explanations
from kibitz_risk.models.training_games import training_game_of_actions
from kibitz_risk.study.marks import ABOUT_SURE, END, NAMED, OVER, SURE, player_rows
from kibitz_risk.study.thesis import PLAYERS, PUBLISHED, SOURCE, WINNERS

LOGS = ("*.log.gz", "*.log")
SETTINGS: Settings = {"corpus": "", "folds": 5, "most_games": None}
QUICK: Settings = {"folds": 2, "most_games": 5}
JOINT, ALONE, KHAN = "choice", "choice, each player alone", "explanations"
SHIPPED = "choice as it comes"


def parts(settings: Settings, seed: int) -> list[Work]:
    """Every set of the corpus."""
    common = {"corpus": settings["corpus"], "most": settings["most_games"], "folds": settings["folds"], "seed": seed}
    sets = [{**common, "set": name} for name in sets_of(settings["corpus"])]
    return [Work(name="corpus", work=train_on_set, cases=sets, weight=200.0, version=3)]


def sets_of(corpus: str) -> list[str]:
    """The folders of a corpus that hold logs, by name; the corpus itself may be one, called `.`."""
    if not corpus:
        return []
    folder = Path(corpus)
    if not folder.is_dir():
        raise BadDefinition("risk", f"corpus: there is no folder {corpus}")
    found = [each.name for each in sorted(folder.iterdir()) if each.is_dir() and logs_in(each)]
    found += ["."] if logs_in(folder) else []
    if not found:
        raise BadDefinition("risk", f"corpus: neither {corpus} nor a folder in it holds logs ({', '.join(LOGS)})")
    return found


def logs_in(folder: Path) -> list[Path]:
    """The logs of a folder."""
    return sorted(path for pattern in LOGS for path in folder.glob(pattern))


def distinct_games(folder: Path, most: int | None = None) -> Iterator[tuple[Risk, tuple[int, ...]]]:
    """Every distinct game in a folder's logs with its actions, if it has missions and a winner."""
    seen: set[tuple[str, ...]] = set()
    for path in logs_in(folder):
        for logged in read_log(path):
            if logged.identity not in seen and (most is None or len(seen) < most):
                seen.add(logged.identity)
                followed = follow(logged)
                game = make_game(followed.game)
                assert isinstance(game, Risk)
                if game.mission_deck and followed.winner is not None:
                    yield game, followed.actions


def train_on_set(case: Case) -> list[Row]:
    """The marks of every game of a set: by the thesis's model, and by ours as it comes and trained on other games."""
    folder = Path(case["corpus"], case["set"])
    games = list(distinct_games(folder, case["most"]))
    if not games:
        raise BadDefinition("risk", f"corpus: no game with missions was won in the logs of {folder}; leave it out")
    rows: list[Row] = []
    for number, played in enumerate(games):
        rows += player_rows({SHIPPED: Choice(), KHAN: Explanations()}, *played, number)
    fold = stream(case["seed"], "folds", case["set"]).permutation(len(games)) % min(case["folds"], len(games))
    if len(games) <= 2 * case["folds"]:
        fold = np.arange(len(games))  # with few games, each is a fold
    lessons = [lesson for played in games if (lesson := training_game_of_actions(*played)) is not None]
    for held in np.unique(fold).tolist():
        others = [lesson for number, lesson in enumerate(lessons) if fold[number] != held]
        begun = Choice().begun_with()
        learned = fit_parameters(others, begun, stream(case["seed"], "fit", held)) if others else begun
        models = {JOINT: trained_choice(learned), ALONE: trained_choice(learned, joint=False)}
        for number in np.flatnonzero(fold == held).tolist():
            rows += player_rows(models, *games[number], number)
    return rows


def trained_choice(learned: ChoiceParameters, *, joint: bool = True) -> Choice:
    """The model that users run, with these parameters."""
    found = Choice(joint=joint)
    found.preset = learned
    return found


CORPUS = "Games of a corpus"
MEASURES = (
    Measure(
        name=CORPUS,
        part="corpus",
        by=("set", "model"),
        columns=fractions(*NAMED, END, OVER, "winners", "losers", block="game"),
        about=(
            "The fraction of players whose card is named; ties count by their right part, and logs that repeat a game "
            "count once. All models are those that users run, watching as spectators. *As it comes*, the model was "
            "trained on none of these games; the others are trained on the other games of the set, from the parameters "
            "that come with the game. Before the last event all of the winning turn but this event is known. Winners "
            "and losers are separated at 100%."
        ),
        shown=True,
    ),
    Measure(
        name="How sure, and how early",
        part="corpus",
        by=("set", "model"),
        columns=SURE,
        about=ABOUT_SURE,
    ),
)
claim = partial(Claim, source=SOURCE, measure=CORPUS)
CLAIMS = (
    *(
        claim(
            what=f"{name}: cards named {column}",
            there=share(round(fraction * PLAYERS[name]), PLAYERS[name]),
            column=column,
            cell={"set": name, "model": KHAN},
        )
        for name, published in PUBLISHED.items()
        for column, fraction in zip(NAMED, published, strict=True)
    ),
    *(
        claim(what=f"{name}: cards of {who} named", there=share(*counts), column=who, cell={"set": name, "model": KHAN})
        for name, both in WINNERS.items()
        for who, counts in zip(("winners", "losers"), both, strict=True)
    ),
)
