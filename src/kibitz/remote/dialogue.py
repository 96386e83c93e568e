"""The messages to one remote player in one match, numbered so that the player can reconnect and catch up."""

from collections.abc import Sequence

from msgspec import structs

from kibitz import core
from kibitz.remote import messages


class Dialogue:
    """The messages to one player, over any transport. Request numbers continue from *asked*."""

    def __init__(self, game: core.Game, player: int, rng: core.Rng, asked: int = 0) -> None:
        self.game, self.player, self.asked = game, player, asked
        self.begin = messages.begin_message(game, player, int(rng.random() * 2**31))  # small enough for all languages
        self.events: list[messages.Event] = []
        self.told: dict[int, int] = {}
        """Number of events sent up to each request."""

    def see(self, transition: core.Transition) -> None:
        """Note an event, to be sent with the next request."""
        self.events.append(messages.event_message(transition))

    def act(self, view: core.State, allowance: float | None, bank: float | None) -> messages.Act:
        """The next request, with all that happened since the last one."""
        known = self.told.get(self.asked, 0)
        self.asked += 1
        self.told[self.asked] = len(self.events)
        legal = messages.legal_message(view, self.player)
        shown, secret = messages.shown_view(view, self.game), dict(view.truth(self.player))
        return messages.Act(self.asked, shown, legal, allowance, bank, self.events[known:], secret)

    def again(self, act: messages.Act, heard: int, allowance: float | None) -> messages.Act:
        """Repeat a request, with all that happened since request *heard*, the last that the player received."""
        events = self.events[self.told.get(heard, 0) : self.told[act.seq]]
        return structs.replace(act, allowance=allowance, events=events)

    def end(self, returns: Sequence[float], heard: int | None = None) -> messages.End:
        """The last message, with all that happened since request *heard*, or else the last one."""
        return messages.End(list(returns), self.events[self.told.get(self.asked if heard is None else heard, 0) :])
