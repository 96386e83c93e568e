"""OpenSpiel's own players as agents: `openspiel_bot` (search and uniform play) and `openspiel_policy` (tables)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from kibitz import core
from kibitz.bridges.openspiel.loading import pyspiel
from kibitz.bridges.openspiel.rules import BridgedState, OpenSpiel
from kibitz.bridges.openspiel.views import View, offers_resampling
from kibitz.core.errors import BadPolicy, Unsupported
from kibitz.core.files import read_text, write_file

MEMORY = 500
"""Megabytes that a search tree may take."""
Policy = Mapping[str, Sequence[tuple[int, float]]]
"""The probabilities of actions by information state."""


class OpenSpielBot(core.Agent):
    """A bot of OpenSpiel: Monte Carlo tree search, the same for hidden information, or any legal action.

    *simulations* and *rollouts* (games played out per simulation) are the budget, *exploration* its constant c.
    """

    def __init__(
        self,
        name: Literal["mcts", "ismcts", "uniform_random"] = "mcts",
        simulations: core.Count = 1000,
        rollouts: core.Count = 1,
        exploration: Annotated[float, msgspec.Meta(ge=0.0, le=1000.0)] = 2.0,
    ) -> None:
        self.name, self.simulations, self.rollouts, self.exploration = name, simulations, rollouts, exploration

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        why = self.trouble(game)
        if why:
            raise Unsupported(self, game, why)

    def manages(self, game: core.Game) -> bool:
        return not self.trouble(game)

    def trouble(self, game: core.Game) -> str:
        """Why it cannot play a game; empty if it can."""
        if not isinstance(game, OpenSpiel):
            return "it plays games of OpenSpiel only, such as openspiel:connect_four"
        kind = game.spiel.get_type()
        if self.name == "uniform_random":
            return ""
        if kind.dynamics != kind.Dynamics.SEQUENTIAL or kind.reward_model != kind.RewardModel.TERMINAL:
            return "it searches games in which players move in turn and earn at the end"
        if self.name == "mcts" and game.hidden:
            return "it needs to see everything; openspiel_bot(name=ismcts) does not"
        if self.name == "ismcts" and (written_in_python(game) or not offers_resampling(game)):
            return "it needs a game that resamples hidden information, and one not written in Python"
        return ""

    def act(self, view: core.State, clock: core.Clock) -> int:
        seed = int(self.rng.integers(2**31))
        state = known_state(view, self.rng)
        if self.name == "uniform_random":
            legal = view.legal_actions(self.player)
            return legal[seed % len(legal)]
        spiel = pyspiel()
        rollouts = spiel.RandomRolloutEvaluator(self.rollouts, seed)
        if self.name == "ismcts":
            return int(spiel.ISMCTSBot(seed, rollouts, self.exploration, self.simulations).step(state.spiel))
        game = state.game.spiel
        bot = spiel.MCTSBot(game, rollouts, self.exploration, self.simulations, MEMORY, False, seed, False)
        return int(bot.mcts_search(state.spiel).best_child().action)  # its `step` ends the process on games in Python


def known_state(view: core.State, rng: core.Rng) -> BridgedState:
    """A state for a bot to look at: the view itself, or with hidden information one that fits it, never the truth."""
    full = view.complete(rng) if isinstance(view, View) else view
    assert isinstance(full, BridgedState)
    return full


def written_in_python(game: OpenSpiel) -> bool:
    """Whether OpenSpiel implements the game in Python."""
    return type(game.spiel).__module__.startswith("open_spiel.python")


class OpenSpielPolicy(core.Strategy):
    """Plays the policy in *file*, which `save_policy` wrote: probabilities of actions by information state.

    Where the file knows nothing it plays any legal action.
    """

    def __init__(self, file: str = "") -> None:
        self.file = file

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        if not isinstance(game, OpenSpiel):
            raise Unsupported(self, game, "it plays games of OpenSpiel only, such as openspiel:kuhn_poker")
        self.table = load_policy(Path(self.file), game) if self.file else {}

    def policy(self, view: core.State) -> core.Distribution:
        legal = view.legal_actions(self.player)
        known = {action: share for action, share in self.table.get(self.information(view), ()) if action in legal}
        total = sum(known.values())
        if total <= 0.0:
            return core.Distribution.uniform(legal)
        return core.Distribution({action: share / total for action, share in known.items()}, legal)

    def information(self, view: core.State) -> str:
        """The information state of this player."""
        if isinstance(view, View):
            return str(view.looks[-1][-1])
        assert isinstance(view, BridgedState)
        kind = view.spiel.get_game().get_type()
        told = view.spiel.information_state_string if kind.provides_information_state_string else view.spiel.to_string
        return str(told(self.player) if kind.provides_information_state_string else told())


class PolicyFile(msgspec.Struct):
    """A policy and the game that it is for, as a file holds them."""

    game: str
    policy: dict[str, list[tuple[int, float]]]


def save_policy(policy: Any, game: str, path: str | Path) -> None:
    """Write a policy of OpenSpiel's algorithms, or a table, to a file that `openspiel_policy(file=…)` plays.

    A table maps information states to (action, probability) pairs.
    """
    if hasattr(policy, "policy_table"):
        table: Policy = policy.policy_table()
    elif hasattr(policy, "to_dict"):
        table = policy.to_dict()
    else:
        table = policy
    plain = {str(key): [(int(action), float(share)) for action, share in pairs] for key, pairs in table.items()}
    write_file(path, msgspec.json.encode(PolicyFile(game, plain)))


def load_policy(path: Path, game: OpenSpiel) -> dict[str, list[tuple[int, float]]]:
    """The policy in a file; raises BadPolicy if it is none, or for another game."""
    text = read_text(path, BadPolicy)
    try:
        held = msgspec.json.decode(text, type=PolicyFile)
    except msgspec.DecodeError as error:
        raise BadPolicy(path, f"it holds no policy of a game of OpenSpiel: {error}") from None
    name = held.game.removeprefix("openspiel:").partition("(")[0]
    if name != game.game.partition("(")[0]:
        raise BadPolicy(path, f"it holds a policy for {held.game}, not for {game.game}")
    return held.policy
