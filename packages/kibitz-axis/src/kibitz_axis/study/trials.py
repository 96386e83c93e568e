"""One complete run of a team on a scenario, judged by the exact solution: a row of the study."""

from collections import Counter
from functools import lru_cache
from time import process_time

from kibitz import core
from kibitz.core.match import drawn_outcome
from kibitz.core.registry import make_game
from kibitz.core.seeds import derived_seed, stream
from kibitz_axis.land.perfect import plan_values, solver
from kibitz_axis.land.rules import State
from kibitz_axis.study.thesis import KINDS, ROUNDS
from kibitz_lab.automata.look_ahead import Others, Span
from kibitz_lab.automata.table_learning import learn_on_table
from kibitz_lab.automata.team import TeamResult
from kibitz_lab.automata.tier import Tier
from kibitz_lab.automata.turn_table import StateKey, TurnTable, shared_table
from kibitz_lab.equilibria.backward import BackwardInduction
from kibitz_lab.studies.study import Case, Row

RATES = (0.05, 0.1, 0.2)
"""The rates of L_RI by tier; the thesis has 0.02 to 0.05 for the first and larger ones below."""
PLAYER, OPPONENT = 0, 1
FEWEST = 5
"""The fewest rounds of a tier in a small version of the study."""
RIGHT = 1e-6
"""A turn is right if it is worse than the best by no more than this."""
TICK = 0.001
"""The shortest time that is reported: some systems count the time of processors in hundredths of a second."""


def run(case: Case) -> Row:
    """A team learns its first turn and plays it, the other side replies, and the team then learns its second turn.

    A case names `scenario` and `team`; it may set `outcomes`, `rounds`, `rates`, `limiter`, `sure`, `prior`, `span`,
    `depth` and `turns`, which default to those of the thesis. In adequate runs at most one unit deviates from optimal
    play in a turn.
    """
    state = make_game(f"axis(scenario={case['scenario']}, turns={case.get('turns', 0)})").new_initial_state()
    assert isinstance(state, State)
    depth = case.get("depth", state.board.turns)
    table = look_ahead(state, PLAYER, depth, case)
    started = process_time()
    learned = learned_turn(table, case, "first")
    row = {
        "seconds": max(process_time() - started, TICK),
        "rounds": len(learned.tried),
        **judge_turn(state, learned, case, "first"),
    }
    play_turn(state, learned)
    advance_to_choice(state, case["seed"])
    if state.current_player() == OPPONENT:
        row["reply"] = turn_words(state, learned_turn(look_ahead(state, OPPONENT, 1, case), case, "reply"))
    elif state.current_player() == PLAYER:
        second = learned_turn(look_ahead(state, PLAYER, min(depth, state.board.turns - 1), case), case, "second")
        row |= judge_turn(state, second, case, "second")
    row["first turn right"] = float(row["first_right"])
    row["all right"] = float(row["first_right"] and row.get("second_right", True))
    row["adequate"] = float(row["first_off"] <= 1 and row.get("second_off", 0) <= 1)
    return row


def look_ahead(state: State, player: int, depth: int, case: Case) -> TurnTable:
    """The table on which a player's team learns."""
    others: Others = "learning" if player == PLAYER else "absent"
    return shared_table(StateKey(state.game, state.clone()), player, depth, others, given_span(case))


def learned_turn(table: TurnTable, case: Case, name: str) -> TeamResult:
    """What a team learns to do now, with its own random numbers; every unit for itself, as in the thesis."""
    return learn_on_table(
        table, tiers(case), derived_seed(case["seed"], name), case.get("outcomes", "dice"), squads=False
    )


def given_span(case: Case) -> Span | None:
    """The range of gains of a case, as JSON returns it."""
    return (case["span"][0], case["span"][1]) if "span" in case else None


def tiers(case: Case) -> list[Tier]:
    """The tiers of a case."""
    first, later = KINDS[case["team"]]
    rounds = case.get("rounds") or ROUNDS[case["scenario"]][case["team"]]
    rates = case.get("rates") or RATES
    more = {name: case[name] for name in ("limiter", "sure", "prior") if name in case}
    return [
        Tier(kind=later if number else first, rounds=each, rate=rates[min(number, len(rates) - 1)], **more)
        for number, each in enumerate(rounds)
    ]


def thesis_rounds(scenario: str, team: str, scale: float) -> Row:
    """The entry of a case with reduced simulation counts; empty if they are the thesis's."""
    rounds = ROUNDS[scenario][team]
    return {} if scale == 1.0 else {"rounds": [max(FEWEST, round(each * scale)) for each in rounds]}


def play_turn(state: State, learned: TeamResult) -> None:
    """Give the orders that a team considers best."""
    for options, pick in zip([post.options for post in state.posts], learned.top, strict=True):
        state.apply_action(options[pick])


def advance_to_choice(state: State, seed: int) -> None:
    """Let dice and scripts go on until a player has a choice."""
    luck = stream(seed, "dice")
    while not state.is_terminal():
        if state.current_player() == core.CHANCE:
            state.apply_action(drawn_outcome(state, luck.random()))
        elif len(state.legal_actions()) == 1:
            state.apply_action(state.legal_actions()[0])
        else:
            break


@lru_cache(maxsize=8)
def exact_solver(scenario: str, turns: int) -> BackwardInduction:
    """Optimal play, in the first scenario against a tank that looks only at its own turn."""
    return solver("myopic" if scenario == "s1" else "perfect")


def judge_turn(state: State, learned: TeamResult, case: Case, name: str) -> Row:
    """The learned turn in words, what it gives away, and how many units deviate from optimal play."""
    values = plan_values(state, exact_solver(case["scenario"], state.board.turns))
    orders = turn_orders(state, learned)
    best = max(values.values())
    plans = [plan for plan, worth in values.items() if worth >= best - RIGHT]
    return {
        name: turn_words(state, learned),
        f"{name}_lost": best - values[orders],
        f"{name}_right": orders in plans,
        f"{name}_off": min((Counter(plan) - Counter(orders)).total() for plan in plans),
    }


def turn_orders(state: State, learned: TeamResult) -> tuple[str, ...]:
    """The orders that a team considers best, in words, in the order of `plan_values`."""
    picked = zip(state.posts, learned.top, strict=True)
    return tuple(sorted(state.order_text(post, post.options[pick]) for post, pick in picked))


def turn_words(state: State, learned: TeamResult) -> str:
    """The orders that a team considers best, as one text."""
    return "; ".join(turn_orders(state, learned))
