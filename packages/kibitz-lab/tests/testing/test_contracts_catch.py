"""The contracts notice what they are there to notice."""

import random
from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec
import pytest

from kibitz import core
from kibitz.core import drawing
from kibitz.core.drawing import Rect
from kibitz.core.errors import ContractBroken
from kibitz.core.insight import Explanation, explanation_of
from kibitz.core.registry import kit_of, make_game
from kibitz.games.dilemma.agents import RoundMemory
from kibitz.games.dilemma.rules import Dilemma
from kibitz.games.dilemma.rules import State as DilemmaState
from kibitz.games.kuhn.rules import Kuhn
from kibitz.games.kuhn.rules import State as KuhnState
from kibitz.models.strategy_filter import StrategyFilter
from kibitz.testing import check_agent, check_game, check_model
from kibitz.testing.leaks import check_leaks
from kibitz.testing.models import check_unchosen
from kibitz_risk.models.choice import Choice


def game_with(state: type[core.State], base: type[core.Game] = Kuhn, **declared: Any) -> core.Game:
    """A game whose states are of another class."""
    broken = base()
    for name, value in {"new_initial_state": partial(state, broken), **declared}.items():
        setattr(broken, name, value)
    return broken


class KuhnBased(KuhnState):
    """Kuhn poker that makes states of its own class."""

    def view(self, player: int | None) -> "KuhnBased":
        seen = super().view(player)
        return type(self)(self.game, seen.cards, seen.moves)

    def complete(self, rng: core.Rng) -> "KuhnBased":
        full = super().complete(rng)
        return type(self)(self.game, full.cards, full.moves)


@pytest.mark.long
def test_a_sound_copy_passes() -> None:
    check_game(game_with(KuhnBased))


class Smuggling(KuhnBased):
    def view(self, player: int | None) -> "Smuggling":
        seen = super().view(player)
        seen.note = self.cards  # type: ignore[attr-defined]
        return seen  # type: ignore[return-value]


class Telling(KuhnBased):
    def seen_action(self, observer: int | None, player: int, action: int) -> int | None:
        return action

    def view(self, player: int | None) -> "Telling":
        return self.clone()


class Knowing(KuhnBased):
    """Completes a view with the truth it kept."""

    def view(self, player: int | None) -> "Knowing":
        seen = super().view(player)
        secret = self.cards
        seen.__class__ = type(
            "Knowing", (Knowing,), {"complete": lambda view, rng: Knowing(view.game, secret, view.moves)}
        )
        return seen  # type: ignore[return-value]


class Showing(KuhnBased):
    """Shows everybody the card of player 2."""

    def view(self, player: int | None) -> "Showing":
        seen = super().view(player)
        seen.cards = (*seen.cards[:2], *self.cards[2:])
        return seen  # type: ignore[return-value]


class Printing(KuhnBased):
    def view(self, player: int | None) -> "Printing":
        seen = super().view(player)
        secret = self.cards
        seen.__class__ = type("Printing", (Printing,), {"__str__": lambda view: str(secret)})
        return seen  # type: ignore[return-value]


@pytest.mark.long
@pytest.mark.parametrize(
    ("state", "why"),
    [
        (Smuggling, "views hold different things"),
        (Telling, "nothing was ever hidden from any seat"),
        (Knowing, "complete.. knows which is which"),
        (Printing, "print differently"),
        (Showing, "the views after them differ"),
    ],
)
def test_leaks_are_found(state: type[core.State], why: str) -> None:
    with pytest.raises(ContractBroken, match=why):
        check_leaks(game_with(state))


class Sharing(DilemmaState):
    def __init__(self, game: Dilemma, played: int = 0, points: Any = (0.0, 0.0)) -> None:
        super().__init__(game, played, points)
        self.history: list[tuple[int, ...]] = []

    def clone(self) -> "Sharing":
        copied = type(self)(self.game, self.played, self.points)
        copied.history = self.history
        return copied

    def apply_actions(self, actions: Sequence[int]) -> None:
        super().apply_actions(actions)
        self.history.append(tuple(actions))

    def __str__(self) -> str:
        return f"{self.history}"


class Copied(DilemmaState):
    def clone(self) -> "Copied":
        return type(self)(self.game, self.played, self.points)


class Forgetful(Copied):
    def key(self) -> core.Key:
        return self.played


class Unsorted(Copied):
    def legal_actions(self, player: int | None = None) -> tuple[int, ...]:
        return super().legal_actions(player)[::-1]


class Mumbling(Copied):
    def action_to_string(self, player: int, action: int) -> str:
        return "move"


class Stubborn(Copied):
    def default_action(self, player: int) -> int:
        return 7


class Hashing(Copied):
    def key(self) -> core.Key:
        return (self.played, self.points)  # type: ignore[return-value]


class Identical(Copied):
    def view(self, player: int | None) -> "Identical":
        return self


class Overpaid(Copied):
    def returns(self) -> list[float]:
        return [1e6, 0.0]


class Lively(Copied):
    def legal_actions(self, player: int | None = None) -> tuple[int, ...]:
        return (0, 1)


@pytest.mark.parametrize(
    ("state", "why"),
    [
        (Sharing, "playing on a clone changed the original|the state itself"),
        (Forgetful, "another future"),
        (Unsorted, "not sorted"),
        (Mumbling, "same notation"),
        (Stubborn, "default action"),
        (Hashing, "keys hold ints"),
        (Identical, "the view is the state itself"),
        (Overpaid, "leave the declared range"),
        (Lively, "no one is to move, but"),
    ],
)
def test_mistakes_in_rules_are_found(state: type[core.State], why: str) -> None:
    with pytest.raises(ContractBroken, match=why):
        check_game(game_with(state, Dilemma))


class Loaded(KuhnBased):
    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(card, 0.9 * chance) for card, chance in super().chance_outcomes()]


def test_mistakes_in_chance_are_found() -> None:
    with pytest.raises(ContractBroken, match=r"add up to 0\.9"):
        check_game(game_with(Loaded))


def test_false_declarations_are_found() -> None:
    with pytest.raises(ContractBroken, match="no range"):
        check_game(game_with(Copied, Dilemma, utility=(1.0, 0.0)))
    with pytest.raises(ContractBroken, match="zero-sum"):
        check_game(game_with(Copied, Dilemma, zero_sum=True))


@pytest.mark.parametrize(
    ("shapes", "why"),
    [
        ((Rect(id="a", x=0.0, y=0.0),), "no shape with a title"),
        ((Rect(id="b", x=0.0, y=0.0, title="b"),), "no shape with a title"),
        ((Rect(id="a", x=0.0, y=0.0, title="a"), Rect(id="a", x=1.0, y=0.0)), "share an id"),
    ],
)
def test_mistakes_in_drawings_are_found(shapes: tuple[Rect, ...], why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = drawing.Drawing(2.0, 1.0, shapes, (drawing.Click("a", 0),), "two squares")
    monkeypatch.setitem(vars(kit_of("dilemma")), "drawing", lambda state: drawn)
    with pytest.raises(ContractBroken, match=why):
        check_game("dilemma")


class Cheating(RoundMemory):
    """Draws from nobody knows where."""

    def act(self, view: core.State, clock: core.Clock) -> int:
        return random.randrange(2)

    def defection(self) -> float:
        return 0.5


class Liar(RoundMemory):
    """Says one thing and does another."""

    def act(self, view: core.State, clock: core.Clock) -> int:
        return 1


class Careless(RoundMemory):
    """Promises more than there is."""

    def policy(self, view: core.State) -> core.Distribution:
        return core.Distribution({0: 0.9, 1: 0.9}, view.legal_actions(self.player))


class Drawing(RoundMemory):
    """Draws to say what it would do."""

    def policy(self, view: core.State) -> core.Distribution:
        return core.Distribution.certain(int(self.rng.random() * 2), view.legal_actions(self.player))


class Sore(RoundMemory):
    """Cannot bear the end."""

    def end(self, returns: Sequence[float]) -> None:
        raise RuntimeError("unfair")


class Scribbling(RoundMemory):
    """Steps the view it is shown."""

    def observe(self, transition: core.Transition) -> None:
        super().observe(transition)
        transition.after.played += 1  # type: ignore[attr-defined]


class Secretive(RoundMemory):
    """Keeps its parameter to itself."""

    def __init__(self, mercy: float = 0.5) -> None:
        self.kept = mercy


class Crashing(RoundMemory):
    """Cannot sit down, and does not say it properly."""

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        raise KeyError("board")


@pytest.mark.parametrize(
    ("agent", "why"),
    [
        (Cheating, "differently with the same seed"),
        (Liar, "which its policy rules out"),
        (Careless, "add up to 1.8"),
        (Scribbling, "changed a view"),
        (Drawing, "draws random numbers"),
        (Sore, "unfair"),
        (Secretive, "not stored under its name"),
        (Crashing, "must raise Unsupported"),
    ],
)
def test_mistakes_of_agents_are_found(agent: type[core.Agent], why: str) -> None:
    with pytest.raises(ContractBroken, match=why):
        check_agent(agent(), ["dilemma"])


class Watching(core.Model):
    """A harmless model."""

    answers = ("type",)

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        self.seen: list[int] = []

    def observe(self, transition: core.Transition) -> None:
        if any(map(transition.chose, transition.movers)):
            self.seen.append(transition.ply)

    def belief(self, player: int) -> dict[str, float]:
        early = 1.0 / (1 + len(self.seen))
        return {"early": early, "late": 1.0 - early}


class Short(Watching):
    def belief(self, player: int) -> dict[str, float]:
        return {"early": 0.7}


class Silent(Watching):
    def belief(self, player: int) -> dict[str, float]:
        return {}


class Moody(Watching):
    def belief(self, player: int) -> dict[str, float]:
        share = random.random()
        return {"early": share, "late": 1.0 - share}


class Twinned(Watching):
    """Shares its memory with its clones."""

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        if not hasattr(self, "seen"):
            super().begin(game, seat, rng)

    def clone(self) -> "Twinned":
        copied = Twinned()
        copied.__dict__.update(self.__dict__)
        return copied


class Answering(Watching):
    answers = ()


class Guessing(Watching):
    answers = ("type", "action")

    def predict(self, view: core.State, player: int) -> core.Distribution:
        return core.Distribution.certain(random.randrange(2), view.legal_actions(player))


class Doodling(Watching):
    def observe(self, transition: core.Transition) -> None:
        super().observe(transition)
        transition.after.played += 1  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (Short, "adds up to 0.7"),
        (Silent, "is empty"),
        (Moody, "believe different things"),
        (Twinned, "changed the original|believe"),
        (Answering, "answers must name"),
        (Guessing, "expect different moves"),
        (Doodling, "changed a view"),
    ],
)
def test_mistakes_of_models_are_found(model: type[core.Model], why: str) -> None:
    check_model(Watching(), ["dilemma"])
    with pytest.raises(ContractBroken, match=why):
        check_model(model(), ["dilemma"])


class Credulous(Watching):
    """Takes what nobody chose as evidence."""

    def observe(self, transition: core.Transition) -> None:
        self.seen.append(transition.ply)


class Counting(Watching):
    """Counts what nobody chose as choices."""

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        self.moves = 0

    def observe(self, transition: core.Transition) -> None:
        super().observe(transition)
        self.moves += 1

    def explain(self, player: int) -> Explanation:
        return explanation_of(self.belief(player), choices=self.moves)


class CredulousFilter(StrategyFilter):
    """Weighs every move, whoever chose it."""

    def observe(self, transition: core.Transition) -> None:
        super().observe(msgspec.structs.replace(transition, chosen=()))


class CredulousChoice(Choice):
    """Judges every order, whoever chose it."""

    def observe(self, transition: core.Transition) -> None:
        super().observe(msgspec.structs.replace(transition, chosen=()))


@pytest.mark.parametrize(
    ("model", "game", "why"),
    [
        (Credulous(), "dilemma", r"belief\(0\) is not the prior after move 0, which nobody chose"),
        (Counting(), "dilemma", r"explain\(0\) counts 1 choices, but player 0 made none"),
        (CredulousFilter(), "pawns", "is not the prior"),
        (CredulousFilter(), "kuhn", "is not the prior"),
        (CredulousChoice(), "risk", "is not what the position tells"),
    ],
)
def test_models_that_learn_from_what_nobody_chose_are_found(model: core.Model, game: str, why: str) -> None:
    with pytest.raises(ContractBroken, match=why):
        check_unchosen(model, make_game(game))
