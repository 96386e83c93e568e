"""Deception: six who first play for another card, and how soon after that they are found out."""

from collections.abc import Iterator, Sequence
from math import log

import numpy as np

from kibitz.arena.statistics import mean_interval
from kibitz.core.play import play
from kibitz.core.registry import make_game, make_model
from kibitz.games.risk import phases
from kibitz.games.risk.models.orders import place_of
from kibitz.games.risk.rules import Risk
from kibitz.studies.blocks import Block, Conclusion, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.risk.games import watching
from kibitz.studies.risk.own import GAME, actions_of
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work, crossed

SETTINGS: Settings = {"deceivers": 40, "pretended_turns": 1}
QUICK: Settings = {"deceivers": 3}
MODELS = ("risk.choice", "risk.choice(adaptive=False)", "risk.choice(wary=True)", "risk.explanations")
SOON = 0.25
"""Of the decisions after the switch: by then the true card should be back on top."""
LEAST = 1e-6
ENOUGH = 8
"""Decisions after the switch; who has fewer left cannot show anything."""


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
    return {"players": [player for name in MODELS for player in followed(name, game, actions, case["turns"])]}


def followed(name: str, game: Risk, actions: Sequence[int], turns: int) -> list[Row]:
    """Of every player the share and the rank of his card, decision by decision, before and after the switch."""
    model, names = make_model(name, "risk"), [game.map.mission_name(each) for each in game.mission_deck]
    done, found = [0] * game.players, [Trail(name) for _ in range(game.players)]
    for before, player, action, after in watching(model, game, actions):
        if player >= 0 and place_of(before, action) is not None:
            belief = model.belief(player)
            found[player].add(belief, names[after.missions[player]], switched=done[player] >= turns)
        if before.phase == phases.FORTIFY and after.phase != phases.FORTIFY:
            done[before.mover] += 1
    return [trail.row() for trail in found if len(trail.after) >= ENOUGH]


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
        for name in MODELS:
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
    deceived, plain = lines[0], lines[1]
    yield Conclusion(
        f"After a deceiver's switch his true card is on top within a quarter of what he still decides in "
        f"{deceived[3].mean:.0%} of the cases ({deceived[3].low:.0%} to {deceived[3].high:.0%}), and the log loss is "
        f"{deceived[4].mean:.2f} before and {deceived[5].mean:.2f} after it; without adaptive confidence "
        f"{plain[4].mean:.2f} and {plain[5].mean:.2f}."
    )


SECTIONS = (Section(title="Deception", parts=("deceived",), blocks=deception),)
