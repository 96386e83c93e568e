"""Measures how predictable each kind of automaton is for a watcher, against how strong it is."""

from collections.abc import Iterator, Mapping, Sequence
from math import log
from statistics import fmean
from typing import NamedTuple

from kibitz import core
from kibitz.arena.plots.charts import dots
from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.core.match.play import playing
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz.models.rehearsal import Rehearsal
from kibitz.studies.axis.scenarios import TITLES
from kibitz.studies.axis.trials import PLAYER
from kibitz.studies.blocks import Block, Conclusion, Figure, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.sentences import percents
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work, cross_factors

SETTINGS: Settings = {"read_games": 40, "read_kinds": ("bla", "lri", "tsetlin", "ucb1")}
QUICK: Settings = {"read_games": 1, "read_kinds": ("bla", "tsetlin")}
VARIETIES = (0.0, 1.0)
ROUNDS = "rounds=(150, 80)"
REHEARSALS = 6
COLUMNS = ("games", "orders predicted", "log loss", "gain against random, IPC")
OVERALL = "Orders that `rehearsal`, which knows the kind, considers likeliest, over the three scenarios."


def parts(settings: Settings, seed: int) -> list[Part]:
    """Games of every kind, plain and varied, watched by a model that knows the kind."""
    factors = {"scenario": tuple(TITLES), "kind": settings["read_kinds"], "variety": VARIETIES}
    cases = cross_factors(factors, repeats=settings["read_games"], seed=seed, paired=["variety"])
    return [Work(name="reading", work=watch_game, cases=cases, version=3)]


def watch_game(case: Case) -> Row:
    """A game of a team against a random player, and how well each of its orders was predicted."""
    agent = f"automata(kind={case['kind']}, {ROUNDS}, squads=False, variety={case['variety']})"
    game = make_game(f"axis(scenario={case['scenario']})")
    model = Rehearsal(agents=(make_agent(agent),), rehearsals=REHEARSALS, unknown=0.0)
    model.begin(game, None, stream(case["seed"], "watcher"))
    hits: list[float] = []
    losses: list[float] = []
    before, gain = game.new_initial_state(), 0.0
    for ply, moment in enumerate(playing(game, [agent, "random"], seed=case["seed"])):
        if moment.event is not None:
            action, after = moment.event.actions[0], moment.state.clone()
            if moment.event.player == PLAYER and len(before.legal_actions()) > 1:
                predicted = model.predict(before, PLAYER)
                hits.append(float(predicted.top(1)[0][0] == action))
                losses.append(-log(predicted.probability(action)))
            chosen = moment.event.chosen
            model.observe(core.Transition(ply - 1, moment.event.player, (action,), before, after, chosen))
            before, gain = after, after.returns()[PLAYER]
    return {"hits": fmean(hits), "log_loss": fmean(losses), "gain": gain, "orders": len(hits)}


class Predictability(NamedTuple):
    """How well a team was predicted in some games, and how well it did."""

    games: int
    predicted: Estimate
    log_loss: float
    gain: Estimate


def predictability_of(games: Sequence[Row]) -> Predictability:
    """The summary of some games."""
    predicted = mean_interval([row["hits"] for row in games], bounds=(0.0, 1.0))
    gain = mean_interval([row["gain"] for row in games])
    return Predictability(len(games), predicted, fmean(row["log_loss"] for row in games), gain)


def blocks(results: Results) -> Iterator[Block]:
    """Predictability beside strength, by kind and variety: over all scenarios, and in each."""
    whole = {levels: predictability_of(games) for levels, games in results.groups("reading", "kind", "variety").items()}
    yield Table(("kind", "variety", *COLUMNS), [(*levels, *found) for levels, found in whole.items()], OVERALL)
    shown: dict[str, dict[str, Estimate]] = {f"variety {variety:g}": {} for variety in VARIETIES}
    for (kind, variety), found in whole.items():
        shown[f"variety {variety:g}"][kind] = found.predicted
    yield Figure("reading", "Share of a team's orders that are predicted.", lambda: dots(shown, label="predicted"))
    groups = sorted(results.groups("reading", "scenario", "kind", "variety").items())
    rows = [(TITLES[scenario], *levels, *predictability_of(games)) for (scenario, *levels), games in groups]
    yield Table(("scenario", "kind", "variety", *COLUMNS), rows, "The same by scenario.")
    yield from conclusions(results, {kind: found for (kind, variety), found in whole.items() if not variety})


def conclusions(results: Results, plain: Mapping[str, Predictability]) -> Iterator[Block]:
    """The conclusions about the teams without variety, and about variety."""
    if plain:
        strong = max(plain, key=lambda kind: plain[kind].gain.mean)
        hidden = min(plain, key=lambda kind: plain[kind].predicted.mean)
        yield Conclusion(
            f"The strongest team over three scenarios, `{strong}`, gains {plain[strong].gain.mean:.1f} IPC and is "
            f"predicted in {percents(plain[strong].predicted)} of its orders; the least predictable, `{hidden}`, gains "
            f"{plain[hidden].gain.mean:.1f} and is predicted in {percents(plain[hidden].predicted)}."
        )
    steady, varied = ([row for row in results.rows("reading") if row["variety"] == each] for each in VARIETIES)
    if steady and varied:
        means = [fmean(row[what] for row in some) for what in ("hits", "gain") for some in (steady, varied)]
        yield Conclusion(
            f"With variety 1 {100 * means[1]:.0f} % of a team's orders are predicted, without it "
            f"{100 * means[0]:.0f} %; the mean gain is {means[3]:.1f} against {means[2]:.1f} IPC."
        )
    yield Paragraph("The watcher rehearses every turn with a team of the same kind and other luck.")


SECTIONS = (Section(title="How predictable are teams?", parts=("reading",), blocks=blocks),)
