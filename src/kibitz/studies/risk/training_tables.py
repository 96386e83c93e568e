"""Tables to train `risk.choice` on: players, maps, decks and card rules, each drawn by a number.

`python -m kibitz.studies.risk.training_tables FILE` plays them, fits parameters to all of them at once, plays further
tables to fit how sure the model may be, and writes the file. The file that comes with the game was made in this way;
most of its tables had players of a wider family, which the game no longer has.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from multiprocessing import get_context
from typing import Any, NamedTuple

import msgspec
import numpy as np

from kibitz.core.clocks import Clock
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz.core.transition import Transition
from kibitz.games.risk.models.choice_parameters import ChoiceParameters, write_parameters
from kibitz.games.risk.models.choice_training import Examples, fit_parameters, fitted_certainty
from kibitz.games.risk.models.training_games import Step, TrainingGame, training_game_from_steps
from kibitz.games.risk.rules import Risk, State
from kibitz.studies.risk.own_agents import GAME

NUMBERS, CAMPAIGNS = range(3100, 3300), range(5000, 5100)
"""The tables of the file: of our own agents, and of campaigners."""
OWN_AGENTS, NEW_CAMPAIGNS, NEW_NUMBERS = range(30000, 30090), range(31000, 31060), range(32000, 32110)
"""The tables that say how sure the model may be: of agents as they come, of campaigners, and of our own agents."""
DIGITS = 4
"""The decimals of the numbers in that file."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What says how many threads add up numbers; with one, the order of a sum does not depend on the machine."""
SEED, CAMPAIGN_SEED = 78, 79
OWN = ("constrained", "mission(w=100)", "mission(w=4)")
MOST_PLIES = 5000
LEAST_DECISIONS = 50
BOARDS = ("dom-luca82", "classic83", "dom-risk81")
CARDS = ("fixed", "increasing", "italian")
PLAYERS = (6, 6, 6, 6, 5, 4, 3, 2)
CONTINENTS = 0.65
"""How often the deck holds only missions about continents."""
MOST_WEIGHT = 200.0
"""The most that the continents of their card are worth to a player; the least is as much as others."""
AS_PUBLISHED, ALIKE = 0.5, 0.75
"""How many campaigners differ by that weight alone, and how many tables have players of one kind."""


class DrawnTable(NamedTuple):
    """A game and its players."""

    game: str
    agents: list[str]


def draw_table(number: int) -> DrawnTable:
    """Most tables have players of one kind, the others several of our own players."""
    rng = np.random.default_rng([SEED, number])
    players = int(rng.choice(PLAYERS))
    deck = "continents" if rng.random() < CONTINENTS else "all"
    board, cards = BOARDS[int(rng.integers(len(BOARDS)))], CARDS[int(rng.integers(len(CARDS)))]
    alike = rng.random() < ALIKE
    weight = np.exp(rng.uniform(0.0, np.log(MOST_WEIGHT)))
    own = ["mission(w=100)", "mission(w=4)", "constrained", "heuristic", f"mission(w={weight:.1f})"]
    drawn = [own[int(rng.integers(len(own)))] for _ in range(players)]
    agents = drawn[:1] * players if alike else drawn
    return DrawnTable(f"risk(players={players}, missions={deck}, cards={cards}, board='{board}')", agents)


def draw_campaign(number: int) -> DrawnTable:
    """A table of campaigners (`risk.campaigner`), which play after the program that played `ai-w4` and `ai-w100`."""
    rng = np.random.default_rng([CAMPAIGN_SEED, number])
    players = int(rng.choice(PLAYERS))
    deck = "continents" if rng.random() < CONTINENTS else "all"
    board, cards = BOARDS[int(rng.integers(len(BOARDS)))], CARDS[int(rng.integers(len(CARDS)))]
    alike = rng.random() < ALIKE
    drawn = [draw_campaigner(rng) for _ in range(1 if alike else players)]
    game = f"risk(players={players}, missions={deck}, cards={cards}, board='{board}')"
    return DrawnTable(game, drawn * players if alike else drawn)


def draw_campaigner(rng: np.random.Generator) -> str:
    """A campaigner: as the algorithm was published but for the weight of the card, or another one of its kind."""
    weight = np.exp(rng.uniform(0.0, np.log(MOST_WEIGHT)))
    if rng.random() < AS_PUBLISHED:
        return f"campaigner(w={weight:.1f})"
    confidence, margin = np.exp(rng.uniform(-0.5, 0.5)), rng.integers(1, 4)
    whims, slips = rng.choice([0.0, 0.3, 0.8]), rng.choice([0.0, 0.05, 0.15])
    return f"campaigner(w={weight:.1f}, confidence={confidence:.2f}, margin={margin}, whims={whims}, slips={slips})"


def draw_own_agents(number: int) -> DrawnTable:
    """A table of one of our own agents as it comes, half of them in the game of the thesis."""
    turn, which = divmod(number, len(OWN))
    game = GAME if turn % 2 else draw_table(number).game
    return DrawnTable(game, [OWN[which]] * make_game(game).players)


def steps_of_table(table: DrawnTable, number: int) -> Iterator[tuple[Step, bool]]:
    """The steps of a match at a table; players get the states as they are, and look at no more than they may."""
    game, rng = make_game(table.game), stream(number, "chance")
    assert isinstance(game, Risk)
    agents = [make_agent(agent, "risk") for agent in table.agents]
    for player, agent in enumerate(agents):
        agent.begin(game, player, stream(number, "agent", player))
    state = game.new_initial_state()
    for ply in range(MOST_PLIES):
        player = state.current_player()
        if state.is_terminal():
            return
        if player < 0:
            outcomes = state.chance_outcomes()
            shares = np.array([share for _, share in outcomes])
            action = int(outcomes[int(rng.choice(len(outcomes), p=shares / shares.sum()))][0])
        else:
            action = agents[player].act(state, Clock())
        after = state.child(action)
        assert isinstance(after, State)
        if player >= 0:
            agents[player].observe(Transition(ply, player, (action,), state, after))
        yield (state, player, action, after), True
        state = after


def numbered_table(number: int) -> DrawnTable:
    """The table of a number; its range says which kind of players it has."""
    if number in OWN_AGENTS:
        return draw_own_agents(number)
    return draw_campaign(number) if number in CAMPAIGNS or number in NEW_CAMPAIGNS else draw_table(number)


def table_lesson(number: int) -> TrainingGame | None:
    """The training game of a table; None where too little was decided."""
    found = training_game_from_steps(steps_of_table(numbered_table(number), number))
    return found if found is not None and len(found.decisions) > LEAST_DECISIONS else None


def parameters_of(lessons: Sequence[TrainingGame], seed: int = 5) -> ChoiceParameters:
    """What the games of some tables teach, beginning from nothing."""
    return fit_parameters(lessons, ChoiceParameters.blank(), np.random.default_rng(seed))


def table_examples(number: int, learned: ChoiceParameters) -> Examples | None:
    """The match at a table as the weights of cards see it; None where too little was decided."""
    lesson = table_lesson(number)
    return Examples.of(lesson, learned) if lesson is not None else None


def write_shipped_parameters(
    path: str,
    numbers: Sequence[int] = (*NUMBERS, *CAMPAIGNS),
    new: Sequence[int] = (*OWN_AGENTS, *NEW_CAMPAIGNS, *NEW_NUMBERS),
) -> None:
    """Play the tables with all processors, learn, learn from *new* tables how sure to be, and write the file."""
    os.environ |= dict.fromkeys(THREADS, "1")
    with get_context("spawn").Pool() as pool:  # new processes, which read these variables
        lessons = [lesson for lesson in pool.map(table_lesson, numbers, chunksize=4) if lesson is not None]
        learned = rounded_parameters(pool.apply(parameters_of, (lessons,)))
        seen = pool.map(partial(table_examples, learned=learned), new, chunksize=4)
        examples = [example for example in seen if example is not None]
        certainty = pool.apply(fitted_certainty, (examples, np.array(learned.cards)))
    made = {"module": "kibitz.studies.risk.training_tables", "tables": len(lessons), "new tables": len(examples)}
    learned = rounded_parameters(msgspec.structs.replace(learned, certainty=certainty.tolist()))
    write_parameters(msgspec.structs.replace(learned, made=made), path)


def rounded_parameters(learned: ChoiceParameters) -> ChoiceParameters:
    """The same with every number rounded to DIGITS."""
    return msgspec.convert(rounded_numbers(msgspec.to_builtins(learned)), ChoiceParameters)


def rounded_numbers(found: Any) -> Any:
    """The same with every number rounded to DIGITS."""
    if isinstance(found, dict):
        return {name: rounded_numbers(each) for name, each in found.items()}
    if isinstance(found, list | tuple):
        return [rounded_numbers(each) for each in found]
    return round(found, DIGITS)


if __name__ == "__main__":
    write_shipped_parameters(sys.argv[1])
