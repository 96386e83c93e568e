"""Corpora: how early missions are read from games of others, each game by what the other games taught."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from kibitz import core
from kibitz.core.seeds import stream
from kibitz.games.risk.models.atlas import Floats
from kibitz.games.risk.models.choice import Choice
from kibitz.games.risk.models.choice_parameters import CARD_FEATURES, ChoiceParameters
from kibitz.games.risk.models.choice_training import Examples, fitted, fitted_cards
from kibitz.games.risk.models.lessons import Lesson
from kibitz.games.risk.models.recogniser import Explanations
from kibitz.games.risk.models.standing import STANDING
from kibitz.learn.assignment import assignment_shares
from kibitz.learn.logistic import log_shares
from kibitz.studies.blocks import Block, Cell, Conclusion, Figure, Paragraph, Table
from kibitz.studies.figures import heat_map
from kibitz.studies.results import Results
from kibitz.studies.risk.games import believed, distinct_games, ending, lessons_in, sets_of
from kibitz.studies.risk.marks import accuracy, answers, calibration, confusion, convergence, log_loss, marked, mean_of
from kibitz.studies.risk.thesis import CHANCE, LENGTHS, LOSERS, POINTS, PUBLISHED, SOURCE, WINNERS
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work

SETTINGS: Settings = {"corpus": "", "folds": 5, "most_games": None}
QUICK: Settings = {"folds": 3, "most_games": 6}
JOINT, ALONE, OPEN, KHAN = "choice", "choice, each player alone", "choice, nothing ruled out", "explanations"
WITHOUT_STANDING, WITHOUT_ORDERS = "choice, orders only", "choice, standing only"
ENOUGH = 30
"""So many games teach by themselves; fewer begin with what other games have taught."""
MODELS = (JOINT, ALONE, OPEN, WITHOUT_STANDING, WITHOUT_ORDERS, KHAN)


def parts(settings: Settings, seed: int) -> list[Part]:
    """Every set of the corpus: what it teaches, what is told of its games, and by the recogniser of the thesis."""
    sets = [
        {"corpus": settings["corpus"], "most": settings["most_games"], "set": name, "seed": seed}
        for name in sets_of(settings["corpus"])
    ]
    return [
        Work(name="taught", work=taught, cases=sets, weight=60.0),
        Work(name="validated", work=cross_validated, cases=validation_cases, planned=len(sets), weight=200.0),
        Work(name="thesis_models", work=by_thesis, cases=sets, weight=60.0),
    ]


def taught(case: Case) -> Row:
    """The parameters that all games of a set teach, if they are enough to begin from nothing."""
    lessons = set_lessons(case)
    if len(lessons) < ENOUGH:
        return {"parameters": None}
    found = fitted(lessons, ChoiceParameters.blank(), stream(case["seed"], "taught", case["set"]))
    return {"parameters": msgspec.to_builtins(found)}


def validation_cases(results: Results) -> list[Case]:
    """Every set with the parameters of the others, which its own training may begin with."""
    rows, settings = results.rows("taught"), results.settings
    return [
        {
            **{name: row[name] for name in ("corpus", "set", "seed")},
            "most": settings["most_games"],
            "folds": settings["folds"],
            "others": [other["parameters"] for other in rows if other["set"] != row["set"] and other["parameters"]],
        }
        for row in rows
    ]


def set_lessons(case: Case) -> list[Lesson]:
    """The lessons of the distinct games of a set."""
    return lessons_in(distinct_games(Path(case["corpus"], case["set"]), case["most"]))


def cross_validated(case: Case) -> Row:
    """The marks of every game of a set, by parameters that were trained on the other folds' games."""
    lessons = set_lessons(case)
    beginnings = [Choice().begun_with(), *(msgspec.convert(each, ChoiceParameters) for each in case["others"])]
    beginnings = [ChoiceParameters.blank()] if len(lessons) >= ENOUGH else beginnings
    rng = stream(case["seed"], "folds", case["set"])
    fold = rng.permutation(len(lessons)) % min(case["folds"], len(lessons))
    if len(lessons) <= 2 * case["folds"]:
        fold = np.arange(len(lessons))  # a few games are each left out alone
    found: dict[str, list[Row | None]] = {model: [None] * len(lessons) for model in MODELS if model != KHAN}
    for held in np.unique(fold).tolist():
        others = [lesson for number, lesson in enumerate(lessons) if fold[number] != held]
        telling = Telling(others, nearest(others, beginnings), stream(case["seed"], "fit", held))
        for number in np.flatnonzero(fold == held).tolist():
            for model, shares in telling.shares(lessons[number]).items():
                lesson = lessons[number]
                found[model][number] = marked(shares, lesson.missions, lesson.winner, lesson.turn_ends)
    return {"games": found}


def nearest(lessons: Sequence[Lesson], beginnings: Sequence[ChoiceParameters]) -> ChoiceParameters:
    """The parameters to begin with: those that tell the cards of some games best as they are."""
    if len(beginnings) == 1:
        return beginnings[0]

    def loss(parameters: ChoiceParameters) -> float:
        orders, free, cards = parameters.arrays()
        examples = [Examples.of(lesson, orders, free) for lesson in lessons]
        return sum(example.loss(example.scores(cards)) for example in examples)

    return min(beginnings, key=loss)


class Telling:
    """Parameters that some games taught, and the same without some of their parts."""

    def __init__(self, lessons: Sequence[Lesson], begun_with: ChoiceParameters, rng: core.Rng) -> None:
        self.orders, self.free, self.cards = fitted(lessons, begun_with, rng).arrays()
        examples = [Examples.of(lesson, self.orders, self.free) for lesson in lessons]
        start = np.array(begun_with.cards)
        self.standing_only = fitted_cards(examples, start, used(evidence=False))
        self.orders_only = fitted_cards(examples, start, used(standing=False))

    def shares(self, lesson: Lesson) -> dict[str, Floats]:
        """How likely each player holds each card at every moment, by all ways to tell."""
        example = Examples.of(lesson, self.orders, self.free)
        scores = example.scores(self.cards)
        return {
            JOINT: jointly(scores),
            ALONE: np.array([np.exp(log_shares(each)) for each in scores]),
            OPEN: jointly(scores - example.ruled_out),
            WITHOUT_STANDING: jointly(example.scores(self.orders_only)),
            WITHOUT_ORDERS: jointly(example.scores(self.standing_only)),
        }


def jointly(scores: Floats) -> Floats:
    """Shares of moments by players by cards, cards being distinct."""
    return np.array([assignment_shares(each) for each in scores])


def used(*, standing: bool = True, evidence: bool = True) -> Floats:
    """1 for the features of cards that are used."""
    kinds = [standing] * len(STANDING) + [evidence] * (len(CARD_FEATURES) - len(STANDING))
    return np.array([*kinds, *kinds], np.float64)


def by_thesis(case: Case) -> Row:
    """The marks of every game of a set by the recogniser of the thesis."""
    found, names = [], []
    for game, actions in distinct_games(Path(case["corpus"], case["set"]), case["most"]):
        names = [game.map.mission_name(mission) for mission in game.mission_deck]
        shares, last = believed(Explanations(), game, actions), ending(game, actions)
        found.append(marked(shares, last.missions, last.mover, 0))
    return {"games": {KHAN: found}, "names": names}


def rows_of(results: Results) -> dict[str, Row]:
    """What is known of every set: the games by model, and the names of the cards."""
    found: dict[str, Row] = {}
    for row in [*results.rows("validated"), *results.rows("thesis_models")]:
        known = found.setdefault(row["set"], {"games": {}})
        known["games"].update(row["games"])
        known["names"] = row.get("names", [])
    return found


def corpora(results: Results) -> Iterator[Block]:
    """The accuracy of all models on every set, beside the thesis's."""
    known = rows_of(results)
    if not known:
        yield Paragraph("No corpus was given; `kibitz study risk --corpus DIR` reads the logs in the folders of DIR.")
        return
    for name, row in known.items():
        yield accuracy_table(name, row)
        yield from conclusions(name, answers(row["games"][JOINT]))
    yield Paragraph(
        f"Each game is judged by parameters that were trained on the other games of its set. Sets of less than "
        f"{ENOUGH} games begin with what comes with the game or with another set's parameters, whichever tell these "
        f"games best as they are. Logs that repeat a game count once, and ties for the part of them that is right."
    )


def accuracy_table(name: str, row: Row) -> Table:
    """Every model at every point, and at the end for winners and losers; the thesis's own figures last."""
    lines: list[tuple[Cell, ...]] = []
    for model in MODELS:
        games = row["games"][model]
        found = answers(games)
        ends = [accuracy(answers(games, won=won), 1.0) for won in (True, False)]
        losses = [log_loss(found, fraction) for fraction in (0.5, 1.0)]
        lines.append((model, *(accuracy(found, each) for each in POINTS), *ends, *losses, calibration(found).error))
    if name in PUBLISHED:
        lines.append((SOURCE, *PUBLISHED[name], WINNERS[name], LOSERS[name], None, None, None))
    points = tuple(f"at {each:.0%}" for each in POINTS)
    columns = ("model", *points, "winners", "losers", "log loss at 50%", "log loss at 100%", "calibration error")
    players = len(answers(row["games"][JOINT]))
    return Table(columns, lines, f"{name}: the share of {players} players whose card is told (a random card: .167).")


def conclusions(name: str, found: Sequence[tuple[int, Row]]) -> Iterator[Conclusion]:
    """What the figures of one set come to."""
    half, end, error = accuracy(found, 0.5), accuracy(found, 1.0), calibration(found).error
    settled = mean_of(found, (convergence(player) for _, player in found))
    assert error is not None
    yield Conclusion(
        f"`{name}`: the learned model tells {half.mean:.0%} of the cards right at half-time ({half.low:.0%} to "
        f"{half.high:.0%}) and {end.mean:.0%} at the end ({end.low:.0%} to {end.high:.0%}); a random card would be "
        f"right in {CHANCE:.0%}. Its confidence is off by {error.mean:.3f} on average, and the true card stays on top "
        f"after {settled.mean:.0%} of the game."
    )


def by_card_and_length(results: Results) -> Iterator[Block]:
    """Which cards are told best, what they are taken for, and whether long games tell more."""
    for name, row in rows_of(results).items():
        games, cards = row["games"][JOINT], row["names"]
        held = [answers(games, card=card) for card in range(len(cards))]
        lines = [
            (card, len(found), *(accuracy(found, each) for each in POINTS))
            for card, found in zip(cards, held, strict=True)
        ]
        points = tuple(f"at {each:.0%}" for each in POINTS)
        yield Table(("card", "players", *points), lines, f"{name}: by the card that was held.")
        spans = [
            (
                f"{low} to {high}" if high < LENGTHS[-1][1] else f"{low} and more",
                [g for g in games if low <= g["turns"] < high],
            )
            for low, high in LENGTHS
        ]
        by_length = [(span, len(some), accuracy(answers(some), 1.0)) for span, some in spans if some]
        yield Table(("turn ends", "games", "at the end"), by_length, f"{name}: by the length of the game.")
        matrix = confusion(answers(games), 1.0, len(cards))
        yield Figure(
            f"confusion-{name}",
            f"{name}: what each card is taken for at the end, as shares of those who held it.",
            partial(heat_map, cards, cards, matrix, row="card held", column="card told"),
        )


SECTIONS = (
    Section(title="Games of a corpus", parts=("validated", "thesis_models"), blocks=corpora),
    Section(title="Cards and lengths", parts=("validated", "thesis_models"), blocks=by_card_and_length),
)
