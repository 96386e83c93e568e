"""Responses to a model: what they gain against exploitable opponents, and what they lose to exploiters."""

from collections.abc import Iterator

import numpy as np

from kibitz import core
from kibitz.agents.aware.recursive import OpponentAware
from kibitz.core.match.play import play
from kibitz.core.registry import make_agent, make_game, make_model
from kibitz.core.seeds import derived_seed, stream
from kibitz.solve import RecursiveGame, best_response, build_game, mirror_game, safe_response, solve, strategy_shares
from kibitz.solve.recursive.advice.restricted import response_of
from kibitz.studies.measures import Column, Measure
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Settings, Work

SETTINGS: Settings = {
    "responses_met": (
        ("rps(goal=points, rounds=3)", "scripted", 0),
        ("inspection", "random", 0),
        ("oshi-zumo(coins=[6, 6], size=2)", "random", 0),
        ("duel", "random", 0),
        ("bear-brawl(hero_hp=2, radius=2)", "random", 0),
        ("inspection", "random", 1),
    ),
    "responses_risks": (0.1, 0.5),
    "responses_matches": 60,
}
"""Games with an exploitable opponent, and the seat of the exploiter."""
QUICK: Settings = {
    "responses_met": (("inspection", "random", 0), ("rps(goal=points, rounds=3)", "scripted", 0)),
    "responses_risks": (0.2,),
    "responses_matches": 20,
}
CHUNK = 10
"""The number of matches of a case."""
ROLES = ("aware", "punished")
"""The opponent-aware agent meets the exploitable opponent, and the best response to the agent's first strategy."""
HYPOTHESES = ("random", "scripted")
WIDTH = 1e-4
MOST_PLIES = 30


def parts(settings: Settings, seed: int) -> list[Part]:
    """Exact gains and risks if the forecast is right, and matches in which the model must learn it."""
    met = [
        {"game": game, "opponent": opponent, "player": player, "risk": risk}
        for game, opponent, player in settings["responses_met"]
        for risk in settings["responses_risks"]
    ]
    chunks = range(max(1, settings["responses_matches"] // CHUNK))
    matches = [
        {**case, "role": role, "chunk": chunk, "seed": derived_seed(seed, *map(str, case.values()), chunk)}
        for case in met
        for role in ROLES
        for chunk in chunks
    ]
    return [
        Work(name="responses_exact", work=evaluate_answer, cases=met, version=2, weight=0.5),
        Work(name="responses_matches", work=play_matches, cases=matches, weight=0.6),
    ]


def evaluate_answer(case: Case) -> Row:
    """What the response to a right forecast gains from the start, and what it can lose, exactly."""
    model, player = build_game(case["game"]), case["player"]
    policy = solve(model, width=WIDTH).policy(player).shares
    seated = make_agent(case["opponent"], case["game"])
    assert isinstance(seated, core.Strategy)
    seated.begin(make_game(case["game"]), 1 - player, stream(0, "seat"))
    forecast = strategy_shares(model, seated, 1 - player)
    game = model if player == 0 else mirror_game(model)
    node = model.states.node(make_game(case["game"]).new_initial_state())
    before = response_of(game, policy, forecast)
    after = safe_response(game, policy, forecast, node, float(before.sure[node]) - case["risk"])
    return {
        "gain": float(after.expected[node] - before.expected[node]),
        "loss": float(before.sure[node] - after.sure[node]),
        "earned": float(after.expected[node]),
        "equilibrium": float(before.expected[node]),
        "guaranteed": float(after.sure[node]),
        "excess": float(before.sure[node] - after.sure[node]) - case["risk"],
    }


def play_matches(case: Case) -> Row:
    """The payoffs of the player with the model, match by match."""
    player, hypotheses = case["player"], ", ".join(HYPOTHESES)
    aware = OpponentAware(model=make_model(f"strategy_filter(strategies=[{hypotheses}])"), risk=case["risk"])
    other = Punisher(aware) if case["role"] == "punished" else make_agent(case["opponent"], case["game"])
    agents = [aware, other] if player == 0 else [other, aware]
    earned = []
    for match in range(CHUNK):
        record = play(case["game"], agents, seed=derived_seed(case["seed"], match), max_plies=MOST_PLIES)
        assert record.ending is not None
        earned.append(record.ending.returns[player])
    return {"earned": earned}


class Punisher(core.Strategy):
    """Plays the best response to the first strategy of *victim* throughout."""

    def __init__(self, victim: OpponentAware | None = None) -> None:
        self.victim = victim

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        assert self.victim is not None
        victim = self.victim.clone()
        victim.begin(game, 1 - player, stream(0, "victim"))
        self.model: RecursiveGame = victim.ground.game
        self.answers: np.ndarray = best_response(self.model, victim.own, 0).actions

    def policy(self, view: core.State) -> core.Distribution:
        legal = view.legal_actions(self.player)
        place = int(self.answers[self.model.states.node(view)]) if len(legal) > 1 else 0
        return core.Distribution.certain(legal[place], legal)


def match_rows(results: Results) -> Iterator[Row]:
    """The payoff of every match."""
    for row in results.rows("responses_matches"):
        yield from ({**row, "earned": earned} for earned in row["earned"])


MEASURES = (
    Measure(
        name="Responses to a right forecast",
        part="responses_exact",
        by=("game", "player", "opponent", "risk"),
        columns=tuple(
            Column(name=name, exact=True) for name in ("equilibrium", "earned", "gain", "loss", "excess", "guaranteed")
        ),
        about=(
            "`aware` responds to a model's predictions by restricted Nash responses mixed with the "
            "equilibrium, as far as its risk allows. Exact values from the start: what equilibrium and response earn, "
            "the gain, what it loses at most to a best response, how much that is above its risk, and what it is "
            "guaranteed."
        ),
    ),
    Measure(
        name="Responses in matches",
        part="responses_matches",
        by=("game", "player", "risk", "role"),
        rows=match_rows,
        columns=(Column(name="earned"),),
        about=(
            "The model must find out whom it meets: the exploitable opponent (aware), or the best response to the "
            "agent's first strategy (punished)."
        ),
    ),
)
