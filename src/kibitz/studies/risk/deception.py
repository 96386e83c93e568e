"""Deception: six players first play for another card; how soon models notice."""

from collections.abc import Iterator, Mapping, Sequence
from math import inf, log
from statistics import fmean

from kibitz import core
from kibitz.core.match.play import play
from kibitz.core.registry import make_game, make_model
from kibitz.games.risk import phases
from kibitz.games.risk.game import Risk, State
from kibitz.games.risk.models.orders import place_of
from kibitz.studies.measures import Column, Measure
from kibitz.studies.results import Results
from kibitz.studies.risk.games import watching
from kibitz.studies.risk.marks import FRACTION, LEAST
from kibitz.studies.risk.own_agents import GAME, actions_of
from kibitz.studies.study import Case, Part, Row, Settings, Work, cross_factors

SETTINGS: Settings = {"deceivers": 40, "pretended_turns": (1, 2, 3)}
QUICK: Settings = {"deceivers": 1}
MODELS = ("risk.choice", "risk.explanations")
SOON = 0.25
"""The part of the decisions after the switch within which the true card should be back on top."""
ENOUGH = 8
"""The fewest decisions after the switch; players with fewer are not counted."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """Games of six deceivers."""
    turns = {f"deceptive(turns={each})": each for each in settings["pretended_turns"]}
    cases = cross_factors({"agent": list(turns)}, repeats=settings["deceivers"], seed=seed)
    scored = [{**case, "turns": turns[case["agent"]]} for case in cases]
    return [Work(name="deceived", work=watched_deceivers, cases=scored, version=2, weight=3.0)]


def watched_deceivers(case: Case) -> Row:
    """Every model's belief in the true card of each player after each of their decisions."""
    game = make_game(GAME)
    assert isinstance(game, Risk)
    actions = actions_of(play(game, [case["agent"]] * game.players, seed=case["seed"]))
    models = {name: make_model(name, "risk") for name in MODELS}
    return {"players": belief_rows(models, game, actions, case["turns"])}


def belief_rows(models: Mapping[str, core.Model], game: Risk, actions: Sequence[int], turns: int) -> list[Row]:
    """How every model followed every player: the card's probability before and after the switch, and when on top."""
    names = [game.map.mission_name(each) for each in game.mission_deck]
    done = [0] * game.players
    beliefs: dict[tuple[str, int, bool], list[dict[str, float]]] = {}
    cards = [""] * game.players
    for before, player, action, after in watching(models.values(), game, actions):
        if player >= 0 and place_of(before, action) is not None:
            cards[player] = names[after.missions[player]]
            for name, model in models.items():
                beliefs.setdefault((name, player, done[player] >= turns), []).append(model.belief(player))
        if turn_done(before, after):
            done[before.mover] += 1
    return [
        {"model": name, **history_row(beliefs.get((name, player, False), []), after, cards[player])}
        for (name, player, switched), after in beliefs.items()
        if switched and len(after) >= ENOUGH
    ]


def turn_done(before: State, after: State) -> bool:
    """Whether the mover has finished their turn."""
    return before.phase == phases.FORTIFY and after.phase != phases.FORTIFY


def history_row(before: Sequence[dict[str, float]], after: Sequence[dict[str, float]], card: str) -> Row:
    """The log loss of the true card before and after the switch, and whether it was soon on top again."""
    on_top = [belief[card] >= max(belief.values()) - 1e-9 for belief in after]
    first = next((number for number, top in enumerate(on_top) if top), len(on_top))
    losses = [[-log(max(LEAST, belief[card])) for belief in beliefs] for beliefs in (before, after)]
    soon = float(first <= SOON * len(on_top))
    return {"before": fmean(losses[0] or [0.0]), "after": fmean(losses[1]), "soon": soon, "end": float(on_top[-1])}


def player_rows(results: Results) -> Iterator[Row]:
    """Every model on every player."""
    for number, row in enumerate(results.rows("deceived")):
        yield from ({"agent": row["agent"], "game": number, **player} for player in row["players"])


MEASURES = (
    Measure(
        name="Deception",
        part="deceived",
        by=("agent", "model"),
        rows=player_rows,
        columns=(
            Column(name="on top soon", of="soon", block="game", bounds=FRACTION),
            Column(name="right at the end", of="end", block="game", bounds=FRACTION),
            Column(name="log loss before", of="before", block="game", bounds=(0.0, inf)),
            Column(name="log loss after", of="after", block="game", bounds=(0.0, inf)),
        ),
        about=(
            "Deceivers play for another card in the setup and for so many turns. Soon is within a quarter of their "
            "later decisions. Log losses are those of the true card after every decision; a random guess has 1.79."
        ),
    ),
)
