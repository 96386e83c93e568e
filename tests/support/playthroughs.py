"""Golden playthroughs: one random game written out in full, compared with a stored file."""

import os
from pathlib import Path

from kibitz import core
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz.testing.walks import first, random_step, require

UPDATE = "KIBITZ_UPDATE_GOLDEN"


def playthrough(game: str | core.Game, *, seed: int = 1, plies: int = 60) -> str:
    """A random game as text: every state, its hash, who moves, what is legal and what is played."""
    made = make_game(game)
    rng = stream(seed, "playthrough")
    state = made.new_initial_state()
    lines = [f"game {made!r}, seed {seed}"]
    for ply in range(plies):
        lines += ["", f"ply {ply}, hash {core.digest(state)}", *str(state).split("\n")]
        if state.is_terminal():
            break
        before, current = state.clone(), state.current_player()
        if current == core.CHANCE:
            outcomes = before.chance_outcomes()
            shares = [f"{before.action_to_string(current, action)} {chance:.4f}" for action, chance in outcomes[:12]]
            lines.append(f"chance ({len(outcomes)}): {', '.join(shares)}")
        for player in made.movers(before):
            legal = before.legal_actions(player)
            names = [before.action_to_string(player, action) for action in first(legal, 12)]
            lines.append(f"player {player} ({len(legal)}): {', '.join(names)}")
        actions = random_step(made, state, rng)
        who = made.movers(before) or (core.CHANCE,)
        played = [before.action_to_string(player, action) for player, action in zip(who, actions, strict=True)]
        lines.append(f"> {' | '.join(played)}")
    lines += ["", f"returns {state.returns()}"]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def check_playthrough(game: str, path: Path, *, seed: int = 1, plies: int = 60) -> None:
    """Require the playthrough to equal the one in *path*; `KIBITZ_UPDATE_GOLDEN=1` writes it instead."""
    now = playthrough(game, seed=seed, plies=plies)
    if os.environ.get(UPDATE):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(now, encoding="utf-8")
    require(path.is_file(), f"{game}: no golden playthrough at {path.name}; make it with {UPDATE}=1 and look at it")
    then = path.read_text(encoding="utf-8")
    pairs = zip(now.splitlines(), then.splitlines(), strict=False)
    number = next((i for i, (one, other) in enumerate(pairs, 1) if one != other), None)
    require(
        now == then,
        f"{game} no longer plays as in {path.name}, line {number}; if that is intended, run again with {UPDATE}=1",
    )
