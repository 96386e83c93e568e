"""How many strangers play a whole match like somebody known: a number fitted to players who are not judged."""

from collections.abc import Iterator, Sequence
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from kibitz.arena.scoring.strangers.library import Library
from kibitz.arena.scoring.strangers.players import NEAR
from kibitz.core.match.play import play
from kibitz.core.records.replay import Replay
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import derived_seed, stream
from kibitz.games.trails.agents.population import PDA19
from kibitz.games.trails.models.types import Types
from kibitz.games.trails.models.unknown_negotiator import ALIKE
from kibitz.studies.blocks import Block, Cell, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work
from kibitz.testing.strangers import generated_strangers

Floats = NDArray[np.float64]
KNOWN, LEFT_OUT, GENERATED = "known", "left out", "generated"
"""The kinds of players: of the library, of the library while the model does not know them, and others."""
OPENINGS = (0, 2, 6)
PLIES = 200
PRIORS = (0.5, 0.1)
"""The shares of strangers at which the number should be good."""
TRIED = tuple(step / 100 for step in range(21))
LEAST = 1e-4
"""The least probability of the truth that counts, so that no single match decides."""
SETTINGS: Settings = {"likeness_known": PDA19, "likeness_seeds": tuple(range(9001, 9009)), "likeness_matches": 2}
QUICK: Settings = {"likeness_known": PDA19[9:11], "likeness_seeds": (), "likeness_matches": 1}


def parts(settings: Settings, seed: int) -> list[Part]:
    """Negotiators of the library, each known and each left out, and generated strangers of some seeds."""
    players = [(KNOWN, name) for name in settings["likeness_known"]]
    game = make_game("trails")
    for each in settings["likeness_seeds"]:
        players += [(GENERATED, stranger.spec) for stranger in generated_strangers(game, each)]
    cases = [
        {"kind": kind, "player": name, "opening": opening, "match": number}
        for kind, name in (*players, *((LEFT_OUT, name) for name in settings["likeness_known"]))
        for opening in OPENINGS
        for number in range(settings["likeness_matches"])
    ]
    return [Work(name="likeness", work=watch_case, cases=cases)]


def watch_case(case: Case) -> Row:
    """What a model holds of a player after every choice, where half of all players are strangers."""
    name, seat = case["player"], case["match"] % 2
    seed = derived_seed(0, "likeness", name, case["opening"], case["match"])
    agents = [PDA19[int(stream(seed, "partner").random() * len(PDA19))]] * 2
    agents[seat] = name
    replay = Replay(play("trails", agents, seed=seed, opening=case["opening"], max_plies=PLIES))
    held = [each for each in PDA19 if case["kind"] != LEFT_OUT or each != name]
    model = Types(tuple(make_agent(each) for each in held), unknown=0.5)  # type: ignore[misc]
    model.begin(replay.game, 1 - seat, stream(seed, "model"))
    library = Library(replay.game, seat, name, held, seed)
    moments, apart = [], []
    for event in (moment.event for moment in replay.moments() if moment.event is not None):
        action = dict(event.choices()).get(seat)
        chose = action is not None and len(event.before.state.legal_actions(seat)) > 1
        if chose and action is not None and case["kind"] != KNOWN:
            apart.append(list(library.compare(event, action)[1].values()))
        model.observe(event.transition(1 - seat, 1 - seat))
        library.observe(event)
        if chose:
            shares = model.unknown_negotiator(model.possible[0], seat).identity.held
            true = shares[held.index(name)] if case["kind"] == KNOWN else 0.0
            moments.append([float(true), float(shares[:-1].sum()), float(shares[-1]) / (1.0 - ALIKE)])
    return {"moments": moments, "apart": [fmean(column) for column in zip(*apart, strict=True)] if apart else []}


def truth_loss(rows: Sequence[Row], alike: float, prior: float) -> float:
    """The mean log loss of who the players are; every match counts alike."""
    losses = []
    for row in rows:
        true, known, strange = np.array(row["moments"]).T
        others = prior / (1.0 - prior) * ((1.0 - alike) * strange + alike * known)
        told = (true if row["kind"] == KNOWN else others) / (known + others)
        losses.append(float(-np.log(np.maximum(told, LEAST)).mean()))
    return fmean(losses) if losses else 0.0


def mean_loss(rows: Sequence[Row], alike: float) -> float:
    """The loss at all priors, in which both kinds of strangers count alike."""
    groups = {kind: [row for row in rows if row["kind"] == kind] for kind in (KNOWN, LEFT_OUT, GENERATED)}
    found = 0.0
    for prior in PRIORS:
        losses = {kind: truth_loss(own, alike, prior) for kind, own in groups.items()}
        found += (1.0 - prior) * losses[KNOWN] + prior * (losses[LEFT_OUT] + losses[GENERATED]) / 2.0
    return found


def without_near(rows: Sequence[Row]) -> list[Row]:
    """The rows without strangers who are nearly a known negotiator: to call them that is right, too."""
    apart: dict[tuple[str, str], list[list[float]]] = {}
    for row in rows:
        if row["apart"] and row["opening"] == OPENINGS[0]:
            apart.setdefault((row["kind"], row["player"]), []).append(row["apart"])
    near = {player for player, own in apart.items() if np.mean(own, axis=0).min() <= NEAR}
    return [row for row in rows if row["moments"] and (row["kind"], row["player"]) not in near]


def likeness_blocks(results: Results) -> Iterator[Block]:
    """How well the truth is told by the share, for the best one and for that in use."""
    rows = without_near(results.rows("likeness"))
    best = min(TRIED, key=lambda alike: mean_loss(rows, alike))
    shares = {"none": 0.0, "fitted here": best, "in use": ALIKE}
    lines: list[tuple[Cell, ...]] = [(name, share, mean_loss(rows, share)) for name, share in shares.items()]
    yield Table(("strangers like somebody known", "share", "log loss of the truth"), lines, f"In {len(rows)} matches.")
    yield Paragraph(
        "The players are the nineteen negotiators, each known to the model and each left out, and generated strangers "
        "of other seeds than those judged. The loss is the sum for a half and for a tenth of strangers."
    )


SECTIONS = (Section(title="Strangers like somebody known", parts=("likeness",), blocks=likeness_blocks),)
