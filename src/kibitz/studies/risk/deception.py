"""Deception: six who first play for another card, and how soon after that they are found out."""

from collections.abc import Iterator, Mapping, Sequence
from math import log

import numpy as np

from kibitz import core
from kibitz.arena.statistics import mean_interval
from kibitz.core.play import play
from kibitz.core.registry import make_game, make_model
from kibitz.games.risk import phases
from kibitz.games.risk.agents import OnMission
from kibitz.games.risk.board import Mission
from kibitz.games.risk.models.orders import KINDS, place_of
from kibitz.games.risk.rules import Risk, State
from kibitz.games.risk.sight import Sight
from kibitz.learn.assignment import assignment_shares
from kibitz.learn.logistic import log_shares
from kibitz.studies.blocks import Block, Conclusion, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.risk.games import watching
from kibitz.studies.risk.own import GAME, actions_of
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work, crossed

SETTINGS: Settings = {"deceivers": 40, "pretended_turns": 1}
QUICK: Settings = {"deceivers": 3}
MODELS = ("risk.choice", "risk.choice(adaptive=False)", "risk.choice(wary=True)", "risk.explanations")
INFORMED = "who knows how they play"
ERRING = 0.02
"""How often players do what none of their cards explains."""
SOON = 0.25
"""Of the decisions after the switch: by then the true card should be back on top."""
LEAST = 1e-6
ENOUGH = 8
"""Decisions after the switch; who has fewer left cannot show anything."""


class Holding(OnMission):
    """Plays for the mission that it is told to hold."""

    held: Mission | None = None

    def card(self, sight: Sight) -> Mission | None:
        return self.held


class Informed(core.Model):
    """Knows how all players play, and until when they pretend, but no card: what no model can do better than.

    Players who are certain of what they do are told apart by what they would have done with each card; ERRING leaves
    room for whatever no card explains.
    """

    answers = ("goal",)
    game: Risk

    def __init__(self, turns: int) -> None:
        self.turns = turns

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        self.players = [Holding(w=100.0) for _ in self.game.mission_deck]
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
            scores += np.log(np.maximum(LEAST, 1.0 - shares))  # nobody pretends to hold what he holds
        names = (self.game.map.mission_name(each) for each in self.game.mission_deck)
        return dict(zip(names, assignment_shares(scores)[player].tolist(), strict=True))


def turn_done(before: State, after: State) -> bool:
    """Whether the mover has done all that he does in a turn."""
    return before.phase == phases.FORTIFY and after.phase != phases.FORTIFY


def parts(settings: Settings, seed: int) -> list[Part]:
    """Games of six deceivers, and of six who play honestly."""
    agents = [f"deceptive(turns={settings['pretended_turns']})", "mission(w=100)"]
    cases = crossed({"agent": agents}, repeats=settings["deceivers"], seed=seed)
    return [
        Work(
            name="deceived",
            work=watched_deceivers,
            cases=[{**case, "turns": settings["pretended_turns"]} for case in cases],
            weight=4.0,
        )
    ]


def watched_deceivers(case: Case) -> Row:
    """What every model believes of the true card of each player after each of his decisions."""
    game = make_game(GAME)
    assert isinstance(game, Risk)
    actions = actions_of(play(game, [case["agent"]] * game.players, seed=case["seed"]))
    models: dict[str, core.Model] = {name: make_model(name, "risk") for name in MODELS}
    models[INFORMED] = Informed(case["turns"] if case["agent"].startswith("deceptive") else 0)
    return {"players": followed(models, game, actions, case["turns"])}


def followed(models: Mapping[str, core.Model], game: Risk, actions: Sequence[int], turns: int) -> list[Row]:
    """Of every player the share and the rank of his card, decision by decision, before and after the switch."""
    names = [game.map.mission_name(each) for each in game.mission_deck]
    done, found = [0] * game.players, {name: [Trail(name) for _ in range(game.players)] for name in models}
    for before, player, action, after in watching(models.values(), game, actions):
        if player >= 0 and place_of(before, action) is not None:
            for name, model in models.items():
                card = names[after.missions[player]]
                found[name][player].add(model.belief(player), card, switched=done[player] >= turns)
        if turn_done(before, after):
            done[before.mover] += 1
    return [trail.row() for trails in found.values() for trail in trails if len(trail.after) >= ENOUGH]


class Trail:
    """One player through a game."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.before: list[float] = []
        self.after: list[float] = []
        self.on_top: list[bool] = []

    def add(self, belief: dict[str, float], card: str, *, switched: bool) -> None:
        """What is believed after a decision; when nobody pretends any more, also whether the card is on top."""
        (self.after if switched else self.before).append(belief[card])
        if switched:
            self.on_top.append(belief[card] >= max(belief.values()) - 1e-9)

    def row(self) -> Row:
        """How surprising the true card was before and after the switch, and how soon it was on top again."""
        first = next((number for number, top in enumerate(self.on_top) if top), len(self.on_top))
        before, after = (
            float(np.mean([-log(max(LEAST, share)) for share in shares])) if shares else 0.0
            for shares in (self.before, self.after)
        )
        found_out = first / len(self.on_top)
        return {"model": self.model, "before": before, "after": after, "found_out": found_out, "end": self.on_top[-1]}


def deception(results: Results) -> Iterator[Block]:
    """The models on deceivers and on honest players."""
    rows = results.rows("deceived")
    agents = list(dict.fromkeys(row["agent"] for row in rows))
    lines = []
    for agent in agents:
        for name in (*MODELS, INFORMED):
            some = [
                (number, player)
                for number, row in enumerate(rows)
                if row["agent"] == agent
                for player in row["players"]
                if player["model"] == name
            ]
            games = [number for number, _ in some]
            soon = mean_interval([float(p["found_out"] <= SOON) for _, p in some], games, bounds=(0.0, 1.0))
            surprise = [mean_interval([p[when] for _, p in some], games) for when in ("before", "after")]
            end = mean_interval([float(p["end"]) for _, p in some], games, bounds=(0.0, 1.0))
            lines.append((agent, name, len(some), soon, *surprise, end))
    columns = ("players", "model", "how many", "on top soon", "log loss before", "log loss after", "right at the end")
    turns = results.settings["pretended_turns"]
    yield Table(
        columns,
        lines,
        f"Who pretends does so in the setup and for {turns} turns; soon is within a quarter of his later decisions.",
    )
    yield Paragraph("Log losses are those of the true card after every decision; without any knowledge it is 1.79.")
    by_model = {name: line for (agent, name, *line) in lines if agent == agents[0]}
    for name in (MODELS[0], MODELS[2], INFORMED):
        _, soon, before, after, _ = by_model[name]
        yield Conclusion(
            f"After a deceiver's switch his true card is on top within a quarter of what he still decides in "
            f"{soon.mean:.0%} of the cases ({soon.low:.0%} to {soon.high:.0%}) for {shown(name)}, and the log loss is "
            f"{before.mean:.2f} before and {after.mean:.2f} after it."
        )
    honest = {name: line for (agent, name, *line) in lines if agent != agents[0]}
    usual, wary = (honest[name][-1] for name in (MODELS[0], MODELS[2]))
    yield Conclusion(f"Honest players' cards are told by {usual.mean:.0%} at the end, and by {wary.mean:.0%} warily.")


def shown(name: str) -> str:
    """What a model is called in a sentence."""
    return f"`{name}`" if name in MODELS else f"a watcher {name}"


SECTIONS = (Section(title="Deception", parts=("deceived",), blocks=deception),)
