"""The study of the whole game of Axis & Allies: who beats whom, what each part of the commander is worth, and why."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from time import process_time
from typing import Any

from kibitz import core
from kibitz.arena.plots.charts import dots, panels
from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.core.match import drawn_outcome
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz.games.axis.full.game import FullState
from kibitz.games.axis.full.turn import cities
from kibitz.studies.axis.thesis import SOURCE
from kibitz.studies.axis_positions import KINDS, drawn_position, is_solved
from kibitz.studies.blocks import Block, Cell, Conclusion, Figure, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Study, Work, cross_factors

GAME = "axis(scenario='revised', rules='full')"
EVEN_GAME = "axis(scenario='revised', rules='full', switches={'bids': {'Russians': 24, 'British': 12}})"
"""With these bids equal commanders win about as often from both sides, so that a game tells more of who is better."""
COMMANDER = "axis.commander"
GREEDY = "axis.greedy_full"
OPPONENTS = {"random": "random_games", GREEDY: "greedy_games", "axis.sensible_full": "greedy_games"}
"""Who the commander plays against, and the setting that says how often."""
CONTROLS = ((GREEDY, "random"), ("axis.sensible_full", "random"), ("axis.sensible_full", GREEDY))
PARTS: dict[str, str] = {
    "one turn ahead": "depth=1",
    "no lessons": "lessons=0",
    "no rounds of learning": "rounds=0",
    "automata L_RI": "kind=lri",
    "automata Tsetlin": "kind=tsetlin",
    "much longer thought": "lessons=4, rounds=1000",
}
"""Commanders that differ in one part from the plain one, whom each of them meets."""
BOUNDS = (-1.0, 1.0)
SETTINGS: Settings = {"greedy_games": 60, "random_games": 60, "control_games": 20, "part_games": 20, "positions": 20}
QUICK: Settings = {"greedy_games": 2, "random_games": 2, "control_games": 0, "part_games": 0, "positions": 1}


def parts(settings: Settings, seed: int) -> list[Part]:
    """Games of the commander against others, of others among each other, and of commanders with one part changed."""
    meetings: list[Case] = []
    for opponent, setting in OPPONENTS.items():
        factors = {"first": [COMMANDER], "second": [opponent]}
        meetings += cross_factors(factors, repeats=settings[setting], seed=seed)
    for first, second in CONTROLS:
        factors = {"first": [first], "second": [second]}
        meetings += cross_factors(factors, repeats=settings["control_games"], seed=seed)
    changed: list[Case] = []
    for name, parameters in PARTS.items():
        factors = {"part": [name], "first": [f"{COMMANDER}({parameters})"], "second": [COMMANDER], "game": [EVEN_GAME]}
        changed += cross_factors(factors, repeats=settings["part_games"], seed=seed, paired=["part", "first"])
    factors = {"kind": list(KINDS), "agent": [COMMANDER, GREEDY]}
    drawn = cross_factors(factors, repeats=settings["positions"], seed=seed, paired=["agent"])
    return [
        Work(name="positions", work=tried_position, cases=drawn, weight=1),
        Work(name="meetings", work=played_game, cases=meetings, weight=4),
        Work(name="ablations", work=played_game, cases=changed, weight=8),
    ]


def tried_position(case: Case) -> Row:
    """One drawn position, and whether the agent plays what is clearly best."""
    position = drawn_position(case["kind"], case["seed"])
    return {"solved": is_solved(position, case["agent"], case["seed"]), "position": position.words}


def played_game(case: Case) -> Row:
    """One game; the first player has the first side in even repeats and the second in odd ones."""
    game: Any = make_game(case.get("game", GAME))
    side = case["repeat"] % 2
    powers = game.world.powers
    agents = [make_agent(case["first"] if each.side == side else case["second"], "axis") for each in powers]
    for player, agent in enumerate(agents):
        agent.begin(game, player, stream(case["seed"], "agent", player))
    luck, state = stream(case["seed"], "dice"), game.new_initial_state()
    seconds, turns, course, now = 0.0, 0, list[Row](), (0, -1)
    while not state.is_terminal():
        player = state.current_player()
        if player == core.CHANCE:
            state.apply_action(drawn_outcome(state, luck.random()))
            continue
        own = powers[player].side == side
        before = process_time()
        action = agents[player].act(state.clone(), core.Clock())
        seconds += process_time() - before if own else 0.0
        state.apply_action(action)
        if (after := turn_of(state)) != now:
            turns += powers[player].side == side
            if after[0] != now[0]:
                course.append(standing(state, side))
            now = after
    situation = state.situation
    return {
        "score": state.returns()[side and 1],
        "rounds": situation.round - 1,
        "decided": situation.winner >= 0,
        "seconds_a_turn": seconds / max(1, turns),
        "course": course,
    }


def turn_of(state: FullState) -> tuple[int, int]:
    """The round and the power whose turn it is, without making the readable situation of every state."""
    numbers: Any = getattr(state, "numbers", None)
    if numbers is not None:
        return int(numbers[0]), int(numbers[1])
    return state.situation.round, state.situation.mover


def standing(state: FullState, side: int) -> Row:
    """Income, cities and units of a side, and of the others."""
    situation = state.situation
    world, rows = situation.world, []
    held = cities(situation)
    for each in range(len(world.sides)):
        mine = [power.side == each for power in world.powers]
        income = sum(
            a.value for a, owner in zip(world.areas, situation.owners, strict=True) if owner >= 0 and mine[owner]
        )
        units = sum(n * world.units.prices[s.kind] for s, n in situation.units if s.power >= 0 and mine[s.power])
        rows.append((income, held[each], units))
    return {"own": rows[side], "other": rows[1 - side]}


# The report.


def side_scores(rows: Sequence[Row]) -> tuple[Estimate, ...]:
    """The mean score over all games, and from each side."""
    first = [row["score"] for row in rows if row["repeat"] % 2 == 0]
    second = [row["score"] for row in rows if row["repeat"] % 2 == 1]
    return tuple(mean_interval(each, bounds=BOUNDS) for each in ([*first, *second], first, second))


def meeting_blocks(results: Results) -> Iterator[Block]:
    """Who beats whom, from both sides."""
    rows: list[tuple[Cell, ...]] = []
    shown: dict[str, dict[str, Estimate]] = {"all": {}, "as the Allies": {}, "as the Axis": {}}
    for (first, second), found in results.groups("meetings", "first", "second").items():
        every, allies, axis = side_scores(found)
        label = f"{first.removeprefix('axis.')} v {second.removeprefix('axis.')}"
        for group, score in zip(shown.values(), (every, allies, axis), strict=True):
            group[label] = score
        rows.append(
            (first, second, len(found), every, allies, axis, fmean(row["rounds"] for row in found),
             fmean(row["decided"] for row in found), fmean(row["seconds_a_turn"] for row in found))
        )  # fmt: skip
        verdict = "beats" if every.low > 0.0 else "loses to" if every.high < 0.0 else "is not decided against"
        yield Conclusion(
            f"`{first}` {verdict} `{second}`: {every} over {len(found)} games (Allies {allies}, Axis {axis})."
        )
    columns = ("player", "against", "games", "score", "as the Allies", "as the Axis", "rounds", "decided by cities",
               "CPU s a turn")  # fmt: skip
    yield Table(columns, rows, "Mean score, 1 for a victory, from both sides in turn.", shown=True)
    yield Figure("axis-full-scores", "Scores in whole games.", lambda: dots(shown, label="score"))
    yield from course_blocks(results)


def position_blocks(results: Results) -> Iterator[Block]:
    """How many of the drawn positions are solved."""
    rows: list[tuple[Cell, ...]] = []
    for (agent,), found in results.groups("positions", "agent").items():
        kinds = [[row["solved"] for row in found if row["kind"] == kind] for kind in KINDS]
        every = mean_interval([float(row["solved"]) for row in found], bounds=(0.0, 1.0))
        rows.append((agent, *(f"{sum(each)} of {len(each)}" for each in kinds), every))
        yield Conclusion(f"`{agent}` plays the operation that is clearly best in {every} of {len(found)} positions.")
    yield Table(("agent", *KINDS, "all"), rows, "Drawn positions in which one operation is clearly best.", shown=True)


def course_blocks(results: Results) -> Iterator[Block]:
    """How a game goes: income, cities and units of the commander and of the greedy player."""
    rows = [row for row in results.rows("meetings") if row["second"] == GREEDY and row["first"] == COMMANDER]
    if not rows:
        return
    longest = max(rows, key=lambda row: (len(row["course"]), -row["repeat"]))["course"]
    names = ("income", "cities", "units")
    curves: Mapping[str, Mapping[str, Sequence[float]]] = {
        name: {who: [each[key][place] / max(1, each["own"][place] + each["other"][place]) for each in longest]
               for who, key in (("commander", "own"), ("greedy", "other"))}
        for place, name in enumerate(names)
    }  # fmt: skip
    yield Figure("axis-full-course", "The longest game against the greedy player, by rounds: shares of both sides.",
                 lambda: panels(curves, x="round", y="share", limits=(0.0, 1.0)))  # fmt: skip


def part_blocks(results: Results) -> Iterator[Block]:
    """What each part is worth: the changed commander against the plain one."""
    rows: list[tuple[Cell, ...]] = []
    shown: dict[str, dict[str, Estimate]] = {"against the plain commander": {}}
    for (name,), found in results.groups("ablations", "part").items():
        score = mean_interval([row["score"] for row in found], bounds=BOUNDS)
        rows.append((name, len(found), score, fmean(row["seconds_a_turn"] for row in found)))
        shown["against the plain commander"][name] = score
        verdict = "better" if score.low > 0.0 else "worse" if score.high < 0.0 else "not clearly different"
        yield Conclusion(f"A commander with *{name}* is {verdict}: {score} over {len(found)} games.")
    if rows:
        yield Table(("changed part", "games", "score", "CPU s a turn"), rows,
                    "The commander with one part changed against the plain one; bids make the sides about equal.",
                    shown=True)  # fmt: skip
        yield Figure("axis-full-parts", "What each part is worth.", lambda: dots(shown, label="score"))
    yield Paragraph(
        "Seats alternate; a score of 1 is a victory by cities, a lead after the last round is worth up to half."
    )


STUDY = Study(
    name="axis-full",
    title="Axis & Allies, the whole game: what does the commander gain?",
    asks=(
        "Lie (2009) left the whole game as further work for teams of learning automata. Does a commander whose pieces "
        "learn together beat a greedy player from both sides, which of its parts make it strong, and what does depth "
        "bring?"
    ),
    settings=SETTINGS,
    quick=QUICK,
    parts=parts,
    sections=(
        Section(title="Positions", parts=("positions",), blocks=position_blocks),
        Section(title="Who beats whom", parts=("meetings",), blocks=meeting_blocks),
        Section(title="What each part is worth", parts=("ablations",), blocks=part_blocks),
    ),
    sources=(SOURCE,),
)
