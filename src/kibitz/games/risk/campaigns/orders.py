"""The orders of a campaigner: where it places, what it attacks, what it leaves behind, and where it marches."""

from collections.abc import Sequence

from kibitz.games.risk import phases
from kibitz.games.risk.campaigns.plan import SPARE, Plan, PlannedAttack
from kibitz.games.risk.campaigns.routes import EVEN, Route
from kibitz.games.risk.phases import AMOUNTS, pair


def exposure(plan: Plan, place: int) -> float:
    """How exposed a territory is: by its neighbours, by the armies of others, less by my own beside it."""
    sight = plan.sight
    near = sight.board.neighbours[place]
    own = [to for to in near if sight.owners[to] == sight.me]
    found = 2.0 * len(near) + 6.0 - sight.armies[place] - 2.0 * (len(near) < 3) - float(len(own)) ** 2
    for to in near:
        if sight.owners[to] == sight.me:
            found -= 0.5 * sight.armies[to]
        else:
            found += (sight.armies[to] + 1) // 2 - (sight.owners[to] == plan.victim)
    return max(1.0, found)


def borders(plan: Plan) -> list[int]:
    """The territories that guard my continents: entries that can be attacked, then the fronts before the others."""
    sight, board = plan.sight, plan.sight.board
    first: list[int] = []
    before: list[int] = []
    for number in plan.ground.own_continents:
        for entry in board.entries[number]:
            if sight.foes(entry):
                first.append(entry)
                continue
            edge = [to for to in board.neighbours[entry] if board.territories[to].continent != number]
            for place in edge:  # the list grows while the loop runs
                if sight.foes(place):
                    before.append(place)
                elif board.territories[place].continent not in plan.ground.own_continents:
                    edge += [to for to in board.neighbours[place] if to not in edge]
    found = list(dict.fromkeys(first + before))
    if plan.asks_armies:
        found += [place for place in sight.mine if place not in found]
    return found


def lacking_armies(plan: Plan, place: int) -> int:
    """The armies that a border lacks to match the strongest enemy beside it; below 0 it has so many to spare."""
    return max((plan.sight.armies[to] for to in plan.sight.foes(place)), default=0) - plan.sight.armies[place]


def reinforcement(plan: Plan, held: Sequence[int], *, least: bool) -> tuple[int, int] | None:
    """The border to reinforce, and by how many: two armies everywhere, then as many as the enemy has, then more."""
    armies, enough = plan.sight.armies, max(SPARE, plan.ground.garrison)
    for place in held:
        if armies[place] < enough:
            return place, enough - armies[place]
    if least and (not plan.ground.in_turn or plan.sight.game.cards == "increasing"):
        return None
    for place in held:
        lacking = lacking_armies(plan, place)
        if lacking > 0:
            return place, lacking
        if not least and -lacking < armies[place] + SPARE:
            return place, armies[place] + SPARE + lacking
    return None


def placement(plan: Plan) -> tuple[int, int]:
    """Where to place armies and how many."""
    held = borders(plan)
    move: PlannedAttack | None = None
    if plan.ground.in_turn:
        move = plan.destruction()
        if move is None and plan.stops and not plan.presses:
            move = easy_conquest(plan)
        if move is None and plan.powers.threat is not None:
            move = plan.breaking(held)
        if move is None and plan.presses and plan.campaigns:
            move = plan.campaign(plan.campaigns[0], against=strongest(plan), whole=False)
    found = reinforcement(plan, held, least=True) if move is None else None
    if found is not None:
        return found
    if move is None and plan.ground.in_turn and plan.presses:
        move = plan.breaking(held)
    for goals in plan.campaigns:
        move = move or plan.campaign(goals, against=strongest(plan), whole=False)
    move = move or hardest_goal(plan)
    if move is not None:
        return move.start, move.armies
    found = reinforcement(plan, held, least=False)
    if found is not None:
        return found
    place = max(plan.ground.fronts or plan.sight.mine, key=lambda each: (plan.sight.armies[each], -each))
    return place, plan.extra


def strongest(plan: Plan) -> int | None:
    """The strongest other player."""
    return plan.powers.others[0].player if plan.powers.others else None


def easy_conquest(plan: Plan) -> PlannedAttack | None:
    """Armies for the easiest conquest, where none is sure yet: it brings a card."""
    goals = list(plan.goals.values())
    most = max((goal.left for goal in goals), default=1)
    if most > 0:
        return None
    wanted = {goal.place for goal in plan.campaigns[0]} if plan.campaigns else set()
    best = max(
        (goal for goal in goals if goal.left == most),
        key=lambda goal: (goal.place in wanted, plan.sight.owners[goal.place] in plan.targets, goal.place),
    )
    route = plan.best_route(best, strongest(plan))
    return None if route is None else PlannedAttack(route.start, route.path[0], 1 - most)


def hardest_goal(plan: Plan) -> PlannedAttack | None:
    """Armies for the goal that lacks most."""
    goals = [goal for campaign in plan.campaigns for goal in campaign]
    if not goals:
        return None
    goal = min(goals, key=lambda goal: goal.ease)
    route = plan.best_route(goal, strongest(plan))
    if route is None:
        return None
    count = plan.ground.character.margin - route.left
    return PlannedAttack(route.start, route.path[0], count if count >= 0 else plan.extra // 3)


def attack(plan: Plan) -> int:
    """The attack to make now, or the end of attacks."""
    if not plan.ground.fronts:
        return phases.END_ATTACK
    held = borders(plan)
    move = plan.destruction() or plan.breaking(held)
    draws_card = not plan.ground.captured
    if move is None and (not plan.stops or draws_card or not plan.powers.is_weak):
        for goals in plan.campaigns[: 1 if plan.powers.is_weak else None]:
            move = move or plan.campaign(goals, against=strongest(plan), whole=False)
    move = move or last_attack(plan, held)
    return phases.END_ATTACK if move is None else pair(move.start, move.to, len(plan.sight.owners))


def last_attack(plan: Plan, held: Sequence[int]) -> PlannedAttack | None:
    """An attack on a neighbour for a card, or to wear others down with armies that guard nothing."""
    sight, powers = plan.sight, plan.powers
    for goal in sorted(plan.goals.values(), key=lambda goal: goal.ease, reverse=True):
        if goal.depth > 1:
            return None
        route = plan.best_route(goal, plan.targets[0] if plan.targets else None)
        if route is None:
            continue
        start, to = route.start, route.path[0]
        owner, armies = sight.owners[to], sight.armies[start]
        if plan.stops and plan.ground.captured:
            stronger = any(each.player == owner and each.defence > powers.me.value for each in powers.others)
            hostile = owner == powers.threat if powers.threat is not None else stronger and not powers.is_weak
            good = armies >= 5 and start not in held and hostile
        else:
            free = not plan.stops and armies > 4 and powers.threat in (None, owner)
            good = free or (not plan.ground.captured and armies > 2 and sight.armies[to] < armies + 3)
        if good:
            return PlannedAttack(start, to, 0)
    return None


def left_behind(plan: Plan) -> int:
    """The armies that stay where an attack came from."""
    sight = plan.sight
    if not sight.foes(sight.target):
        return sight.armies[sight.origin]
    if not sight.foes(sight.origin):
        return plan.ground.garrison
    guards = sight.origin in borders(plan)
    free = sight.armies[sight.origin] - 1
    ahead = list(plan.ground.searcher.routes(Route(sight.target, (), free), plan.extra, EVEN))
    for route in ahead:
        foes = sight.armies[route.path[-1]]
        if route.left < 0 and not guards:
            return plan.ground.garrison
        free -= 2 + max(0, foes - 4) + 3 * min(4, foes) // 2 + foes % 2
    return max(plan.ground.garrison, SPARE if guards else 0, free)


def march(plan: Plan) -> int:
    """The march at the end of a turn: to a border that needs it, then from the interior to a front."""
    sight, held, garrison = plan.sight, borders(plan), plan.ground.garrison
    idle = [
        place
        for place in sight.mine
        if sight.armies[place] > garrison and not (place in held and lacking_armies(plan, place) // 2 + garrison >= 0)
    ]
    inner = [place for place in idle if not sight.foes(place)]
    calling = [place for place in held if lacking_armies(plan, place) >= -1]
    way = best_way(plan, idle, calling) or best_way(plan, inner, [place for place in sight.mine if sight.foes(place)])
    if way is not None:
        place, to = way
        spare = -lacking_armies(plan, place) // 2 if place in held else sight.armies[place]
        return pair(place, to, len(sight.owners)) * AMOUNTS + max(0, spare - garrison)
    crowded = [place for place in inner if sight.armies[place] > garrison + 1]
    if not crowded:
        return phases.STAY
    place = max(crowded, key=lambda each: (sight.armies[each], -each))
    to = min(sight.board.neighbours[place], key=lambda each: (sight.armies[each], each))
    return pair(place, to, len(sight.owners)) * AMOUNTS + sight.armies[place] - garrison - 1


def best_way(plan: Plan, senders: Sequence[int], receivers: Sequence[int]) -> tuple[int, int] | None:
    """From the most exposed sender to the least exposed receiver beside it."""
    neighbours, me, owners = plan.sight.board.neighbours, plan.sight.me, plan.sight.owners
    ways = [
        (exposure(plan, to) - exposure(plan, place), place, to)
        for place in senders
        for to in neighbours[place]
        if owners[to] == me and to in receivers
    ]
    return min(ways)[1:] if ways else None
