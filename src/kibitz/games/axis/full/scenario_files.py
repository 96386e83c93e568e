"""The ability SCENARIO_FILES: whether map files of TripleA can be played as whole games."""

import random
import warnings
from pathlib import Path

from kibitz import core
from kibitz.core.abilities.scenario_files import ScenarioFiles, ScenarioVerdict
from kibitz.core.errors import KibitzError, short_list
from kibitz.core.registry import make_game
from kibitz.core.registry.specs import Spec
from kibitz.core.seeds import kernel_stream
from kibitz.games.axis.full.fast import FastState


def judge_map(path: Path, lenient: bool, rounds: int) -> ScenarioVerdict:
    """Whether a map file plays; *rounds* random ones are played, too."""
    turns = {"turns": rounds} if rounds else {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            game = make_game(Spec("axis", {"scenario": str(path), "rules": "full", "lenient": lenient, **turns}))
            state = game.new_initial_state()
            notes: tuple[str, ...] = state.situation.world.notes  # type: ignore[attr-defined]
            if rounds:
                play_randomly(state)
    except KibitzError as error:
        return ScenarioVerdict("does not play", str(error))
    if not notes:
        return ScenarioVerdict("plays", "", (), rounds)
    return ScenarioVerdict("plays in part", f"without {short_list(notes, 6)}", notes, rounds)


def play_randomly(state: core.State) -> None:
    """Play a game to its end at random, from a fixed seed."""
    if isinstance(state, FastState):
        state.play_out(kernel_stream(0, "scenario"))
        return
    rng = random.Random(0)
    while not state.is_terminal():
        outcomes = state.chance_outcomes()
        if outcomes:
            state.apply_action(rng.choices([o for o, _ in outcomes], [chance for _, chance in outcomes])[0])
        else:
            legal = state.legal_actions()
            state.apply_action(legal[rng.randrange(len(legal))])


FILES = ScenarioFiles((".xml",), judge_map)
