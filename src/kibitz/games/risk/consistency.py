"""Orders that serve a player's mission: what people may do in constrained play (Khan 2013, 5.1.2)."""

from collections.abc import Sequence

from kibitz import core
from kibitz.games.risk import phases
from kibitz.games.risk.agents import Constrained
from kibitz.games.risk.game import State
from kibitz.games.risk.phases import AMOUNTS, TERRITORY, ends
from kibitz.games.risk.situation import Situation


def consistent_actions(view: core.State, player: int) -> Sequence[int]:
    """The legal actions of *player* that serve their mission, or all where none does, as they must do something."""
    assert isinstance(view, State)
    legal, count = view.legal_actions(player), len(view.owners)
    wants = Constrained().wants(Situation(view, player))
    if view.phase == phases.ATTACK:
        return [action for action in legal if not action or wants[ends(action, count)[1]] > 0.0]
    if view.phase in TERRITORY or view.phase == phases.PLACE:
        serving = {place for place in range(count) if _serves(view, wants, place)}
        places = {action: action if view.phase in TERRITORY else action // AMOUNTS for action in legal}
        return [action for action in legal if places[action] in serving] or legal
    return legal


def _serves(view: State, wants: Sequence[float], place: int) -> bool:
    """Whether armies in a territory serve: it is wanted itself, or next to a wanted one."""
    return wants[place] > 0.0 or any(wants[to] > 0.0 for to in view.board.neighbours[place])
