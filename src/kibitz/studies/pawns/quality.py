"""Measures how well every network and the strategy filter predict the opponent, on games that none learned from."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec
import numpy as np

from kibitz import core
from kibitz.agents.search.opponent import Tally
from kibitz.arena.plots.charts import dots
from kibitz.arena.scoring.calibration import calibration
from kibitz.arena.scoring.resampling import Resampling
from kibitz.arena.statistics import Estimate
from kibitz.core.registry import make_game
from kibitz.core.seeds import derived_seed, stream
from kibitz.models.dbn.model import Dbn, sharpen_weights
from kibitz.models.dbn.parameters import Parameters, parameters_path, slices_in
from kibitz.models.dbn.training import fit_parameters
from kibitz.models.dbn.validation import SHARPNESSES, TOPS, Decision, log_loss, move_figures
from kibitz.models.lots import RandomLikelihoods
from kibitz.models.strategy_filter import StrategyFilter
from kibitz.studies.blocks import Block, Cell, Conclusion, Figure, Paragraph, Table
from kibitz.studies.pawns.fields import ratio_estimate
from kibitz.studies.pawns.games import PLAIN, moves_of, plain_tournament, positions, steps
from kibitz.studies.pawns.networks import SLICES, compress_parameters, decompress_parameters
from kibitz.studies.pawns.predictions import BLACK, WHITE, RuleTallies, judge
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work, cross_factors

SETTINGS: Settings = {"library": 40, "unseen": 10}
QUICK: Settings = {"library": 4, "unseen": 1}
WINS = "mate"
MASS = "mass(mass=0.8)"
SEEN = "seen_before"
BEST = "EM, a strategy a game, lag 1, two slices"
NETWORKS: Mapping[str, Dbn] = {
    "EM, a strategy a row, lag 2, one slice": Dbn(latent_scope="row", lag=2, colours="one"),
    "EM, a strategy a row, lag 2, two slices": Dbn(latent_scope="row", lag=2, colours="each"),
    "EM, a strategy a row, lag 1, two slices": Dbn(latent_scope="row", lag=1, colours="each"),
    "EM, a strategy a game, lag 2, one slice": Dbn(latent_scope="game", lag=2, colours="one"),
    "EM, a strategy a game, lag 2, two slices": Dbn(latent_scope="game", lag=2, colours="each"),
    "EM, a strategy a game, lag 1, one slice": Dbn(latent_scope="game", lag=1, colours="one"),
    BEST: Dbn(latent_scope="game", lag=1, colours="each"),
    "supervised, lag 2, one slice": Dbn(learning="supervised", lag=2, colours="one"),
    "supervised, lag 1, two slices": Dbn(learning="supervised", lag=1, colours="each"),
}
"""The ways to learn networks; the first is the thesis's. Two slices mean one for each colour."""
WINDOWS = {f"{BEST}, window {size or 'of the game'}": (BEST, size) for size in (1, 2, 0)}
"""The same network with numbers of positions other than four."""
SHIPPED = {f"shipped, `{name}`": name for name in ("pawns.thesis", "pawns.em")}
"""Networks that come with the game, learned from other games of the same kind, and tempered."""
FILTERS = {f"strategy filter, depth {depth}": depth for depth in (1, 2, 3)}
RANDOM = "random numbers"
WATCHERS = (RANDOM, *NETWORKS, *WINDOWS, *SHIPPED, *FILTERS)
PROTOTYPE = {
    RANDOM: ".137 / .407 / .672",
    "EM, a strategy a row, lag 2, one slice": ".199 / .568 / .744",
    "supervised, lag 2, one slice": ".256 / .666 / .838",
    "strategy filter, depth 1": ".310 / .773 / .951",
    "strategy filter, depth 2": ".359 / .778 / .939",
    "strategy filter, depth 3": ".381 / .849 / .964",
}
"""The results of a prototype on 80 games of the same kind: top 1, 3 and 5."""
ALIKE = 1e-9
"""Shares that differ by less are equal."""


class PredictedGame(NamedTuple):
    """White's moves of one game as a watcher on black's side predicted them, and its beliefs about white."""

    decisions: list[Decision]
    beliefs: list[tuple[float, float]]
    """Before each move: the largest share, and whether the true strategy had it; ties are shared."""
    named: float
    """Whether white's strategy had the largest share at the end; ties are shared."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """Games of all strategies, networks learned from most of them, and all watchers' predictions of the rest."""
    factors = {"wins": [WINS], "player": [PLAIN], "depth": [settings["base"]]}
    games = cross_factors(factors, repeats=settings["library"], seed=derived_seed(seed, "library"))
    return [
        Work(name="library", work=plain_tournament, cases=games, weight=0.3),
        Work(name="taught", work=train_network, cases=taught_cases, planned=len(NETWORKS), weight=3.0),
        Work(name="quality", work=predict_tournament, cases=quality_cases, planned=settings["unseen"], weight=8.0),
    ]


def taught_cases(results: Results) -> list[Case]:
    """Each network, and the games it learns from: those before the unseen ones."""
    seen = results.rows("library")[: -results.settings["unseen"]]
    games = [game for row in seen for game in moves_of(row)]
    return [{"network": name, "seed": derived_seed(results.seed, "taught", name), "games": games} for name in NETWORKS]


def train_network(case: Case) -> Row:
    """The learned parameters, with the sharpness that fits the games they are learned from."""
    model, rng = NETWORKS[case["network"]], stream(case["seed"], "taught")
    found = fit_parameters(
        model, make_game("pawns"), [positions(game) for game in case["games"]], rng, lambda said: None
    )
    some = case["games"][:: max(1, len(case["games"]) // 60)]
    decisions = [each for game in some for each in predict_game(network(found, SLICES, game), game, rng).decisions]
    return {"parameters": msgspec.to_builtins(msgspec.structs.replace(found, sharpness=sharpest(decisions)))}


def sharpest(decisions: Sequence[Decision]) -> float:
    """The sharpness with the smallest log loss."""
    return min(SHARPNESSES, key=lambda sharpness: sum(log_loss(each, sharpness) for each in decisions))


def quality_cases(results: Results) -> list[Case]:
    """A case per unseen tournament: its games, and all networks."""
    networks = {row["network"]: compress_parameters(row["parameters"]) for row in results.rows("taught")}
    unseen = results.rows("library")[-results.settings["unseen"] :]
    return [
        {"repeat": row["repeat"], "seed": derived_seed(row["seed"], "quality"), "networks": networks, "games": games}
        for row in unseen
        for games in [moves_of(row)]
    ]


def predict_tournament(case: Case) -> Row:
    """How well all watchers predict a tournament: sums over moves, likely sets, and their beliefs in the strategy."""
    return {"watchers": {name: watcher_row(name, case) for name in WATCHERS}}


def watcher_row(name: str, case: Case) -> Row:
    """The results of one watcher."""
    sums = {f"top {n}": 0.0 for n in TOPS} | {"log loss": 0.0, "chance log loss": 0.0}
    tallies = {SEEN: Tally(), MASS: Tally()}
    beliefs: list[tuple[float, float]] = []
    moves, named = 0, 0.0
    for number, game in enumerate(case["games"]):
        rng = stream(case["seed"], name, number)
        model, sharpness = watcher(name, case["networks"], game)
        found = predict_game(model, game, rng)
        for decision in found.decisions:
            marks = move_figures(decision, sharpness)
            sums = {mark: total + marks[mark] for mark, total in sums.items()}
        judge(found.decisions, SEEN, tallies[SEEN], rng)
        shares = [(sharpen_weights(each.weights, sharpness), each.chosen) for each in found.decisions]
        judge(shares, MASS, tallies[MASS], rng)
        beliefs += found.beliefs
        moves, named = moves + len(found.decisions), named + found.named
    row: Row = {"moves": moves, "games": len(case["games"]), "named": named, "beliefs": beliefs}
    return {**row, "sums": sums, "tallies": msgspec.to_builtins(tallies)}


def watcher(name: str, networks: Mapping[str, bytes], game: Row) -> tuple[core.Model, float]:
    """The watcher of that name on black's side, and the sharpness of its predictions."""
    if name == RANDOM:
        return RandomLikelihoods(), 1.0
    if name in FILTERS:
        return StrategyFilter(depth=FILTERS[name]), 1.0
    if name in SHIPPED:
        own = f"pawns.{game['black'].lower()}(noise='leaf')"
        shipped = slices_in(parameters_path(SHIPPED[name], "pawns"))[0]
        return Dbn(trained=SHIPPED[name], slices=SLICES, own=own), shipped.sharpness
    learned, window = WINDOWS.get(name, (name, SLICES))
    parameters = decompress_parameters(networks[learned])
    return network(parameters, window, game), parameters.sharpness


def network(parameters: Parameters, window: int, game: Row) -> Dbn:
    """A network on black's side, which knows black's own strategy."""
    model = Dbn(slices=window, own=game["black"])
    model.preset = parameters
    return model


def predict_game(model: core.Model, game: Row, rng: core.Rng) -> PredictedGame:
    """A model's predictions of white, move by move."""
    rules, found, beliefs = make_game("pawns"), [], []
    model.begin(rules, BLACK, rng)
    for ply, ((state, action), (after, _)) in enumerate(pairwise(steps(rules, game["moves"]))):
        if state.current_player() == WHITE:
            legal = list(state.legal_actions(WHITE))
            found.append(Decision(weights(model, state, legal), legal.index(action)))
            beliefs.append(belief(model, game["white"]))
        model.observe(core.Transition(ply, state.current_player(), (action,), state, after))
    return PredictedGame(found, beliefs, belief(model, game["white"])[1])


def weights(model: core.Model, state: core.State, legal: Sequence[int]) -> list[float]:
    """The likelihood of each of white's moves: the model's ranking, or its probabilities."""
    likelihoods = getattr(model, "likelihoods", None)
    if likelihoods is not None:
        ranked: list[float] = likelihoods(state, WHITE)
        return ranked
    predicted = model.predict(state, WHITE)
    return [predicted.probability(action) for action in legal]


def belief(model: core.Model, truth: str) -> tuple[float, float]:
    """The largest share of a belief about white, and whether the truth has it; ties are shared."""
    shares = {strategy_of(label): share for label, share in model.belief(WHITE).items()}
    if not shares:
        return 0.0, 0.0
    most = max(shares.values())
    best = [label for label, share in shares.items() if share > most - ALIKE]
    return most, (truth in best) / len(best)


def strategy_of(label: str) -> str:
    """The strategy of Table 10.1 that a label of a belief stands for.

    >>> strategy_of("pawns.s1(noise='leaf')"), strategy_of("S2")
    ('S1', 'S2')
    """
    return label.partition("(")[0].rpartition(".")[2].upper()


class Quality:
    """The results of one watcher on all unseen tournaments."""

    def __init__(self, results: Results, name: str) -> None:
        self.rows = [row["watchers"][name] for row in results.rows("quality")]

    def mean(self, mark: str) -> Estimate:
        """A mean per move, with a tournament as a block."""
        return ratio_estimate([row["sums"][mark] for row in self.rows], [row["moves"] for row in self.rows])

    def share_named(self) -> Estimate:
        """The share of games that end with the right strategy named."""
        return ratio_estimate([row["named"] for row in self.rows], [row["games"] for row in self.rows])

    def rule_tallies(self, rule: str) -> RuleTallies:
        """The results of a rule's sets."""
        return RuleTallies([row["tallies"][rule] for row in self.rows])

    def calibration_error(self) -> Estimate | None:
        """The calibration error: the mean distance of the likeliest strategy's share from how often it is right."""
        units = np.repeat(np.arange(len(self.rows)), [len(row["beliefs"]) for row in self.rows])
        pairs = np.array([pair for row in self.rows for pair in row["beliefs"]], np.float64).reshape(-1, 2)
        return calibration(pairs[:, 1], pairs[:, 0], units, Resampling(len(self.rows))).error


def section(results: Results) -> Iterator[Block]:
    """Every watcher's results."""
    found = {name: Quality(results, name) for name in WATCHERS}
    moves = sum(row["moves"] for row in found[RANDOM].rows)
    settings = results.settings
    yield Paragraph(
        f"All strategies play each other {settings['library']} times {settings['base']} plies deep; networks learn "
        f"from all but the last {settings['unseen']} rounds, in which all watchers predict white's moves from black's "
        f"side: {moves:,} moves. Intervals take a round of all pairings as a block. The filter has the true "
        "strategies among its hypotheses, so its rows are best cases. Only the shipped networks are tempered. The "
        "last column shows a prototype of ours on 80 games, without intervals."
    )
    rows: list[tuple[Cell, ...]] = [
        (name, *(each.mean(f"top {n}") for n in TOPS), each.mean("log loss"), PROTOTYPE.get(name))
        for name, each in found.items()
    ]
    columns = ("watcher", *(f"top {n}" for n in TOPS), "log loss", "prototype, top 1 / 3 / 5")
    even = found[RANDOM].mean("chance log loss").mean
    yield Table(columns, rows, f"Moves predicted (95 % intervals). Equal probabilities have a log loss of {even:.3f}.")
    sets: list[tuple[Cell, ...]] = []
    for name, each in found.items():
        seen, mass = each.rule_tallies(SEEN), each.rule_tallies(MASS)
        sets.append((name, seen.hits, f"{seen.size:.0%}", seen.lift, mass.hits, f"{mass.size:.0%}"))
    columns = ("watcher", "`seen_before` hits", "set", "lift", "80 % mass hits", "set")
    yield Table(columns, sets, "Likely sets: how often they hold the move played, their share of all moves, the lift.")
    who: list[tuple[Cell, ...]] = [
        (name, each.share_named(), each.calibration_error()) for name, each in found.items() if name != RANDOM
    ]
    columns = ("watcher", "strategy named at the end", "expected calibration error of the belief")
    yield Table(columns, who, "Who is it? Guessing names one game in four.")
    groups = {f"top {n}": {name: each.mean(f"top {n}") for name, each in found.items()} for n in TOPS}
    yield Figure("predicted", "The share of moves among the likeliest.", lambda: dots(groups, label="share of moves"))
    yield from bars(found)


def bars(found: Mapping[str, Quality]) -> Iterator[Conclusion]:
    """Whether the targets are met."""
    deepest = list(FILTERS)[-1]
    top = found[deepest].mean("top 3")
    met = "is met" if top.low >= 0.8 else "is missed" if top.high < 0.8 else "is neither clearly met nor missed"
    yield Conclusion(
        f"The {deepest} has the move played among its three likeliest in {top.mean:.3f} ({top.low:.3f} to "
        f"{top.high:.3f}) of the cases; the bar of 0.80 {met}."
    )
    lifts = {name: found[name].rule_tallies(SEEN).lift for name in NETWORKS if name.startswith("EM")}
    best = max(lifts, key=lambda name: lifts[name].mean)
    thesis = next(iter(NETWORKS))
    told = "; ".join(
        f"{name} {lifts[name].mean:.2f} ({lifts[name].low:.2f} to {lifts[name].high:.2f})" for name in (thesis, best)
    )
    yield Conclusion(
        f"Lift of `seen_before` over guessing, with the thesis's network and with the best of ours: {told}."
    )


SECTIONS = (Section(title="How well is the opponent predicted?", parts=("quality",), blocks=section),)
