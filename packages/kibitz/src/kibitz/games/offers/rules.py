"""A small game of offers: two players divide books, hats and balls, and neither knows the other's favourite."""

from collections.abc import Sequence
from math import prod

from kibitz import core

Pool = tuple[core.Count, core.Count, core.Count]
KINDS = ("books", "hats", "balls")
REJECT, ACCEPT, UNKNOWN = 0, 1, -1


class State(core.State):
    """Each player's favourite kind, the offer on the table (None while one is awaited), and how many were made."""

    def __init__(self, game: "Offers", favourites: tuple[int, ...] = ()) -> None:
        self.game, self.favourites, self.made, self.accepted = game, favourites, 0, False
        self.offer: int | None = None

    def current_player(self) -> int:
        over = self.accepted or (self.offer is None and self.made == self.game.rounds)
        return core.CHANCE if len(self.favourites) < 2 else core.TERMINAL if over else self.made % 2

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        answers = (REJECT, ACCEPT) if self.offer is not None else self.game.divisions
        return answers if self.current_player() >= 0 else ()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(kind, 1 / 3) for kind in range(3)] if self.current_player() == core.CHANCE else []

    def apply_action(self, action: int) -> None:
        if len(self.favourites) < 2:
            self.favourites += (action,)
        elif self.offer is None:
            self.offer, self.made = action, self.made + 1
        else:
            self.offer, self.accepted = (self.offer, True) if action == ACCEPT else (None, False)

    def returns(self) -> list[float]:
        return [self.worth(player, self.share(player)) if self.accepted else 0.0 for player in (0, 1)]

    def share(self, player: int) -> tuple[int, ...]:
        """What *player* gets by the offer on the table."""
        given = self.game.divisions.values(self.offer or 0)
        return given if self.made % 2 == player else tuple(a - b for a, b in zip(self.game.pool, given, strict=True))

    def worth(self, player: int, share: Sequence[int]) -> float:
        """3 for each favourite, 1 for anything else, less with every further offer."""
        return (sum(share) + 2 * share[self.favourites[player]]) * self.game.discount ** max(0, self.made - 1)

    def view(self, player: int | None) -> "State":
        return self.copy_with(favourites=tuple(k if s == player else UNKNOWN for s, k in enumerate(self.favourites)))

    def complete(self, rng: core.Rng) -> "State":
        return self.copy_with(favourites=tuple(k if k != UNKNOWN else int(rng.random() * 3) for k in self.favourites))

    def seen_action(self, observer: int | None, player: int, action: int) -> int | None:
        return action if player != core.CHANCE or observer == len(self.favourites) else None

    def truth(self, player: int) -> dict[str, str]:
        return {"type": KINDS[self.favourites[player]]} if player < len(self.favourites) else {}

    def key(self) -> core.Key:
        return self.favourites, self.offer, self.made, self.accepted

    def action_to_string(self, player: int, action: int) -> str:
        answer = self.game.divisions.phrase(action) if self.offer is None else ("reject", "accept")[action]
        return f"likes {KINDS[action]}" if player == core.CHANCE else answer

    def __str__(self) -> str:
        pool = " ".join(f"{count} {kind}" for kind, count in zip(KINDS, self.game.pool, strict=True))
        liked = ["?" if kind == UNKNOWN else KINDS[kind] for kind in self.favourites]
        known = (
            ", ".join(f"player {player} likes {kind}" for player, kind in enumerate(liked)) or "no one likes anything"
        )
        lines = [f"to divide: {pool}; {known}", f"{self.made} of {self.game.rounds} offers made"]
        if self.offer is not None:
            giver = (self.made - 1) % 2
            words = f"player {giver} offers to {self.game.divisions.phrase(self.offer)} to player {1 - giver}"
            lines.append(words + (": accepted" if self.accepted else ""))
        return "\n".join(lines)


class Offers(core.Game):
    """Divide a pool by offers, turn about; accepting ends it, and after *rounds* offers neither gets anything."""

    hidden, zero_sum = True, False

    def __init__(self, pool: Pool = (3, 2, 1), rounds: core.Count = 4, discount: core.Probability = 0.9) -> None:
        self.pool, self.rounds, self.discount, self.utility = pool, rounds, discount, (0.0, sum(pool) + 2.0 * max(pool))
        self.divisions = core.ProductActions.up_to(dict(zip(KINDS, pool, strict=True)), verb="give")
        self.action_bound = prod(self.divisions.bases)

    def new_initial_state(self) -> State:
        return State(self)
