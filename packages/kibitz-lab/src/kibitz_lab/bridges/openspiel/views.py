"""Views of OpenSpiel's games with hidden information: own actions and all that was observed, ply by ply.

A player observes their information state (or, in games without one, their observation) after every event. An outsider
sees the actions that all players see. Nothing else of the state is in a view, so `complete` has to find a history that
fits: a game that draws such a state by itself is asked to; others are played again, with random events that would have
been observed in the same way. A game in which hidden events show only much later is refused.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal, Self, TypeAlias
from zlib import crc32

from kibitz import core
from kibitz.core.errors import Unsupported
from kibitz.core.seeds import stream
from kibitz_lab.bridges.openspiel.rules import BridgedState, OpenSpiel, restore_state

Look: TypeAlias = tuple[core.Key, ...]
"""What somebody sees after an event."""
Labels: TypeAlias = Literal["seen", "hidden", "in part"]
"""How somebody sees the choices of another."""
MOST_COMPARED = 400
"""Nodes with more choices than this are not searched for choices that look alike."""
RESAMPLING = frozenset(
    """bargaining colored_trails euchre gin_rummy hearts kuhn_poker leduc_poker oh_hell
    universal_poker""".split()  # noqa: SIM905
)
"""Games that draw states that look the same, and in no time; OpenSpiel prints an error if others are asked to."""
WALKS, PLIES, SOME = 6, 100, 8
"""Size of the sample that decides whether moves are public; notations are learned from twice as many walks."""


class HiddenState(BridgedState):
    """A state of a game with hidden information."""

    def __init__(self, game: OpenSpiel, spiel: Any) -> None:
        super().__init__(game, spiel)
        self.looks: dict[int | None, tuple[Look, ...]] = {}
        """What each observer saw ply by ply, as far as someone asked."""
        self.labels: dict[int | None, Labels] = {}
        """How each observer sees what may be chosen here, as far as someone asked."""

    def clone(self) -> Self:
        copied = super().clone()
        copied.looks, copied.labels = dict(self.looks), dict(self.labels)
        return copied

    def apply_action(self, action: int) -> None:
        super().apply_action(action)
        self.labels = {}

    def view(self, player: int | None) -> "View":  # type: ignore[override]
        known = self.looks.get(player, ())
        length = 1 + len(self.spiel.history())
        if len(known) < length:
            known = self.looks[player] = tuple(looks_of(self.game, self.spiel, player, known))
        notations = self.notations(player).texts if player is not None and self.current == player else {}
        returns = tuple(self.returns()) if self.is_terminal() else (0.0,) * self.game.players
        sample = drawn_alike(self.game, self.spiel, player, known) if player is not None else ()
        return View(self.game, player, self.current, known, notations, returns, sample)

    def seen_action(self, observer: int | None, player: int, action: int) -> int | None:
        if player == observer:
            return action
        if observer not in self.labels:
            self.labels[observer] = labels_of(self.game, self.spiel, observer)
        return label_of(self.labels[observer], self.spiel, observer, action)


class View(core.State):
    """What one player, or an outsider, knows of a state. It cannot be stepped: complete it first."""

    def __init__(
        self,
        game: OpenSpiel,
        viewer: int | None,
        current: int,
        looks: tuple[Look, ...],
        notations: dict[int, str],
        earned: tuple[float, ...],
        sample: tuple[int, ...] = (),
    ) -> None:
        self.game, self.viewer, self.current, self.looks = game, viewer, current, looks
        self.notations, self.earned = notations, earned
        self.sample = sample
        """The history of a state that the game drew because it looks the same; empty if it draws none."""

    def current_player(self) -> int:
        return self.current

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        """The viewer's own; of another player all numbers of actions, as the viewer may not know which are legal."""
        if self.current < 0:
            return ()
        return tuple(self.notations) if self.current == self.viewer else range(self.game.spiel.num_distinct_actions())

    def apply_action(self, action: int) -> None:
        raise Unsupported(self.game, self.game, "a view of hidden information cannot be stepped; complete it first")

    def returns(self) -> list[float]:
        return list(self.earned)

    def key(self) -> core.Key:
        return self.viewer, self.current, self.looks

    def view(self, player: int | None) -> "View":
        return self.clone()

    def clone(self) -> "View":
        return View(self.game, self.viewer, self.current, self.looks, self.notations, self.earned, self.sample)

    def complete(self, rng: core.Rng) -> HiddenState:  # type: ignore[override]
        return completed_state(self, rng)

    def seen_action(self, observer: int | None, player: int, action: int) -> int | None:
        return action

    def action_to_string(self, player: int, action: int) -> str:
        return self.notations.get(action) or plain_notation(self.game, player, action)

    def __str__(self) -> str:
        if self.viewer is not None:
            return str(self.looks[-1][-1]).rstrip() or "nothing is known yet"
        seen = [plain_notation(self.game, mover, label) for mover, label, *_ in self.looks[1:] if label is not None]  # type: ignore[arg-type]
        return f"{len(self.looks) - 1} events; all players saw: {', '.join(seen) or 'nothing'}"


def plain_notation(game: OpenSpiel, player: int, action: int) -> str:
    """An action in words where the state is not known."""
    if action < 0:
        return "something seen in part"
    words = " ".join(game.spiel.action_to_string(player, action).split())
    if not words.startswith("Action("):  # what games say that name actions only where they are legal
        return words or str(action)
    return sampled_notations(game.game).get((player, action)) or f"action {action}"


@lru_cache(maxsize=64)
def sampled_notations(name: str) -> dict[tuple[int, int], str]:
    """The notations of actions by player and number that are the same wherever they occur, along random matches."""
    game, rng = OpenSpiel(name), stream(0, "notations", name)
    found: dict[tuple[int, int], set[str]] = {}
    for _ in range(2 * WALKS):
        spiel = game.spiel.new_initial_state()
        for _ in range(PLIES):
            player = int(spiel.current_player())
            if player == core.TERMINAL or player == core.SIMULTANEOUS:
                break
            legal = [int(action) for action in spiel.legal_actions()]
            for action in legal:
                found.setdefault((player, action), set()).add(" ".join(spiel.action_to_string(player, action).split()))
            spiel.apply_action(legal[int(rng.random() * len(legal))])
    return {key: next(iter(texts)) for key, texts in found.items() if len(texts) == 1}


def looks_of(game: OpenSpiel, spiel: Any, observer: int | None, known: tuple[Look, ...]) -> Iterator[Look]:
    """What *observer* saw along the history of a state, of which the first looks are known."""
    yield from known
    played = game.spiel.new_initial_state()
    if not known:
        yield (0, None, *observation(played, observer))
    for number, action in enumerate(spiel.history(), start=1):
        if number < len(known):
            played.apply_action(action)
            continue
        yield step_look(game, played, observer, int(action))


def step_look(game: OpenSpiel, spiel: Any, observer: int | None, action: int) -> Look:
    """What *observer* sees of an action, which is played on *spiel*."""
    mover = int(spiel.current_player())
    if observer is None:
        seen = label_of(labels_of(game, spiel, None), spiel, None, action)
    else:
        seen = action if mover == observer else None
    spiel.apply_action(action)
    return (mover, seen, *observation(spiel, observer))


def observation(spiel: Any, observer: int | None) -> Look:
    """What *observer* sees of a state: who moves next, how it ended, and their information state."""
    current = int(spiel.current_player())
    ended = repr(list(map(float, spiel.returns()))) if current == core.TERMINAL else ""
    if observer is None:
        return current, ended
    kind = spiel.get_game().get_type()
    if kind.provides_information_state_string:
        return current, ended, spiel.information_state_string(observer)
    return current, ended, spiel.observation_string(observer)


def labels_of(game: OpenSpiel, spiel: Any, observer: int | None) -> Labels:
    """How *observer* sees what others may choose here.

    If every choice looks different, it is seen as it is; if all look the same, none is seen.
    """
    mover = int(spiel.current_player())
    if mover >= 0 and moves_are_public(game.game):
        return "seen"
    choices = choices_of(spiel)
    if len(choices) > MOST_COMPARED:
        return "in part"
    watchers = [observer] if observer is not None else [each for each in range(game.players) if each != mover]
    children = [spiel.child(each) for each in choices]
    if len(choices) > 1 and all(all_differ(children, watcher) for watcher in watchers):
        return "seen"
    first = observation(children[0], observer)
    return "hidden" if all(observation(child, observer) == first for child in children) else "in part"


def all_differ(children: Sequence[Any], observer: int) -> bool:
    """Whether no two states look the same to *observer*."""
    looks = set()
    for child in children:
        look = observation(child, observer)
        if look in looks:
            return False
        looks.add(look)
    return True


def label_of(labels: Labels, spiel: Any, observer: int | None, action: int) -> int | None:
    """An action of another as *observer* sees it; what is seen in part has a negative number for its look."""
    if labels == "in part":
        return -2 - crc32(repr(observation(spiel.child(action), observer)).encode())
    return action if labels == "seen" else None


@lru_cache(maxsize=64)
def moves_are_public(name: str) -> bool:
    """Whether all players see every move, decided along a few random walks: moves that look alike are not public."""
    game = OpenSpiel(name)
    rng = stream(0, "public moves", name)
    for _ in range(WALKS):
        state = game.spiel.new_initial_state()
        for _ in range(PLIES):
            mover = int(state.current_player())
            if mover == core.TERMINAL:
                break
            choices = choices_of(state)
            if mover >= 0:
                some = [state.child(each) for each in choices[:SOME]]
                for player in range(game.players):
                    if player != mover and len({observation(child, player) for child in some}) < len(some):
                        return False
            state.apply_action(choices[int(rng.random() * len(choices))])
    return True


def choices_of(spiel: Any) -> list[int]:
    """What the mover, or chance, may choose."""
    if int(spiel.current_player()) == core.CHANCE:
        return sorted([action for action, share in spiel.chance_outcomes() if share > 0.0])
    legal: list[int] = spiel.legal_actions()
    return legal


def offers_resampling(game: OpenSpiel) -> bool:
    """Whether the game itself can draw another state that looks the same to a player."""
    return bool(game.spiel.get_type().short_name in RESAMPLING)


def drawn_alike(game: OpenSpiel, spiel: Any, player: int, looks: tuple[Look, ...]) -> tuple[int, ...]:
    """The history of another state that looks the same, drawn with random numbers that depend on the looks alone."""
    if not offers_resampling(game) or int(spiel.current_player()) < 0:
        return ()
    rng = stream(crc32(repr(looks).encode()), "resampled")
    return tuple(map(int, spiel.resample_from_infostate(player, rng.random).history()))


MOST_TRIES = 20_000
"""Events tried before the game is refused."""


def completed_state(view: View, rng: core.Rng) -> HiddenState:
    """A state that the viewer cannot tell from the real one."""
    found = (resampled_history(view, rng) if view.sample else None) or replayed_history(view, rng)
    full = HiddenState(view.game, found)
    full.looks[view.viewer] = view.looks
    return full


def resampled_history(view: View, rng: core.Rng) -> Any:
    """A state that the game draws because it looks the same to the viewer; None if it looks different after all."""
    assert view.viewer is not None
    state = restore_state(view.game, view.sample)
    assert isinstance(state, HiddenState)
    drawn = state.spiel.resample_from_infostate(view.viewer, rng.random)
    alike = len(drawn.history()) + 1 == len(view.looks) and observation(drawn, view.viewer) == view.looks[-1][2:]
    return drawn if alike else None


def replayed_history(view: View, rng: core.Rng) -> Any:
    """A state after events that the viewer would have observed in the same way; raises Unsupported if none is found."""
    tries = 0
    while tries < MOST_TRIES:
        spiel = view.game.spiel.new_initial_state()
        for wanted in view.looks[1:]:
            for action in fitting_actions(spiel, wanted, rng):
                tries += 1
                child = spiel.clone()
                if step_look(view.game, child, view.viewer, action) == wanted:
                    spiel = child
                    break
            else:
                tries += 1
                break
        else:
            return spiel
    raise Unsupported(view.game, view.game, "what is hidden in it cannot be drawn again, so agents cannot search it")


def fitting_actions(spiel: Any, wanted: tuple[Any, ...], rng: core.Rng) -> Iterator[int]:
    """What may have been chosen: the action that was seen, or all in random order, the likely first."""
    mover, seen, *_ = wanted
    if int(spiel.current_player()) != mover:
        return
    legal = choices_of(spiel)
    if isinstance(seen, int) and seen >= 0:
        yield from (action for action in legal if action == seen)
        return
    shares = dict.fromkeys(legal, 1.0)
    if mover == core.CHANCE:
        shares = {int(action): share for action, share in spiel.chance_outcomes() if share > 0.0}
    keys = {action: rng.random() ** (1.0 / share) for action, share in shares.items()}
    yield from sorted(keys, key=keys.__getitem__, reverse=True)
