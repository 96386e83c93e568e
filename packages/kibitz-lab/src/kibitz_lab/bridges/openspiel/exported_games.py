"""kibitz's games as games of OpenSpiel, `kibitz_pawns` …, for its algorithms. Importing this module imports pyspiel."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import pyspiel

from kibitz import core
from kibitz.core.match import drawn_outcome
from kibitz.core.registry import entries, find, make_game
from kibitz.core.seeds import stream
from kibitz.core.specs import Spec, constructor_parameters
from kibitz_lab.bridges.arrays import ActionNumbers

PREFIX = "kibitz_"
MOST_OUTCOMES = 10_000
"""Bound of the outcomes of a chance event."""
WALKS, PLIES = 3, 40
"""Size of the sample that decides whether chance moves and whether all choose at once."""
SCALARS = (bool, int, float, str)
LONGEST = 100_000
"""Most plies of a match."""


class KibitzState(pyspiel.State):
    """A state of a kibitz game; a match that reaches the game's `max_plies` is over."""

    def __init__(self, game: "KibitzGame") -> None:
        super().__init__(game)
        self.kibitz = game.kibitz.new_initial_state()
        self.numbers, self.ply = game.numbers, 0
        self.told = tuple("" for _ in range(game.kibitz.players))
        """A hash of all that each player has seen and done, so that information states have perfect recall."""

    def current_player(self) -> int:
        return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else self.kibitz.current_player()

    def is_terminal(self) -> bool:
        return self.ply >= self.rules.max_plies or self.kibitz.is_terminal()

    @property
    def rules(self) -> core.Game:
        """The kibitz game."""
        game: core.Game = self.get_game().kibitz
        return game

    def _legal_actions(self, player: int) -> list[int]:
        legal = self.kibitz.legal_actions(player)
        return list(range(min(len(legal), self.numbers.count))) if self.numbers.listed else list(legal)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(number, share) for number, (_, share) in enumerate(self.kibitz.chance_outcomes())]

    def _apply_action(self, action: int) -> None:
        self.play([self.action(int(self.kibitz.current_player()), action)])

    def _apply_actions(self, actions: Sequence[int]) -> None:
        self.play([self.action(player, action) for player, action in enumerate(actions)])

    def action(self, player: int, number: int) -> int:
        """The kibitz action of a number: of chance its place, of players their id or place in the list."""
        if player == core.CHANCE:
            return self.kibitz.chance_outcomes()[number][0]
        chosen = self.numbers.action(number, self.kibitz.legal_actions(player))
        assert chosen is not None
        return chosen

    def play(self, actions: Sequence[int]) -> None:
        """Play the actions of all movers, and tell the players."""
        movers = self.rules.movers(self.kibitz)
        own = dict(zip(movers, actions, strict=True)) if movers else {}
        self.kibitz.step(actions)
        self.ply += 1
        seen = [self.kibitz.view(player).key() for player in range(len(self.told))] if self.rules.hidden else None
        self.told = tuple(
            _chain(before, tuple(actions) if seen is None else (seen[player], own.get(player)))
            for player, before in enumerate(self.told)
        )

    def _action_to_string(self, player: int, action: int) -> str:
        return self.kibitz.action_to_string(player, self.action(player, action))

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0] * len(self.told)
        ended = self.kibitz.is_terminal()
        return list(self.kibitz.returns() if ended else self.rules.infinite_play(self.kibitz))

    def rewards(self) -> list[float]:
        return self.returns()

    def __str__(self) -> str:
        return str(self.kibitz)


def _chain(before: str, event: object) -> str:
    return blake2b(f"{before}{event!r}".encode(), digest_size=8).hexdigest()


class KibitzObserver:
    """What a player sees, as text: the view, and for perfect recall a hash of all that went before."""

    def __init__(self, observed: Any, params: Mapping[str, Any] | None) -> None:
        self.observed, self.tensor, self.dict = observed, None, dict[str, Any]()

    def set_from(self, state: KibitzState, player: int) -> None:
        """There is no tensor."""

    def string_from(self, state: KibitzState, player: int) -> str:
        """The view of *player* as text; without private information that of an outsider."""
        if not self.observed.public_info and not state.rules.hidden:
            return ""  # nothing is private
        private = self.observed.private_info != pyspiel.PrivateInfoType.NONE
        seen = str(state.kibitz.view(player if private else None))
        return f"{seen}\n{state.told[player]}" if self.observed.perfect_recall else seen


class KibitzGame(pyspiel.Game):
    """A kibitz game; each registered one has its own subclass, which says its *name* and its type."""

    name = ""
    kind: Any = None
    defaults: Mapping[str, Any] = {}

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = {key: value for key, value in (params or {}).items() if value != self.defaults.get(key)}
        self.kibitz = make_game(Spec(self.name, given))
        self.numbers = ActionNumbers(self.kibitz)
        self.kibitz.new_initial_state()  # some parameters are checked here only
        least, most = self.kibitz.utility
        information = pyspiel.GameInfo(
            num_distinct_actions=self.numbers.count,
            max_chance_outcomes=MOST_OUTCOMES if has_chance(self.kind) else 0,
            num_players=self.kibitz.players,
            min_utility=float(least),
            max_utility=float(most),
            utility_sum=0.0 if self.kibitz.zero_sum else None,
            max_game_length=min(LONGEST, self.kibitz.max_plies),
        )
        super().__init__(self.kind, information, dict(params or {}))

    def new_initial_state(self) -> KibitzState:
        return KibitzState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> KibitzObserver:
        return KibitzObserver(iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


def has_chance(kind: Any) -> bool:
    """Whether chance moves in games of a type."""
    return bool(kind.chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC)


def register_games(names: Sequence[str] | None = None) -> list[str]:
    """Register kibitz games, by default all of them, in OpenSpiel; return their names there."""
    known = set(pyspiel.registered_names())
    found = []
    for name in entries("game") if names is None else names:
        exported = PREFIX + name.replace("-", "_")
        if exported not in known:
            attributes = game_attributes(find(name, "game").name, exported)
            made = type(exported, (KibitzGame,), attributes)
            globals()[exported] = made  # where pickle looks for it
            pyspiel.register_game(attributes["kind"], made)
        found.append(exported)
    return found


def game_attributes(name: str, exported: str) -> dict[str, Any]:
    """The attributes of the class of a game: its name, its type in OpenSpiel, and the defaults of its parameters."""
    game = make_game(name)
    parameters = constructor_parameters(type(game))
    defaults = {key: each.default for key, each in parameters.items() if type(each.default) in SCALARS}
    movers = sampled_movers(game)
    types = pyspiel.GameType
    seats = defaults.get("players") if isinstance(defaults.get("players"), int) else None
    kind = types(
        short_name=exported,
        long_name=f"{name} of kibitz",
        dynamics=types.Dynamics.SIMULTANEOUS if core.SIMULTANEOUS in movers else types.Dynamics.SEQUENTIAL,
        chance_mode=types.ChanceMode.EXPLICIT_STOCHASTIC if core.CHANCE in movers else types.ChanceMode.DETERMINISTIC,
        information=types.Information.IMPERFECT_INFORMATION if game.hidden else types.Information.PERFECT_INFORMATION,
        utility=types.Utility.ZERO_SUM if game.zero_sum else types.Utility.GENERAL_SUM,
        reward_model=types.RewardModel.TERMINAL,
        max_num_players=6 if seats else game.players,
        min_num_players=2 if seats else game.players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=False,
        parameter_specification=defaults,
    )
    return {"name": name, "kind": kind, "defaults": defaults}


def sampled_movers(game: core.Game) -> set[int]:
    """Who moves in a few random matches: players, CHANCE, SIMULTANEOUS."""
    rng, movers = stream(0, "movers", repr(game)), set[int]()
    for _ in range(WALKS):
        state = game.new_initial_state()
        for _ in range(PLIES):
            if state.is_terminal():
                break
            movers.add(state.current_player())
            legal = [state.legal_actions(player) for player in game.movers(state)]
            drawn = [actions[int(rng.random() * len(actions))] for actions in legal]
            state.step(drawn or [drawn_outcome(state, rng.random())])
    return movers
