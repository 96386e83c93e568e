"""Find out quickly which games are too large to enumerate, and how many states they have at least.

Random matches tell in a moment what listing all states would take hours to find.

In a small game random matches visit the same states again and again, in a large one hardly ever. Let p be the
probability that a match visits a state. Two matches share Σp² states on average, and whatever p is, there are at least
(Σp)² / Σp² states (Cauchy and Schwarz). Matches always share openings, which would hide the variety of later states; so
the first half of the matches decides from which move on to count states, and the second half counts them.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from math import sqrt

from kibitz import core
from kibitz.core.errors import BadGame
from kibitz.core.registry.specs import constructor_parameters
from kibitz.core.seeds import stream

PLIES, LONGEST = 20_000, 400
"""The number of moves to play in all, and the most in one match."""
PLIES_PER_STATE = 10
"""With a low limit, fewer moves for each state that it allows: listing has decided already."""
STARTS = (0, 1, 2, 4, 8, 16, 32, 64, 128)
"""The numbers of states that may be left out at the beginning of a match."""
ESTIMATED_FROM = 2_000
"""Games with fewer states are enumerated faster than estimated."""
REPORT_EVERY = 1_000
"""How often progress is reported, in states."""


def check_size(what: object, states: int, limit: int, known: str = "") -> None:
    """Raise BadGame if there are more states than allowed; *known* says what is known of their number."""
    if states > limit:
        raise BadGame(what, f"it has more than {limit:,} states{known}; {_way_out(what)}")


def _way_out(what: object) -> str:
    """What to do about a game that is too large."""
    if not isinstance(what, core.Game):
        return "give a higher limit"
    sizes = [name for name in constructor_parameters(type(what)) if type(getattr(what, name)) is int]
    smaller = f"choose smaller options ({', '.join(sizes)})" if sizes else "choose smaller options"
    return f"{smaller}, a higher limit (--limit), or an agent that needs no list of states, such as mcts"


def count_states(game: core.Game, limit: int, report: Callable[[str], None] | None, states: int) -> None:
    """Report the number of states listed so far; raises BadGame if there are more than allowed, listed or not."""
    if states == ESTIMATED_FROM or states > limit:
        least = least_states(game, min(PLIES, max(ESTIMATED_FROM, PLIES_PER_STATE * limit)))
        rounded = least - least % 10 ** max(0, len(str(least)) - 2)
        about = f", at least about {rounded:,} by random matches" if least > limit else ""
        check_size(game, max(states, least), limit, about)
    if report is not None and states % REPORT_EVERY == 0:
        report(f"{states:,} states listed")


def least_states(game: core.Game, plies: int = PLIES) -> int:
    """A lower estimate of the number of reachable states with a choice, almost certainly not too high."""
    rng = stream(0, "states", repr(game))
    matches = list(_matches(game, plies, rng))
    start = max(STARTS, key=lambda start: _fewest(matches[::2], start))
    return max(_fewest(matches[1::2], start), len({key for match in matches for key in match}))


def _fewest(matches: list[list[core.Key]], start: int) -> int:
    """The number of states that these matches indicate, from their state number *start* on."""
    visits = [match[start:] for match in matches]
    total = sum(map(len, visits))
    pairs = (total * total - sum(len(visit) ** 2 for visit in visits)) // 2
    met = sum(count * (count - 1) // 2 for count in Counter(key for visit in visits for key in visit).values())
    return int(pairs / (met + 2.0 * sqrt(met) + 3.0))  # few shared states may be luck


def _matches(game: core.Game, plies: int, rng: core.Rng) -> Iterator[list[core.Key]]:
    """The states with a choice in random matches, each once per match, in order."""
    while plies > 0:
        states = list(_states(game, rng))
        plies -= max(len(states), 1)
        yield list(dict.fromkeys(states))


def _states(game: core.Game, rng: core.Rng) -> Iterator[core.Key]:
    """The states with a choice in a random match, in order."""
    state = game.new_initial_state()
    for _ in range(LONGEST):
        if state.current_player() == core.CHANCE:
            outcomes = state.chance_outcomes()
            state.apply_action(outcomes[int(rng.integers(len(outcomes)))][0])
            continue
        options = [state.legal_actions(player) for player in game.movers(state)]
        if not options or not all(map(len, options)):
            return
        yield state.key()
        state.step([legal[int(rng.integers(len(legal)))] for legal in options])
