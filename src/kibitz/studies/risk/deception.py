"""Deception: six players first play for another card; how soon models notice."""

from collections.abc import Iterator, Mapping, Sequence
from math import log

import numpy as np

from kibitz import core
from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.core.match.play import play
from kibitz.core.registry import make_game, make_model
from kibitz.games.risk import phases
from kibitz.games.risk.agents import OnMission
from kibitz.games.risk.board import Mission
from kibitz.games.risk.models.orders import KINDS, place_of
from kibitz.games.risk.rules import Risk, State
from kibitz.games.risk.situation import Situation
from kibitz.learn.assignment import assignment_shares
from kibitz.learn.logistic import log_shares
from kibitz.studies.blocks import Block, Conclusion, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.risk.games import watching
from kibitz.studies.risk.own_agents import GAME, actions_of
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work, cross_factors

SETTINGS: Settings = {
    "deceivers": 40,
    "pretended_turns": (1, 2, 3),
    "honest_agents": ("mission(w=100)", "mission(w=4)", "constrained"),
}
QUICK: Settings = {"deceivers": 1}
USUAL = "risk.choice"
MODELS = (USUAL, "risk.choice(adaptive=False)", "risk.explanations")
INFORMED = "who knows how they play"
ERRING = 0.02
"""The probability of an action that none of the player's cards explains."""
SOON = 0.25
"""The share of the decisions after the switch within which the true card should be back on top."""
LEAST = 1e-6
ENOUGH = 8
"""The fewest decisions after the switch; players with fewer are not counted."""


class FixedMission(OnMission):
    """Plays for a given mission."""

    held: Mission | None = None

    def card(self, sight: Situation) -> Mission | None:
        return self.held


class IdealObserver(core.Model):
    """Knows how all players play, and until when they pretend, but no card: the upper bound for every model.

    It compares the actions of deterministic players with what they would have done with each card; ERRING allows for
    actions that no card explains.
    """

    answers = ("goal",)
    game: Risk

    def __init__(self, turns: int) -> None:
        self.turns = turns

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        self.players = [FixedMission(w=100.0) for _ in self.game.mission_deck]
        for player, mission in zip(self.players, self.game.mission_deck, strict=True):
            player.held = mission
        shape = game.players, len(self.players)
        self.pretended, self.meant, self.done = np.zeros(shape), np.zeros(shape), [0] * game.players

    def observe(self, transition: core.Transition) -> None:
        before, after, player = transition.before, transition.after, transition.player
        assert isinstance(before, State)
        assert isinstance(after, State)
        legal = before.legal_actions(player) if player >= 0 and before.phase in KINDS else ()
        if len(legal) > 1:
            for each in self.players:
                each.player = player
            same = np.array([each.choice(before, legal) == transition.actions[0] for each in self.players])
            logs = self.meant if self.done[player] >= self.turns else self.pretended
            logs[player] += np.log(np.where(same, 1.0 - ERRING, ERRING / (len(legal) - 1)))
        if turn_done(before, after):
            self.done[before.mover] += 1

    def belief(self, player: int) -> dict[str, float]:
        scores = self.meant.copy()
        if self.turns:
            shares = np.exp(log_shares(self.pretended))
            scores += np.log(np.maximum(LEAST, 1.0 - shares))  # players never pretend to hold their own card
        names = (self.game.map.mission_name(each) for each in self.game.mission_deck)
        return dict(zip(names, assignment_shares(scores)[player].tolist(), strict=True))


def turn_done(before: State, after: State) -> bool:
    """Whether the mover has finished their turn."""
    return before.phase == phases.FORTIFY and after.phase != phases.FORTIFY


def parts(settings: Settings, seed: int) -> list[Part]:
    """Games of six deceivers, and of six honest players, judged as if they had pretended equally long."""
    turns = {f"deceptive(turns={each})": each for each in settings["pretended_turns"]}
    turns |= dict.fromkeys(settings["honest_agents"], next(iter(turns.values()), 1))
    cases = cross_factors({"agent": list(turns)}, repeats=settings["deceivers"], seed=seed)
    return [
        Work(
            name="deceived",
            work=watched_deceivers,
            cases=[{**case, "turns": turns[case["agent"]], "honest": not deceives(case["agent"])} for case in cases],
            weight=4.0,
        )
    ]


def deceives(agent: str) -> bool:
    """Whether an agent pretends at first."""
    return agent.startswith("deceptive")


def watched_deceivers(case: Case) -> Row:
    """Every model's belief in the true card of each player after each of their decisions."""
    game = make_game(GAME)
    assert isinstance(game, Risk)
    actions = actions_of(play(game, [case["agent"]] * game.players, seed=case["seed"]))
    models: dict[str, core.Model] = {name: make_model(name, "risk") for name in MODELS}
    models[INFORMED] = IdealObserver(0 if case["honest"] else case["turns"])
    return {"players": belief_rows(models, game, actions, case["turns"])}


def belief_rows(models: Mapping[str, core.Model], game: Risk, actions: Sequence[int], turns: int) -> list[Row]:
    """For every player, the share and the rank of their card, decision by decision, before and after the switch."""
    names = [game.map.mission_name(each) for each in game.mission_deck]
    done, found = [0] * game.players, {name: [BeliefHistory(name) for _ in range(game.players)] for name in models}
    for before, player, action, after in watching(models.values(), game, actions):
        if player >= 0 and place_of(before, action) is not None:
            for name, model in models.items():
                card = names[after.missions[player]]
                found[name][player].add(model.belief(player), card, switched=done[player] >= turns)
        if turn_done(before, after):
            done[before.mover] += 1
    return [trail.row() for trails in found.values() for trail in trails if len(trail.after) >= ENOUGH]


class BeliefHistory:
    """One player through a game."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.before: list[float] = []
        self.after: list[float] = []
        self.on_top: list[bool] = []

    def add(self, belief: dict[str, float], card: str, *, switched: bool) -> None:
        """The belief after a decision; once the pretence is over, also whether the card is on top."""
        (self.after if switched else self.before).append(belief[card])
        if switched:
            self.on_top.append(belief[card] >= max(belief.values()) - 1e-9)

    def row(self) -> Row:
        """The log loss of the true card before and after the switch, and how soon it was on top again."""
        first = next((number for number, top in enumerate(self.on_top) if top), len(self.on_top))
        before, after = (
            float(np.mean([-log(max(LEAST, share)) for share in shares])) if shares else 0.0
            for shares in (self.before, self.after)
        )
        found_out = first / len(self.on_top)
        return {"model": self.model, "before": before, "after": after, "found_out": found_out, "end": self.on_top[-1]}


Marks = list[tuple[int, Row]]
"""Every judged player, with the number of their game."""


def deception(results: Results) -> Iterator[Block]:
    """The models on deceivers and on honest players."""
    rows = results.rows("deceived")
    agents = list(dict.fromkeys(row["agent"] for row in rows))
    marks = {(agent, name): marks_of(rows, agent, name) for agent in agents for name in (*MODELS, INFORMED)}
    columns = ("players", "model", "how many", "on top soon", "log loss before", "log loss after", "right at the end")
    yield Table(
        columns,
        [(agent, name, len(some), *summed_up(some)) for (agent, name), some in marks.items()],
        "Deceivers pretend in the setup and for so many turns; soon is within a quarter of their later decisions.",
    )
    yield Paragraph("Log losses are those of the true card after every decision; without any knowledge they are 1.79.")
    for agent in filter(deceives, agents):
        yield from deception_conclusions(agent, {name: marks[agent, name] for name in (USUAL, INFORMED)})


def deception_conclusions(agent: str, marks: Mapping[str, Marks]) -> Iterator[Conclusion]:
    """How soon several models see through deceivers."""
    for name, some in marks.items():
        soon, before, after, _ = summed_up(some)
        yield Conclusion(
            f"`{agent}`: after a deceiver's switch the true card is on top within a quarter of their further "
            f"decisions in {soon.mean:.0%} of the cases ({soon.low:.0%} to {soon.high:.0%}) for "
            f"{model_name(name)}, and the log loss is {before.mean:.2f} before and {after.mean:.2f} after it."
        )


def marks_of(rows: Sequence[Row], agent: str, model: str) -> Marks:
    """A model's results on the players of one kind."""
    return [
        (number, player)
        for number, row in enumerate(rows)
        if row["agent"] == agent
        for player in row["players"]
        if player["model"] == model
    ]


def summed_up(some: Marks) -> tuple[Estimate, Estimate, Estimate, Estimate]:
    """The share named soon, the log losses before and after the switch, and the share named at the end."""
    games = [number for number, _ in some]
    return (
        mean_interval([found_soon(player) for _, player in some], games, bounds=(0.0, 1.0)),
        mean_interval([player["before"] for _, player in some], games),
        mean_interval([player["after"] for _, player in some], games),
        mean_interval([right_at_end(player) for _, player in some], games, bounds=(0.0, 1.0)),
    )


def found_soon(player: Row) -> float:
    """1 if the true card was on top within SOON."""
    return float(player["found_out"] <= SOON)


def right_at_end(player: Row) -> float:
    """1 if the true card was on top after the last decision."""
    return float(player["end"])


def model_name(name: str) -> str:
    """The name of a model in a sentence."""
    return f"`{name}`" if name in MODELS else f"a watcher {name}"


SECTIONS = (Section(title="Deception", parts=("deceived",), blocks=deception),)
