"""Games on a map of six territories, played by notation."""

from pathlib import Path
from typing import Any

from kibitz.core.registry import make_game
from kibitz_risk.game import State

RING = Path(__file__).parent / "data" / "ring.map"
OPTIONS: tuple[dict[str, Any], ...] = (
    {"players": 2, "mode": "mission", "cards": "fixed"},
    {"players": 3, "mode": "mission", "cards": "increasing", "fortify": "connected", "blow": "any"},
    {"players": 2, "mode": "domination", "cards": "italian", "setup": "draft", "fortify": "unlimited"},
    {"players": 3, "mode": "capital", "cards": "fixed", "recycle": False, "victory": "turn-end"},
    {"players": 2, "mode": "domination", "territories": 5, "cards": "increasing", "recycle": False, "defence": 3},
    {"players": 2, "mode": "mission", "missions": "continents", "cards": "increasing", "setup": "draft"},
    {"players": 2, "mode": "domination", "cards": "italian", "setup": "draft", "recycle": False},
)
"""Every option of the game in one of these."""


def spec(**options: Any) -> str:
    """A game on the small map as a spec."""
    given = "".join(f", {name}={value!r}" for name, value in options.items())
    return f"risk(board={str(RING)!r}{given})"


def played(*texts: str, **options: Any) -> State:
    """The state after some actions, the notation of several in a text parted by `; `."""
    state = make_game(spec(**options)).new_initial_state()
    assert isinstance(state, State)
    return go_on(state, *texts)


def go_on(state: State, *texts: str) -> State:
    """Play on in place."""
    for text in "; ".join(texts).split("; "):
        state.apply_action(state.string_to_action(state.current_player(), text))
    return state


def in_words(state: State) -> list[str]:
    """What the mover may do."""
    return [state.action_to_string(state.current_player(), action) for action in state.legal_actions()]


def standing(state: State) -> str:
    """Owners and armies, territory by territory."""
    return " ".join(state.standings())
