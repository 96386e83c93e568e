"""Live matches in the store: their setups, seats and clocks, so that a restarted server goes on with them."""

from collections.abc import Callable, Mapping, Sequence

import msgspec
from sqlalchemy import Connection, delete, select, update

from kibitz_lab.store import schema
from kibitz_lab.store.store import Store, now

NUMBER = "match"
"""The counter of match numbers."""
Change = Callable[[Connection], object]


class SeatRow(msgspec.Struct, frozen=True):
    """A seat that is taken, or (without an account) one that waits for an invited person."""

    seat: int
    name: str
    account: str
    person: bool
    key_hash: str | None
    """The hash of the seat's key, or of the invitation."""
    resigned: bool = False


class LiveRow(msgspec.Struct, frozen=True):
    """A match that was waiting or running."""

    number: int
    owner: str
    setup: str
    """JSON."""
    clocks: list[float]
    """Seconds that each player had used."""
    seats: list[SeatRow]


class LiveMatches:
    """The live matches in a store. Changes are functions of a connection, so that many can go into one transaction."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def write(self, changes: Sequence[Change]) -> None:
        """Make several changes in one transaction."""
        self.store.write_change(lambda connection: [change(connection) for change in changes])

    def all(self) -> list[LiveRow]:
        """All live matches, by number."""
        matches, seats = schema.live_matches.c, schema.live_seats.c

        def rows(connection: Connection) -> list[LiveRow]:
            taken: dict[int, list[SeatRow]] = {}
            columns = (
                seats.number,
                seats.seat,
                seats.name,
                seats.account,
                seats.person,
                seats.key_hash,
                seats.resigned,
            )
            for number, *row in connection.execute(select(*columns).order_by(seats.number, seats.seat)):
                taken.setdefault(number, []).append(SeatRow(*row))
            query = select(matches.number, matches.owner, matches.setup, matches.clocks).order_by(matches.number)
            return [
                LiveRow(number, owner, setup, msgspec.json.decode(clocks, type=list[float]), taken.get(number, []))
                for number, owner, setup, clocks in connection.execute(query)
            ]

        return self.store.read(rows)

    def last_number(self) -> int:
        """The highest number that a match ever had; 0 before the first."""
        query = select(schema.counters.c.value).where(schema.counters.c.name == NUMBER)
        return int(self.store.read(lambda connection: connection.scalar(query)) or 0)

    def opening_change(self, number: int, owner: str, setup: str) -> Change:
        """A match was opened; its number is never given again."""
        row = {"number": number, "owner": owner, "setup": setup, "clocks": "[]", "made": now()}

        def add(connection: Connection) -> None:
            connection.execute(self.store.insert(schema.live_matches), [row])
            connection.execute(self.store.insert(schema.counters), [{"name": NUMBER, "value": 0}])
            lower = (schema.counters.c.name == NUMBER) & (schema.counters.c.value < number)
            connection.execute(update(schema.counters).where(lower).values(value=number))

        return add

    def seats_change(self, number: int, seats: Sequence[SeatRow]) -> Change:
        """The seats of a match, all of them, are now these."""
        rows = [{"number": number, **msgspec.structs.asdict(seat)} for seat in seats]

        def write(connection: Connection) -> None:
            connection.execute(delete(schema.live_seats).where(schema.live_seats.c.number == number))
            known = select(schema.live_matches.c.number).where(schema.live_matches.c.number == number)
            if rows and connection.scalar(known) is not None:  # a match that is over has no seats
                connection.execute(schema.live_seats.insert(), rows)

        return write

    def clocks_change(self, clocks: Mapping[int, Sequence[float]]) -> Change:
        """The clocks of some matches show this."""

        def write(connection: Connection) -> None:
            for number, used in clocks.items():
                text = msgspec.json.encode([round(seconds, 3) for seconds in used]).decode()
                row = schema.live_matches.c.number == number
                connection.execute(update(schema.live_matches).where(row).values(clocks=text))

        return write

    def ending_change(self, number: int) -> Change:
        """A match is over, or was withdrawn."""
        return lambda connection: connection.execute(
            delete(schema.live_matches).where(schema.live_matches.c.number == number)
        )
