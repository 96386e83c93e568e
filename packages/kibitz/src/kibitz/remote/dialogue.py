"""The messages to one remote player in one match, numbered so that the player can reconnect and catch up."""

from collections.abc import Sequence

from msgspec import structs

from kibitz import core
from kibitz.remote import messages


class Dialogue:
    """The messages to one player, over any transport.

    A request after *n* events has the number *base* + *n* + 1, so numbers never repeat in a match, and a player who
    names the last one that they received gets all that happened since, even if the server was restarted.
    """

    def __init__(self, game: core.Game, player: int, rng: core.Rng, base: int = 0) -> None:
        self.game, self.player, self.base, self.asked = game, player, base, base
        self.begin = messages.begin_message(game, player, int(rng.random() * 2**31))  # small enough for all languages
        self.events: list[messages.Event] = []

    def see(self, transition: core.Transition) -> None:
        """Note an event, to be sent with the next request."""
        self.events.append(messages.event_message(transition))

    def events_by(self, asked: int) -> int:
        """Number of events before the request with this number."""
        return max(0, asked - self.base - 1)

    def act(self, view: core.State, allowance: float | None, bank: float | None) -> messages.Act:
        """The next request, with all that happened since the last one."""
        known = self.events_by(self.asked)
        self.asked = self.base + len(self.events) + 1
        legal = messages.legal_message(view, self.player)
        shown, secret = messages.shown_view(view, self.game), dict(view.truth(self.player))
        return messages.Act(self.asked, shown, legal, allowance, bank, self.events[known:], secret)

    def again(self, act: messages.Act, heard: int, allowance: float | None) -> messages.Act:
        """Repeat a request, with all that happened since request *heard*, the last that the player received."""
        events = self.events[self.events_by(heard) : self.events_by(act.seq)]
        return structs.replace(act, allowance=allowance, events=events)

    def end(self, returns: Sequence[float], heard: int | None = None) -> messages.End:
        """The last message, with all that happened since request *heard*, or else the last one."""
        return messages.End(list(returns), self.events[self.events_by(self.asked if heard is None else heard) :])
