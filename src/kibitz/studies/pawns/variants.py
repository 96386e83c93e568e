"""The future work of Pedersen (2008, ch. 13): five ways of predicting, by their predictions and by their wins."""

from collections.abc import Iterator

from kibitz.studies.blocks import Block, Cell, Conclusion, Paragraph, Table
from kibitz.studies.comparisons import Comparison, comparison_table
from kibitz.studies.pawns.asymmetric import asymmetric_tournament, networked_cases
from kibitz.studies.pawns.fields import field_of, overall_change, points
from kibitz.studies.pawns.games import PLAIN
from kibitz.studies.pawns.networks import ONE, RANDOM, SEEN, THEIRS, THRESHOLD, VARIANTS
from kibitz.studies.pawns.predictions import WATCHERS, played_tally, watched_tally
from kibitz.studies.pawns.thesis import SOURCE
from kibitz.studies.results import Results
from kibitz.studies.sentences import join_names, percents
from kibitz.studies.study import Case, Part, Section, Settings, Work

OTHERS = [variant for variant in VARIANTS if variant != THEIRS]


def parts(settings: Settings, seed: int) -> list[Part]:
    """Tournaments in which black predicts in the four ways that the thesis did not try."""
    planned = len(OTHERS) * len(settings["wins"]) * settings["variant_tournaments"]
    return [Work(name="variants", work=asymmetric_tournament, cases=variant_cases, planned=planned, weight=2.0)]


def variant_cases(results: Results) -> list[Case]:
    """Tournaments of the other ways, on the seeds of the first plain ones."""
    return networked_cases(results, OTHERS, results.settings["variant_tournaments"])


def section(results: Results) -> Iterator[Block]:
    """The five ways of predicting of ch. 13, by their predictions and by their wins."""
    settings = results.settings
    rules = [f"{name}, {rule}" for name in WATCHERS for rule in (SEEN, THRESHOLD)]
    rows: list[tuple[Cell, ...]] = []
    for wins in settings["wins"]:
        for variant in rules:
            tallied = watched_tally(results, wins, variant)
            predicted = int(tallied.total("predictions"))
            rows.append((wins, variant, tallied.hits, f"{tallied.size:.0%}", tallied.lift, predicted))
    columns = ("win value", "network and rule", "right", "moves in a set", "lift", "predictions")
    yield Table(
        columns,
        rows,
        f"White's moves in the plain tournaments: the share of likely sets that held the move played, and how that "
        f"compares with sets of the same sizes by chance (95 % intervals). MAX_PR is {settings['max_pr']}.",
    )
    yield Paragraph(
        "A position keeps its random number throughout a game, so if positions recur, so does the ratio played: "
        "`seen_before` can be somewhat better than chance with random numbers."
    )
    yield comparison_table([threshold_claim(results, wins) for wins in settings["wins"]], "What section 11.1 says.")
    played: list[tuple[Cell, ...]] = []
    for wins in settings["wins"]:
        before = field_of(results, PLAIN, wins, "variant_tournaments")
        played.append((wins, PLAIN, before.overall(), None, None, None))
        for variant in VARIANTS:
            after = field_of(results, variant, wins, "variant_tournaments")
            tallied = played_tally(after)
            played.append((wins, variant, after.overall(), overall_change(before, after), tallied.hits, tallied.lift))
    columns = ("win value", "black's tree", "black won", "more than plain", "right", "lift")
    yield Table(
        columns,
        played,
        f"The five ways in play: {settings['variant_tournaments']} tournaments each, on the same seeds (95 % intervals "
        "by tournaments).",
    )
    for wins in settings["wins"]:
        yield Conclusion(variant_verdict(results, wins))


def threshold_claim(results: Results, wins: str) -> Comparison:
    """The thesis finds that with a constant threshold its network does worse than random numbers."""
    network, lots = (watched_tally(results, wins, f"{name}, {THRESHOLD}").lift for name in (ONE, RANDOM))
    return Comparison(
        what=f"`{wins}`: below a constant ratio the network does worse than random numbers",
        source=f"{SOURCE}, sec. 11.1",
        there="it performs worse",
        here=f"a lift of {network.mean:.2f} ({network.low:.2f} to {network.high:.2f}) against {lots.mean:.2f}",
        holds=True if network.high < lots.low else False if network.low > lots.high else None,
    )


def variant_verdict(results: Results, wins: str) -> str:
    """What the five ways predict and win."""
    lifts = {variant: watched_tally(results, wins, variant).lift for variant in VARIANTS}
    lots = lifts[f"{RANDOM}, {SEEN}"]
    ahead = [variant for variant, lift in lifts.items() if lift.low > lots.high]
    best = max(lifts, key=lambda variant: lifts[variant].mean)
    before, looks = field_of(results, PLAIN, wins, "variant_tournaments"), len(VARIANTS) * len(results.settings["wins"])
    changes = {
        variant: overall_change(
            before, field_of(results, variant, wins, "variant_tournaments"), level=1.0 - 0.05 / looks
        )
        for variant in VARIANTS
    }
    moved = [f"{name}, {points(found)}," for name, found in changes.items() if not found.low <= 0.0 <= found.high]
    top = lifts[best]
    return (
        f"Of the five ways with win value `{wins}` `{best}` has the highest lift, {top.mean:.2f} "
        f"({top.low:.2f} to {top.high:.2f}); {len(ahead)} of the four with a network have a higher one than random "
        f"lots, whose lift is {lots.mean:.2f}. In play "
        + (f"{join_names(moved)} differ from plain search" if moved else "none differs from plain search")
        + f" beyond chance ({looks} comparisons, intervals of {1 - 0.05 / looks:.1%}); with plain search black won "
        f"{percents(before.overall())}."
    )


SECTIONS = (
    Section(
        title="Five ways of predicting (ch. 13)",
        parts=("plain", "asymmetric", "predictions", "variants"),
        blocks=section,
    ),
)
