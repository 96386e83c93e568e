"""The agents that come with Axis & Allies: a greedy attacker, a defender, the scenario's script, and perfect play."""

from abc import abstractmethod
from typing import Literal

from kibitz import core
from kibitz_axis.game import Axis
from kibitz_axis.land.board import FAR
from kibitz_axis.land.movement import COMBAT, Front, Post, scripted_posts
from kibitz_axis.land.perfect import solver
from kibitz_axis.land.rules import State
from kibitz_axis.land.scenarios import load
from kibitz_axis.units import Army, army_price
from kibitz_lab.equilibria.backward import BackwardInduction, TooLarge

MOST_UNITS = 24
"""With more units than this, perfect play is out of reach."""


def refuse_whole_game(agent: core.Agent, game: core.Game) -> None:
    """Raise Unsupported where the whole game is played, which these agents do not know."""
    if isinstance(game, Axis) and game.rules == "full":
        raise core.Unsupported(agent, game, "it plays the land scenarios only")


class Planner(core.Strategy):
    """Gives all orders of a phase by one plan, made before the first of them."""

    def manages(self, game: core.Game) -> bool:
        return isinstance(game, Axis) and game.rules == "land"

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        refuse_whole_game(self, game)
        self.planned: tuple[object, list[int]] = (None, [])

    def policy(self, view: core.State) -> core.Distribution:
        assert isinstance(view, State)
        phase = view.turn, view.mover, view.phase, view.forces, view.owners
        if self.planned[0] != phase:
            self.planned = phase, self.plan(view)
        return core.Distribution.certain(self.planned[1][len(view.orders)], view.legal_actions())

    @abstractmethod
    def plan(self, state: State) -> list[int]:
        """An option for every unit that gets an order."""


class Greedy(Planner):
    """Attacks wherever a battle is worth it in this turn alone, by its exact odds; others march to the front."""

    def plan(self, state: State) -> list[int]:
        free = (
            [number for number, post in enumerate(state.posts) if post.flight is None] if state.phase == COMBAT else []
        )
        chosen = peaceful_options(state)
        while attack := self.best_attack(state, free):
            target, numbers = attack
            for number in numbers:
                chosen[number] = target
            free = [number for number in free if number not in numbers]
        return chosen

    def best_attack(self, state: State, free: list[int]) -> tuple[int, list[int]] | None:
        """The area and the units that gain most by an attack there, if any attack gains."""
        found: tuple[float, int, list[int]] = (1e-9, -1, [])
        friends = state.board.friends[state.mover]
        for area in state.board.land:
            going = [number for number in free if area in state.posts[number].options]
            if not going or (state.owners[area] in friends and not any(state.defenders(area))):
                continue
            going.sort(key=lambda number: army_price(self.army(state, [number]), state.board.units))
            for count in range(1, len(going) + 1):
                gain = expected_gain(state, area, self.army(state, going[:count]))
                found = max(found, (gain, area, going[:count]), key=lambda each: each[0])
        return (found[1], found[2]) if found[2] else None

    def army(self, state: State, numbers: list[int]) -> Army:
        """The units of some posts."""
        kinds = [state.posts[number].kind for number in numbers]
        return tuple(kinds.count(kind) for kind in range(len(state.board.units)))


class Defender(Planner):
    """Never attacks: its units go where most is at stake and the enemy is near."""

    def plan(self, state: State) -> list[int]:
        return peaceful_options(state, defending=True)


class Script(Planner):
    """Follows the scenario's script as far as the rules allow."""

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        assert isinstance(game, Axis)
        self.script = load(game.scenario).powers[player].script

    def plan(self, state: State) -> list[int]:
        if self.script is None or state.phase != COMBAT:
            return [post.options[0] if post.flight else post.area for post in state.posts]
        return [post.options[0] for post in scripted_posts(self.script, state.turn, state.posts)]


class Exact(core.Strategy):
    """Plays perfectly to the horizon; *opponent*: against one who does too, or one who looks at their own turn only."""

    def __init__(self, opponent: Literal["perfect", "myopic"] = "perfect", most: core.Count = 200_000) -> None:
        self.opponent, self.most = opponent, most

    def manages(self, game: core.Game) -> bool:
        state = game.new_initial_state()
        return isinstance(state, State) and sum(map(sum, state.forces)) <= MOST_UNITS

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        refuse_whole_game(self, game)
        if not self.manages(game):
            raise core.Unsupported(self, game, f"it has more than {MOST_UNITS} units, too many for perfect play")
        self.solved: BackwardInduction = solver(self.opponent, player, game.players, self.most)
        try:
            self.solved.value(game.new_initial_state())
        except TooLarge as error:
            raise core.Unsupported(self, game, str(error)) from None

    def policy(self, view: core.State) -> core.Distribution:
        return self.solved.best(view)


def expected_gain(state: State, area: int, attackers: Army) -> float:
    """What an attack is expected to gain: units destroyed less units lost, and the area where a land unit is left."""
    board, defenders = state.board, state.defenders(area)
    value = board.area_values[area] if state.owners[area] not in board.friends[state.mover] else 0
    fighting = tuple(count * unit.fights for count, unit in zip(defenders, board.units, strict=True))
    before = army_price(fighting, board.units) - army_price(attackers, board.units)
    endings = board.endings(attackers, defenders) if any(fighting) else ((attackers, fighting, 1.0),)
    gain = 0.0
    for left, standing, chance in endings:
        landed = any(count and unit.domain == "land" for count, unit in zip(left, board.units, strict=True))
        taken = value if landed and not any(standing) else 0
        gain += chance * (before + army_price(left, board.units) - army_price(standing, board.units) + taken)
    return gain


def peaceful_options(state: State, *, defending: bool = False) -> list[int]:
    """An option without an attack for every unit: to the front, or to where most is at stake."""
    board = state.board
    front = Front(board, state.mover, state.forces, state.owners)
    hostile = [area for area in board.land if not front.friends[area]]
    goals = [area for area in board.land if front.friends[area]] if defending else hostile
    nearest = {area: min((board.marches[area][to] for to in hostile), default=FAR) for area in board.land}

    def cost(post: Post, to: int) -> float:
        """The cost of an option: the distance to a goal, or minus the stakes nearby."""
        if not defending:
            return float(nearest[to])
        stake = max(
            (board.area_values[goal] / nearest[goal] / (1 + board.marches[to][goal]) for goal in goals), default=0.0
        )
        return -stake

    chosen = []
    for post in state.posts:
        peaceful = [to for to in post.options if to < len(board.areas) and front.friends[to]] or [post.area]
        stays = post.area if post.area in peaceful else peaceful[0]
        chosen.append(min(peaceful, key=lambda to: (cost(post, to), to != stays, to)))
    return chosen
