"""Figure 11.1 and section 11.2: how well moves are predicted, by the ratios of those played and by likely sets."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

import msgspec

from kibitz import core
from kibitz.agents.search.opponent import Tally, make_rule
from kibitz.arena.plots.charts import needles
from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.core.registry import make_game
from kibitz.core.seeds import derived_seed, stream
from kibitz.models.likely import pessimistic_ratios
from kibitz.studies.blocks import Block, Cell, Conclusion, Figure, Paragraph, Table
from kibitz.studies.comparisons import Comparison, comparison_table, share
from kibitz.studies.pawns import thesis
from kibitz.studies.pawns.fields import Field, field_of, ratio_estimate
from kibitz.studies.pawns.games import Step, moves_of, steps
from kibitz.studies.pawns.networks import (
    NETWORKS,
    ONE,
    RANDOM,
    SEEN,
    THEIRS,
    THRESHOLD,
    TWO,
    packed_networks,
    rule_text,
    watcher,
)
from kibitz.studies.pawns.thesis import SOURCE
from kibitz.studies.results import Results
from kibitz.studies.sentences import join_names, percents
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work

BLACK, WHITE = 0, 1
WATCHERS = (*NETWORKS, RANDOM)
Move = tuple[list[float], int]
"""The predicted likelihood of each move, and the move played."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """All networks over the games of the plain tournaments, from which none was learned."""
    planned = len(settings["wins"]) * settings["tournaments"]
    return [Work(name="predictions", work=predict_games, cases=prediction_cases, planned=planned, weight=0.6)]


def prediction_cases(results: Results) -> list[Case]:
    """A case per plain tournament: its games, and the networks of its win value."""
    networks = {wins: packed_networks(results, wins) for wins in results.settings["wins"]}
    return [
        {
            "wins": row["wins"],
            "repeat": row["repeat"],
            "max_pr": results.settings["max_pr"],
            "seed": derived_seed(row["seed"], "predictions"),
            "networks": networks[row["wins"]],
            "games": moves_of(row),
        }
        for row in results.rows("plain")
        if row["repeat"] < results.settings["tournaments"]
    ]


def predict_games(case: Case) -> Row:
    """Black's predictions of white's moves with each network: the ratios played, and how good each rule's sets were."""
    ratios: dict[str, Counter[str]] = {name: Counter() for name in WATCHERS}
    tallies = {f"{name}, {rule}": Tally() for name in WATCHERS for rule in (SEEN, THRESHOLD)}
    for number, game in enumerate(case["games"]):
        line = steps(make_game("pawns"), game["moves"])
        for name in WATCHERS:
            rng = stream(case["seed"], name, number)
            moves = list(predicted_moves(watcher(case["networks"].get(name), game["black"]), line, rng))
            ratios[name].update(str(pessimistic_ratios(weights)[chosen]) for weights, chosen in moves)
            for rule in (SEEN, THRESHOLD):
                judge(moves, rule_text(rule, case["max_pr"]), tallies[f"{name}, {rule}"], rng)
    return {"ratios": ratios, "tallies": msgspec.to_builtins(tallies)}


def predicted_moves(model: core.Model, line: Sequence[Step], rng: core.Rng) -> Iterator[Move]:
    """White's moves as a model on black's side predicts them."""
    model.begin(make_game("pawns"), BLACK, rng)
    for ply, ((state, action), (after, _)) in enumerate(pairwise(line)):
        if state.current_player() == WHITE:
            legal = list(state.legal_actions(WHITE))
            yield model.likelihoods(state, WHITE), legal.index(action)  # type: ignore[attr-defined]
        model.observe(core.Transition(ply, state.current_player(), (action,), state, after))


def judge(moves: Sequence[Move], text: str, tally: Tally, rng: core.Rng) -> None:
    """Count the hits of a rule's likely sets over a game."""
    rule = make_rule(text)
    rule.begin(rng)
    for weights, chosen in moves:
        tally.count(rule.likely(weights), chosen)
        rule.observe_choice(weights, chosen)


class RuleTallies:
    """The results of a rule in several tournaments."""

    def __init__(self, tallies: Sequence[Mapping[str, float]]) -> None:
        self.tallies = tallies

    def total(self, name: str) -> float:
        """A number over all tournaments."""
        return sum(each[name] for each in self.tallies)

    def ratio(self, part: str, whole: str) -> Estimate:
        """The ratio of two numbers, with a tournament as a block; unknown if nothing was predicted."""
        kept = [each for each in self.tallies if each[whole]]
        return ratio_estimate([each[part] for each in kept], [each[whole] for each in kept]) if kept else NOTHING

    @property
    def hits(self) -> Estimate:
        """The share of sets that held the move played."""
        return self.ratio("hits", "predictions")

    @property
    def lift(self) -> Estimate:
        """Hits divided by the expected hits of random sets of the same sizes."""
        return self.ratio("hits", "chance")

    @property
    def size(self) -> float:
        """The share of the moves that a set holds."""
        return self.total("chance") / max(self.total("predictions"), 1)


NOTHING = mean_interval([])


def watched_tally(results: Results, wins: str, variant: str) -> RuleTallies:
    """How well a variant predicted the plain tournaments."""
    return RuleTallies([row["tallies"][variant] for row in results.rows("predictions") if row["wins"] == wins])


def played_tally(field: Field) -> RuleTallies:
    """How well the players of a field predicted their own games, tournament by tournament."""
    names = [each.name for each in msgspec.structs.fields(Tally)]
    return RuleTallies(
        [{name: sum(game["tally"][name] for game in row["games"]) for name in names} for row in field.rows]
    )


def prediction_section(results: Results) -> Iterator[Block]:
    """Right predictions in play by the thesis's method, beside the thesis's own."""
    rows: list[Comparison] = []
    for wins in results.settings["wins"]:
        tallied = played_tally(field_of(results, THEIRS, wins))
        decisions = tallied.total("predictions") + tallied.total("abstentions")
        rows += [
            Comparison(
                what=f"`{wins}`: right predictions",
                source=f"{SOURCE}, sec. 11.2: {thesis.RIGHT} of {thesis.PREDICTIONS}",
                there=share(thesis.RIGHT, thesis.PREDICTIONS),
                here=tallied.hits,
            ),
            Comparison(
                what=f"`{wins}`: right predictions, by the text",
                source=f"{SOURCE}, sec. 11.1: about 50 %",
                there=thesis.SAID,
                here=tallied.hits,
            ),
            Comparison(
                what=f"`{wins}`: likely moves where it was right",
                source=f"{SOURCE}, sec. 11.1: about 5",
                there=float(thesis.LIKELY),
                here=tallied.ratio("named_in_hits", "hits"),
            ),
            Comparison(
                what=f"`{wins}`: lift over guessing as many moves",
                source=f"{SOURCE}: 50 % with 5 of {thesis.BRANCHING:g} moves (computed)",
                there=thesis.SAID / (thesis.LIKELY / thesis.BRANCHING),
                here=tallied.lift,
            ),
            Comparison(
                what=f"`{wins}`: it abstains",
                source=f"{SOURCE}: not stated",
                there="at the start, and if all are equally likely",
                here=f"{tallied.total('abstentions') / decisions:.0%} of {decisions:,.0f} moves",
                apart="no number is given",
            ),
        ]
    yield comparison_table(rows, "Predictions of `seen_before` in the games of the asymmetric tree.")
    for wins in results.settings["wins"]:
        tallied = played_tally(field_of(results, THEIRS, wins))
        lift = tallied.lift
        than = "more" if lift.low > 1.0 else "less" if lift.high < 1.0 else "no more"
        yield Conclusion(
            f"With win value `{wins}` {percents(tallied.hits)} of {tallied.total('predictions'):,.0f} predictions of "
            f"`seen_before` are right, with sets of {tallied.size:.0%} of the moves: a lift of {lift.mean:.2f} "
            f"({lift.low:.2f} to {lift.high:.2f}), {than} than chance. Theirs, {thesis.RIGHT} of {thesis.PREDICTIONS} "
            f"({thesis.RIGHT / thesis.PREDICTIONS:.0%}), are reported as about half; half, with sets of 5 among 10 or "
            "11 moves, would be a lift of 1.05."
        )


def ratio_section(results: Results) -> Iterator[Block]:
    """Figure 11.1: the pessimistic ratios of the moves played, by network."""
    wins = results.settings["wins"][0]
    yield Paragraph(
        "The pessimistic ratio of a move is the share of its siblings that are considered at least as likely, itself "
        "included (formula 11.1): low if the network expected it, 1 if all are equally likely, but also if it was the "
        "least likely of all, which the thesis overlooks. These are white's moves in the plain tournaments, so every "
        "network sees the same games, and it has learned from none of them."
    )
    rows: list[tuple[Cell, ...]] = []
    for value in results.settings["wins"]:
        for name in WATCHERS:
            histograms = ratios_of(results, value, name)
            rows.append((value, name, mean_ratio(histograms), lowest(histograms), *all_alike(histograms)))
    columns = ("win value", "network", "mean ratio", "ratio of at most 1/4", "moves", "of ratio 1")
    yield Table(columns, rows, "The pessimistic ratios of the moves played (95 % interval, by tournaments).")
    shown = {name: total_histogram(ratios_of(results, wins, name)) for name in (ONE, TWO, RANDOM)}
    left_out = {name: histogram[Fraction(1)] for name, histogram in shown.items()}
    counts = join_names([f"{count:,} ({name})" for name, count in left_out.items()])
    yield Figure(
        "ratios",
        f"How often a pessimistic ratio was played (win value `{wins}`), as figure 11.1 of {SOURCE}; a ratio of 1 is "
        f"left out: {counts}; {thesis.ALL_ALIKE} there.",
        lambda: needles(
            {name: {float(ratio): n for ratio, n in each.items() if ratio < 1} for name, each in shown.items()},
            x="pessimistic ratio of the move played",
            y="moves",
        ),
    )
    yield Conclusion(ratio_verdict(results, wins))


def ratios_of(results: Results, wins: str, network: str) -> list[dict[Fraction, int]]:
    """How often each ratio was played, tournament by tournament."""
    rows = [row["ratios"][network] for row in results.rows("predictions") if row["wins"] == wins]
    return [{Fraction(text): count for text, count in row.items()} for row in rows]


def total_histogram(histograms: Sequence[Mapping[Fraction, int]]) -> Counter[Fraction]:
    """How often each ratio was played in total."""
    total: Counter[Fraction] = Counter()
    for histogram in histograms:
        total.update(histogram)
    return total


def mean_ratio(histograms: Sequence[Mapping[Fraction, int]]) -> Estimate:
    """The mean of the ratios."""
    sums = [sum(float(ratio) * count for ratio, count in each.items()) for each in histograms]
    return ratio_estimate(sums, [sum(each.values()) for each in histograms])


def lowest(histograms: Sequence[Mapping[Fraction, int]]) -> Estimate:
    """The share of moves that were among the likeliest quarter."""
    quarters = [sum(count for ratio, count in each.items() if ratio <= Fraction(1, 4)) for each in histograms]
    return ratio_estimate(quarters, [sum(each.values()) for each in histograms])


def all_alike(histograms: Sequence[Mapping[Fraction, int]]) -> tuple[int, int]:
    """The number of moves, and of those with a ratio of 1."""
    total = total_histogram(histograms)
    return total.total(), total[Fraction(1)]


def ratio_verdict(results: Results, wins: str) -> str:
    """Whether the networks predict better than random lots."""
    means = {name: mean_ratio(ratios_of(results, wins, name)) for name in WATCHERS}
    lots = means[RANDOM]
    better = [name for name in NETWORKS if means[name].high < lots.low]
    told = ", ".join(f"{name} {each.mean:.3f} ({each.low:.3f} to {each.high:.3f})" for name, each in means.items())
    best = min(means, key=lambda name: means[name].mean)
    who = f"{len(better)} of {len(NETWORKS)} networks predict" if better else "no network predicts"
    return f"The mean ratio of the moves played with win value `{wins}` is {told}: {who} them better than lots" + (
        f", `{best}` best." if better else "."
    )


SECTIONS = (
    Section(title="Predictions in play", parts=("asymmetric",), blocks=prediction_section),
    Section(title="Ratios of the moves played (figure 11.1)", parts=("predictions",), blocks=ratio_section),
)
