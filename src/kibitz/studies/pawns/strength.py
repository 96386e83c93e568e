"""Does predicting the opponent make a player stronger? Paired games against equally costly plain search."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from kibitz import core
from kibitz.agents.search.alphabeta import AlphaBeta
from kibitz.arena.plots.charts import dots
from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.core.clocks import Clock
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz.studies.blocks import Block, Cell, Conclusion, Figure, Paragraph, Table
from kibitz.studies.pawns.arms import (
    ANYBODY,
    AT_RANDOM,
    CAPS,
    DEEPER,
    DEEPEST,
    FURTHER,
    GUESSED,
    HELD_OUT,
    MIXES,
    MODELS,
    MOST,
    OUTSIDERS,
    PLAIN,
    WINS,
    opponent,
    player,
)
from kibitz.studies.pawns.games import NOISE, play_game, steps
from kibitz.studies.pawns.protocol import (
    HARM,
    LEVEL,
    PRIMARY,
    SATURATED,
    comparisons,
    decision,
    gain,
    games_that_count,
    least_gain,
    level_of,
)
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work, cross_factors

SETTINGS: Settings = {
    "owned": ("S1", "S2", "S3", "S4"),
    "base": 4,
    "pilots": 1,
    "inside": 63,
    "guessed": 21,
    "outside": 51,
    "glimpse": 20,
}
QUICK: Settings = {"owned": ("S4",), "base": 2, "inside": 2, "guessed": 1, "outside": 1, "glimpse": 1}
SURPLUS = 1.1
"""The factor between the nodes of a capped control and of its arm, so that it has at least as many in all games."""
SAMPLED = 4
"""The step between positions of a pilot game that are searched to see what a budget would buy."""
COLOURS = (0, 1)


def parts(settings: Settings, seed: int) -> list[Part]:
    """Pilot games, which measure the cost of an arm, then games against opponents inside and outside the library."""
    pilots = [
        {**case, "library": library}
        for library in ("inside", "outside")
        for case in meetings(settings, seed, library, dict.fromkeys(MODELS, int(settings["pilots"])), "pilot")
    ]
    inside, outside = inside_repeats(settings), outside_repeats(settings, ())
    return [
        Work(name="pilot", work=cost, cases=pilots, version=2, weight=4.0),
        Work(name="inside", work=duel, cases=inside_cases, planned=games_of(settings, "inside", inside), weight=2.0),
        Work(
            name="outside", work=duel, cases=outside_cases, planned=games_of(settings, "outside", outside), weight=2.0
        ),
    ]


def inside_repeats(settings: Settings) -> dict[str, int]:
    """How often every arm meets each opponent inside the library; the costly random controls less often."""
    often = dict.fromkeys((*MODELS, PLAIN, FURTHER, *CAPS.values(), *MIXES.values()), settings["inside"])
    return often | {AT_RANDOM + arm: settings["guessed"] for arm in GUESSED}


def outside_repeats(settings: Settings, gaining: Sequence[str]) -> dict[str, int]:
    """The same outside: arms that gain inside meet them often, because the decision depends on this."""
    repeats = {arm: settings["outside" if arm in gaining else "glimpse"] for arm in MODELS}
    equals = {
        kind[arm]: max(repeats[each] for each in MODELS if kind[each] == kind[arm])
        for kind in (CAPS, MIXES)
        for arm in MODELS
    }
    return {**repeats, PLAIN: max(repeats.values()), **equals}


def inside_cases(results: Results) -> list[Case]:
    """The games inside the library."""
    return cases_with_budgets(results, "inside", inside_repeats(results.settings))


def outside_cases(results: Results) -> list[Case]:
    """The games outside the library."""
    rows = results.rows("inside")
    gaining = [arm for arm in MODELS if least_gain(rows, arm).low > 0.0]
    return cases_with_budgets(results, "outside", outside_repeats(results.settings, gaining))


def cases_with_budgets(results: Results, library: str, repeats: Mapping[str, int]) -> list[Case]:
    """The games of all arms, with the budgets of those that have one."""
    found = budgets(results.rows("pilot"), library, results.settings["base"])
    cases = meetings(results.settings, results.seed, library, repeats, library)
    return [{**case, "budget": found.get(case["arm"])} for case in cases]


def games_of(settings: Settings, library: str, repeats: Mapping[str, int]) -> int:
    """How many games all arms play."""
    return sum(repeats.values()) * len(settings["owned"]) * len(opponents(settings, library)) * len(COLOURS)


def opponents(settings: Settings, library: str) -> tuple[str, ...]:
    """The opponents inside or outside the library."""
    return tuple(settings["owned"]) if library == "inside" else (*OUTSIDERS, ANYBODY)


def meetings(settings: Settings, seed: int, library: str, repeats: Mapping[str, int], part: str) -> list[Case]:
    """Every strategy with every opponent, in both colours; all arms on the same seeds, so that games are pairs."""
    found: list[Case] = []
    for often in sorted(set(repeats.values()), reverse=True):
        factors = {
            "part": [part],
            "arm": [arm for arm, each in repeats.items() if each == often],
            "own": settings["owned"],
            "opponent": opponents(settings, library),
            "colour": COLOURS,
            "base": [settings["base"]],
        }
        found += cross_factors(factors, repeats=often, seed=seed, paired=["arm"])
    return found


def duel(case: Case) -> Row:
    """A game of an arm: its score, its nodes with those of its model, and how well it predicted the other's moves."""
    game = game_of(case)
    colour = case["colour"]
    score = (1.0 + game["result"] * (1 if colour == 0 else -1)) / 2.0
    kept = {"score": score, "moves": game["searches"][colour], "nodes": game["nodes"][colour]}
    tally = game.get("tally", {})
    predicted = {name: tally[name] for name in ("predictions", "hits", "chance") if tally}
    return {**kept, "seconds": game["seconds"][colour], **predicted}


def game_of(case: Case) -> Row:
    """The game of a case, with the arm in the seat of its colour."""
    agent = player(case["arm"], case["own"], case["base"], case.get("budget"))
    other = opponent(case["opponent"], case["base"])
    black, white = (agent, other) if case["colour"] == 0 else (other, agent)
    return play_game(black, white, case["seed"])


def cost(case: Case) -> Row:
    """What an arm spends in a game, and what plain search would spend in some of its positions.

    `costs` are those of deepening without a budget, `depths` those of single fixed depths.
    """
    found = game_of(case)
    rules, colour, own, base = make_game("pawns"), case["colour"], case["own"], case["base"]
    deepening = player(CAPS[case["arm"]], own, base, MOST)
    fixed = [player(MIXES[case["arm"]], own, base, depth) for depth in mixed_depths(base)]
    for agent in (deepening, *fixed):
        agent.begin(rules, colour, stream(case["seed"], "pilot"))
    states = [state for state, _ in steps(rules, found["moves"])[colour:-1:2][::SAMPLED]]
    row = {"moves": found["searches"][colour], "nodes": found["nodes"][colour]}
    depths = [[spent_on(agent, state) for agent in fixed] for state in states]
    return {**row, "costs": [spent_on(deepening, state) for state in states], "depths": depths}


def mixed_depths(base: int) -> list[int]:
    """The two depths that a mixed control uses."""
    return [base + DEEPER * more for more in range(3)]


def spent_on(agent: AlphaBeta, state: core.State) -> int:
    """The nodes of one move."""
    agent.act(state, Clock())
    assert agent.found is not None, "it has just searched"
    return agent.found.nodes


def budgets(rows: Sequence[Row], library: str, base: int) -> dict[str, float]:
    """For every control that spends what its arm does, the least budget for that, and a little more."""
    found: dict[str, float] = {}
    for arm in MODELS:
        own = [row for row in rows if row["arm"] == arm and row["library"] == library and row["opponent"] != ANYBODY]
        spent = SURPLUS * sum(row["nodes"] for row in own) / sum(row["moves"] for row in own)
        capped = enough(np.array([each for row in own for each in row["costs"]]), spent)
        by_depth = np.array([each for row in own for each in row["depths"]]).mean(axis=0)
        mixed = round(float(np.interp(spent, by_depth, mixed_depths(base))), 3)
        for control, budget in ((CAPS[arm], capped), (MIXES[arm], mixed)):
            found[control] = max(budget, found.get(control, 0))
    return found


def enough(costs: Any, spent: float) -> int:
    """The least budget with which searches of these unbounded costs spend *spent* on average.

    >>> enough(np.array([100, 1000]), 300.0)
    500
    """
    return 1 + bisect_left(range(1, MOST), spent, key=lambda budget: float(np.minimum(costs, budget).mean()))


def protocol_blocks(results: Results) -> Iterator[Block]:
    """All decisions made before the first game."""
    settings = results.settings
    owned, base = settings["owned"], settings["base"]
    inside, outside, glimpse = (pairs_of(settings, name) for name in ("inside", "outside", "glimpse"))
    others = len(comparisons()) - 1
    yield Paragraph(
        f"Hypothesis: `{PRIMARY}` scores more than plain search that spends at least as many nodes, against opponents "
        f"whose strategies the model knows. That is the one primary comparison, with an interval of {LEVEL:.0%}. "
        f"The other {others} comparisons with controls share an error of {1 - LEVEL:.0%} (Bonferroni): their intervals "
        f"have a level of {1 - (1 - LEVEL) / others:.2%} each and hold together."
    )
    yield Paragraph(
        f"Every arm plays with the weights of {', '.join(owned)} in turn, as black and as white, against every "
        f"opponent: {inside:,} games inside the library, and outside of it {outside:,} if it gains something inside, "
        f"else {glimpse:,}, because then the rule below has decided already. All arms play "
        "on the same seeds, so that games are compared in pairs: the same seed, weights, opponent and colour, and "
        "the opponent draws the same numbers. A win counts 1, a draw a half; the test is the interval of the mean "
        f'difference. The rules are the default ones, ties are broken at the {NOISE} (`noise="{NOISE}"`), '
        f'`win_value="{WINS}"`, and all players look {base} plies ahead unless stated otherwise.'
    )
    rows = [(arm, words, repr(player(arm, owned[0], base))) for arm, words in MODELS.items()]
    yield Table(("arm", "what it is", f"as {owned[0]}"), rows, "The arms.")
    yield Paragraph(
        f"Controls. *Capped*: plain search with a node budget, which deepens by two plies at a time, to at most "
        f"{DEEPEST}, and keeps the last depth it finished. The budget is the least with which it spends {SURPLUS:g} "
        "times what the arm spends a move, the model's own searches for learning and predicting included; pilot games "
        "measure that. It keeps to even depths because an odd one values positions after the own move, which differs "
        "in this game and would be an unfair comparison; so would a fixed depth 5, for the same reason. "
        f"*Mixed*: plain search that looks two plies further at randomly drawn moves, as often as needed to spend as "
        "much; a budget loses what it spends on an unfinished depth, a mixed control loses nothing. "
        f"*Plain* looks {base} plies ahead, *deeper* {base + 2}. *Random* is the same tree in which as many "
        f"moves as the rule names are drawn at random; it plays {settings['guessed']} of every {settings['inside']} "
        "pairs."
    )
    held = "; ".join(f"{name} {weights}" for name, weights in HELD_OUT.items())
    yield Paragraph(
        f"Outside the library: strategies that no model was trained on ({held}), strategies that look less or further "
        f"ahead than the model assumes, one that also plays moves that are somewhat worse, and {ANYBODY}, which "
        "always loses and therefore counts in no mean."
    )
    yield Paragraph(
        "Rule: an arm is switched on by default only if the lower end of its gain over both controls that spend as "
        f"much is above 0 inside the library and above -{HARM} outside it. Otherwise plain search stays the default."
    )


def pairs_of(settings: Settings, repeats: str) -> int:
    """The games of an arm that count, if it meets each opponent as often as that setting says."""
    met = settings["owned"] if repeats == "inside" else OUTSIDERS
    return len(settings["owned"]) * len(met) * len(COLOURS) * int(settings[repeats])


def inside_section(results: Results) -> Iterator[Block]:
    """The comparisons against strategies that the models know."""
    rows = results.rows("inside")
    yield costs_table(rows, "Against the strategies of the library: what an arm scores, spends and predicts.")
    table = [
        (arm, control, gain(rows, arm, control, level_of(arm, control)), f"{level_of(arm, control):.2%}")
        for arm, control in comparisons()
    ]
    yield Table(
        ("arm", "compared with", "gain (interval)", "level"), table, "Score of the arm less that of its control."
    )
    yield from by_strategy(rows, "own", "the own strategy")
    yield from by_strategy(rows, "opponent", "the opponent's strategy")
    groups = {
        words: {arm: gain(rows, arm, control, level_of(arm, control)) for arm, control in against.items()}
        for words, against in (
            ("node-capped", CAPS),
            ("mixed depths", MIXES),
            ("same depth", dict.fromkeys(MODELS, PLAIN)),
            ("deeper", dict.fromkeys(MODELS, FURTHER)),
        )
    }
    yield Figure(
        "gains",
        "Gain in score over plain search, inside the library, with simultaneous intervals.",
        lambda: dots(groups, label="gain in score per game"),
    )
    primary = gain(rows, PRIMARY, CAPS[PRIMARY])
    yield Conclusion(f"Primary comparison: {gain_sentence(PRIMARY, primary)}")
    found = [(arm, control, gain(rows, arm, control, level_of(arm, control))) for arm, control in comparisons()]
    others = [each for each in found if each[:2] != (PRIMARY, CAPS[PRIMARY])]
    sure = [
        f"{arm} against {control} {signed_interval(each)}"
        for arm, control, each in others
        if each.low > 0 or each.high < 0
    ]
    yield Conclusion(
        f"Of the {len(others)} other comparisons {len(sure)} differ from 0 after correction for multiple comparisons"
        f"{': ' + '; '.join(sure) if sure else ''}."
    )


def outside_section(results: Results) -> Iterator[Block]:
    """The comparisons against opponents that no model knows."""
    rows = results.rows("outside")
    yield costs_table(games_that_count(rows), f"Against opponents outside the library, {ANYBODY} left out.")
    table: list[tuple[Cell, ...]] = [
        (
            arm,
            *(gain(games_that_count(rows), arm, each, level_of(arm, each)) for each in (CAPS[arm], MIXES[arm], PLAIN)),
        )
        for arm in MODELS
    ]
    yield Table(
        ("arm", "gain over the capped control", "gain over the mixed one", "gain over plain"),
        table,
        "Gains outside the library, at the levels of the same comparisons inside.",
    )
    yield from by_strategy(rows, "opponent", "the opponent")


def decision_section(results: Results) -> Iterator[Block]:
    """The decision of the rule for every arm."""
    inside, outside = results.rows("inside"), games_that_count(results.rows("outside"))
    rows: list[tuple[Cell, ...]] = []
    chosen = []
    for arm in MODELS:
        gains = [least_gain(each, arm) for each in (inside, outside)]
        found = decision(*gains)
        chosen += [arm] if found.on else []
        rows.append((arm, *gains, "on" if found.on else "off", found.why))
    columns = ("arm", "gain inside", "gain outside", "default", "because")
    yield Table(columns, rows, "The rule applied, over the better of the two controls that spend as much.")
    if chosen:
        yield Conclusion(f"By the rule stated before the run {' and '.join(chosen)} may be switched on by default.")
    else:
        yield Conclusion("By the rule stated before the run no arm is switched on: plain search stays the default.")


def costs_table(rows: Sequence[Row], caption: str) -> Table:
    """What every arm scores and spends."""
    table: list[tuple[Cell, ...]] = []
    for arm in dict.fromkeys(row["arm"] for row in rows):
        own = [row for row in rows if row["arm"] == arm]
        moves = sum(row["moves"] for row in own)
        score = mean_interval([row["score"] for row in own], bounds=(0.0, 1.0))
        nodes = sum(row["nodes"] for row in own) / moves
        time = 1000.0 * sum(row["seconds"] for row in own) / moves
        table.append((arm, len(own), score, round(nodes), f"{time:.2f}", *prediction_cells(own)))
    columns = ("arm", "games", "score", "nodes a move", "ms a move", "sets that hit", "lift")
    return Table(columns, table, f"{caption} Nodes include the model's; times are those of this run's machine.")


def prediction_cells(rows: Sequence[Row]) -> tuple[Cell, Cell]:
    """How often the likely sets held the move played, and the lift over chance."""
    predictions, hits = (sum(row.get(name, 0) for row in rows) for name in ("predictions", "hits"))
    if not predictions:
        return None, None
    return f"{hits / predictions:.3f}", f"{hits / sum(row['chance'] for row in rows):.2f}"


def by_strategy(rows: Sequence[Row], factor: str, words: str) -> Iterator[Block]:
    """The gains over the capped control by one factor; descriptive, without correction."""
    levels = list(dict.fromkeys(row[factor] for row in rows))
    table: list[tuple[Cell, ...]] = []
    for arm in MODELS:
        cells: list[Cell] = []
        for level in levels:
            some = [row for row in rows if row[factor] == level]
            control = fmean(row["score"] for row in some if row["arm"] == CAPS[arm])
            mark = " saturated" if control > SATURATED else ""
            cells.append(f"{signed_interval(gain(some, arm, CAPS[arm]))} [{control:.2f}{mark}]")
        table.append((arm, *cells))
    yield Table(
        ("arm", *levels),
        table,
        f"Gain over the capped control by {words}, with {LEVEL:.0%} intervals, not corrected for multiple comparisons; "
        f"in brackets the control's score, marked where it is above {SATURATED}.",
    )


def gain_sentence(arm: str, found: Estimate) -> str:
    """A gain in a sentence."""
    verdict = "is stronger" if found.low > 0 else "is weaker" if found.high < 0 else "is not shown to be stronger"
    gained = f"{signed_interval(found)} a game in {found.matches:,} pairs"
    return f"{arm} {verdict} than plain search with at least its nodes: {gained}."


def signed_interval(found: Estimate) -> str:
    """`+0.012 (-0.008 to +0.032)`."""
    return f"{found.mean:+.3f} ({found.low:+.3f} to {found.high:+.3f})"


SECTIONS = (
    Section(title="Strength: what was decided before the run", parts=(), blocks=protocol_blocks),
    Section(title="Strength inside the library", parts=("inside",), blocks=inside_section),
    Section(title="Strength outside the library", parts=("outside",), blocks=outside_section),
    Section(title="On or off", parts=("inside", "outside"), blocks=decision_section),
)
