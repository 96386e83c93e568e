"""How early models infer missions in the games of a corpus, each game by parameters trained on the others."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from kibitz import core
from kibitz.core.errors import BadDefinition
from kibitz.core.seeds import stream
from kibitz.games.risk.models.choice import Choice, ChoiceParameters
from kibitz.games.risk.models.choice_training import fit_parameters
from kibitz.games.risk.models.khan import Explanations
from kibitz.studies.claims import Claim, share
from kibitz.studies.measures import Measure
from kibitz.studies.risk.games import Played, beliefs_of_models, distinct_games, ending, lessons_in, sets_of
from kibitz.studies.risk.marks import ABOUT_SURE, END, NAMED, OVER, SURE, hit_columns, mark_game, player_rows
from kibitz.studies.risk.thesis import PLAYERS, PUBLISHED, SOURCE, WINNERS
from kibitz.studies.study import Case, Results, Row, Settings, Work

SETTINGS: Settings = {"corpus": "", "folds": 5, "most_games": None}
QUICK: Settings = {"folds": 2, "most_games": 5}
JOINT, ALONE, KHAN = "choice", "choice, each player alone", "explanations"
SHIPPED = "choice as it comes"


def parts(settings: Settings, seed: int) -> list[Work]:
    """Every set of the corpus."""
    sets = [
        {
            "corpus": settings["corpus"],
            "most": settings["most_games"],
            "set": name,
            "seed": seed,
            "folds": settings["folds"],
        }
        for name in sets_of(settings["corpus"])
    ]
    return [Work(name="corpus", work=train_on_set, cases=sets, weight=200.0, version=2)]


def train_on_set(case: Case) -> Row:
    """The marks of every game of a set by all models: the thesis's, and ours as it comes and trained on others."""
    games = set_games(case)
    return {"games": {**marks_of(games, {SHIPPED: Choice(), KHAN: Explanations()}), **cross_validated(games, case)}}


def set_games(case: Case) -> list[Played]:
    """The distinct games of a set."""
    folder = Path(case["corpus"], case["set"])
    found = list(distinct_games(folder, case["most"]))
    if not found:
        raise BadDefinition("risk", f"corpus: no game with missions was won in the logs of {folder}; leave it out")
    return found


def cross_validated(games: Sequence[Played], case: Case) -> dict[str, list[Row | None]]:
    """The marks of every game of a set by the model that users run, with parameters trained on the other folds."""
    rng = stream(case["seed"], "folds", case["set"])
    fold = rng.permutation(len(games)) % min(case["folds"], len(games))
    if len(games) <= 2 * case["folds"]:
        fold = np.arange(len(games))  # with few games, each is a fold
    found: dict[str, list[Row | None]] = {model: [None] * len(games) for model in (JOINT, ALONE)}
    lessons = lessons_in(games)
    for held in np.unique(fold).tolist():
        others = [lesson for number, lesson in enumerate(lessons) if fold[number] != held]
        rng = stream(case["seed"], "fit", held)
        begun = Choice().begun_with()
        learned = fit_parameters(others, begun, rng) if others else begun
        models = {JOINT: trained_choice(learned), ALONE: trained_choice(learned, joint=False)}
        for number in np.flatnonzero(fold == held).tolist():
            for model, marks in marks_of([games[number]], models).items():
                found[model][number] = marks[0]
    return found


def marks_of(games: Sequence[Played], models: Mapping[str, core.Model]) -> dict[str, list[Row]]:
    """The marks of games by some models."""
    found: dict[str, list[Row]] = {name: [] for name in models}
    for game, actions in games:
        last = ending(game, actions)
        for name, beliefs in beliefs_of_models(models, game, actions).items():
            found[name].append(mark_game(beliefs, last.missions, last.mover))
    return found


def trained_choice(learned: ChoiceParameters, *, joint: bool = True) -> Choice:
    """The model that users run, with these parameters."""
    found = Choice(joint=joint)
    found.preset = learned
    return found


def model_rows(results: Results) -> Iterator[Row]:
    """Every player of every game by every model."""
    for row in results.rows("corpus"):
        for model, games in row["games"].items():
            yield from player_rows(games, set=row["set"], model=model)


CORPUS = "Games of a corpus"
MEASURES = (
    Measure(
        name=CORPUS,
        part="corpus",
        by=("set", "model"),
        rows=model_rows,
        columns=hit_columns(*NAMED, END, OVER, "winners", "losers"),
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
        rows=model_rows,
        columns=SURE,
        about=ABOUT_SURE,
    ),
)
CLAIMS = (
    *(
        Claim(
            what=f"{name}: cards named {column}",
            source=SOURCE,
            there=share(round(fraction * PLAYERS[name]), PLAYERS[name]),
            measure=CORPUS,
            column=column,
            cell={"set": name, "model": KHAN},
        )
        for name, fractions in PUBLISHED.items()
        for column, fraction in zip(NAMED, fractions, strict=True)
    ),
    *(
        Claim(
            what=f"{name}: cards of {who} named",
            source=SOURCE,
            there=share(count, total),
            measure=CORPUS,
            column=who,
            cell={"set": name, "model": KHAN},
        )
        for name, both in WINNERS.items()
        for who, (count, total) in zip(("winners", "losers"), both, strict=True)
    ),
)
