"""How early models infer missions in the games of a corpus, each game by parameters trained on the others."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from kibitz import core
from kibitz.core.errors import BadDefinition
from kibitz.core.seeds import stream
from kibitz.games.risk.events import EventExtractor
from kibitz.games.risk.models.choice import Choice
from kibitz.games.risk.models.choice_parameters import ChoiceParameters
from kibitz.games.risk.models.choice_training import FEW, fit_parameters
from kibitz.games.risk.models.recogniser import Explanations
from kibitz.games.risk.models.training_games import steps_of_game
from kibitz.studies.claims import Claim, share
from kibitz.studies.measures import Column, Measure
from kibitz.studies.results import Results
from kibitz.studies.risk.games import Played, beliefs_of_models, distinct_games, ending, lessons_in, sets_of
from kibitz.studies.risk.marks import ABOUT_SURE, END, NAMED, OVER, SURE, hit_columns, mark_game, place, player_rows
from kibitz.studies.risk.thesis import LENGTHS, PLAYERS, PUBLISHED, SOURCE, WINNERS
from kibitz.studies.study import Case, Part, Row, Settings, Work

SETTINGS: Settings = {"corpus": "", "folds": 5, "most_games": None}
QUICK: Settings = {"folds": 3, "most_games": 6}
JOINT, ALONE, KHAN = "choice", "choice, each player alone", "explanations"
SHIPPED = "choice as it comes"
ATTACKS = "attacks"
HEARD = {
    ATTACKS: Explanations(strayed=1.0, lost=1.0, defended=1.0),
    "and armies placed or moved": Explanations(lost=1.0, defended=1.0),
    "and territories lost": Explanations(defended=1.0),
    KHAN: Explanations(),
}
"""The recogniser of the thesis with more kinds of events from line to line, the last with all."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """Every set of the corpus: its trained parameters, the marks of its games, and those of the thesis's recogniser."""
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
    return [
        Work(name="taught", work=learn_from_set, cases=sets, weight=200.0, version=3),
        Work(name="adapted", work=adapt_to_set, cases=validation_cases, planned=len(sets), weight=60.0, version=4),
        Work(name="thesis_models", work=by_thesis, cases=sets, weight=60.0, version=2),
    ]


def learn_from_set(case: Case) -> Row:
    """The parameters trained on all games of a set and the marks of each, for sets large enough to train alone."""
    games = set_games(case)
    shipped = {SHIPPED: marks_of(games, {SHIPPED: Choice()})[SHIPPED]}
    if len(games) < FEW:
        return {"parameters": None, "games": shipped}
    blank = ChoiceParameters.blank()
    found = fit_parameters(lessons_in(games), blank, stream(case["seed"], "taught", case["set"]))
    return {"parameters": msgspec.to_builtins(found), "games": {**shipped, **cross_validated(games, [blank], case)}}


def validation_cases(results: Results) -> list[Case]:
    """Every other set, with the parameters of the large sets, from which its own training starts."""
    rows = results.rows("taught")
    others = [row["parameters"] for row in rows if row["parameters"]]
    named = ("corpus", "set", "seed", "folds")
    return [
        {**{name: row[name] for name in named}, "most": results.settings["most_games"], "others": others}
        for row in rows
        if not row["parameters"]
    ]


def set_games(case: Case) -> list[Played]:
    """The distinct games of a set."""
    folder = Path(case["corpus"], case["set"])
    found = list(distinct_games(folder, case["most"]))
    if not found:
        raise BadDefinition("risk", f"corpus: no game with missions was won in the logs of {folder}; leave it out")
    return found


def adapt_to_set(case: Case) -> Row:
    """The marks of every game of a small set, whose training starts from the parameters of other games."""
    others = [msgspec.convert(each, ChoiceParameters) for each in case["others"]]
    return {"games": cross_validated(set_games(case), [Choice().begun_with(), *others], case)}


def cross_validated(
    games: Sequence[Played], beginnings: Sequence[ChoiceParameters], case: Case
) -> dict[str, list[Row | None]]:
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
        learned = mean_parameters([fit_parameters(others, each, rng) if others else each for each in beginnings])
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
        turns = sum(EventExtractor.turn_ended(before, after) for before, _, _, after in steps_of_game(game, actions))
        for name, beliefs in beliefs_of_models(models, game, actions).items():
            found[name].append(mark_game(beliefs, last.missions, last.mover, turns))
    return found


def trained_choice(learned: ChoiceParameters, *, joint: bool = True) -> Choice:
    """The model that users run, with these parameters."""
    found = Choice(joint=joint)
    found.preset = learned
    return found


def mean_parameters(learned: Sequence[ChoiceParameters]) -> ChoiceParameters:
    """The first of some parameters, with the mean weights of all."""
    names = ("orders", "spreads", "cards", "certainty")
    means = {name: np.mean([getattr(each, name) for each in learned], axis=0).tolist() for name in names}
    return msgspec.structs.replace(learned[0], **means)


def by_thesis(case: Case) -> Row:
    """The marks of every game of a set by the recogniser of the thesis, for each selection of events."""
    found: dict[str, list[Row]] = {name: [] for name in HEARD}
    names: list[str] = []
    for game, actions in distinct_games(Path(case["corpus"], case["set"]), case["most"]):
        deck = [game.map.mission_name(mission) for mission in game.mission_deck]
        names = max(names, deck, key=len)  # a deck of continents is a prefix of the whole one
        for name, marks in marks_of([(game, actions)], HEARD).items():
            found[name] += marks
    return {"games": found, "names": names}


def model_rows(results: Results) -> Iterator[Row]:
    """Every player of every game by every model."""
    for row in [*results.rows("taught"), *results.rows("adapted"), *results.rows("thesis_models")]:
        for model, games in row["games"].items():
            yield from player_rows(games, set=row["set"], model=model)


def card_rows(results: Results) -> Iterator[Row]:
    """Every player by the learned model, with the names of their card and of the one that it names at the end."""
    names = {row["set"]: row["names"] for row in results.rows("thesis_models")}
    for row in model_rows(results):
        if row["model"] == JOINT:
            cards = names[row["set"]]
            yield {**row, "held": cards[row["card"]], "answer": cards[row["named"][place(1.0)]], "cards": cards}


def confusion_rows(results: Results) -> Iterator[Row]:
    """Whether each card was named, for every player."""
    for row in card_rows(results):
        yield from ({**row, "named": card, "fraction": float(card == row["answer"])} for card in row["cards"])


def length_rows(results: Results) -> Iterator[Row]:
    """Every player by the learned model, with the class of the game's length."""
    for row in model_rows(results):
        for low, high in LENGTHS:
            if row["model"] == JOINT and low <= row["turns"] < high:
                yield {**row, "turn ends": f"{low} to {high}" if high < LENGTHS[-1][1] else f"{low} and more"}


def event_rows(results: Results) -> Iterator[Row]:
    """Every player by the recogniser of the thesis with some kinds of events."""
    for row in model_rows(results):
        if row["model"] in HEARD:
            yield {**row, "events": "and territories defended: all" if row["model"] == KHAN else row["model"]}


PARTS = ("taught", "adapted", "thesis_models")
CORPUS, CARDS = "Games of a corpus", "By the card held"
MEASURES = (
    Measure(
        name=CORPUS,
        part=PARTS,
        by=("set", "model"),
        rows=model_rows,
        columns=hit_columns(*NAMED, END, OVER, "winners", "losers"),
        about=(
            "The fraction of players whose card is named; ties count by their right part, and logs that repeat a game "
            "count once. All models are those that users run, watching as spectators. *As it comes*, the model was "
            "trained on none of these games; the others are trained on the other games of the set. Training of sets "
            f"with fewer than {FEW} games starts from the parameters that come with the game and from those of each "
            "larger set, and the results are averaged. Before the last event all of the winning turn but this event "
            "is known. Winners and losers are separated at 100%."
        ),
        shown=True,
    ),
    Measure(
        name="How sure, and how early", part=PARTS, by=("set", "model"), rows=model_rows, columns=SURE, about=ABOUT_SURE
    ),
    Measure(name=CARDS, part=PARTS, by=("set", "held"), rows=card_rows, columns=hit_columns(*NAMED)),
    Measure(
        name="Cards held and named",
        part=PARTS,
        by=("set", "held", "named"),
        rows=confusion_rows,
        columns=(Column(name="fraction", exact=True),),
        about="The card that the learned model names at the end, as fractions of the players who held each card.",
        across=True,
        drawn="heat",
    ),
    Measure(
        name="By the length of the game",
        part=PARTS,
        by=("set", "turn ends"),
        rows=length_rows,
        columns=hit_columns("at 100%"),
    ),
    Measure(
        name="What each kind of event adds",
        part="thesis_models",
        by=("set", "events"),
        rows=event_rows,
        columns=(
            *hit_columns("at 50%", "at 100%"),
            Column(
                name="more than by attacks",
                of="at 100%",
                block="game",
                bounds=(-1.0, 1.0),
                less={"events": ATTACKS},
                pair="pair",
            ),
        ),
        about="The recogniser of the thesis with one more kind of event per line (Khan 2013, 1.5).",
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
