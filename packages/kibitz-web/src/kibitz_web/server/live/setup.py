"""What a live match is opened with: the game, the seats, the models, the clocks. Pages and REST make one of these."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from kibitz.core.agent import TimeControl
from kibitz.core.errors import BadSpec, Refused
from kibitz.core.game import Game
from kibitz.core.match import Conditions
from kibitz.core.match.options import Opening
from kibitz.core.registry import kit_of, make_game
from kibitz_web.server.access.policy import AllowedSpec, allowed_spec

Experiment = Literal["free", "constrained"]
"""Whether people may choose any legal action, or only those that serve their goal (`GameKit.constraint`)."""


class MatchSetup(Conditions, frozen=True, omit_defaults=True):
    """A match to open. `allowed_setup` makes one from what a request says; the store keeps it until the match ends."""

    game: AllowedSpec
    seats: tuple[AllowedSpec | None, ...]
    """Specs of agents; None is a seat for a person or a remote program."""
    public: tuple[int, ...] = ()
    """The seats of None that anyone may take; the others are for the host and for those they invite."""
    models: tuple[AllowedSpec, ...] | None = None
    """The models that watch; None: the game's usual model, as soon as somebody looks at the page."""
    opening: Opening = 0
    seed: int | None = None
    """None: the server draws one, and shows it only in the record of the finished match."""
    given: tuple[tuple[str, ...], ...] = ()
    """The opening: the events of another match, with each player's action in notation."""
    secret: bool = False
    """Whether beliefs about people are hidden from them until the game ends."""
    experiment: Experiment | None = None
    """Whether this is an experiment: it asks people about their plan afterwards, and gives no hints."""

    @property
    def visitors(self) -> int:
        """Number of seats for people and remote programs."""
        return self.seats.count(None)

    @property
    def private_seats(self) -> list[int]:
        """The seats of the host and of those they invite."""
        return [seat for seat, spec in enumerate(self.seats) if spec is None and seat not in self.public]

    @property
    def casual(self) -> bool:
        """Whether moves may be taken back: one person, no remote player, no clock, no experiment."""
        free = self.time_control == TimeControl() and self.experiment is None
        return self.visitors == 1 and not self.public and free


def allowed_setup(
    game: str,
    seats: Sequence[str | None],
    *,
    models: Sequence[str] | None = None,
    agents: Mapping[str, str] | None = None,
    **options: Any,
) -> MatchSetup:
    """The setup that a request describes; *agents* are the operator's, by name. Raises BadSpec or Refused."""
    for each in (*(seat for seat in seats if seat is not None), *(models or ())):
        if not isinstance(each, str):
            raise BadSpec(repr(each)[:80], "agents and models are named by text")
    watching = None if models is None else tuple(allowed_model(model) for model in models)
    chosen = tuple(None if seat is None else allowed_spec(seat, agents) for seat in seats)
    setup = MatchSetup(allowed_spec(game), chosen, models=watching, **options)
    check_setup(setup, make_game(setup.game))
    return setup


def allowed_model(text: str) -> AllowedSpec:
    """The model in a request, with the seat it watches from: `strategy_filter@1`."""
    spec, at, seat = text.partition("@")
    return AllowedSpec(allowed_spec(spec) + at + seat)


def check_setup(setup: MatchSetup, game: Game) -> None:
    """Raise BadSpec or Refused if the match cannot be opened, or would not be fair."""
    if setup.seed is not None and not 0 <= setup.seed < 2**63:
        raise Refused("a seed is a whole number from 0 to 2**63 - 1")
    if len(setup.seats) != game.players:
        raise BadSpec(setup.game, f"it has {game.players} players, you named {len(setup.seats)} seats")
    if setup.experiment == "constrained" and kit_of(game).constraint is None:
        raise BadSpec(setup.game, "it does not define which orders serve a goal; choose free play")
    foreign = setup.visitors > 1 or bool(setup.public)
    if setup.seed is not None and foreign:
        raise Refused("a seed needs a match without open or invited seats: a player who knows it knows the dice")
    if setup.given and game.hidden and foreign:
        raise Refused("an opening from a record needs a match without open or invited seats: it shows hidden cards")
