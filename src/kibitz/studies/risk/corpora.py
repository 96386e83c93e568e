"""How early models infer missions in the games of a corpus, each game by parameters trained on the others."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from kibitz import core
from kibitz.arena.plots.charts import heat_map
from kibitz.arena.statistics import Estimate, paired_bootstrap
from kibitz.core.errors import BadDefinition
from kibitz.core.seeds import stream
from kibitz.games.risk.events import EventExtractor
from kibitz.games.risk.models.arrays import Floats
from kibitz.games.risk.models.choice import Choice
from kibitz.games.risk.models.choice_parameters import ASPECTS, CARD_FEATURES, ChoiceParameters
from kibitz.games.risk.models.choice_training import FEW, examples_of, fit_parameters, fitted_cards, fitted_choices
from kibitz.games.risk.models.progress import STANDING
from kibitz.games.risk.models.recogniser import Explanations
from kibitz.games.risk.models.training_games import TrainingGame, steps_of_game
from kibitz.studies.blocks import Block, Cell, Conclusion, Figure, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.risk.games import Played, beliefs_of_models, distinct_games, ending, lessons_in, sets_of
from kibitz.studies.risk.marks import (
    accuracy,
    answers,
    calibration,
    confusion,
    convergence,
    end_accuracy,
    log_loss,
    mark_game,
    mean_of,
    own_accuracy,
    place,
)
from kibitz.studies.risk.thesis import LENGTHS, LOSERS, POINTS, PUBLISHED, SOURCE, WINNERS
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work

SETTINGS: Settings = {"corpus": "", "folds": 5, "most_games": None}
QUICK: Settings = {"folds": 3, "most_games": 6}
JOINT, ALONE, OPEN, KHAN = "choice", "choice, each player alone", "choice, nothing ruled out", "explanations"
WITHOUT_STANDING, WITHOUT_ORDERS = "choice, orders only", "choice, standing only"
VARIANTS = (JOINT, ALONE, OPEN, WITHOUT_STANDING, WITHOUT_ORDERS)
SHIPPED = "choice as it comes"
MODELS = (SHIPPED, *VARIANTS, KHAN)
HEARD = {
    "attacks": Explanations(strayed=1.0, lost=1.0, defended=1.0),
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
        Work(name="taught", work=learn_from_set, cases=sets, weight=200.0, version=2),
        Work(name="adapted", work=adapt_to_set, cases=validation_cases, planned=len(sets), weight=60.0, version=3),
        Work(name="thesis_models", work=by_thesis, cases=sets, weight=60.0),
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
    found: dict[str, list[Row | None]] = {model: [None] * len(games) for model in VARIANTS}
    lessons = lessons_in(games)
    for held in np.unique(fold).tolist():
        others = [lesson for number, lesson in enumerate(lessons) if fold[number] != held]
        rng = stream(case["seed"], "fit", held)
        models = trained_variants([learned_from(others, each, rng) for each in beginnings])
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
        for name, told in beliefs_of_models(models, game, actions).items():
            found[name].append(mark_game(told, last.missions, last.mover, turns))
    return found


def learned_from(
    lessons: Sequence[TrainingGame], begun_with: ChoiceParameters, rng: core.Rng
) -> dict[str, ChoiceParameters]:
    """The parameters that games teach: by all there is, by standing only and by orders only."""
    learned = fitted_choices(lessons, begun_with, rng)
    examples, start = examples_of(lessons, begun_with, learned, rng), np.array(begun_with.cards)
    parts = {
        JOINT: None,
        WITHOUT_ORDERS: feature_mask(evidence=False),
        WITHOUT_STANDING: feature_mask(standing=False),
    }
    return {
        name: msgspec.structs.replace(learned, cards=fitted_cards(examples, start, part).tolist())
        for name, part in parts.items()
    }


def trained_variants(learned: Sequence[dict[str, ChoiceParameters]]) -> dict[str, core.Model]:
    """The model that users run with trained parameters, the mean over all beginnings, and without some of its parts."""
    by_all, by_standing, by_orders = (
        mean_parameters([each[name] for each in learned]) for name in (JOINT, WITHOUT_ORDERS, WITHOUT_STANDING)
    )
    return {
        JOINT: trained_choice(by_all),
        ALONE: trained_choice(by_all, joint=False),
        OPEN: trained_choice(by_all, rules_out=False),
        WITHOUT_STANDING: trained_choice(by_orders),
        WITHOUT_ORDERS: trained_choice(by_standing),
    }


def trained_choice(learned: ChoiceParameters, *, joint: bool = True, rules_out: bool = True) -> Choice:
    """The model with these parameters."""
    found = Choice(joint=joint, rules_out=rules_out)
    found.preset = learned
    return found


def mean_parameters(learned: Sequence[ChoiceParameters]) -> ChoiceParameters:
    """The first of some parameters, with the mean weights of all."""
    names = ("orders", "spreads", "cards", "certainty")
    means = {name: np.mean([getattr(each, name) for each in learned], axis=0).tolist() for name in names}
    return msgspec.structs.replace(learned[0], **means)


def feature_mask(*, standing: bool = True, evidence: bool = True) -> Floats:
    """1 for the features of cards in use."""
    kinds = [standing] * len(STANDING) + [evidence] * (len(CARD_FEATURES) - len(STANDING))
    return np.array(kinds * ASPECTS, np.float64)


def by_thesis(case: Case) -> Row:
    """The marks of every game of a set by the recogniser of the thesis, for each selection of events."""
    found: dict[str, list[Row]] = {name: [] for name in HEARD}
    names: list[str] = []
    for game, actions in distinct_games(Path(case["corpus"], case["set"]), case["most"]):
        deck = [game.map.mission_name(mission) for mission in game.mission_deck]
        names = max(names, deck, key=len)  # a deck of continents is a prefix of the whole one
        last = ending(game, actions)
        for name, told in beliefs_of_models(HEARD, game, actions).items():
            found[name].append(mark_game(told, last.missions, last.mover, 0))
    return {"games": found, "names": names}


def rows_of(results: Results) -> dict[str, Row]:
    """The results of every set: the games by model, and the names of the cards."""
    found: dict[str, Row] = {}
    for row in [*results.rows("taught"), *results.rows("adapted"), *results.rows("thesis_models")]:
        known = found.setdefault(row["set"], {"games": {}})
        known["games"].update(row.get("games", {}))
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
        yield from conclusions(name, answers(row["games"][JOINT]), 1.0 / len(row["names"]))
    yield Paragraph(
        f"All models are those that users run, watching as spectators. The first line is the model as it comes, which "
        f"was trained on none of these games; below, each game is judged by parameters trained on the other games of "
        f"its set. Training of sets with fewer than "
        f"{FEW} games starts from the parameters that come with the game and from those of each larger set, and the "
        f"results are averaged; leaving games out in turn decides how far they move. Logs that repeat a game count "
        f"once, and ties count by their right part. As in the files of the thesis the last turn end, at 100%, is the "
        f"one before the winning turn; before the last event all of that turn but this event is known, and when the "
        f"game is over it is also known that the winner has fulfilled their card (the recogniser of the thesis, which "
        f"watches whole games, sees it). Winners and losers are separated at 100%. "
        f"*If calibrated* is the calibration error that chance alone would give a calibrated model on as many games."
    )


def accuracy_table(name: str, row: Row) -> Table:
    """Every model at every point, and at the end for winners and losers; the thesis's own numbers last."""
    lines: list[tuple[Cell, ...]] = []
    for model in MODELS:
        games = row["games"][model]
        found = answers(games)
        ends = [accuracy(answers(games, won=won), 1.0) for won in (True, False)]
        losses = [log_loss(found, fraction) for fraction in (0.5, 1.0)]
        points = [*(accuracy(found, each) for each in POINTS), *(end_accuracy(found, over=o) for o in (False, True))]
        sure = calibration(found)
        lines.append((model, *points, *ends, *losses, sure.error, sure.floor))
    if name in PUBLISHED:
        lines.append((SOURCE, *PUBLISHED[name], None, None, WINNERS[name], LOSERS[name], None, None, None, None))
    named = (*(f"at {each:.0%}" for each in POINTS), "before the last event", "when the game is over")
    measured = ("winners", "losers", "log loss at 50%", "log loss at 100%", "calibration error", "if calibrated")
    columns = ("model", *named, *measured)
    players, chance = len(answers(row["games"][JOINT])), 1.0 / len(row["names"])
    told = f"{name}: the share of {players} players whose card is named (a random card: {chance:.3f})."
    return Table(columns, lines, told)


def other_axis(results: Results) -> Iterator[Block]:
    """The learned model over each player's own decisions, without the setup placements of others."""
    known = rows_of(results)
    if not known:
        return
    lines: list[tuple[Cell, ...]] = []
    for name, row in known.items():
        for model in (JOINT, KHAN):
            found = answers(row["games"][model])
            lines.append((name, model, *(own_accuracy(found, quarter) for quarter in (1, 2, 3, 4))))
    columns = ("set", "model", *(f"after {each:.0%}" for each in POINTS))
    yield Table(columns, lines, "The share of players whose card is named, by the part of their own orders.")
    yield Paragraph(
        "In the tables above, single placements of the setup end turns; here each player is judged after a part of "
        "their own orders, and their last order comes before the end of the game."
    )


def kinds_of_events(results: Results) -> Iterator[Block]:
    """Does each further kind of event raise the accuracy of the recogniser of the thesis (Khan 2013, 1.5)?"""
    known = rows_of(results)
    lines: list[tuple[Cell, ...]] = []
    for name, row in known.items():
        before = None
        for heard in HEARD:
            found = answers(row["games"][heard])
            right = [player["hits"][place(1.0)] for _, player in found]
            games = [number for number, _ in found]
            gained: Estimate | None = None
            if before is not None:
                gained = paired_bootstrap(right, before, games, bounds=(0.0, 1.0)).difference
            half, end = accuracy(found, 0.5), accuracy(found, 1.0)
            lines.append((name, heard if heard != KHAN else "and territories defended: all", half, end, gained))
            before = right
    if lines:
        columns = ("set", "events for the recogniser", "at 50%", "at 100%", "more at the end")
        yield Table(columns, lines, "Khan's recogniser with one more kind of event per line; gains by pairs of games.")


def reliability_tables(results: Results) -> Iterator[Block]:
    """Whether the top card is right as often as its probability says."""
    for name, row in rows_of(results).items():
        bins = [each for each in calibration(answers(row["games"][JOINT])).bins if each.events]
        lines = [(f"{each.low:.0%} to {each.high:.0%}", each.events, each.confidence, each.accuracy) for each in bins]
        columns = ("the top card has", "answers", "on average", "is right in")
        yield Table(columns, lines, f"{name}: how sure the learned model is of its answers, and how often it is right.")


def conclusions(name: str, found: Sequence[tuple[int, Row]], chance: float) -> Iterator[Conclusion]:
    """The conclusion for one set; a random card is right with probability *chance*."""
    half, end, error = accuracy(found, 0.5), accuracy(found, 1.0), calibration(found).error
    before, over = (end_accuracy(found, over=each) for each in (False, True))
    settled = mean_of(found, (convergence(player) for _, player in found))
    assert error is not None
    yield Conclusion(
        f"`{name}`: the learned model names {half.mean:.0%} of the cards at half-time ({half.low:.0%} to "
        f"{half.high:.0%}), {end.mean:.0%} at the last turn end ({end.low:.0%} to {end.high:.0%}), {before.mean:.0%} "
        f"before the last event and {over.mean:.0%} when the game is over; a random card would be right in "
        f"{chance:.0%}. Its confidence is off by {error.mean:.3f} on average, and the true card stays on top "
        f"after {settled.mean:.0%} of the game."
    )


def by_card_and_length(results: Results) -> Iterator[Block]:
    """Which cards are named best, what they are confused with, and whether long games help."""
    for name, row in rows_of(results).items():
        games, cards = row["games"][JOINT], row["names"]
        held = [answers(games, card=card) for card in range(len(cards))]
        lines = [
            (card, len(found), *(accuracy(found, each) for each in POINTS))
            for card, found in zip(cards, held, strict=True)
        ]
        points = tuple(f"at {each:.0%}" for each in POINTS)
        yield Table(("card", "players", *points), lines, f"{name}: by the card held.")
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
            f"{name}: the card named at the end, as shares of the players who held each card.",
            partial(heat_map, cards, cards, matrix, row="card held", column="card named"),
        )


SECTIONS = tuple(
    Section(title=title, parts=("taught", "adapted", "thesis_models"), blocks=blocks)
    for title, blocks in (
        ("Games of a corpus", corpora),
        ("By a player's own orders", other_axis),
        ("Cards and lengths", by_card_and_length),
        ("How sure, and how often right", reliability_tables),
        ("What each kind of event adds", kinds_of_events),
    )
)
